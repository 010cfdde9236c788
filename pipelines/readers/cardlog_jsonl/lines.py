"""Parses the lines of cardlog-jsonl into columns, in one compiled pass.

The pass parses every line in the usual form. The rest, such as escapes in a string, odd numbers or errors, is
left to `fallback`, which uses Python's json; for a line that both can parse the results are equal.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.readers.scan import Bytes, timestamp
from cardlog.pipelines.storage.batch import NO_HAND_NO
from cardlog.schemas.cards import NO_SUIT, NO_TRUMP, RANK_OF_BYTE, SUIT_OF_BYTE
from cardlog.schemas.events import (
    ACTIONS,
    CODE,
    KINDS,
    NO_AMOUNT,
    NO_DETAIL,
    NO_SEAT,
    NO_TIME,
    SCHEMA,
    SCHEMA_VERSION,
    compiled_dtype,
)

COLUMNS: Final = tuple(SCHEMA.names)
"""The keys that a line may have."""
MOST_EVENTS: Final = 2**15
"""Most events of a hand: `seq` has 16 bits."""
MOST_CARDS: Final = 255
"""Most cards on a line of any game."""
FIRST_TIME: Final = -62_135_596_800_000_000
LAST_TIME: Final = 253_402_300_799_999_999
"""Microseconds since 1970: the years 1 to 9999."""

(
    GAME, HAND_ID, MATCH_ID, HAND_NO, SEQ, KIND, ACTION, SEAT,
    CARDS, SUIT, AMOUNT, DETAIL, OCCURRED_AT, SOURCE_ID, SOURCE_LINE, INGEST_NO, VERSION, DATASET, SOURCE_KEY,
) = range(len(COLUMNS))  # fmt: skip
_REQUIRED: Final = 1 << GAME | 1 << HAND_ID | 1 << KIND | 1 << ACTION

BLANK, READ, LEFT, WRONG, BROKEN = range(5)
"""States of a line: blank; parsed; left to Python; wrong, but of a known hand; of no hand."""
GAME_TEXT, HAND_TEXT, MATCH_TEXT, CARDS_TEXT, DETAIL_TEXT, DATASET_TEXT, KEY_TEXT = range(7)
"""Indices of a line's texts in `start` and `size`; the first three are also those of the columns."""
NO_SEQ: Final = -1

LINE: Final = compiled_dtype(
    [
        ("start", np.int64, (7,)),  # offsets of its texts in the buffer
        ("size", np.int32, (7,)),  # their lengths, 0 if not given
        ("detail", np.int32),  # index into the details
        ("at", np.int64),
        ("seq", np.int32),
        ("hand_no", np.int32),
        ("amount", np.int32),
        ("seat", np.int8),
        ("suit", np.int8),
        ("action", np.uint8),
        ("state", np.int8),
    ],
)
NULLS: Final = {
    "detail": NO_DETAIL, "at": NO_TIME, "seq": NO_SEQ, "hand_no": NO_HAND_NO, "amount": NO_AMOUNT,
    "seat": NO_SEAT, "suit": NO_SUIT,
}  # fmt: skip
"""The values that stand for null."""

Lines = NDArray[np.void]
Offsets = NDArray[np.int64]


def no_lines(count: int) -> Lines:
    """Lines that were not parsed yet."""
    lines = np.zeros(count, LINE)
    for name, null in NULLS.items():
        lines[name] = null
    return lines


# ---------------------------------------------------------------- the compiled pass


def _bytes_of(texts: tuple[str, ...]) -> tuple[Bytes, Offsets]:
    """Texts joined, and the offset of each, and the end."""
    ends = np.cumsum([0, *(len(text) for text in texts)]).astype(np.int64)
    return np.frombuffer("".join(texts).encode(), np.uint8), ends


