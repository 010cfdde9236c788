"""Turns the fields of rows into events, all rows at once, and says what is wrong with a row that can't be
read."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.kaiser import state as kaiser
from cardlog.models.kaiser.state import DECK_TEXT, HAND_CARDS, Settings
from cardlog.pipelines.events.columns import among
from cardlog.pipelines.readers.arrays import blank_events
from cardlog.pipelines.readers.playedhand_csv import columns
from cardlog.pipelines.readers.playedhand_csv.columns import BAD, NO_BID, NULL, Cards, Numbers
from cardlog.pipelines.readers.playedhand_csv.layout import (
    AI_0,
    AI_3,
    BID_0,
    BID_3,
    COLUMNS,
    DATE,
    DEALER,
    FLAGS,
    HAND_0,
    HAND_3,
    ID,
    MIN_BID,
    MINUS_52,
    NO_TRUMP_OUT,
    PASS_CARDS,
    PLAYED,
    Layout,
)  # fmt: skip
from cardlog.schemas.cards import NO_TRUMP, grouped_by_suit
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


class Values(NamedTuple):
    """The values of rows, `BAD` for what is none."""

    ids: Numbers  # the rows' own: shape (rows,)
    at: Numbers  # times, in microseconds since 1970 UTC
    settings: dict[int, Numbers]  # by column, those of `_BITS`
    seats: Numbers  # of the bids, from the dealer's left: shape (rows, 4)
    numbers: Numbers  # of these bids
    suits: Numbers  # of these bids
    hands: list[Cards]  # by seat
    played: Cards

    @property
    def trumps(self) -> NDArray[np.bool_]:
        """Which bids name a suit that is trump: shape (rows, 4)."""
        return np.asarray((self.suits >= 0) & (self.suits != NO_TRUMP))


def values_of(fields: list[pa.BinaryArray], timezone: str) -> Values:
    """The values of rows, by column. A time without a zone is in `timezone`; without one it is bad."""
    at, offsets = columns.times_and_zones(fields[DATE], timezone)
    settings = {column: columns.small_numbers(fields[column]) for column in _NUMBERS}
    settings |= {column: columns.flags(fields[column]) for column in FLAGS} | {DATE: offsets}
    seats = (settings[DEALER][:, None] + 1 + np.arange(SEATS)) % SEATS
    bids = [columns.bids(fields[BID_0 + seat]) for seat in range(SEATS)]
    numbers, suits = (np.stack(by_seat, axis=1) for by_seat in zip(*bids, strict=True))
    return Values(
        columns.ids(fields[ID]),
        at,
        settings,
        seats,
        np.take_along_axis(numbers, seats, 1),
        np.take_along_axis(suits, seats, 1),
        [columns.cards(fields[HAND_0 + seat], HAND_CARDS) for seat in range(SEATS)],
        columns.cards(fields[PLAYED], SEATS * HAND_CARDS),
    )


# ---------------------------------------------------------------- what is wrong with rows

Check = tuple[NDArray[np.bool_], Reason, int | Numbers]
"""Which rows are wrong, why, and the column at fault, of all rows or of each."""


def faults_of(values: Values) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Why each row can't be read, 0 if it can, and the column at fault, by the first check that it fails."""
    reasons, at_fault = np.zeros((2, len(values.ids)), np.int8)
    for wrong, reason, column in _checks(values):
        wrong &= reasons == 0
        reasons[wrong] = reason
        at_fault[wrong] = column if isinstance(column, int) else column[wrong]
    return reasons, at_fault


def _checks(values: Values) -> Iterator[Check]:
    """Whether there are values, and then whether hands, bids and cards make sense."""
    yield values.ids == BAD, Reason.UNPARSABLE, ID
    yield values.at == BAD, Reason.UNPARSABLE, DATE
    for column, settings in values.settings.items():
        is_missing = (settings == NULL) & (column in (PASS_CARDS, MINUS_52))
        yield (settings == BAD) | is_missing, Reason.UNPARSABLE, column
    is_null, is_played = values.numbers == NO_BID, ~values.played.is_null
    for seat, hand in enumerate(values.hands):
        yield hand.is_null & (is_played | ~is_null.all(axis=1)), Reason.INCOMPLETE, HAND_0 + seat
        yield from _checks_of_cards(hand, HAND_0 + seat)
    first_null = BID_0 + np.take_along_axis(values.seats, is_null.argmax(axis=1)[:, None], 1)[:, 0]
    for turn in range(SEATS):
        yield ~is_null[:, turn] & is_null[:, :turn].any(axis=1), Reason.BAD_BID, first_null
        yield values.numbers[:, turn] == BAD, Reason.UNPARSABLE, BID_0 + values.seats[:, turn]
    ends_early = is_null.any(axis=1) & (values.trumps.any(axis=1) | is_played)
    yield ends_early, Reason.BAD_BID, first_null
    yield from _checks_of_cards(values.played, PLAYED)


def _checks_of_cards(cards: Cards, column: int) -> Iterator[Check]:
    yield ~cards.fits & ~cards.is_null, Reason.UNPARSABLE, column
    yield ~cards.is_known, Reason.UNKNOWN_CARD, column


