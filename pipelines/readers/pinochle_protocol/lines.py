"""Lines of Pinochle's protocol: what they say, and what is wrong with them.

A line is an arrow, ``-->`` to the client or ``<--`` from it, and one flat JSON object.
"""

import json
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import msgspec

from cardlog.models.pinochle.cards import DECK_TEXT
from cardlog.models.pinochle.state import MOST_SHOWN, SEATS
from cardlog.pipelines.readers import json_lines
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.reasons import Reason

TO_CLIENT: Final = b"--> "
TO_SERVER: Final = b"<-- "
NO_CARD: Final = 255
_MOST_CHARACTERS: Final = 100
"""Characters of a value or line that a message shows."""
_CODES: Final = {text: cards.code(text) for text in re.findall("..", DECK_TEXT)}

(
    BLANK, BAD, MENU, NOTE, DEAL, SAY_BID, ASK_BID, ANSWER_BID, SAY_TRUMP, ASK_TRUMP, ANSWER_TRUMP,
    SAY_THROW_IN, ANSWER_THROW_IN, SAY_MELD, SAY_PLAY, ASK_PLAY, ANSWER_PLAY, SAY_TRICK, TRICK_MESSAGE,
    SCORES_MESSAGE, THROW_IN_MESSAGE, WINNER_MESSAGE, SAY_SCORE,
) = range(23)  # fmt: skip
"""Kinds of lines. `SAY` and `ASK` are from the server, `ANSWER` from the client."""

NAMES: Final = {
    NOTE: "a message that belongs to no hand",
    DEAL: "a deal",
    SAY_BID: "a bid of another seat",
    ASK_BID: "a request for a bid",
    ANSWER_BID: "the client's bid",
    SAY_TRUMP: "trump named by another seat",
    ASK_TRUMP: "a request to name trump",
    ANSWER_TRUMP: "the client's trump",
    SAY_THROW_IN: "a throw-in of another seat",
    ANSWER_THROW_IN: "the client's throw-in",
    SAY_MELD: "a meld",
    SAY_PLAY: "a card of another seat",
    ASK_PLAY: "a request for a card",
    ANSWER_PLAY: "the client's card",
    SAY_TRICK: "the seat that takes a trick",
    TRICK_MESSAGE: "the message that ends a trick",
    SCORES_MESSAGE: "the message with the scores",
    THROW_IN_MESSAGE: "the message of a throw-in",
    WINNER_MESSAGE: "the message of who wins",
    SAY_SCORE: "the score",
}
"""The kinds of lines of a hand in messages."""

_SHAPES: Final = {
    ("Message", False): (NOTE, {"Message"}, set()),
    ("Hello", False): (MENU, set(), set()),
    ("Hello", True): (MENU, set(), {"Message"}),
    ("Game", False): (MENU, set(), set()),
    ("Game", True): (MENU, set(), {"Option"}),
    ("Sit", True): (MENU, set(), {"Playerid", "TableId"}),
    ("Start", True): (MENU, set(), {"Playerid"}),
    ("MyTable", False): (MENU, {"MyTable", "Playerid"}, set()),
    ("Tables", False): (MENU, {"Tables"}, set()),
    ("Tables", True): (MENU, set(), {"Playerid"}),
    ("Name", False): (BLANK, set(), {"Playerid"}),
    ("Name", True): (BLANK, set(), {"Playerid", "Message"}),
    ("Error", False): (BLANK, {"Message"}, {"Playerid"}),
    ("Deal", False): (DEAL, {"Hand", "Playerid"}, {"Dealer"}),
    ("Bid", False): (SAY_BID, {"Playerid"}, {"Bid", "Amount"}),
    ("Bid", True): (ANSWER_BID, set(), {"Playerid", "Bid", "Amount"}),
    ("Trump", False): (ASK_TRUMP, {"Playerid"}, {"Trump"}),
    ("Trump", True): (ANSWER_TRUMP, {"Trump"}, {"Playerid"}),
    ("Throwin", False): (SAY_THROW_IN, {"Playerid"}, set()),
    ("Throwin", True): (ANSWER_THROW_IN, set(), {"Playerid"}),
    ("Meld", False): (SAY_MELD, {"Playerid", "Hand"}, {"Amount"}),
    ("Play", False): (ASK_PLAY, {"Playerid"}, {"PlayedCard", "Lead", "Trump", "WinningCard"}),
    ("Play", True): (ANSWER_PLAY, {"PlayedCard"}, {"Playerid"}),
    ("PlayRequest", False): (
        ASK_PLAY, {"Playerid", "Hand"}, {"Lead", "Trump", "WinningCard", "WinningPlayer"},
    ),
    ("Trick", False): (SAY_TRICK, {"Playerid"}, set()),
    ("Score", False): (SAY_SCORE, {"Score"}, {"GameOver", "Win"}),
}  # fmt: skip
"""By type and whether the client sends it: the kind, which may also depend on the fields; the fields that a
line must have besides its type, and those that it may have."""
_TYPES: Final = {name for name, _ in _SHAPES}
_PLAY_OF_ANOTHER: Final = {"Type", "Playerid", "PlayedCard"}