_ACTION_NAMES: Final = tuple(dict.fromkeys(action.name for action in ACTIONS))
_COLUMN_TEXT, _COLUMN_ENDS = _bytes_of(COLUMNS)
_KIND_TEXT, _KIND_ENDS = _bytes_of(KINDS)
_ACTION_TEXT, _ACTION_ENDS = _bytes_of(_ACTION_NAMES)
_SPACE, _TAB, _RETURN, _QUOTE, _BACKSLASH, _OPEN, _CLOSE = b' \t\r"\\{}'
_COLON, _COMMA, _MINUS, _ZERO, _NINE, _HIDDEN, _LAST_ASCII = b":,-09?\x7f"
_NULL: Final = np.frombuffer(b"null", np.uint8)
_NO_CODE: Final = 255
_CODES: Final = np.array(
    [[CODE.get((kind, name), _NO_CODE) for name in _ACTION_NAMES] for kind in KINDS], np.uint8
)
"""The code of a kind and a name."""

_NOTHING, _NUMBER, _PLAIN, _ESCAPED, _OBJECT, _ODD = range(6)
"""Forms of a value: null, a whole number, a string without and with escapes, an object, any other."""


@compiled
def read_plain(buffer: Bytes, starts: Offsets, ends: Offsets, is_utf8: bool, lines: Any) -> None:
    """Parse the lines in the usual form, and leave the others."""
    for number in range(len(lines)):
        lines[number].state = _read_line(buffer, starts[number], ends[number], is_utf8, lines[number])


@compiled
def _skip_blanks(buffer: Bytes, offset: int, end: int) -> int:
    while offset < end and (buffer[offset] == _SPACE or buffer[offset] == _TAB or buffer[offset] == _RETURN):
        offset += 1
    return offset


@compiled
def _read_line(buffer: Bytes, start: int, end: int, is_utf8: bool, line: Any) -> int:
    """One line; returns its state."""
    offset = _skip_blanks(buffer, start, end)
    if offset == end:
        return BLANK
    if buffer[offset] != _OPEN:
        return LEFT
    kind, name, column = -1, -1, -1
    named, given = 0, 0
    while True:
        offset = _skip_blanks(buffer, offset + 1, end)
        form, first, last, offset = _value(buffer, offset, end, is_utf8)
        if form != _PLAIN:
            return LEFT
        column = _column(buffer, first, last, column + 1)
        offset = _skip_blanks(buffer, offset, end)
        if column < 0 or named >> column & 1 or offset == end or buffer[offset] != _COLON:
            return LEFT
        named |= 1 << column
        offset = _skip_blanks(buffer, offset + 1, end)
        form, first, last, offset = _value(buffer, offset, end, is_utf8)
        if form != _NOTHING:
            given |= 1 << column
            if column == KIND and form == _PLAIN:
                kind = _which(buffer, first, last, _KIND_TEXT, _KIND_ENDS)
            elif column == ACTION and form == _PLAIN:
                name = _which(buffer, first, last, _ACTION_TEXT, _ACTION_ENDS)
            elif not _take(buffer, column, form, first, last, line):
                return LEFT
        offset = _skip_blanks(buffer, offset, end)
        if offset == end or (buffer[offset] != _COMMA and buffer[offset] != _CLOSE):
            return LEFT
        if buffer[offset] == _CLOSE:
            break
    if _skip_blanks(buffer, offset + 1, end) != end or given & _REQUIRED != _REQUIRED or kind < 0 or name < 0:
        return LEFT
    line.action = _CODES[kind, name]
    return READ if line.action != _NO_CODE else LEFT


@compiled
def same(buffer: Bytes, first: int, last: int, texts: Bytes, start: int, end: int) -> bool:
    """Whether two spans are equal."""
    if last - first != end - start:
        return False
    for index in range(last - first):  # noqa: SIM110
        if buffer[first + index] != texts[start + index]:
            return False
    return True


@compiled
def _which(buffer: Bytes, first: int, last: int, texts: Bytes, ends: Offsets) -> int:
    """The index of a text in a list, or -1."""
    for number in range(len(ends) - 1):
        if same(buffer, first, last, texts, ends[number], ends[number + 1]):
            return number
    return -1


