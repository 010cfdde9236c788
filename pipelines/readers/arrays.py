"""Functions of readers on whole columns: the lines of a text, records of events, ids of hands."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.base import Source, hand_name
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME

Offsets = NDArray[np.int64]


def line_bounds(text: bytes) -> tuple[Offsets, Offsets]:
    """The offsets at which lines begin and end, line ends excluded. An unfinished last line counts."""
    buffer = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(buffer == ord("\n"))
    if len(text) and not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    has_return = ends > starts
    has_return[has_return] = buffer[ends[has_return] - 1] == ord("\r")
    return starts, ends - has_return


def blank_events(count: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """Records of events without values, of a game's `EVENT` dtype: shape (count,)."""
    events = np.zeros(count, dtype)
    events["seat"], events["suit"] = NO_SEAT, -1
    events["amount"], events["detail"], events["at"] = NO_AMOUNT, NO_DETAIL, NO_TIME
    return events


def hand_ids(form: str, source: Source, keys: Iterable[bytes]) -> NDArray[np.bytes_]:
    """The ids of hands, from their keys in the source: shape (hands,), dtype S32."""
    prefix = hand_name(form, source.dataset)
    digests = bytearray()
    for key in keys:
        digest = prefix.copy()
        digest.update(key)
        digests += digest.digest()
    return np.frombuffer(digests.hex().encode(), "S32")