_NUMBER: Final = "(0|-?[1-9][0-9]{0,9})"
_CARD: Final = f"({'|'.join(_CODES)})"
_SCORES: Final = f"Scores are now Team0 = {_NUMBER} to Team1 = {_NUMBER}, played {_NUMBER} hands"
_MESSAGES: Final = (
    (TRICK_MESSAGE, f"Player {_NUMBER} wins trick #{_NUMBER} with {_CARD} for {_NUMBER} points",
     ("seat", "number", "card", "amount")),
    (TRICK_MESSAGE, f"Player {_NUMBER} wins trick with {_CARD}", ("seat", "card")),
    (SCORES_MESSAGE, _SCORES, ("score", "score", "number")),
    (THROW_IN_MESSAGE, f"Player {_NUMBER} threw in! {_SCORES}", ("seat", "score", "score", "number")),
    (WINNER_MESSAGE, f"Team{_NUMBER} wins with a score of {_NUMBER}!", ("seat", "amount")),
    (MENU, r"Do you want to join a game, create a new game, or quit\? \(join, create, quit\)", ()),
    (MENU, "Ok, bye bye!", ()),
)  # fmt: skip
"""Messages that belong to a hand, and two that end one: their kinds, patterns, and what their groups are."""
_PATTERNS: Final = [(kind, re.compile(pattern), groups) for kind, pattern, groups in _MESSAGES]


class Line(msgspec.Struct, gc=False):
    """What a line says.

    message_kind
        The kind that its message gives it.
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
    option
        The choice in a menu.
    wrong
        Reason and message if it is bad.
    """

    kind: int = BLANK
    fields: frozenset[str] = frozenset()
    type: str = ""
    message_kind: int = NOTE
    seat: int = -1
    dealer: int = -1
    suit: int = NO_SUIT
    lead: int = NO_SUIT
    card: int = NO_CARD
    winning: int = NO_CARD
    hand: bytes = b""
    over: bool = False
    win: bool = False
    bid: int = 0
    amount: int = 0
    option: int = 0
    number: int | None = None
    scores: tuple[int, int] = (0, 0)
    wrong: tuple[Reason, str] | None = None


BLANK_LINE: Final = Line()


class _Wrong(ValueError):
    """What is wrong with a line: the message and the reason."""

    def __init__(self, sentence: str, reason: Reason = Reason.UNPARSABLE) -> None:
        super().__init__(sentence)
        self.reason = reason


