"""Lines of Pinochle's protocol as records, and their kinds.

A line is an arrow, ``-->`` to the client or ``<--`` from it, and one flat JSON object. `scanner` reads the
form in which the servers write it, `fallback` any other; both fill the same record.
"""

from enum import IntEnum
from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.pinochle.state import MOST_SHOWN, SEATS
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import compiled_dtype

TO_CLIENT: Final = b"--> "
TO_SERVER: Final = b"<-- "
NO_CARD: Final = 255
NO_NUMBER: Final = -(2**31)
"""Stands for a number that a message does not have."""

LINE: Final = compiled_dtype(
    [
        ("kind", np.int8),
        ("answer", np.int8),  # 1 if the client sends it
        ("type", np.int8),  # index into TYPES, or -1
        ("message", np.int8),  # index into MESSAGES, or -1
        ("fields", np.int32),  # its fields, one bit of `Field` each
        ("seat", np.int8),
        ("dealer", np.int8),
        ("suit", np.int8),  # trump, or NO_SUIT
        ("lead", np.int8),
        ("card", np.uint8),  # played, or named in a message; or NO_CARD
        ("winning", np.uint8),
        ("count", np.int8),
        ("over", np.int8),
        ("win", np.int8),
        ("cards", np.uint8, (MOST_SHOWN,)),
        ("bid", np.int32),
        ("amount", np.int32),  # of a meld, or the points in a message
        ("option", np.int32),
        ("number", np.int32),  # of a trick or of hands, in a message
        ("scores", np.int32, (2,)),
    ]
)

Field = IntEnum(
    "Field",
    "Type Playerid Hand Dealer Bid Amount Trump Lead PlayedCard WinningCard WinningPlayer Message Option "
    "Score GameOver Win MyTable Tables TableId",
    start=0,
)
"""The fields of a line's object, as the protocol spells them."""

TYPES: Final = (
    "Message", "Hello", "Game", "Deal", "Bid", "Trump", "Meld", "Play", "PlayRequest", "Trick", "Score",
    "Throwin", "Sit", "Start", "MyTable", "Tables", "Name", "Error",
)  # fmt: skip

Kind = IntEnum(
    "Kind",
    "BLANK BAD MENU NOTE DEAL SAY_BID ASK_BID ANSWER_BID SAY_TRUMP ASK_TRUMP ANSWER_TRUMP SAY_THROW_IN "
    "ANSWER_THROW_IN SAY_MELD SAY_PLAY ASK_PLAY ANSWER_PLAY SAY_TRICK TRICK_MESSAGE SCORES_MESSAGE "
    "THROW_IN_MESSAGE WINNER_MESSAGE SAY_SCORE",
    start=0,
)
"""Kinds of lines. `SAY` and `ASK` are from the server, `ANSWER` from the client."""

NAMES: Final = {
    Kind.NOTE: "a message that belongs to no hand",
    Kind.DEAL: "a deal",
    Kind.SAY_BID: "a bid of another seat",
    Kind.ASK_BID: "a request for a bid",
    Kind.ANSWER_BID: "the client's bid",
    Kind.SAY_TRUMP: "trump named by another seat",
    Kind.ASK_TRUMP: "a request to name trump",
    Kind.ANSWER_TRUMP: "the client's trump",
    Kind.SAY_THROW_IN: "a throw-in of another seat",
    Kind.ANSWER_THROW_IN: "the client's throw-in",
    Kind.SAY_MELD: "a meld",
    Kind.SAY_PLAY: "a card of another seat",
    Kind.ASK_PLAY: "a request for a card",
    Kind.ANSWER_PLAY: "the client's card",
    Kind.SAY_TRICK: "the seat that takes a trick",
    Kind.TRICK_MESSAGE: "the message that ends a trick",
    Kind.SCORES_MESSAGE: "the message with the scores",
    Kind.THROW_IN_MESSAGE: "the message of a throw-in",
    Kind.WINNER_MESSAGE: "the message of who wins",
    Kind.SAY_SCORE: "the score",
}
"""The kinds of lines of a hand in messages."""


def _bits(fields: str) -> int:
    return sum(1 << Field[field] for field in fields.split())


# Type, whether the client sends it, its kind, required fields and optional ones.
_SHAPES: Final = (
    ("Message", 0, Kind.NOTE, "Message", ""),
    ("Hello", 0, Kind.MENU, "", ""),
    ("Hello", 1, Kind.MENU, "", "Message"),
    ("Game", 0, Kind.MENU, "", ""),
    ("Game", 1, Kind.MENU, "", "Option"),
    ("Sit", 1, Kind.MENU, "", "Playerid TableId"),
    ("Start", 1, Kind.MENU, "", "Playerid"),
    ("MyTable", 0, Kind.MENU, "MyTable Playerid", ""),
    ("Tables", 0, Kind.MENU, "Tables", ""),
    ("Tables", 1, Kind.MENU, "", "Playerid"),
    ("Name", 0, Kind.BLANK, "", "Playerid"),
    ("Name", 1, Kind.BLANK, "", "Playerid Message"),
    ("Error", 0, Kind.BLANK, "Message", "Playerid"),
    ("Deal", 0, Kind.DEAL, "Hand Playerid", "Dealer"),
    ("Bid", 0, Kind.SAY_BID, "Playerid", "Bid Amount"),
    ("Bid", 1, Kind.ANSWER_BID, "", "Playerid Bid Amount"),
    ("Trump", 0, Kind.ASK_TRUMP, "Playerid", "Trump"),
    ("Trump", 1, Kind.ANSWER_TRUMP, "Trump", "Playerid"),
    ("Throwin", 0, Kind.SAY_THROW_IN, "Playerid", ""),
    ("Throwin", 1, Kind.ANSWER_THROW_IN, "", "Playerid"),
    ("Meld", 0, Kind.SAY_MELD, "Playerid Hand", "Amount"),
    ("Play", 0, Kind.ASK_PLAY, "Playerid", "PlayedCard Lead Trump WinningCard"),
    ("Play", 1, Kind.ANSWER_PLAY, "PlayedCard", "Playerid"),
    ("PlayRequest", 0, Kind.ASK_PLAY, "Playerid Hand", "Lead Trump WinningCard WinningPlayer"),
    ("Trick", 0, Kind.SAY_TRICK, "Playerid", ""),
    ("Score", 0, Kind.SAY_SCORE, "Score", "GameOver Win"),
)
KIND: Final = np.full((2, len(TYPES)), Kind.BAD, np.int8)
"""Kind by sender and type; for some it also depends on the fields."""
MUST: Final = np.zeros((2, len(TYPES)), np.int32)
_MAY: Final = np.zeros((2, len(TYPES)), np.int32)
for _name, _answer, _shape_kind, _must, _may in _SHAPES:
    KIND[_answer, TYPES.index(_name)] = _shape_kind
    MUST[_answer, TYPES.index(_name)] = _bits(f"Type {_must}")
    _MAY[_answer, TYPES.index(_name)] = _bits(f"Type {_must} {_may}")

