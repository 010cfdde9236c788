"""Turns the fields of rows into events, in one compiled pass over the bytes of all lines."""

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.state import HAND_CARDS, Settings
from cardlog.pipelines.readers.bytes import NO_CARD, parse_card
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
from cardlog.schemas.cards import NO_TRUMP, SUIT_OF_BYTE
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype
from cardlog.schemas.reasons import Reason

NO_COLUMN: Final = 99
"""Stands for the column at fault if a line has too few or too many."""
MOST_EVENTS: Final = 1 + 4 + 4 + 4 + 32
"""Events of one line: the opening, hands, bids, trumps named (one in a legal row) and cards."""

_UNPARSABLE = int(Reason.UNPARSABLE)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_BAD_BID = int(Reason.BAD_BID)

ROW: Final = compiled_dtype(
    [
        ("line", np.int64),  # its number in the file
        ("id", np.int64),
        ("settings", np.int64),  # key of the opening's detail; see `details_of`
        ("reason", np.int8),
        ("column", np.int8),
    ]
)


class Lines(NamedTuple):
    """The lines of a text.

    starts, ends
        Offsets of each line in the buffer, without its line end.
    skipped
        Which lines are not hands.
    first_line
        Number of the first line in the file.
    """

    buffer: Bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    skipped: NDArray[np.bool_]
    first_line: int


class Parsed(NamedTuple):
    """Out: the events of all lines, where each line's begin and the last one's end, and a `ROW` a line."""

    events: NDArray[Any]
    offsets: NDArray[np.int64]
    rows: NDArray[Any]


class Fields(NamedTuple):
    """The fields of one line, by column: their offsets in the buffer, each of shape (20,)."""

    buffer: Bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@compiled
def _is_null(fields: Fields, column: Int) -> bool:
    return is_null(fields.buffer, fields.starts[column], fields.ends[column])


@compiled
def _number(fields: Fields, column: Int) -> Int:
    return whole_number(fields.buffer, fields.starts[column], fields.ends[column])


@compiled
def _bid(fields: Fields, column: Int) -> tuple[Int, Int]:
    """A bid → its number, 0 for a pass, -1 if it is not a bid; and its suit, -1 if it names none."""
    buffer, start, end = fields.buffer, fields.starts[column], fields.ends[column]
    if end - start == 4 and buffer[start] == 112:
        for index, letter in enumerate(b"pass"):
            if buffer[start + index] != letter:
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
def _find_fields(line: Int, lines: Lines, field_order: NDArray[np.int64], fields: Fields) -> bool:
    """Find the fields of a line; False if there are not exactly twenty."""
    buffer, end = lines.buffer, lines.ends[line]
    count = 0
    start = lines.starts[line]
    for offset in range(start, end + 1):
        if offset == end or buffer[offset] == 44:
            if count == 20:
                return False
            fields.starts[field_order[count]] = start
            fields.ends[field_order[count]] = offset
            count += 1
            start = offset + 1
    return count == 20


@compiled
def parse(lines: Lines, field_order: NDArray[np.int64], parsed: Parsed) -> None:
    """Parse every line into events. A line that can't be parsed has none, and its row says why.

    field_order
        The column that each field of a line is, shape (20,).
    """
    fields = Fields(lines.buffer, np.zeros(20, np.int64), np.zeros(20, np.int64))
    size: Int = 0
    for line in range(len(lines.starts)):
        parsed.offsets[line] = size
        if lines.skipped[line]:
            continue
        row = parsed.rows[line]
        if not _find_fields(line, lines, field_order, fields):
            row.reason = _UNPARSABLE
            row.column = NO_COLUMN
            continue
        row.line = lines.first_line + line
        size = max(size, _parse_line(fields, parsed.events, size, row))
    parsed.offsets[len(lines.starts)] = size


@compiled
def _add(events: NDArray[Any], index: Int, line: Int, action: int, seat: Int) -> Any:
    """The event at an index, null except for what is given."""
    event = events[index]
    event.action = action
    event.seat = seat
    event.suit = -1
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for card in range(len(event.cards)):
        event.cards[card] = 0
    return event


@compiled
def _reject(row: Any, reason: int, column: Int) -> Int:
    """Note why a line can't be parsed; returns -1 in place of a number of events."""
    row.reason = reason
    row.column = column
    return -1


@compiled
def _parse_line(fields: Fields, events: NDArray[Any], size: Int, row: Any) -> Int:
    """Add the events of a line to the first `size`; returns how many there are then, -1 if it is rejected."""
    size = _opening(fields, events, size, row)
    if size >= 0:
        size = _hands(fields, events, size, row)
    if size >= 0:
        size = _bids(fields, events, size, row)
    if size >= 0:
        size = _plays(fields, events, size, row)
    return size


