"""Turns the fields of rows into events, all rows at once. For a row that can't be read it notes the reason
and the column at fault."""

from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.state import HAND_CARDS, Settings
from cardlog.pipelines.events.columns import among
from cardlog.pipelines.readers.arrays import blank_events
from cardlog.pipelines.readers.playedhand_csv import values
from cardlog.pipelines.readers.playedhand_csv.lines import (
    BID_0,
    DATE,
    DEALER,
    FLAGS,
    HAND_0,
    ID,
    MIN_BID,
    MINUS_52,
    NO_TRUMP_OUT,
    PASS_CARDS,
    PLAYED,
)
from cardlog.pipelines.readers.playedhand_csv.rows import Rows
from cardlog.pipelines.readers.playedhand_csv.values import BAD, NO_BID, NULL, Cards
from cardlog.schemas.cards import NO_TRUMP
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason

SEATS: Final = 4
_NUMBERS: Final = (MIN_BID, NO_TRUMP_OUT, DEALER)
_BITS: Final = {DATE: 11, **dict.fromkeys(_NUMBERS, 7), **dict.fromkeys(FLAGS, 2)}
"""The columns in an opening's detail (of the date, its zone), and how many bits each value needs."""
_OPEN, _HANDS, _BIDS, _TRUMPS, _PLAYS, _END = 0, 1, 5, 9, 13, 45
"""Indices of the events that a row may have: hands by seat, bids from the dealer's left, the trumps that they
name (one in a legal row), cards."""
_ROWS: Final = 2048
"""Rows whose events are made at a time: few enough to stay in the processor's cache."""
_TEMPLATE: Final = blank_events(_END, kaiser.EVENT)
_TEMPLATE["action"][:] = Action.PLAY_CARD
_TEMPLATE["action"][_OPEN] = Action.DEAL_OPEN
_TEMPLATE["action"][_HANDS:_BIDS] = Action.DEAL_HAND
_TEMPLATE["seat"][_HANDS:_BIDS] = range(SEATS)
_TEMPLATE["action"][_TRUMPS:_PLAYS] = Action.BID_TRUMP
_TEMPLATE["count"][_PLAYS:] = 1
_WORDS: Final = kaiser.EVENT.itemsize // 8


def _words(events: NDArray[np.void]) -> NDArray[np.uint64]:
    """The same memory as words of eight bytes, which NumPy copies five times as fast as records."""
    return events.view(np.uint64).reshape(*events.shape, _WORDS)