@compiled
def _column(buffer: Bytes, first: int, last: int, likely: int) -> int:
    """The column that a key names, or -1; keys mostly come in the table's order."""
    for number in range(likely, len(_COLUMN_ENDS) - 1):
        if same(buffer, first, last, _COLUMN_TEXT, _COLUMN_ENDS[number], _COLUMN_ENDS[number + 1]):
            return number
    return _which(buffer, first, last, _COLUMN_TEXT, _COLUMN_ENDS)


@compiled
def _value(buffer: Bytes, offset: int, end: int, is_utf8: bool) -> tuple[int, int, int, int]:
    """The value at an offset: its form, its start and end, and the offset after it.

    A plain string is without its quotes, an escaped one with them.
    """
    if offset == end:
        return _ODD, offset, offset, offset
    if buffer[offset] == _QUOTE:
        last, escaped = _text_end(buffer, offset, end, is_utf8)
        if last < 0:
            return _ODD, offset, offset, offset
        if escaped:
            return _ESCAPED, offset, last + 1, last + 1
        return _PLAIN, offset + 1, last, last + 1
    if buffer[offset] == _OPEN:
        last = _object_end(buffer, offset, end, is_utf8)
        return (_OBJECT, offset, last, last) if last > 0 else (_ODD, offset, offset, offset)
    if buffer[offset] == _NULL[0]:
        is_null = same(buffer, offset, min(offset + 4, end), _NULL, 0, 4)
        return (_NOTHING, offset, offset + 4, offset + 4) if is_null else (_ODD, offset, offset, offset)
    last = offset + (buffer[offset] == _MINUS)
    first_digit = last
    while last < end and _ZERO <= buffer[last] <= _NINE:
        last += 1
    digits = last - first_digit
    if digits == 0 or digits > 18 or (digits > 1 and buffer[first_digit] == _ZERO):
        return _ODD, offset, offset, offset
    return _NUMBER, offset, last, last


@compiled
def _text_end(buffer: Bytes, offset: int, end: int, is_utf8: bool) -> tuple[int, bool]:
    """The offset of a string's closing quote, -1 without one or after an illegal character; and whether it
    has a backslash."""
    escaped = False
    offset += 1
    while offset < end:
        character = buffer[offset]
        if character == _QUOTE:
            return offset, escaped
        if character == _BACKSLASH:
            escaped = True
            offset += 1
        elif character < _SPACE or (character > _LAST_ASCII and not is_utf8):
            return -1, False
        offset += 1
    return -1, False


@compiled
def _object_end(buffer: Bytes, offset: int, end: int, is_utf8: bool) -> int:
    """The offset after an object, -1 if it has no end. Its content is parsed later."""
    depth = 0
    while offset < end:
        character = buffer[offset]
        if character == _QUOTE:
            offset, _ = _text_end(buffer, offset, end, is_utf8)
            if offset < 0:
                return -1
        elif character == _OPEN:
            depth += 1
        elif character == _CLOSE:
            depth -= 1
            if depth == 0:
                return offset + 1
        offset += 1
    return -1


@compiled
def _integer(buffer: Bytes, first: int, last: int) -> int:
    """A whole number of at most 18 digits."""
    negative = buffer[first] == _MINUS
    value = 0
    for offset in range(first + negative, last):
        value = value * 10 + (int(buffer[offset]) - _ZERO)
    return -value if negative else value


@compiled
def _take(buffer: Bytes, column: int, form: int, first: int, last: int, line: Any) -> bool:
    """Set a column to a value that is not null; returns whether it may have it."""
    if form == _NUMBER:
        return _take_number(column, _integer(buffer, first, last), line)
    if column == DETAIL and form != _ODD:
        line.start[DETAIL_TEXT] = first if form != _PLAIN else first - 1
        line.size[DETAIL_TEXT] = last - first if form != _PLAIN else last - first + 2
        return True
    if form != _PLAIN or first == last:
        return False
    if column in (GAME, HAND_ID, MATCH_ID):
        line.start[column] = first
        line.size[column] = last - first
        return True
    if column in (DATASET, SOURCE_KEY):
        text = DATASET_TEXT if column == DATASET else KEY_TEXT
        line.start[text] = first
        line.size[text] = last - first
        return True
    if column == CARDS:
        line.start[CARDS_TEXT] = first
        line.size[CARDS_TEXT] = last - first
        return _are_cards(buffer, first, last)
    if column == SUIT:
        line.suit = SUIT_OF_BYTE[buffer[first]]
        return last - first == 1 and bool(0 <= line.suit <= NO_TRUMP)
    if column == OCCURRED_AT:
        line.at, _ = timestamp(buffer, first, last)
        return bool(FIRST_TIME <= line.at <= LAST_TIME)
    return column == SOURCE_ID


