"""The positions of hands in their matches, named by 32 hex digits so that they are compared as ids are."""

import hashlib
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import NO_HAND_NO, Batch

NO_POSITION: Final = b""
"""Stands for the key of a hand without a match, or of which it is not known where in the match it is."""
_MATCH_DIGITS: Final = 24
"""Hex digits of a key that say which match it is; the other eight say which hand of it."""

Positions = NDArray[np.bytes_]
"""Keys of positions, dtype S32."""


def positions_of(batch: Batch) -> Positions:
    """The key of each hand's position, `NO_POSITION` where it has none."""
    matches = [_match_digits(batch.game, match) for match in batch.matches]
    return _keys(np.array([*matches, NO_POSITION], f"S{_MATCH_DIGITS}")[batch.match_of], batch.hand_nos)


def _match_digits(game: str, match: str) -> bytes:
    digest = hashlib.blake2b(f"{game}\0{match}".encode(), digest_size=_MATCH_DIGITS // 2)
    return digest.hexdigest().encode()


def _keys(matches: NDArray[np.bytes_], hand_nos: NDArray[np.int32]) -> Positions:
    numbers = np.frombuffer(hand_nos.astype(">i4").tobytes().hex().encode(), "S8")
    known = (matches != NO_POSITION) & (hand_nos != NO_HAND_NO)
    return np.where(known, np.strings.add(matches, numbers), NO_POSITION).astype("S32")
