"""The lines of a dump: their columns, which of them are not hands, and messages on those at fault."""

from typing import Final

from cardlog.models.kaiser.state import DECK_TEXT
from cardlog.pipelines.readers.playedhand_csv.layout import COLUMNS, END_MARK, Layout, fields_of
from cardlog.schemas.cards import grouped_by_suit
from cardlog.schemas.reasons import Reason

(
    ID, DATE, MIN_BID, PASS_CARDS, NO_TRUMP_OUT, MINUS_52, DEALER,
    BID_0, BID_1, BID_2, BID_3, HAND_0, HAND_1, HAND_2, HAND_3, PLAYED, AI_0, AI_1, AI_2, AI_3,
) = range(20)  # fmt: skip


FLAGS: Final = (PASS_CARDS, MINUS_52, AI_0, AI_1, AI_2, AI_3)
_FLAG_NAMES: Final = [COLUMNS[column] for column in FLAGS]
_TORN_FLAGS: Final = ("", "tr", "tru", "fa", "fal", "fals", "\\")
"""Beginnings of flags that mean something else, or nothing. `t` and `f` already mean what the words do."""


def is_torn(row: bytes, layout: Layout) -> bool:
    """Whether a text's last line, without its line end, may be only the beginning of a row. A complete flag
    at its end shows that it is not; any other value could go on."""
    if row.count(b'"') % 2:
        return True
    fields, names = fields_of(row, layout.separator), layout.columns
    could_go_on = names[-1] not in _FLAG_NAMES or fields[-1] in _TORN_FLAGS
    return len(fields) < len(names) or (len(fields) == len(names) and could_go_on)


def is_no_hand(line: bytes, layout: Layout) -> bool:
    """Whether a line, without its line end, is blank, a header or the end mark."""
    return line in (b"", END_MARK, layout.named_by) or fields_of(line, layout.separator) == [*layout.columns]


# ---------------------------------------------------------------- what is wrong with lines

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
