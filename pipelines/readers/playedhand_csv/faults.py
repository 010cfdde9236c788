"""The messages on lines that can't be parsed."""

from typing import Final

from cardlog.models.kaiser.state import DECK_TEXT
from cardlog.pipelines.readers.playedhand_csv.lines import (
    AI_0,
    AI_3,
    BID_0,
    BID_3,
    COLUMNS,
    DATE,
    DEALER,
    HAND_0,
    HAND_3,
    ID,
    MIN_BID,
    MINUS_52,
    NO_TRUMP_OUT,
    PASS_CARDS,
    PLAYED,
    field_order,
    header_of,
)
from cardlog.schemas.cards import described
from cardlog.schemas.reasons import Reason

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
    index = field_order(header_of(head)).index(column)
    fields = raw.decode("utf-8", "backslashreplace").split(",")
    value = fields[index] if index < len(fields) else ""
    if reason is Reason.UNKNOWN_CARD:
        return f"{name} has something that is not a card; Kaiser's are {described(DECK_TEXT)}: {value}"
    shown = repr(value) if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]!r} and more"
    return f"{name} is {shown}; it must be {_WANTED[column]}."
