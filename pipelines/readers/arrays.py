"""What readers do with whole columns: the lines of a text, records of events, cards, the ids of hands."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.base import Source, hand_name
from cardlog.schemas.cards import CARD_SUITS, RANKS, UNKNOWN, UNKNOWN_TEXT
from cardlog.schemas.cards import code as card_code
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME

Offsets = NDArray[np.int64]

NO_CARD: Final = UNKNOWN - 1
"""Stands for two characters that are no card."""
CARD_OF_PAIR: Final = np.full(2**16, NO_CARD, np.uint8)
"""The code of a card by its two bytes, read as one number."""
for _text in (UNKNOWN_TEXT, *(rank + suit for rank in RANKS for suit in CARD_SUITS)):
    CARD_OF_PAIR[np.frombuffer(_text.encode(), np.uint16)] = card_code(_text)


def line_bounds(text: bytes) -> tuple[Offsets, Offsets]:
    """The offsets of each line, without its line end. An unfinished last line counts."""
    buffer = np.frombuffer(text, np.uint8)
    ends = np.flatnonzero(buffer == ord("\n"))
    if len(text) and not text.endswith(b"\n"):
        ends = np.append(ends, len(text))
    starts = np.append(0, ends[:-1] + 1)[: len(ends)]
    returned = ends > starts
    returned[returned] = buffer[ends[returned] - 1] == ord("\r")
    return starts, ends - returned


def blank_events(count: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """Records of events that say nothing, of a game's `EVENT` dtype: shape (count,)."""
    events = np.zeros(count, dtype)
    events["seat"], events["suit"] = NO_SEAT, -1
    events["amount"], events["detail"], events["at"] = NO_AMOUNT, NO_DETAIL, NO_TIME
    return events


def put_cards(events: NDArray[np.void], codes: NDArray[np.uint8]) -> None:
    """Fill in the cards of events that have their ``count``: codes one event after the other."""
    has_card = np.arange(events["cards"].shape[-1]) < events["count"][:, None]
    events["cards"][has_card] = codes


def hand_ids(form: str, source: Source, keys: Iterable[bytes]) -> NDArray[np.bytes_]:
    """The ids of hands, from their keys in the source: shape (hands,), dtype S32."""
    stem = hand_name(form, source.dataset)
    names = bytearray()
    for key in keys:
        digest = stem.copy()
        digest.update(key)
        names += digest.digest()
    return np.frombuffer(bytes(names).hex().encode(), "S32")