@compiled
def _opening(fields: Fields, events: NDArray[Any], size: Int, row: Any) -> Int:
    row.id = _number(fields, ID)
    if row.id >= 2**31:
        return _reject(row, _UNPARSABLE, ID)
    opening = _add(events, size, row.line, kaiser.OPEN, NO_SEAT)
    opening.amount = row.id
    utc_offset: Int = 0
    if not _is_null(fields, DATE):
        at, utc_offset = timestamp(fields.buffer, fields.starts[DATE], fields.ends[DATE])
        if at == BAD_TIME:
            return _reject(row, _UNPARSABLE, DATE)
        opening.at = at
    column = _settings(fields, utc_offset, row)
    if column >= 0:
        return _reject(row, _UNPARSABLE, column)
    return size + 1


@compiled
def _hands(fields: Fields, events: NDArray[Any], size: Int, row: Any) -> Int:
    goes_on = not _is_null(fields, PLAYED)
    for seat in range(4):
        goes_on |= not _is_null(fields, BID_0 + seat)
    for seat in range(4):
        column = HAND_0 + seat
        if _is_null(fields, column):
            if goes_on:
                return _reject(row, _INCOMPLETE, column)
            continue
        start = fields.starts[column]
        length = fields.ends[column] - start
        if length % 2 or length > 2 * HAND_CARDS:
            return _reject(row, _UNPARSABLE, column)
        event = _add(events, size, row.line, kaiser.DEAL_HAND, seat)
        size += 1
        for index in range(length // 2):
            card = parse_card(fields.buffer, start + 2 * index, start + 2 * index + 2)
            if card == NO_CARD:
                return _reject(row, _UNKNOWN_CARD, column)
            event.cards[index] = card
        event.count = length // 2
    return size


@compiled
def _bids(fields: Fields, events: NDArray[Any], size: Int, row: Any) -> Int:
    """The bids from the dealer's left, then the trump that a bid names."""
    dealer = _number(fields, DEALER)
    first_named = size + 4
    named = first_named
    missing: Int = -1
    for turn in range(4):
        seat = (dealer + 1 + turn) % 4
        column = BID_0 + seat
        if _is_null(fields, column):
            if missing < 0:
                missing = column
            continue
        if missing >= 0:
            return _reject(row, _BAD_BID, missing)
        value, suit = _bid(fields, column)
        if value < 0:
            return _reject(row, _UNPARSABLE, column)
        if value == 0:
            _add(events, size, row.line, kaiser.BID_PASS, seat)
        else:
            event = _add(events, size, row.line, kaiser.BID, seat)
            event.amount = value
            if suit == NO_TRUMP:
                event.suit = suit
            elif suit >= 0:
                _add(events, named, row.line, kaiser.NAME_TRUMP, seat).suit = suit
                named += 1
        size += 1
    if missing < 0:
        return named
    if named > first_named or not _is_null(fields, PLAYED):
        return _reject(row, _BAD_BID, missing)
    return size


@compiled
def _plays(fields: Fields, events: NDArray[Any], size: Int, row: Any) -> Int:
    if _is_null(fields, PLAYED):
        return size
    start = fields.starts[PLAYED]
    length = fields.ends[PLAYED] - start
    if length % 2 or length > 64:
        return _reject(row, _UNPARSABLE, PLAYED)
    for offset in range(start, start + length, 2):
        card = parse_card(fields.buffer, offset, offset + 2)
        if card == NO_CARD:
            return _reject(row, _UNKNOWN_CARD, PLAYED)
        event = _add(events, size, row.line, kaiser.PLAY_CARD, NO_SEAT)
        event.cards[0] = card
        event.count = 1
        size += 1
    return size


@compiled
def _settings(fields: Fields, utc_offset: Int, row: Any) -> Int:
    """Pack what the opening says into `row.settings`; returns the column that is wrong, or -1."""
    key = np.int64(utc_offset + 1024)
    for column in (MIN_BID, NO_TRUMP_OUT, DEALER):
        value = _number(fields, column)
        if value < 0 or value > 127:
            return column
        key = key << 7 | value
    for column in (PASS_CARDS, MINUS_52, AI_0, AI_1, AI_2, AI_3):
        value = boolean(fields.buffer, fields.starts[column], fields.ends[column])
        if value < 0 or (value == NULL and column < AI_0):
            return column
        key = key << 2 | value
    row.settings = key
    return -1


def details_of(rows: NDArray[np.void]) -> tuple[list[str], NDArray[np.int32]]:
    """The distinct details of openings, and the index of each row's."""
    keys, which = np.unique(rows["settings"], return_inverse=True)
    return [_detail(int(key)) for key in keys], which.astype(np.int32)


@lru_cache(maxsize=65536)
def _detail(key: int) -> str:
    """The opening's detail for a key of `_settings`."""
    values = []
    for _ in range(6):
        values.append(key & 3)
        key >>= 2
    *computers, minus_52, pass_cards = values
    dealer, no_trump_out, min_bid = key & 127, key >> 7 & 127, key >> 14 & 127
    utc_offset = (key >> 21) - 1024
    return kaiser.opening(
        Settings(min_bid, bool(pass_cards), no_trump_out, bool(minus_52)),
        dealer,
        [None if ai == 2 else bool(ai) for ai in reversed(computers)],
        {"utc_offset": utc_offset} if utc_offset else None,
    )
