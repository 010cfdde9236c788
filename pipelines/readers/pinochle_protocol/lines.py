"""Lines of Pinochle's protocol: what they say, and what is wrong with them.

A line is an arrow, ``-->`` to the client or ``<--`` from it, and one flat JSON object.
"""

import json
import re
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta

from cardlog.models.pinochle.cards import DECK_TEXT
from cardlog.models.pinochle.state import MOST_SHOWN
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.transcript import Fault
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.reasons import Reason

TO_CLIENT: Final = b"--> "
TO_SERVER: Final = b"<-- "
NO_CARD: Final = 255
_MOST_CHARACTERS: Final = 100
"""Characters of a value or line that a message shows."""
_CODES: Final = {text: cards.code(text) for text in re.findall("..", DECK_TEXT)}
_SUITS: Final = {suit: number for number, suit in enumerate(cards.SUITS)}


class Kind:
    """What a line is, in messages; `SAY` and `ASK` are from the server, `ANSWER` from the client. No enum:
    Python 3.11 takes ten times as long to get a member."""

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
"""By type and whether the client sends it: the kind, which may also depend on the fields; the fields that a
line must have besides its type, and those that it may have."""
_PLAY_OF_ANOTHER: Final = {"Type", "Playerid", "PlayedCard"}

_Number = Annotated[int, Meta(gt=-(2**31), lt=2**31)]
_Seat = Annotated[int, Meta(ge=0, lt=SEATS)]
_Card: Any = Literal[tuple(_CODES)]
_Suit: Any = Literal[tuple(_SUITS)]
_FIELDS: Final[dict[str, Any]] = {
    "Type": Literal[tuple(dict.fromkeys(name for name, _ in _SHAPES))],
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
_OF_CARDS: Final = ("PlayedCard", "WinningCard", "Hand")

_NUMBER: Final = "0|-?[1-9][0-9]{0,9}"
_PLAYER: Final = f"Player (?P<seat>{_NUMBER})"
_CARD: Final = f"(?P<card>{'|'.join(_CODES)})"
_SCORES: Final = (
    f"Scores are now Team0 = (?P<score_0>{_NUMBER}) to Team1 = (?P<score_1>{_NUMBER}), "
    f"played (?P<number>{_NUMBER}) hands"
)
_MESSAGES: Final = [
    (kind, re.compile(pattern))
    for kind, pattern in (
        (
            Kind.TRICK_MESSAGE,
            f"{_PLAYER} wins trick #(?P<number>{_NUMBER}) with {_CARD} for (?P<amount>{_NUMBER}) points",
        ),
        (Kind.TRICK_MESSAGE, f"{_PLAYER} wins trick with {_CARD}"),
        (Kind.SCORES_MESSAGE, _SCORES),
        (Kind.THROW_IN_MESSAGE, f"{_PLAYER} threw in! {_SCORES}"),
        (Kind.WINNER_MESSAGE, f"Team(?P<seat>{_NUMBER}) wins with a score of (?P<amount>{_NUMBER})!"),
        (Kind.MENU, r"Do you want to join a game, create a new game, or quit\? \(join, create, quit\)"),
        (Kind.MENU, "Ok, bye bye!"),
    )
]
"""Messages that belong to a hand, and two that end one."""


class Line(msgspec.Struct, gc=False):
    """What a line says: its kind, its fields, and the values of some; or reason and message if it is bad.

    suit
        Trump, or `NO_SUIT`.
    card
        Played, or named in a message; or `NO_CARD`.
    hand
        Cards, in their order.
    amount
        Of a meld, or the points in a message.
    number
        Of a trick or of hands, in a message; None if it has none.
    """

    kind: str
    fields: dict[str, Any] = {}
    seat: int = -1
    suit: int = NO_SUIT
    lead: int = NO_SUIT
    card: int = NO_CARD
    winning: int = NO_CARD
    hand: bytes = b""
    bid: int = 0
    amount: int = 0
    number: int | None = None
    scores: tuple[int, int] = (0, 0)
    wrong: tuple[Reason, str] | None = None


BLANK_LINE: Final = Line(Kind.BLANK)


@lru_cache(maxsize=2**14)
def parse_line(text: bytes) -> Line:
    """What a line says. If it can't be parsed its kind is `Kind.BAD`, and it is `Line.wrong`."""
    if not text.strip(b" \t"):
        return BLANK_LINE
    try:
        return _line(_fields(text), text.startswith(TO_SERVER))
    except Fault as fault:
        return Line(Kind.BAD, wrong=(fault.reason, fault.what))


def _wrong(what: str, reason: Reason = Reason.UNPARSABLE) -> Fault:
    return Fault(reason, what)


class _Object(dict[str, Any]):
    """A JSON object that keeps its pairs, to detect repeated keys."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs


_decode: Final = json.JSONDecoder(object_pairs_hook=_Object).decode


def _fields(text: bytes) -> dict[str, Any]:
    """The fields of a line, each of its type. Raises Fault, for the first one that is wrong."""
    arrow = text[: len(TO_CLIENT)]
    if arrow not in (TO_CLIENT, TO_SERVER):
        shown = _shown(text[:_MOST_CHARACTERS].decode("utf-8", "replace"))
        advice = f"; {json_lines.ADVICE}, after the arrow" if json_lines.is_piece(text) else ""
        raise _wrong(f"it does not begin with --> or <-- and a space: {shown}{advice}")
    try:
        found = _decode(text[len(arrow) :].decode())
    except (ValueError, RecursionError) as error:
        advice = f"; {json_lines.ADVICE}" if json_lines.is_piece(text[len(arrow) :]) else f": {error}"
        raise _wrong(f"what follows the arrow is not JSON{advice}") from error
    if not isinstance(found, _Object):
        raise _wrong("what follows the arrow is not a JSON object")
    fields: dict[str, Any] = {}
    for name, value in found.pairs:
        if name not in _FIELDS:
            raise _wrong(f"there is no field {name!r}")
        if name in fields:
            raise _wrong(f"{name} occurs twice")
        try:
            fields[name] = msgspec.convert(value, _FIELDS[name])
        except (msgspec.ValidationError, UnicodeEncodeError) as error:
            is_text = isinstance(error, UnicodeEncodeError) or str(error).startswith("Invalid enum value")
            reason = Reason.UNKNOWN_CARD if is_text and name in _OF_CARDS else Reason.UNPARSABLE
            problem = "it is not a card of the deck" if reason is Reason.UNKNOWN_CARD else error
            raise _wrong(f"{name} is {_shown(value)}: {problem}", reason) from None
    return fields


def _line(fields: dict[str, Any], answer: bool) -> Line:
    """A line with these fields. Raises Fault if they don't fit together."""
    if "Type" not in fields:
        raise _wrong("it has no Type")
    name = fields["Type"]
    if (name, answer) not in _SHAPES:
        raise _wrong(f"the {'client' if answer else 'server'} never sends {name}")
    kind, must, may = _SHAPES[name, answer]
    lacking = [field for field in must.split() if field not in fields]
    if lacking:
        raise _wrong(f"{name} has no {', '.join(lacking)}")
    if name == "Bid" and fields.get("Amount"):
        raise _wrong(f"Amount is {fields['Amount']}; in a bid it is 0")
    is_play = kind == Kind.ASK_PLAY and "PlayedCard" in fields
    allowed = _PLAY_OF_ANOTHER if is_play else {"Type", *must.split(), *may.split()}
    if fields.keys() - allowed:
        raise _wrong(f"{name} has more fields than it may")
    line = Line(
        kind,
        fields,
        fields.get("Playerid", 0 if answer else -1),  # the web page of 2014 leaves out the zero
        _SUITS.get(fields.get("Trump", ""), NO_SUIT),
        _SUITS.get(fields.get("Lead", ""), NO_SUIT),
        _CODES.get(fields.get("PlayedCard", ""), NO_CARD),
        _CODES.get(fields.get("WinningCard", ""), NO_CARD),
        bytes(map(_CODES.__getitem__, fields.get("Hand", ()))),
        fields.get("Bid", 0),
        fields.get("Amount", 0),
        scores=tuple(fields.get("Score", (0, 0))),
    )
    if kind == Kind.SAY_BID and line.seat == 0:
        line.kind = Kind.ASK_BID
    elif kind == Kind.ASK_TRUMP and line.suit != NO_SUIT:
        line.kind = Kind.SAY_TRUMP
    elif is_play:
        line.kind = Kind.SAY_PLAY
    elif kind == Kind.NOTE:
        _hear(line, fields["Message"])
    return line


def _hear(line: Line, message: str) -> None:
    """Take kind and values of a line from its message, if it is one of `_MESSAGES`."""
    for kind, pattern in _MESSAGES:
        if found := pattern.fullmatch(message):
            said = {
                name: _CODES[text] if name == "card" else int(text)
                for name, text in found.groupdict().items()
            }
            if max(map(abs, said.values()), default=0) < 2**31:
                line.kind = kind
                line.seat = said["seat"] if said.get("seat", SEATS) in range(SEATS) else -1
                line.card, line.amount = said.get("card", NO_CARD), said.get("amount", 0)
                line.scores = said.get("score_0", 0), said.get("score_1", 0)
                line.number = said.get("number")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} and more"
