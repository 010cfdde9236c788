"""The messages of Pinochle's protocol: their kinds, their values and their faults.

A line is an arrow, ``-->`` to the client or ``<--`` from it, and one flat JSON object.
"""

import re
from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from cardlog.models.engine.trick import SEATS
from cardlog.models.pinochle.cards import DECK_TEXT
from cardlog.models.pinochle.state import MOST_SHOWN
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.transcript import Fault, require
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.reasons import Reason

TO_CLIENT: Final = b"--> "
TO_SERVER: Final = b"<-- "
NO_CARD: Final = 255
_CODES: Final = {text: cards.code(text) for text in re.findall("..", DECK_TEXT)}
_SUITS: Final = {suit: number for number, suit in enumerate(cards.SUITS)}


class Kind:
    """The kinds of lines, as messages name them; `SAY` and `ASK` are the server's, `ANSWER` the client's."""

    BLANK = "a blank line"
    BAD = "something"
    MENU = "a menu"
    NOTE = "a message that belongs to no hand"
    DEAL = "a deal"
    SAY_BID = "a bid of another seat"
    ASK_BID = "a request for a bid"
    ANSWER_BID = "the client's bid"
    SAY_TRUMP = "trump named by another seat"
    ASK_TRUMP = "a request to name trump"
    ANSWER_TRUMP = "the client's trump"
    SAY_THROW_IN = "a throw-in of another seat"
    ANSWER_THROW_IN = "the client's throw-in"
    SAY_MELD = "a meld"
    SAY_PLAY = "a card of another seat"
    ASK_PLAY = "a request for a card"
    ANSWER_PLAY = "the client's card"
    SAY_TRICK = "the seat that takes a trick"
    TRICK_MESSAGE = "the message that ends a trick"
    SCORES_MESSAGE = "the message with the scores"
    THROW_IN_MESSAGE = "the message of a throw-in"
    WINNER_MESSAGE = "the message of who wins"
    SAY_SCORE = "the score"


_SHAPES: Final = {
    ("Message", False): (Kind.NOTE, "Message", ""),
    ("Hello", False): (Kind.MENU, "", ""),
    ("Hello", True): (Kind.MENU, "", "Message"),
    ("Game", False): (Kind.MENU, "", ""),
    ("Game", True): (Kind.MENU, "", "Option"),
    ("Sit", True): (Kind.MENU, "", "Playerid TableId"),
    ("Start", True): (Kind.MENU, "", "Playerid"),
    ("MyTable", False): (Kind.MENU, "MyTable Playerid", ""),
    ("Tables", False): (Kind.MENU, "Tables", ""),
    ("Tables", True): (Kind.MENU, "", "Playerid"),
    ("Name", False): (Kind.BLANK, "", "Playerid"),
    ("Name", True): (Kind.BLANK, "", "Playerid Message"),
    ("Error", False): (Kind.BLANK, "Message", "Playerid"),
    ("Deal", False): (Kind.DEAL, "Hand Playerid", "Dealer"),
    ("Bid", False): (Kind.SAY_BID, "Playerid", "Bid Amount"),
    ("Bid", True): (Kind.ANSWER_BID, "", "Playerid Bid Amount"),
    ("Trump", False): (Kind.ASK_TRUMP, "Playerid", "Trump"),
    ("Trump", True): (Kind.ANSWER_TRUMP, "Trump", "Playerid"),
    ("Throwin", False): (Kind.SAY_THROW_IN, "Playerid", ""),
    ("Throwin", True): (Kind.ANSWER_THROW_IN, "", "Playerid"),
    ("Meld", False): (Kind.SAY_MELD, "Playerid Hand", "Amount"),
    ("Play", False): (Kind.ASK_PLAY, "Playerid", "PlayedCard Lead Trump WinningCard"),
    ("Play", True): (Kind.ANSWER_PLAY, "PlayedCard", "Playerid"),
    ("PlayRequest", False): (Kind.ASK_PLAY, "Playerid Hand", "Lead Trump WinningCard WinningPlayer"),
    ("Trick", False): (Kind.SAY_TRICK, "Playerid", ""),
    ("Score", False): (Kind.SAY_SCORE, "Score", "GameOver Win"),
}
"""By the type and whether the client sends it: the kind, which may also depend on the fields; the fields that
a line must have besides its type, and those that it may have."""