@lru_cache(maxsize=2**14)
def parse_line(text: bytes) -> Line:
    """What a line says. If it can't be parsed its kind is `BAD`, and it is `Line.wrong`."""
    if not text.strip(b" \t"):
        return BLANK_LINE
    try:
        return _parse(text)
    except _Wrong as wrong:
        return Line(BAD, wrong=(wrong.reason, str(wrong)))


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as pairs, to detect repeated keys."""


_decode: Final = json.JSONDecoder(object_pairs_hook=_Pairs).decode


def _parse(text: bytes) -> Line:
    arrow = text[: len(TO_CLIENT)]
    if arrow not in (TO_CLIENT, TO_SERVER):
        shown = repr(text[:_MOST_CHARACTERS].decode("utf-8", "replace"))
        advice = f"; {json_lines.ADVICE}, after the arrow" if json_lines.is_piece(text) else ""
        raise _Wrong(f"it does not begin with --> or <-- and a space: {shown}{advice}")
    try:
        pairs = _decode(text[len(arrow) :].decode())
    except (ValueError, RecursionError) as error:
        advice = f"; {json_lines.ADVICE}" if json_lines.is_piece(text[len(arrow) :]) else f": {error}"
        raise _Wrong(f"what follows the arrow is not JSON{advice}") from error
    if not isinstance(pairs, _Pairs):
        raise _Wrong("what follows the arrow is not a JSON object")
    line = Line()
    fields = set()
    for name, value in pairs:
        if name not in _SETTERS:
            raise _Wrong(f"there is no field {name!r}")
        if name in fields:
            raise _Wrong(f"{name} occurs twice")
        fields.add(name)
        _SETTERS[name](line, name, value)
    line.fields = frozenset(fields)
    line.kind = _kind(line, arrow == TO_SERVER)
    return line


def _kind(line: Line, answer: bool) -> int:
    """The kind of a line, by its type and fields. Raises _Wrong if they don't fit together."""
    if not line.type:
        raise _Wrong("it has no Type")
    if (line.type, answer) not in _SHAPES:
        raise _Wrong(f"the {'client' if answer else 'server'} never sends {line.type}")
    kind, must, may = _SHAPES[line.type, answer]
    if must - line.fields:
        raise _Wrong(f"{line.type} has no {', '.join(sorted(must - line.fields))}")
    if line.type == "Bid" and line.amount != 0:
        raise _Wrong(f"Amount is {line.amount}; in a bid it is 0")
    is_play = kind == ASK_PLAY and "PlayedCard" in line.fields
    if line.fields - must - may - {"Type"} or (is_play and line.fields - _PLAY_OF_ANOTHER):
        raise _Wrong(f"{line.type} has more fields than it may")
    if answer and "Playerid" not in line.fields:
        line.seat = 0  # the web page of 2014 leaves out the zero
    if kind == SAY_BID and line.seat == 0:
        return ASK_BID
    if kind == ASK_TRUMP and line.suit != NO_SUIT:
        return SAY_TRUMP
    return SAY_PLAY if is_play else line.message_kind if kind == NOTE else kind


# ---------------------------------------------------------------- values of fields


def _require(right: bool, name: str, value: Any, demand: str) -> None:
    """Raise _Wrong unless the value of a field is right."""
    if not right:
        raise _Wrong(f"{name} is {_shown(value)}; {demand}")


def _number_of(attribute: str, least: int, most: int) -> Callable[[Line, str, Any], None]:
    """Sets an attribute to a number."""

    def set_number(line: Line, name: str, value: Any) -> None:
        right = type(value) is int and least <= value <= most
        _require(right, name, value, f"it must be a number from {least} to {most}")
        if attribute:
            setattr(line, attribute, value)

    return set_number


def _suit_of(attribute: str) -> Callable[[Line, str, Any], None]:
    """Sets an attribute to a suit."""

    def set_suit(line: Line, name: str, value: Any) -> None:
        right = isinstance(value, str) and value in tuple(cards.SUITS)
        _require(right, name, value, "it must be one of C D H S")
        setattr(line, attribute, cards.SUITS.index(value))

    return set_suit