_SCORES_TEXT: Final = b"Scores are now Team0 = \1 to Team1 = \1, played \1 hands"
MESSAGES: Final = (
    (Kind.TRICK_MESSAGE, b"Player \1 wins trick #\1 with \2 for \1 points"),
    (Kind.TRICK_MESSAGE, b"Player \1 wins trick with \2"),
    (Kind.SCORES_MESSAGE, _SCORES_TEXT),
    (Kind.THROW_IN_MESSAGE, b"Player \1 threw in! " + _SCORES_TEXT),
    (Kind.WINNER_MESSAGE, b"Team\1 wins with a score of \1!"),
    (Kind.MENU, b"Do you want to join a game, create a new game, or quit? (join, create, quit)"),
    (Kind.MENU, b"Ok, bye bye!"),
)
"""Messages that belong to a hand, and two that end one, with their kinds. In a text 1 stands for a number, 2
for a card."""
NUMBERED_TRICK, PLAIN_TRICK, SCORES, THROW_IN, WINNER = range(5)
_MESSAGE_KINDS: Final = np.array([kind for kind, _ in MESSAGES], np.int8)

PLAY_REQUEST: Final = TYPES.index("PlayRequest")
BID_TYPE: Final = TYPES.index("Bid")
_PLAY_OF_ANOTHER: Final = _bits("Type Playerid PlayedCard")


@compiled
def clear(line: Any) -> None:
    """Reset a record to a blank line."""
    line.kind = Kind.BLANK
    line.answer = 0
    line.type = -1
    line.message = -1
    line.fields = 0
    line.seat = -1
    line.dealer = -1
    line.suit = NO_SUIT
    line.lead = NO_SUIT
    line.card = NO_CARD
    line.winning = NO_CARD
    line.count = 0
    line.over = 0
    line.win = 0
    line.bid = 0
    line.amount = 0
    line.option = 0
    line.number = NO_NUMBER
    line.scores[0] = 0
    line.scores[1] = 0


@compiled
def classify(line: Any) -> None:
    """Set a line's kind by its type and fields, `Kind.BAD` if they do not match."""
    line.kind = Kind.BAD
    if line.type < 0:
        return
    must = MUST[line.answer, line.type]
    if line.fields & must != must or line.fields & ~_MAY[line.answer, line.type]:
        return
    if line.answer and line.fields >> Field.Playerid & 1 == 0:
        line.seat = 0  # the web page of 2014 leaves out the zero
    line.kind = KIND[line.answer, line.type]
    if line.kind == Kind.NOTE and line.message >= 0:
        line.kind = _MESSAGE_KINDS[line.message]
    elif line.type == BID_TYPE and line.amount != 0:
        line.kind = Kind.BAD
    elif line.kind == Kind.SAY_BID and line.seat == 0:
        line.kind = Kind.ASK_BID
    elif line.kind == Kind.ASK_TRUMP and line.suit != NO_SUIT:
        line.kind = Kind.SAY_TRUMP
    elif line.kind == Kind.ASK_PLAY and line.fields >> Field.PlayedCard & 1:
        line.kind = Kind.BAD if line.fields & ~_PLAY_OF_ANOTHER else Kind.SAY_PLAY


# ---------------------------------------------------------------- values of fields


@compiled
def set_number(line: Any, field: Int, value: Int) -> bool:
    """Set the number of a field; returns whether it is allowed."""
    if field == Field.Playerid:
        line.seat = value if 0 <= value < SEATS else -1
        return bool(0 <= value < SEATS)
    if field == Field.Dealer:
        line.dealer = value if 0 <= value < SEATS else -1
        return bool(0 <= value < SEATS)
    if field == Field.Bid:
        line.bid = value
    elif field == Field.Amount:
        line.amount = value
    elif field == Field.Option:
        line.option = value
    elif field != Field.WinningPlayer:
        return False
    return True


@compiled
def set_card(line: Any, field: Int, card: Int) -> None:
    """Set the card of a field."""
    if field == Field.PlayedCard:
        line.card = card
    else:
        line.winning = card


@compiled
def set_suit(line: Any, field: Int, suit: Int) -> None:
    """Set the suit of a field."""
    if field == Field.Trump:
        line.suit = suit
    else:
        line.lead = suit
