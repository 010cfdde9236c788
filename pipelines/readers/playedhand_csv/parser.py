"""A row's fields become events, in one compiled pass over the bytes of all lines."""

from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.state import HAND_CARDS, Settings
from cardlog.pipelines.readers.playedhand_csv.lines import (
    AI_0,
    AI_1,
    AI_2,
    AI_3,
    BID_0,
    DATE,
    DEALER,
    HAND_0,
    ID,
    MIN_BID,
    MINUS_52,
    NO_TRUMP_OUT,
    PASS_CARDS,
    PLAYED,
)
from cardlog.pipelines.readers.scan import BAD_TIME, NULL, Bytes, boolean, is_null, timestamp, whole_number
from cardlog.schemas.cards import NO_TRUMP, PACK_RANKS, RANK_OF_BYTE, SUIT_OF_BYTE, SUIT_STRIDE
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype
from cardlog.schemas.reasons import Reason

NO_COLUMN: Final = 99
"""Stands for the wrong column where a line has too few or too many of them."""
MOST_EVENTS: Final = 1 + 4 + 4 + 4 + 32
"""Events of one line: the opening, hands, bids, trumps named (one, on a legal row) and cards."""

_UNPARSABLE = int(Reason.UNPARSABLE)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_BAD_BID = int(Reason.BAD_BID)

ROW: Final = compiled_dtype(
    [
        ("id", np.int64),
        ("settings", np.int64),  # key of what the opening says; see `details_of`
        ("reason", np.int8),
        ("column", np.int8),
    ]
)

Places = NDArray[np.int64]
"""Where each column of a line begins, or ends: shape (20,)."""


