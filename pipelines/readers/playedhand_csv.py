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

from models.compiled import compiled
from models import kaiser
from pipelines.batch import Batch
from pipelines.readers.base import Read, Reject, Source, hand_name
from schemas.cards import RANK_OF_BYTE, SUIT_OF_BYTE, SUIT_STRIDE
from schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME
from schemas.reasons import Reason
from schemas.tables import PLAYEDHAND

FORMAT: Final = "playedhand-csv"
GAMES: Final = (kaiser.GAME,)
LINE_PER_HAND: Final = True
SUMMARY: Final = "Kaiser's hands as Postgres dumps them, one a line"

BOM: Final = b"\xef\xbb\xbf"
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
_FIRST_SECOND = np.int64(-62135596800)
_LAST_SECOND = np.int64(253402300799)
"""The years 1 to 9999 in UTC, which every reader of the tables can show."""
_BAD_NUMBER = np.int64(2**40)
_NULL = np.int64(2**41)


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
    starts, ends = _lines(buffer)
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


_ROW: Final = np.dtype(
    [
        ("id", np.int64),
        ("settings", np.int64),  # key of what the opening says; see `_details`
        ("reason", np.int8),
        ("column", np.int8),
    ]
)


@compiled
def _lines(buffer: NDArray[np.uint8]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where each line begins and ends, without its line end. An unfinished last line counts."""
    count = 0
    for place in range(len(buffer)):
        count += buffer[place] == 10
    if len(buffer) and buffer[-1] != 10:
        count += 1
    starts = np.empty(count, np.int64)
    ends = np.empty(count, np.int64)
    line = 0
    start = 0
    for place in range(len(buffer)):
        if buffer[place] == 10:
            starts[line] = start
            ends[line] = place - 1 if place > start and buffer[place - 1] == 13 else place
            line += 1
            start = place + 1
    if start < len(buffer):
        starts[line] = start
        ends[line] = len(buffer) - 1 if buffer[-1] == 13 else len(buffer)
    return starts, ends


def _field_order(header: bytes) -> NDArray[np.int64]:
    """Which column stands at each place of a line, shape (20,)."""
    return np.array([COLUMNS.index(name) for name in _names(header).decode("ascii").split(",")], np.int64)


def _without_quotes(
    text: bytes, buffer: NDArray[np.uint8], starts: NDArray[np.int64], ends: NDArray[np.int64]
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
def _number(buffer: NDArray[np.uint8], start: int, end: int) -> int:
    """A decimal number as Postgres writes it: no sign but minus, no leading zeros, 32 bits."""
    if start < end and buffer[start] == 45:
        value = _number(buffer, start + 1, end)
        return -value if 0 < value <= 2**31 else _BAD_NUMBER
    if end - start < 1 or end - start > 10 or (buffer[start] == 48 and end - start > 1):
        return _BAD_NUMBER
    value = np.int64(0)
    for place in range(start, end):
        digit = np.int64(buffer[place]) - 48
        if digit < 0 or digit > 9:
            return _BAD_NUMBER
        value = value * 10 + digit
    return value if value < 2**31 else _BAD_NUMBER


@compiled
def _is_null(buffer: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether a field is NULL: empty, or ``\\N`` as in COPY's text format."""
    return end == start or (end - start == 2 and buffer[start] == 92 and buffer[start + 1] == 78)


@compiled
def _boolean(buffer: NDArray[np.uint8], start: int, end: int) -> int:
    """1 for t or true, 0 for f or false, 2 for NULL, -1 for anything else."""
    if _is_null(buffer, start, end):
        return 2
    for value, word in ((1, b"true"), (0, b"false")):
        if end - start == 1 or end - start == len(word):
            same = True
            for place in range(end - start):
                same &= buffer[start + place] == word[place]
            if same:
                return value
    return -1


@compiled
def _digits(buffer: NDArray[np.uint8], start: int, count: int) -> int:
    """`count` decimal digits, -10**6 or less if one of them is none."""
    value = 0
    for place in range(start, start + count):
        digit = np.int64(buffer[place]) - 48
        if digit < 0 or digit > 9:
            return -1_000_000
        value = value * 10 + digit
    return value


@compiled
def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the Gregorian calendar, -1 << 40 if there is none such."""
    if year < 1 or month < 1 or month > 12 or day < 1:
        return -(1 << 40)
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    length = 30 + (month + month // 8) % 2
    if month == 2:
        length = 29 if leap else 28
    if day > length:
        return -(1 << 40)
    shifted = year - (month <= 2)
    era_year = shifted % 400
    month_days = (153 * ((month + 9) % 12) + 2) // 5 + day - 1
    return (shifted // 400) * 146097 + era_year * 365 + era_year // 4 - era_year // 100 + month_days - 719468


@compiled
def _timestamp(buffer: NDArray[np.uint8], start: int, end: int) -> tuple[int, int]:
    """``2016-03-01 21:16:07.226159+00`` → microseconds since 1970 UTC, and the offset in minutes.

    The first is `_BAD_NUMBER` shifted far out of range, -(1 << 62), if it is no time with a zone.
    """
    bad = -(np.int64(1) << 62)
    if end - start < 20:
        return bad, 0
    if buffer[start + 4] != 45 or buffer[start + 7] != 45 or buffer[start + 13] != 58:
        return bad, 0
    if buffer[start + 16] != 58 or (buffer[start + 10] != 32 and buffer[start + 10] != 84):
        return bad, 0
    days = _days(_digits(buffer, start, 4), _digits(buffer, start + 5, 2), _digits(buffer, start + 8, 2))
    hour = _digits(buffer, start + 11, 2)
    minute = _digits(buffer, start + 14, 2)
    second = _digits(buffer, start + 17, 2)
    if days < -(1 << 39) or hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return bad, 0
    place = start + 19
    fraction = 0
    if place < end and buffer[place] == 46:
        place += 1
        scale = 100_000
        first = place
        while place < end and 48 <= buffer[place] <= 57:
            fraction += scale * (np.int64(buffer[place]) - 48)
            scale //= 10
            place += 1
        if place == first or place - first > 6:
            return bad, 0
    left = end - place
    offset = 0
    if left == 1 and buffer[place] == 90:
        offset = 0
    elif left >= 3 and (buffer[place] == 43 or buffer[place] == 45):
        hours = _digits(buffer, place + 1, 2)
        minutes = 0
        if left == 6 and buffer[place + 3] == 58:
            minutes = _digits(buffer, place + 4, 2)
        elif left == 5:
            minutes = _digits(buffer, place + 3, 2)
        elif left != 3:
            return bad, 0
        if hours < 0 or hours > 15 or minutes < 0 or minutes > 59:
            return bad, 0
        offset = hours * 60 + minutes
        if buffer[place] == 45:
            offset = -offset
    else:
        return bad, 0
    seconds = ((days * 24 + hour) * 60 + minute - offset) * 60 + second
    if seconds < _FIRST_SECOND or seconds > _LAST_SECOND:
        return bad, 0
    return seconds * 1_000_000 + fraction, offset


@compiled
def _bid_text(buffer: NDArray[np.uint8], start: int, end: int) -> tuple[int, int]:
    """A bid → its number, 0 for a pass, -1 if it is no bid; and the suit letter's number or -1."""
    if end - start == 4 and buffer[start] == 112:
        for place, letter in enumerate(b"pass"):
            if buffer[start + place] != letter:
                return -1, -1
        return 0, -1
    suit = -1
    if end > start and SUIT_OF_BYTE[buffer[end - 1]] >= 0:
        suit = np.int64(SUIT_OF_BYTE[buffer[end - 1]])
        end -= 1
    number = _number(buffer, start, end)
    if number < 1 or number > 99:
        return -1, -1
    return number, suit


@compiled
def _card(buffer: NDArray[np.uint8], place: int) -> int:
    """The code of the card at a place, -1 if there is none."""
    rank = np.int64(RANK_OF_BYTE[buffer[place]])
    suit = np.int64(SUIT_OF_BYTE[buffer[place + 1]])
    if rank < 0 or suit < 0 or suit > 3:
        return -1
    return suit * SUIT_STRIDE + rank


@compiled
def _fields(
    buffer: NDArray[np.uint8],
    start: int,
    end: int,
    field_at: NDArray[np.int64],
    begins: NDArray[np.int64],
    finishes: NDArray[np.int64],
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
    buffer: NDArray[np.uint8],
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
    size = 0
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
        size = _parse_line(buffer, begins, finishes, first_line + line, events, first, row)
        if row.reason != 0:
            size = first
    offsets[len(starts)] = size


@compiled
def _add(events: NDArray[Any], size: int, line: int, action: int, seat: int) -> Any:
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
def _parse_line(
    buffer: NDArray[np.uint8],
    begins: NDArray[np.int64],
    finishes: NDArray[np.int64],
    line: int,
    events: NDArray[Any],
    size: int,
    row: Any,
) -> int:
    """The events of one line; returns how many there are now, and sets `row.reason`."""
    row.id = _number(buffer, begins[ID], finishes[ID])
    if row.id >= 2**31:
        row.reason, row.column = _UNPARSABLE, ID
        return size
    opening = _add(events, size, line, kaiser.OPEN, NO_SEAT)
    size += 1
    opening.amount = row.id
    offset = 0
    if not _is_null(buffer, begins[DATE], finishes[DATE]):
        at, offset = _timestamp(buffer, begins[DATE], finishes[DATE])
        if at == -(np.int64(1) << 62):
            row.reason, row.column = _UNPARSABLE, DATE
            return size
        opening.at = at
    column = _settings(buffer, begins, finishes, offset, row)
    if column >= 0:
        row.reason, row.column = _UNPARSABLE, column
        return size
    dealer = _number(buffer, begins[DEALER], finishes[DEALER])
    played = finishes[PLAYED] - begins[PLAYED]
    if _is_null(buffer, begins[PLAYED], finishes[PLAYED]):
        played = 0
    bid_any = False
    for seat in range(4):
        bid_any |= not _is_null(buffer, begins[BID_0 + seat], finishes[BID_0 + seat])
    for seat in range(4):
        column = HAND_0 + seat
        if _is_null(buffer, begins[column], finishes[column]):
            if bid_any or played:
                row.reason, row.column = _INCOMPLETE, column
                return size
            continue
        event = _add(events, size, line, kaiser.DEAL_HAND, seat)
        size += 1
        length = finishes[column] - begins[column]
        if length % 2 or length > 2 * kaiser.HAND_CARDS:
            row.reason, row.column = _UNPARSABLE, column
            return size
        for place in range(length // 2):
            card = _card(buffer, begins[column] + 2 * place)
            if card < 0:
                row.reason, row.column = _UNKNOWN_CARD, column
                return size
            event.cards[place] = card
        event.count = length // 2
    first_named = named = size + 4
    missing = -1
    for turn in range(4):
        seat = (dealer + 1 + turn) % 4
        column = BID_0 + seat
        if _is_null(buffer, begins[column], finishes[column]):
            if missing < 0:
                missing = column
            continue
        if missing >= 0:
            row.reason, row.column = _BAD_BID, missing
            return size
        number, suit = _bid_text(buffer, begins[column], finishes[column])
        if number < 0:
            row.reason, row.column = _UNPARSABLE, column
            return size
        if number == 0:
            _add(events, size, line, kaiser.BID_PASS, seat)
        else:
            event = _add(events, size, line, kaiser.BID, seat)
            event.amount = number
            if suit == 4:
                event.suit = suit
            elif suit >= 0:
                _add(events, named, line, kaiser.NAME_TRUMP, seat).suit = suit
                named += 1
        size += 1
    if missing >= 0 and (played or named > first_named):
        row.reason, row.column = _BAD_BID, missing
        return size
    if missing < 0:
        size = named
    if played % 2 or played > 64:
        row.reason, row.column = _UNPARSABLE, PLAYED
        return size
    for place in range(played // 2):
        card = _card(buffer, begins[PLAYED] + 2 * place)
        if card < 0:
            row.reason, row.column = _UNKNOWN_CARD, PLAYED
            return size
        event = _add(events, size, line, kaiser.PLAY_CARD, NO_SEAT)
        event.cards[0] = card
        event.count = 1
        size += 1
    return size


@compiled
def _settings(
    buffer: NDArray[np.uint8],
    begins: NDArray[np.int64],
    finishes: NDArray[np.int64],
    offset: int,
    row: Any,
) -> int:
    """Pack what the opening says into `row.settings`; returns the column that is wrong, or -1."""
    key = np.int64(offset + 1024)
    for column in (MIN_BID, NO_TRUMP_OUT, DEALER):
        number = _number(buffer, begins[column], finishes[column])
        if number < 0 or number > 127:
            return column
        key = key << 7 | number
    for column in (PASS_CARDS, MINUS_52, AI_0, AI_1, AI_2, AI_3):
        value = _boolean(buffer, begins[column], finishes[column])
        if value < 0 or (value == 2 and column < AI_0):
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
        kaiser.Settings(min_bid, bool(pass_cards), no_trump_out, bool(minus_52)),
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
        return f"{name} holds something that is no card, a rank of 2-9 T J Q K A then a suit of C D H S: {value}"
    shown = repr(value) if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]!r} and more"
    return f"{name} is {shown}; it must be {_WANTED[column]}."