MOST_SHOWN: Final = 100
"""Characters of a field that a message shows."""

NO_COLUMN: Final = 99
"""Stands for the column at fault if a line has too few or too many."""
_WANTED: Final = {
    ID: "a whole number below 2147483648",
    DATE: "a time with a zone, such as 2016-03-01 21:16:07.226159+00, or without one if --timezone names it",
    MIN_BID: "a number from 1 to 12",
    PASS_CARDS: "t or f",
    NO_TRUMP_OUT: "52 or 62",
    MINUS_52: "t or f",
    DEALER: "a seat from 0 to 3",
    PLAYED: "at most 32 cards of two characters",
    **dict.fromkeys(range(BID_0, BID_3 + 1), "pass, or a number with or without one of C D H S N"),
    **dict.fromkeys(range(HAND_0, HAND_3 + 1), "at most 8 cards of two characters"),
    **dict.fromkeys(range(AI_0, AI_3 + 1), "t, f or NULL"),
}


def sentence(raw: bytes, reason: Reason, column: int, layout: Layout) -> str:
    """The message on the column at fault of a line."""
    fields = raw.decode("utf-8", "backslashreplace").split(layout.separator.decode())
    if column == NO_COLUMN:
        return f"The line has {len(fields)} columns instead of {len(layout.columns)}."
    name = COLUMNS[column]
    if reason is Reason.INCOMPLETE:
        return f"{name} is NULL, but the hand goes on."
    if reason is Reason.BAD_BID:
        return f"{name} is NULL, but the hand goes on after that bid."
    index = layout.columns.index(name)
    value = fields[index] if index < len(fields) else ""
    if reason is Reason.UNKNOWN_CARD:
        return f"{name} has something that is not a card; Kaiser's are {grouped_by_suit(DECK_TEXT)}: {value}"
    shown = repr(value) if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]!r} and more"
    return f"{name} is {shown}; it must be {_WANTED[column]}."


# ---------------------------------------------------------------- events


def events_of(values: Values, kept: Numbers, lines: Numbers) -> tuple[NDArray[np.void], Numbers, list[str]]:
    """The events of rows that can be read, in this order, their offsets by row, and details; see `Batch`.

    kept
        Indices of the rows.
    lines
        Numbers of all rows' lines in the file: shape (rows,).
    """
    details, detail_of = _details(values, kept)
    exists = np.ones((len(kept), _END), np.bool_)
    for seat, hand in enumerate(values.hands):
        exists[:, _HANDS + seat] = ~hand.is_null[kept]
    exists[:, _BIDS:_TRUMPS] = values.numbers[kept] != NO_BID
    exists[:, _TRUMPS:_PLAYS] = values.trumps[kept]
    exists[:, _PLAYS:] = among(exists[:, _PLAYS:], values.played.counts[kept])
    offsets = np.append(0, np.cumsum(exists.sum(axis=1)))
    events = np.empty(offsets[-1], kaiser.EVENT)
    for start in range(0, len(kept), _ROWS):
        part = slice(start, start + _ROWS)
        slots = _slots(values, kept[part])
        slots["line"] = lines[kept[part], None]
        slots["detail"][:, _OPEN] = detail_of[part]
        stop = offsets[min(start + _ROWS, len(kept))]
        indices = np.flatnonzero(exists[part])
        np.take(_words(slots).reshape(-1, _WORDS), indices, 0, _words(events)[offsets[start] : stop])
    return events, offsets, details


def _slots(values: Values, rows: Numbers) -> NDArray[np.void]:
    """All events that these rows may have: shape (rows, `_END`)."""
    events = np.tile(_words(_TEMPLATE), (len(rows), 1, 1)).view(kaiser.EVENT)[..., 0]
    events["amount"][:, _OPEN] = values.ids[rows]
    events["at"][:, _OPEN] = values.at[rows]
    for seat, hand in enumerate(values.hands):
        events["cards"][:, _HANDS + seat, :HAND_CARDS] = hand.codes[rows]
        events["count"][:, _HANDS + seat] = hand.counts[rows]
    numbers, suits = values.numbers[rows], values.suits[rows]
    bids = events[:, _BIDS:_TRUMPS]
    bids["seat"] = events["seat"][:, _TRUMPS:_PLAYS] = values.seats[rows]
    bids["action"] = np.where(numbers > 0, Action.BID_BID, Action.BID_PASS)
    bids["amount"] = np.where(numbers > 0, numbers, bids["amount"])
    bids["suit"] = np.where(suits == NO_TRUMP, suits, -1)
    events["suit"][:, _TRUMPS:_PLAYS] = suits
    events["cards"][:, _PLAYS:, 0] = values.played.codes[rows]
    return events


def _details(values: Values, rows: Numbers) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct details of openings, and the index of each row's."""
    key = np.zeros(len(rows), np.int64)
    for column, bits in _BITS.items():
        key = key << bits | values.settings[column][rows]
    _, firsts, detail_of = np.unique(key, return_index=True, return_inverse=True)
    settings = np.stack([values.settings[column][rows[firsts]] for column in _BITS], axis=1)
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