@compiled
def _bid_text(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """A bid → its number, 0 for a pass, -1 if it is no bid; and the suit letter's number or -1."""
    if end - start == 4 and buffer[start] == 112:
        for place, letter in enumerate(b"pass"):
            if buffer[start + place] != letter:
                return -1, -1
        return 0, -1
    suit: Int = -1
    if end > start and 0 <= SUIT_OF_BYTE[buffer[end - 1]] <= NO_TRUMP:
        suit = np.int64(SUIT_OF_BYTE[buffer[end - 1]])
        end -= 1
    number = whole_number(buffer, start, end)
    if number < 1 or number > 99:
        return -1, -1
    return number, suit


@compiled
def _card(buffer: Bytes, place: Int) -> Int:
    """The code of the card at a place, -1 if there is none."""
    rank = np.int64(RANK_OF_BYTE[buffer[place]])
    suit = np.int64(SUIT_OF_BYTE[buffer[place + 1]])
    if rank < 0 or rank >= len(PACK_RANKS) or suit < 0 or suit >= NO_TRUMP:
        return -1
    return suit * SUIT_STRIDE + rank


@compiled
def _fields(
    buffer: Bytes,
    start: Int,
    end: Int,
    field_at: NDArray[np.int64],
    begins: Places,
    finishes: Places,
) -> bool:
    """Find the columns of a line; False if there are not exactly twenty."""
    count = 0
    begin = start
    for place in range(start, end + 1):
        if place == end or buffer[place] == 44:
            if count == 20:
                return False
            begins[field_at[count]] = begin
            finishes[field_at[count]] = place
            count += 1
            begin = place + 1
    return count == 20


@compiled
def parse(
    buffer: Bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    other: NDArray[np.bool_],
    field_at: NDArray[np.int64],
    first_line: int,
    events: NDArray[Any],
    offsets: NDArray[np.int64],
    rows: NDArray[Any],
) -> None:
    """Parse every line into events; a line that can't be parsed leaves none and says why."""
    begins = np.zeros(20, np.int64)
    finishes = np.zeros(20, np.int64)
    size: Int = 0
    for line in range(len(starts)):
        offsets[line] = size
        if other[line]:
            continue
        row = rows[line]
        if not _fields(buffer, starts[line], ends[line], field_at, begins, finishes):
            row.reason = _UNPARSABLE
            row.column = NO_COLUMN
            continue
        first = size
        size = max(first, _parse_line(buffer, begins, finishes, first_line + line, events, first, row))
    offsets[len(starts)] = size


@compiled
def _add(events: NDArray[Any], size: Int, line: Int, action: int, seat: Int) -> Any:
    """A new event at the end, everything null but what is given."""
    event = events[size]
    event.action = action
    event.seat = seat
    event.suit = -1
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for place in range(len(event.cards)):
        event.cards[place] = 0
    return event


@compiled
def _wrong(row: Any, reason: int, column: Int) -> Int:
    """Note why a line can't be parsed; what is returned stands for no events."""
    row.reason = reason
    row.column = column
    return -1


@compiled
def _parse_line(
    buffer: Bytes, begins: Places, finishes: Places, line: Int, events: NDArray[Any], size: Int, row: Any
) -> Int:
    """The events of one line; returns how many there are now, -1 with the reason in `row`."""
    size = _opening(buffer, begins, finishes, line, events, size, row)
    if size >= 0:
        size = _hands(buffer, begins, finishes, line, events, size, row)
    if size >= 0:
        size = _bids(buffer, begins, finishes, line, events, size, row)
    if size >= 0:
        size = _plays(buffer, begins, finishes, line, events, size, row)
    return size


@compiled
def _opening(
    buffer: Bytes, begins: Places, finishes: Places, line: Int, events: NDArray[Any], size: Int, row: Any
) -> Int:
    row.id = whole_number(buffer, begins[ID], finishes[ID])
    if row.id >= 2**31:
        return _wrong(row, _UNPARSABLE, ID)
    opening = _add(events, size, line, kaiser.OPEN, NO_SEAT)
    opening.amount = row.id
    offset: Int = 0
    if not is_null(buffer, begins[DATE], finishes[DATE]):
        at, offset = timestamp(buffer, begins[DATE], finishes[DATE])
        if at == BAD_TIME:
            return _wrong(row, _UNPARSABLE, DATE)
        opening.at = at
    column = _settings(buffer, begins, finishes, offset, row)
    if column >= 0:
        return _wrong(row, _UNPARSABLE, column)
    return size + 1


@compiled
def _hands(
    buffer: Bytes, begins: Places, finishes: Places, line: Int, events: NDArray[Any], size: Int, row: Any
) -> Int:
    goes_on = not is_null(buffer, begins[PLAYED], finishes[PLAYED])
    for seat in range(4):
        goes_on |= not is_null(buffer, begins[BID_0 + seat], finishes[BID_0 + seat])
    for seat in range(4):
        column = HAND_0 + seat
        if is_null(buffer, begins[column], finishes[column]):
            if goes_on:
                return _wrong(row, _INCOMPLETE, column)
            continue
        length = finishes[column] - begins[column]
        if length % 2 or length > 2 * HAND_CARDS:
            return _wrong(row, _UNPARSABLE, column)
        event = _add(events, size, line, kaiser.DEAL_HAND, seat)
        size += 1
        for place in range(length // 2):
            card = _card(buffer, begins[column] + 2 * place)
            if card < 0:
                return _wrong(row, _UNKNOWN_CARD, column)
            event.cards[place] = card
        event.count = length // 2
    return size


@compiled
def _bids(
    buffer: Bytes, begins: Places, finishes: Places, line: Int, events: NDArray[Any], size: Int, row: Any
) -> Int:
    """The bids from the dealer's left, then the trump that a bid carries."""
    dealer = whole_number(buffer, begins[DEALER], finishes[DEALER])
    first_named = size + 4
    named = first_named
    missing: Int = -1
    for turn in range(4):
        seat = (dealer + 1 + turn) % 4
        column = BID_0 + seat
        if is_null(buffer, begins[column], finishes[column]):
            if missing < 0:
                missing = column
            continue
        if missing >= 0:
            return _wrong(row, _BAD_BID, missing)
        value, suit = _bid_text(buffer, begins[column], finishes[column])
        if value < 0:
            return _wrong(row, _UNPARSABLE, column)
        if value == 0:
            _add(events, size, line, kaiser.BID_PASS, seat)
        else:
            event = _add(events, size, line, kaiser.BID, seat)
            event.amount = value
            if suit == NO_TRUMP:
                event.suit = suit
            elif suit >= 0:
                _add(events, named, line, kaiser.NAME_TRUMP, seat).suit = suit
                named += 1
        size += 1
    if missing < 0:
        return named
    if named > first_named or not is_null(buffer, begins[PLAYED], finishes[PLAYED]):
        return _wrong(row, _BAD_BID, missing)
    return size


@compiled
def _plays(
    buffer: Bytes, begins: Places, finishes: Places, line: Int, events: NDArray[Any], size: Int, row: Any
) -> Int:
    if is_null(buffer, begins[PLAYED], finishes[PLAYED]):
        return size
    length = finishes[PLAYED] - begins[PLAYED]
    if length % 2 or length > 64:
        return _wrong(row, _UNPARSABLE, PLAYED)
    for place in range(length // 2):
        card = _card(buffer, begins[PLAYED] + 2 * place)
        if card < 0:
            return _wrong(row, _UNKNOWN_CARD, PLAYED)
        event = _add(events, size, line, kaiser.PLAY_CARD, NO_SEAT)
        event.cards[0] = card
        event.count = 1
        size += 1
    return size


@compiled
def _settings(
    buffer: Bytes,
    begins: Places,
    finishes: Places,
    offset: Int,
    row: Any,
) -> Int:
    """Pack what the opening says into `row.settings`; returns the column that is wrong, or -1."""
    key = np.int64(offset + 1024)
    for column in (MIN_BID, NO_TRUMP_OUT, DEALER):
        value = whole_number(buffer, begins[column], finishes[column])
        if value < 0 or value > 127:
            return column
        key = key << 7 | value
    for column in (PASS_CARDS, MINUS_52, AI_0, AI_1, AI_2, AI_3):
        value = boolean(buffer, begins[column], finishes[column])
        if value < 0 or (value == NULL and column < AI_0):
            return column
        key = key << 2 | value
    row.settings = key
    return -1


def details_of(rows: NDArray[np.void]) -> tuple[list[str], NDArray[np.int32]]:
    """The openings' details without repetition, and which one each row has."""
    keys, which = np.unique(rows["settings"], return_inverse=True)
    return [_detail(int(key)) for key in keys], which.astype(np.int32)


@lru_cache(maxsize=65536)
def _detail(key: int) -> str:
    """The detail that a key of `_settings` stands for."""
    values = []
    for _ in range(6):
        values.append(key & 3)
        key >>= 2
    *computers, minus_52, pass_cards = values
    dealer, no_trump_out, min_bid = key & 127, key >> 7 & 127, key >> 14 & 127
    offset = (key >> 21) - 1024
    return kaiser.opening(
        Settings(min_bid, bool(pass_cards), no_trump_out, bool(minus_52)),
        dealer,
        [None if ai == 2 else bool(ai) for ai in reversed(computers)],
        {"utc_offset": offset} if offset else None,
    )