_Number = Annotated[int, Meta(gt=-(2**31), lt=2**31)]
_Seat = Annotated[int, Meta(ge=0, lt=SEATS)]
_Card: Any = Literal[tuple(_CODES)]
_Suit: Any = Literal[tuple(_SUITS)]
_TYPES: Final[dict[str, Any]] = {
    **dict.fromkeys(("Playerid", "Dealer"), _Seat),
    **dict.fromkeys(("Bid", "Amount", "Option", "WinningPlayer"), _Number),
    **dict.fromkeys(("Trump", "Lead"), _Suit),
    **dict.fromkeys(("PlayedCard", "WinningCard"), _Card),
    **dict.fromkeys(("GameOver", "Win"), bool),
    "Hand": Annotated[list[_Card], Meta(max_length=MOST_SHOWN)],
    "Score": tuple[_Number, _Number],
    "TableId": Annotated[int, Meta(ge=-(2**63) + 1, le=2**63 - 1)],
    "Tables": list,
    "MyTable": dict,
    "Message": str,
}
"""The type of each field."""


def _decoder(is_answer: bool) -> Any:
    """A decoder of the messages that the client sends, or of those that the server sends."""
    options: Any = {"tag_field": "Type", "forbid_unknown_fields": True, "omit_defaults": True}
    messages = []
    for (name, _), (_, must, may) in (shape for shape in _SHAPES.items() if shape[0][1] == is_answer):
        required = [(key, _TYPES[key]) for key in must.split()]
        optional = [(key, _TYPES[key], None) for key in may.split()]
        messages.append(msgspec.defstruct(name, [*required, *optional], tag=name, **options))
    return msgspec.json.Decoder(reduce(or_, messages)).decode


_DECODE: Final = {is_answer: _decoder(is_answer) for is_answer in (False, True)}
_TYPE: Final = re.compile(rb'"Type" ?: ?"(\w+)"').search
_WRONG_CARD: Final = re.compile(r"Invalid enum value .* at `\$\.(?:Hand|PlayedCard|WinningCard)").match

_NUMBER: Final = "0|-?[1-9][0-9]{0,9}"
_PLAYER: Final = f"Player (?P<seat>{_NUMBER})"
_COUNT: Final = f"(?P<number>{_NUMBER})"
_AMOUNT: Final = f"(?P<amount>{_NUMBER})"
_CARD: Final = f"(?P<card>{'|'.join(_CODES)})"
_SCORES: Final = (
    f"Scores are now Team0 = (?P<score_0>{_NUMBER}) to Team1 = (?P<score_1>{_NUMBER}), played {_COUNT} hands"
)
_TEXTS: Final = [
    (Kind.TRICK_MESSAGE, f"{_PLAYER} wins trick #{_COUNT} with {_CARD} for {_AMOUNT} points"),
    (Kind.TRICK_MESSAGE, f"{_PLAYER} wins trick with {_CARD}"),
    (Kind.SCORES_MESSAGE, _SCORES),
    (Kind.THROW_IN_MESSAGE, f"{_PLAYER} threw in! {_SCORES}"),
    (Kind.WINNER_MESSAGE, f"Team(?P<seat>{_NUMBER}) wins with a score of {_AMOUNT}!"),
    (Kind.MENU, r"Do you want to join a game, create a new game, or quit\? \(join, create, quit\)"),
    (Kind.MENU, "Ok, bye bye!"),
]
"""Texts of messages that belong to a hand, and two that end one."""


class Line(msgspec.Struct, gc=False):
    """A line: its kind, its fields, and the values of some."""

    kind: str
    fields: dict[str, Any] = {}
    seat: int = -1
    suit: int = NO_SUIT  # trump
    lead: int = NO_SUIT
    card: int = NO_CARD  # played, or named in a message
    winning: int = NO_CARD
    hand: bytes = b""  # in the order of the line
    bid: int = 0
    amount: int = 0  # points of a meld, or in a message
    number: int | None = None  # of a trick, or of hands, in a message
    scores: tuple[int, int] = (0, 0)
    wrong: tuple[Reason, str] | None = None  # its fault