class Parsed:
    """The values of rows.

    reasons, columns
        Why a row can't be read, 0 if it can, and the column at fault: shape (rows,).
    ids
        The rows' own ids, `BAD` for none: shape (rows,).

    A time without a zone is in `timezone`; without one it is bad.
    """

    def __init__(self, rows: Rows, timezone: str = "") -> None:
        fields = rows.columns
        self.reasons = np.zeros(len(rows.lines), np.int8)
        self.columns = np.zeros(len(rows.lines), np.int8)
        self.ids = values.ids(fields[ID])
        self._reject(self.ids == BAD, Reason.UNPARSABLE, ID)
        self._at, offsets = values.times_and_zones(fields[DATE], timezone)
        self._reject(self._at == BAD, Reason.UNPARSABLE, DATE)
        self._settings = {column: values.small_numbers(fields[column]) for column in _NUMBERS}
        self._settings |= {column: values.flags(fields[column]) for column in FLAGS}
        for column, settings in self._settings.items():
            is_wrong = (settings == BAD) | ((settings == NULL) if column in (PASS_CARDS, MINUS_52) else False)
            self._reject(is_wrong, Reason.UNPARSABLE, column)
        self._settings[DATE] = offsets
        self._played = values.cards(fields[PLAYED], SEATS * HAND_CARDS)
        self._bids(fields)
        self._hands = [values.cards(fields[HAND_0 + seat], HAND_CARDS) for seat in range(SEATS)]
        self._check()

    def _reject(self, wrong: NDArray[np.bool_], reason: Reason, column: int | NDArray[np.int64]) -> None:
        """Reject the rows that are wrong, unless they are already rejected."""
        wrong = wrong & (self.reasons == 0)
        self.reasons[wrong] = reason
        self.columns[wrong] = column if isinstance(column, int) else column[wrong]

    def _bids(self, fields: list[pa.BinaryArray]) -> None:
        """The bids from the dealer's left: seats, numbers and suits, each of shape (rows, 4)."""
        bids = [values.bids(fields[BID_0 + seat]) for seat in range(SEATS)]
        self._seats = (self._settings[DEALER][:, None] + 1 + np.arange(SEATS)) % SEATS
        numbers, suits = (np.stack(by_seat, axis=1) for by_seat in zip(*bids, strict=True))
        self._numbers = np.take_along_axis(numbers, self._seats, 1)
        self._suits = np.take_along_axis(suits, self._seats, 1)

    def _check(self) -> None:
        """Reject rows whose hands, bids or cards make no sense, in this order."""
        is_null = self._numbers == NO_BID
        goes_on = ~self._played.is_null | ~is_null.all(axis=1)
        for seat, hand in enumerate(self._hands):
            self._reject(hand.is_null & goes_on, Reason.INCOMPLETE, HAND_0 + seat)
            self._check_cards(hand, HAND_0 + seat)
        first_null = BID_0 + np.take_along_axis(self._seats, is_null.argmax(axis=1)[:, None], 1)[:, 0]
        for turn in range(SEATS):
            is_late = ~is_null[:, turn] & is_null[:, :turn].any(axis=1)
            self._reject(is_late, Reason.BAD_BID, first_null)
            is_bad = self._numbers[:, turn] == BAD
            self._reject(is_bad, Reason.UNPARSABLE, BID_0 + self._seats[:, turn])
        ends_early = is_null.any(axis=1) & (self._trumps().any(axis=1) | ~self._played.is_null)
        self._reject(ends_early, Reason.BAD_BID, first_null)
        self._check_cards(self._played, PLAYED)

    def _check_cards(self, cards: Cards, column: int) -> None:
        self._reject(~cards.fits & ~cards.is_null, Reason.UNPARSABLE, column)
        self._reject(~cards.is_known, Reason.UNKNOWN_CARD, column)

    def _trumps(self) -> NDArray[np.bool_]:
        """Which bids name a suit that is trump."""
        return np.asarray((self._suits >= 0) & (self._suits != NO_TRUMP))

    def events(
        self, kept: NDArray[np.int64], lines: NDArray[np.int64]
    ) -> tuple[NDArray[np.void], NDArray[np.int64], list[str]]:
        """The events of rows that can be read, in this order, their offsets by row, and details; see `Batch`.

        kept
            Indices of the rows.
        lines
            Numbers of all rows' lines in the file: shape (rows,).
        """
        details, detail_of = self._details(kept)
        exists = np.ones((len(kept), _END), np.bool_)
        for seat, hand in enumerate(self._hands):
            exists[:, _HANDS + seat] = ~hand.is_null[kept]
        exists[:, _BIDS:_TRUMPS] = self._numbers[kept] != NO_BID
        exists[:, _TRUMPS:_PLAYS] = self._trumps()[kept]
        exists[:, _PLAYS:] = among(exists[:, _PLAYS:], self._played.counts[kept])
        offsets = np.append(0, np.cumsum(exists.sum(axis=1)))
        events = np.empty(offsets[-1], kaiser.EVENT)
        for start in range(0, len(kept), _ROWS):
            part = slice(start, start + _ROWS)
            slots = self._slots(kept[part])
            slots["line"] = lines[kept[part], None]
            slots["detail"][:, _OPEN] = detail_of[part]
            stop = offsets[min(start + _ROWS, len(kept))]
            indices = np.flatnonzero(exists[part])
            np.take(_words(slots).reshape(-1, _WORDS), indices, 0, _words(events)[offsets[start] : stop])
        return events, offsets, details

    def _slots(self, rows: NDArray[np.int64]) -> NDArray[np.void]:
        """All events that these rows may have: shape (rows, `_END`)."""
        events = np.tile(_words(_TEMPLATE), (len(rows), 1, 1)).view(kaiser.EVENT)[..., 0]
        events["amount"][:, _OPEN] = self.ids[rows]
        events["at"][:, _OPEN] = self._at[rows]
        for seat, hand in enumerate(self._hands):
            events["cards"][:, _HANDS + seat, :HAND_CARDS] = hand.codes[rows]
            events["count"][:, _HANDS + seat] = hand.counts[rows]
        numbers, suits = self._numbers[rows], self._suits[rows]
        bids = events[:, _BIDS:_TRUMPS]
        bids["seat"] = events["seat"][:, _TRUMPS:_PLAYS] = self._seats[rows]
        bids["action"] = np.where(numbers > 0, Action.BID_BID, Action.BID_PASS)
        bids["amount"] = np.where(numbers > 0, numbers, bids["amount"])
        bids["suit"] = np.where(suits == NO_TRUMP, suits, -1)
        events["suit"][:, _TRUMPS:_PLAYS] = suits
        events["cards"][:, _PLAYS:, 0] = self._played.codes[rows]
        return events

    def _details(self, rows: NDArray[np.int64]) -> tuple[list[str], NDArray[np.int32]]:
        """The distinct details of openings, and the index of each row's."""
        key = np.zeros(len(rows), np.int64)
        for column, bits in _BITS.items():
            key = key << bits | self._settings[column][rows]
        _, firsts, detail_of = np.unique(key, return_index=True, return_inverse=True)
        settings = np.stack([self._settings[column][rows[firsts]] for column in _BITS], axis=1)
        return [_detail(*row) for row in settings.tolist()], detail_of.astype(np.int32)


@lru_cache(maxsize=65536)
def _detail(utc_offset: int, min_bid: int, no_trump_out: int, dealer: int, *flags: int) -> str:
    """The opening's detail."""
    pass_cards, minus_52, *computers = flags
    return kaiser.opening(
        Settings(min_bid, bool(pass_cards), no_trump_out, bool(minus_52)),
        dealer,
        [None if ai == NULL else bool(ai) for ai in computers],
        {"utc_offset": utc_offset} if utc_offset else None,
    )
