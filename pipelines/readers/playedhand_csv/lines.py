"""The lines of a dump: their columns, which of them are not hands, and messages on those at fault."""

from typing import Final

from cardlog.models.kaiser.state import DECK_TEXT
from cardlog.pipelines.readers.base import BOM
from cardlog.schemas.cards import grouped_by_suit
from cardlog.schemas.reasons import Reason
from cardlog.schemas.tables import PLAYEDHAND

END_MARK: Final = b"\\."
"""The line that COPY's text format has after the last row."""
COLUMNS: Final = tuple(PLAYEDHAND.names[:20])
"""The original program's columns, in the table's order."""
(
    ID, DATE, MIN_BID, PASS_CARDS, NO_TRUMP_OUT, MINUS_52, DEALER,
    BID_0, BID_1, BID_2, BID_3, HAND_0, HAND_1, HAND_2, HAND_3, PLAYED, AI_0, AI_1, AI_2, AI_3,
) = range(20)  # fmt: skip


def is_header(line: bytes) -> bool:
    """Whether a line names the columns, in any order."""
    return sorted(fields_of(line)) == sorted(COLUMNS)


def fields_of(line: bytes) -> list[str]:
    """The fields of a line without byte order mark, quotes and line end; non-ASCII bytes are replaced."""
    plain = line.removeprefix(BOM).rstrip(b"\r\n").replace(b'"', b"")
    return plain.decode("ascii", "replace").split(",")


def header_of(head: bytes) -> list[str]:
    """The columns of a file in the order of its fields, by its first line, or else in the table's order."""
    return fields_of(head) if is_header(head) else [*COLUMNS]


FLAGS: Final = (PASS_CARDS, MINUS_52, AI_0, AI_1, AI_2, AI_3)
_TORN_FLAGS: Final = ("", "tr", "tru", "fa", "fal", "fals", "\\")
"""Beginnings of flags that mean something else, or nothing. `t` and `f` already mean what the words do."""


def is_torn(row: bytes, header: list[str]) -> bool:
    """Whether a text's last line, without its line end, may be only the beginning of a row. A complete flag
    at its end shows that it is not; any other value could go on."""
    if row.count(b'"') % 2:
        return True
    fields = fields_of(row)
    could_go_on = COLUMNS.index(header[-1]) not in FLAGS or fields[-1] in _TORN_FLAGS
    return len(fields) < len(COLUMNS) or (len(fields) == len(COLUMNS) and could_go_on)


def is_no_hand(line: bytes, header: list[str]) -> bool:
    """Whether a line, without its line end, is blank, a header or the end mark."""
    return line in (b"", END_MARK) or fields_of(line) == header


# ---------------------------------------------------------------- what is wrong with lines

MOST_SHOWN: Final = 100
"""Characters of a field that a message shows."""

NO_COLUMN: Final = 99
"""Stands for the column at fault if a line has too few or too many."""
_WANTED: Final = {
    ID: "a whole number below 2147483648",
    DATE: "a time with a zone, such as 2016-03-01 21:16:07.226159+00",
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


def sentence(raw: bytes, reason: Reason, column: int, head: bytes) -> str:
    """The message on the column at fault; `head` is the first line of the file."""
    if column == NO_COLUMN:
        count = raw.count(b",") + 1
        return f"The line has {count} columns instead of {len(COLUMNS)}."
    name = COLUMNS[column]
    if reason is Reason.INCOMPLETE:
        return f"{name} is NULL, but the hand goes on."
    if reason is Reason.BAD_BID:
        return f"{name} is NULL, but the hand goes on after that bid."
    index = header_of(head).index(name)
    fields = raw.decode("utf-8", "backslashreplace").split(",")
    value = fields[index] if index < len(fields) else ""
    if reason is Reason.UNKNOWN_CARD:
        return f"{name} has something that is not a card; Kaiser's are {grouped_by_suit(DECK_TEXT)}: {value}"
    shown = repr(value) if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]!r} and more"
    return f"{name} is {shown}; it must be {_WANTED[column]}."
