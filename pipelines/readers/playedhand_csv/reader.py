"""Kaiser's `playedhand.csv`: a Postgres dump with one hand a line, in the seed's twenty columns.

A line is parsed by one compiled pass over its bytes. Only what Postgres writes is taken, and the
spellings docs/formats/playedhand-csv.md lists; all else is rejected with the column that is wrong.
The rows don't say who played a card, so the events of play have no seat: the fold fills it in.
"""

import csv
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.state import HAND_CARDS, Settings
from cardlog.pipelines.readers.base import Read, Reject, Source, hand_name
from cardlog.pipelines.readers.scan import (
    BAD_TIME,
    BOM,
    NULL,
    Bytes,
    boolean,
    is_null,
    line_bounds,
    timestamp,
    whole_number,
)
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.cards import NO_TRUMP, PACK_RANKS, RANK_OF_BYTE, SUIT_OF_BYTE, SUIT_STRIDE
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype
from cardlog.schemas.reasons import Reason
from cardlog.schemas.tables import PLAYEDHAND

FORMAT: Final = "playedhand-csv"
GAMES: Final = (kaiser.GAME,)
LINE_PER_HAND: Final = True
SUMMARY: Final = "Kaiser's hands as Postgres dumps them, one a line"

END_MARK: Final = b"\\."
"""What COPY puts after the last row of its text format."""
COLUMNS: Final = tuple(PLAYEDHAND.names[:20])
"""The seed's columns, in the table's order."""
(
    ID, DATE, MIN_BID, PASS_CARDS, NO_TRUMP_OUT, MINUS_52, DEALER,
    BID_0, BID_1, BID_2, BID_3, HAND_0, HAND_1, HAND_2, HAND_3, PLAYED, AI_0, AI_1, AI_2, AI_3,
) = range(20)  # fmt: skip
NO_COLUMN: Final = 99
"""Stands for the wrong column where a line has too few or too many of them."""

MOST_SHOWN: Final = 100
"""Characters of a field that a message repeats."""
MOST_EVENTS: Final = 1 + 4 + 4 + 4 + 32
"""Events of one line: the opening, hands, bids, trumps named (one, on a legal row) and cards."""

_UNPARSABLE = int(Reason.UNPARSABLE)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_BAD_BID = int(Reason.BAD_BID)

Places = NDArray[np.int64]
"""Where each column of a line begins, or ends: shape (20,)."""


def sniff(head: bytes) -> bool:
    """Whether a file that begins so looks like this format."""
    first = _names(head.split(b"\n", 1)[0])
    if is_header(first):
        return True
    fields = first.split(b",")
    return len(fields) == len(COLUMNS) and fields[ID].isdigit() and fields[DEALER].isdigit()


def is_header(line: bytes) -> bool:
    """Whether a line names the columns, in whatever order."""
    return sorted(_names(line).decode("ascii", "replace").split(",")) == sorted(COLUMNS)