BLANK_LINE: Final = Line(Kind.BLANK)


@lru_cache(maxsize=2**14)
def parse_line(text: bytes) -> Line:
    """A line parsed. If that is impossible its kind is `Kind.BAD`, and `wrong` says why."""
    if not text.strip(b" \t"):
        return BLANK_LINE
    try:
        return _line(text)
    except Fault as fault:
        return Line(Kind.BAD, wrong=(fault.reason, fault.what))
    except (ValueError, RecursionError) as error:
        reason = Reason.UNKNOWN_CARD if _WRONG_CARD(str(error)) else Reason.UNPARSABLE
        return Line(Kind.BAD, wrong=(reason, f"it is no message: {error}{_advice(text, str(error))}"))


def _advice(text: bytes, problem: str) -> str:
    """What a line should be, for some of its problems."""
    name = _TYPE(text)
    shape = _SHAPES.get((name[1].decode(), text.startswith(TO_SERVER))) if name else None
    if shape and "unknown field" in problem:
        return f"; there are: {', '.join(('Type', *shape[1].split(), *shape[2].split()))}"
    if _WRONG_CARD(problem):
        return f"; the cards are {cards.grouped_by_suit(DECK_TEXT)}"
    return f"; {json_lines.ADVICE}, after the arrow" if json_lines.is_piece(text.lstrip(b"<-> ")) else ""


def _line(text: bytes) -> Line:
    """A line that is not blank, parsed. Raises Fault or ValueError."""
    arrow, is_answer = text[: len(TO_CLIENT)], text.startswith(TO_SERVER)
    if arrow not in (TO_CLIENT, TO_SERVER):
        raise ValueError("it does not begin with --> or <-- and a space")
    message = json_lines.typed(_DECODE[is_answer], text[len(arrow) :])
    name = type(message).__name__
    fields = {"Type": name} | {key: value for key, value in asdict(message).items() if value is not None}
    line = Line(
        _SHAPES[name, is_answer][0],
        fields,
        fields.get("Playerid", 0 if is_answer else -1),  # the web page of 2014 leaves out the zero
        _SUITS.get(fields.get("Trump", ""), NO_SUIT),
        _SUITS.get(fields.get("Lead", ""), NO_SUIT),
        _CODES.get(fields.get("PlayedCard", ""), NO_CARD),
        _CODES.get(fields.get("WinningCard", ""), NO_CARD),
        bytes(map(_CODES.__getitem__, fields.get("Hand", ()))),
        fields.get("Bid", 0),
        fields.get("Amount", 0),
        scores=fields.get("Score", (0, 0)),
    )
    if name == "Bid":
        require(line.amount == 0, Reason.UNPARSABLE, "a bid has another Amount than 0")
        line.kind = Kind.ASK_BID if line.kind == Kind.SAY_BID and line.seat == 0 else line.kind
    elif line.kind == Kind.ASK_TRUMP and line.suit != NO_SUIT:
        line.kind = Kind.SAY_TRUMP
    elif line.kind == Kind.ASK_PLAY and line.card != NO_CARD:
        is_plain = fields.keys() == {"Type", "Playerid", "PlayedCard"}
        require(is_plain, Reason.UNPARSABLE, "a card has more fields")
        line.kind = Kind.SAY_PLAY
    elif line.kind == Kind.NOTE:
        _parse_message(line, fields["Message"])
    return line


def _parse_message(line: Line, message: str) -> None:
    """Take kind and values of a line from its message, if it is one of `_TEXTS`."""
    for kind, pattern in _TEXTS:
        if match := re.fullmatch(pattern, message):
            groups = match.groupdict().items()
            values = {name: _CODES[text] if name == "card" else int(text) for name, text in groups}
            if max(map(abs, values.values()), default=0) < 2**31:
                line.kind = kind
                line.seat = values["seat"] if values.get("seat", SEATS) in range(SEATS) else -1
                line.card, line.amount = values.get("card", NO_CARD), values.get("amount", 0)
                line.scores = values.get("score_0", 0), values.get("score_1", 0)
                line.number = values.get("number")