@compiled
def _take_number(column: int, value: int, line: Any) -> bool:
    """Set a column to a number; returns whether it may have it."""
    if column == SEQ:
        line.seq = value
        return 0 <= value < MOST_EVENTS
    if column == SEAT:
        line.seat = value
        return 0 <= value <= 127
    if column == AMOUNT:
        line.amount = value
        return NO_AMOUNT < value < 2**31
    if column == HAND_NO:
        line.hand_no = value
        return 0 <= value < 2**31
    if column == OCCURRED_AT:
        line.at = value
        return FIRST_TIME <= value <= LAST_TIME
    if column == VERSION:
        return 1 <= value <= SCHEMA_VERSION
    return column in (SOURCE_LINE, INGEST_NO)


@compiled
def _are_cards(buffer: Bytes, first: int, last: int) -> bool:
    """Whether a text is a list of cards, ?? for one that was not shown."""
    if (last - first) % 2 or last - first > 2 * MOST_CARDS:
        return False
    for offset in range(first, last, 2):
        rank, suit = RANK_OF_BYTE[buffer[offset]], SUIT_OF_BYTE[buffer[offset + 1]]
        hidden = buffer[offset] == _HIDDEN and buffer[offset + 1] == _HIDDEN
        if not hidden and (rank < 0 or suit < 0 or suit == NO_TRUMP):
            return False
    return True


# ---------------------------------------------------------------- distinct texts


def distinct(buffer: Bytes, lines: Lines, text: int) -> tuple[NDArray[np.int32], Offsets]:
    """Number the distinct texts of one kind, such as `GAME_TEXT`; returns the number of each line's text, or
    -1, and the first line of each number."""
    which = np.empty(len(lines), np.int32)
    firsts = np.empty(len(lines), np.int64)
    table = np.full(1 << (2 * len(lines) + 1).bit_length(), -1, np.int32)
    count = _number_texts(buffer, lines, text, which, firsts, table)
    return which, firsts[:count]


@compiled
def _number_texts(buffer: Bytes, lines: Any, text: int, which: Any, firsts: Any, table: Any) -> int:
    """See `distinct`; `table` is a hash table of -1, at least twice as large as the number of lines."""
    count = 0
    before = -1
    for number in range(len(lines)):
        which[number] = -1
        state = lines[number].state
        start = lines[number].start[text]
        end = start + lines[number].size[text]
        if start == end or (state != READ and state != WRONG):
            continue
        if before >= 0:
            other = lines[before].start[text]
            if same(buffer, start, end, buffer, other, other + lines[before].size[text]):
                which[number] = which[before]
                continue
        before = number
        slot = _hash(buffer, start, end) & (len(table) - 1)
        while table[slot] >= 0:
            known = lines[firsts[table[slot]]]
            if same(buffer, start, end, buffer, known.start[text], known.start[text] + known.size[text]):
                break
            slot = (slot + 1) & (len(table) - 1)
        if table[slot] < 0:
            table[slot] = count
            firsts[count] = number
            count += 1
        which[number] = table[slot]
    return count


@compiled
def _hash(buffer: Bytes, start: int, end: int) -> int:
    """A non-negative hash of a text (FNV-1a)."""
    value = np.uint64(0xCBF29CE484222325)
    for offset in range(start, end):
        value = (value ^ np.uint64(buffer[offset])) * np.uint64(0x100000001B3)
    return int(np.int64((value ^ value >> np.uint64(32)) & np.uint64(0x7FFFFFFF)))