def _played(line: Line, name: str, value: Any) -> None:
    line.card = _code(name, value)


def _winning(line: Line, name: str, value: Any) -> None:
    line.winning = _code(name, value)


def _hand(line: Line, name: str, value: Any) -> None:
    right = _is_list(value) and len(value) <= MOST_SHOWN
    _require(right, name, value, f"it must be at most {MOST_SHOWN} cards")
    line.hand = bytes([_code(name, card) for card in value])


def _scores(line: Line, name: str, value: Any) -> None:
    right = isinstance(value, list) and [type(number) for number in value] == [int, int]
    _require(right, name, value, "it must be two numbers")
    _require(max(map(abs, value)) < 2**31, name, value, "that is more than 32 bits")
    line.scores = value[0], value[1]


def _truth(line: Line, name: str, value: Any) -> None:
    _require(isinstance(value, bool), name, value, "it must be true or false")
    setattr(line, "win" if name == "Win" else "over", value)


def _tables(line: Line, name: str, value: Any) -> None:
    _require(_is_list(value), name, value, "it must be a list")


def _table(line: Line, name: str, value: Any) -> None:
    _require(isinstance(value, _Pairs), name, value, "it must be an object")


def _type(line: Line, name: str, value: Any) -> None:
    _require(isinstance(value, str), name, value, "it must be a string")
    if value not in _TYPES:
        raise _Wrong(f"there is no Type {_shown(value)}")
    line.type = value


def _message(line: Line, name: str, value: Any) -> None:
    _require(isinstance(value, str), name, value, "it must be a string")
    for kind, pattern, groups in _PATTERNS:
        found = pattern.fullmatch(value)
        if not found:
            continue
        values = [_CODES[text] if text in _CODES else int(text) for text in found.groups()]
        if max(map(abs, values), default=0) >= 2**31:
            continue
        line.message_kind = kind
        given = dict(zip(groups, values, strict=True))
        line.seat = given.get("seat", line.seat) if 0 <= given.get("seat", 0) < SEATS else -1
        line.card, line.amount = given.get("card", line.card), given.get("amount", line.amount)
        line.number = given.get("number")
        if "score" in given:
            line.scores = values[-3], values[-2]


_32_BITS: Final = (-(2**31) + 1, 2**31 - 1)
_SETTERS: Final[dict[str, Callable[[Line, str, Any], None]]] = {
    "Type": _type,
    "Playerid": _number_of("seat", 0, SEATS - 1),
    "Hand": _hand,
    "Dealer": _number_of("dealer", 0, SEATS - 1),
    "Bid": _number_of("bid", *_32_BITS),
    "Amount": _number_of("amount", *_32_BITS),
    "Trump": _suit_of("suit"),
    "Lead": _suit_of("lead"),
    "PlayedCard": _played,
    "WinningCard": _winning,
    "WinningPlayer": _number_of("", *_32_BITS),
    "Message": _message,
    "Option": _number_of("option", *_32_BITS),
    "Score": _scores,
    "GameOver": _truth,
    "Win": _truth,
    "MyTable": _table,
    "Tables": _tables,
    "TableId": _number_of("", -(2**63) + 1, 2**63 - 1),
}
"""What checks and keeps the value of each field."""


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, _Pairs)


def _code(name: str, value: Any) -> int:
    """The code of a card of the deck."""
    if not isinstance(value, str):
        raise _Wrong(f"{name} holds {_shown(value)}, which is not a card")
    if value not in _CODES:
        raise _Wrong(f"{name} holds {_shown(value)}, which is not a card of the deck", Reason.UNKNOWN_CARD)
    return _CODES[value]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]} and more"


def players_of(text: bytes) -> list[str]:
    """The names at the table in a line, empty if there are none."""
    try:
        table = json.loads(text[len(TO_CLIENT) :])["MyTable"]["Players"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return table if isinstance(table, list) and all(isinstance(name, str) for name in table) else []