def _names(header: bytes) -> bytes:
    """A header without what doesn't belong to the names."""
    return header.removeprefix(BOM).rstrip(b"\r\n").replace(b'"', b"")


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of some whole lines.

    text
        Lines of the file, from line `first_line` on.
    source
        What the lines are from; its `head` is the first line of the file.
    """
    buffer = np.frombuffer(text, np.uint8)
    starts, ends = line_bounds(buffer)
    header = source.head if is_header(source.head) else b",".join(c.encode() for c in COLUMNS)
    field_at = _field_order(header)
    rejects: list[Reject] = []
    after_bom = starts.copy()
    if first_line == 1 and text.startswith(BOM):
        after_bom[0] += len(BOM)
    clean, starts_in, ends_in = _without_quotes(text, buffer, after_bom, ends)
    other = _other_lines(text, after_bom, ends, header)
    size = len(starts)
    most_hands = np.count_nonzero(ends_in - starts_in >= len(COLUMNS) - 1)
    events = np.zeros(most_hands * MOST_EVENTS, kaiser.EVENT)
    offsets = np.zeros(size + 1, np.int64)
    rows = np.zeros(size, _ROW)
    _parse(clean, starts_in, ends_in, other, field_at, first_line, events, offsets, rows)
    for number in np.flatnonzero(rows["reason"]):
        raw = text[starts[number] : ends[number]]
        rejects.append(_reject(raw, rows[number], first_line + int(number), source))
    kept = np.flatnonzero((rows["reason"] == 0) & ~other)
    details, detail_of = _details(rows[kept])
    firsts = offsets[kept]
    events["detail"][firsts] = detail_of
    batch = Batch(
        game=kaiser.GAME,
        hand_ids=_hand_ids(rows["id"][kept], source),
        events=events[: offsets[-1]],
        offsets=np.append(firsts, offsets[-1]),
        details=details,
    )
    lines = (first_line + kept).astype(np.int32)
    begins, finishes = starts[kept], ends[kept]
    return [
        Read(
            batch,
            rejects,
            raw_of=lambda hand: text[begins[hand] : finishes[hand]],
            first_lines=lines,
            last_lines=lines,
            lines_read=size,
            other_lines=int(other.sum()),
        )
    ]


_ROW: Final = compiled_dtype(
    [
        ("id", np.int64),
        ("settings", np.int64),  # key of what the opening says; see `_details`
        ("reason", np.int8),
        ("column", np.int8),
    ]
)


def _field_order(header: bytes) -> NDArray[np.int64]:
    """Which column stands at each place of a line, shape (20,)."""
    return np.array([COLUMNS.index(name) for name in _names(header).decode("ascii").split(",")], np.int64)


def _without_quotes(
    text: bytes, buffer: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64]
) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """The same lines with quoted fields unquoted, which none of these columns needs."""
    if b'"' not in text:
        return buffer, starts, ends
    starts, ends = starts.copy(), ends.copy()
    pieces, size = [text], len(text)
    for number in range(len(starts)):
        line = text[starts[number] : ends[number]]
        if b'"' not in line:
            continue
        try:
            fields = next(csv.reader([line.decode("latin-1")], strict=True))
        except (csv.Error, StopIteration):
            continue
        if any("," in field for field in fields):
            continue
        plain = ",".join(fields).encode("latin-1")
        starts[number], ends[number] = size, size + len(plain)
        pieces.append(plain)
        size += len(plain)
    return np.frombuffer(b"".join(pieces), np.uint8), starts, ends


def _other_lines(
    text: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], header: bytes
) -> NDArray[np.bool_]:
    """Which lines are no hands and known to be none: blank ones, headers, the end mark of COPY."""
    sizes = ends - starts
    other = sizes <= 0
    header = _names(header)
    likely = (sizes >= len(header)) & (sizes <= len(header) + len(BOM) + 2 * len(COLUMNS))
    for number in np.flatnonzero((sizes == len(END_MARK)) | likely):
        line = text[starts[number] : ends[number]]
        other[number] = line == END_MARK or _names(line) == header
    return np.asarray(other)


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
def _parse(
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


def _details(rows: NDArray[np.void]) -> tuple[list[str], NDArray[np.int32]]:
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


def _hand_ids(ids: NDArray[np.int64], source: Source) -> NDArray[np.bytes_]:
    """The name of each hand, from the row's own id."""
    stem = hand_name(FORMAT, source.dataset)
    names = bytearray()
    for number in ids.tolist():
        digest = stem.copy()
        digest.update(b"%d" % number)
        names += digest.digest()
    return np.frombuffer(bytes(names).hex().encode(), "S32")


def _reject(raw: bytes, row: NDArray[np.void], line: int, source: Source) -> Reject:
    """A line that could not be parsed, with what is wrong in a sentence."""
    reason, column = Reason(int(row["reason"])), int(row["column"])
    hand_id = None
    if row["id"] < 2**31 and column not in (ID, NO_COLUMN):
        hand_id = _hand_ids(np.array([row["id"]]), source)[0].decode()
    return Reject(reason, _sentence(raw, reason, column, source), raw, line, line, hand_id, kaiser.GAME)


_WANTED: Final = {
    ID: "a whole number below 2147483648",
    DATE: "a time with a zone, as 2016-03-01 21:16:07.226159+00",
    MIN_BID: "a number from 0 to 127",
    PASS_CARDS: "t or f",
    NO_TRUMP_OUT: "52 or 62",
    MINUS_52: "t or f",
    DEALER: "a seat from 0 to 3",
    PLAYED: "at most 32 cards of two characters",
    **dict.fromkeys(range(BID_0, BID_3 + 1), "pass, or a number with or without one of C D H S N"),
    **dict.fromkeys(range(HAND_0, HAND_3 + 1), "at most 8 cards of two characters"),
    **dict.fromkeys(range(AI_0, AI_3 + 1), "t, f or NULL"),
}


def _sentence(raw: bytes, reason: Reason, column: int, source: Source) -> str:
    if column == NO_COLUMN:
        count = raw.count(b",") + 1
        return f"The line has {count} columns instead of {len(COLUMNS)}."
    name = COLUMNS[column]
    if reason is Reason.INCOMPLETE:
        return f"{name} is NULL, yet the hand goes on."
    if reason is Reason.BAD_BID:
        return f"{name} is NULL, yet the hand goes on after that bid."
    header = source.head if is_header(source.head) else b",".join(c.encode() for c in COLUMNS)
    place = list(_field_order(header)).index(column)
    fields = raw.decode("utf-8", "backslashreplace").split(",")
    value = fields[place] if place < len(fields) else ""
    if reason is Reason.UNKNOWN_CARD:
        return (
            f"{name} holds something that is no card, a rank of 2-9 T J Q K A then a suit of C D H S: {value}"
        )
    shown = repr(value) if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]!r} and more"
    return f"{name} is {shown}; it must be {_WANTED[column]}."
