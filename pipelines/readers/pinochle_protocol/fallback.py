"""Parses lines of Pinochle's protocol that are not in the form in which servers write them, with the json
module.

It fills the same record as the scanner, or says what is wrong with the line.
"""

import json
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

import numpy as np

from cardlog.models.pinochle.cards import DECK
from cardlog.models.pinochle.state import MOST_SHOWN
from cardlog.pipelines.readers import json_lines
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    BID_TYPE,
    KIND,
    LINE,
    MUST,
    NO_CARD,
    TO_CLIENT,
    TO_SERVER,
    TYPES,
    Field,
    Kind,
    classify,
    clear,
    set_card,
    set_number,
    set_suit,
)
from cardlog.pipelines.readers.pinochle_protocol.messages import MOST_VALUES, parse_message
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason

MOST_CHARACTERS: Final = 100
"""Characters of a value or line that a message shows."""


class _Wrong(ValueError):
    """What is wrong with a line: the message and the reason."""

    def __init__(self, sentence: str, reason: Reason = Reason.UNPARSABLE) -> None:
        super().__init__(sentence)
        self.reason = reason


@lru_cache(maxsize=4096)
def parse_line(text: bytes) -> tuple[np.record, Reason, str]:
    """The record of a line that the scanner could not parse. If it can't be parsed at all, its kind is
    `Kind.BAD`, and there are a reason and a message."""
    line = np.zeros(1, LINE)[0]
    clear(line)
    line["kind"] = Kind.BAD
    try:
        _fill(line, text)
        classify(line)
        if line["kind"] == Kind.BAD:
            raise _Wrong(_misfit(line))
    except _Wrong as wrong:
        line["kind"] = Kind.BAD
        return line, wrong.reason, str(wrong)
    return line, Reason.OK, ""


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as pairs, to detect repeated keys."""


def _fill(line: Any, text: bytes) -> None:
    """Set all fields of a line."""
    arrow = text[:4]
    if arrow not in (TO_CLIENT, TO_SERVER):
        shown = repr(text[:MOST_CHARACTERS].decode("utf-8", "replace"))
        advice = f"; {json_lines.ADVICE}, after the arrow" if json_lines.is_piece(text) else ""
        raise _Wrong(f"it does not begin with --> or <-- and a space: {shown}{advice}")
    line["answer"] = arrow == TO_SERVER
    try:
        pairs = json.loads(text[4:].decode(), object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        advice = f"; {json_lines.ADVICE}" if json_lines.is_piece(text[4:]) else f": {error}"
        raise _Wrong(f"what follows the arrow is not JSON{advice}") from error
    if not isinstance(pairs, _Pairs):
        raise _Wrong("what follows the arrow is not a JSON object")
    for name, value in pairs:
        if name not in Field.__members__:
            raise _Wrong(f"there is no field {name!r}")
        field = Field[name]
        if line["fields"] >> field & 1:
            raise _Wrong(f"{name} occurs twice")
        line["fields"] |= 1 << field
        _SETTERS[field](line, field, value)


def _misfit(line: Any) -> str:
    """Why type and fields do not fit together."""
    if line["type"] < 0:
        return "it has no Type"
    name, answer = TYPES[line["type"]], int(line["answer"])
    if KIND[answer, line["type"]] == Kind.BAD:
        return f"the {'client' if answer else 'server'} never sends {name}"
    missing = int(MUST[answer, line["type"]]) & ~int(line["fields"])
    lacking = [field.name for field in Field if missing >> field & 1]
    if lacking:
        return f"{name} has no {', '.join(lacking)}"
    if line["type"] == BID_TYPE and line["amount"] != 0:
        return f"Amount is {line['amount']}; in a bid it is 0"
    return f"{name} has more fields than it may"


# ---------------------------------------------------------------- values of fields


def _require(right: bool, field: Field, value: Any, demand: str) -> None:
    """Raise _Wrong unless the value of a field is right."""
    if not right:
        raise _Wrong(f"{field.name} is {_shown(value)}; {demand}")


def _number(line: Any, field: Field, value: Any) -> None:
    right = type(value) is int and abs(value) < 2**31 and set_number(line, field, value)
    seat = " from 0 to 3" if field in (Field.Playerid, Field.Dealer) else ""
    _require(right, field, value, f"it must be a number{seat}")


def _suit(line: Any, field: Field, value: Any) -> None:
    right = isinstance(value, str) and value in tuple(cards.SUITS)
    _require(right, field, value, "it must be one of C D H S")
    set_suit(line, field, cards.SUITS.index(value))


def _card(line: Any, field: Field, value: Any) -> None:
    set_card(line, field, _code(field, value))


def _cards(line: Any, field: Field, value: Any) -> None:
    right = _is_list(value) and len(value) <= MOST_SHOWN
    _require(right, field, value, f"it must be at most {MOST_SHOWN} cards")
    for index, card in enumerate(value):
        line["cards"][index] = _code(field, card)
    line["count"] = len(value)


def _scores(line: Any, field: Field, value: Any) -> None:
    right = isinstance(value, list) and [type(number) for number in value] == [int, int]
    _require(right, field, value, "it must be two numbers")
    _require(max(map(abs, value)) < 2**31, field, value, "that is more than 32 bits")
    line["scores"] = value


def _truth(line: Any, field: Field, value: Any) -> None:
    _require(isinstance(value, bool), field, value, "it must be true or false")
    line["win" if field == Field.Win else "over"] = value


def _table_id(line: Any, field: Field, value: Any) -> None:
    right = type(value) is int and abs(value) < 2**63
    _require(right, field, value, "it must be a number of 64 bits")


def _tables(line: Any, field: Field, value: Any) -> None:
    _require(_is_list(value), field, value, "it must be a list")


def _table(line: Any, field: Field, value: Any) -> None:
    _require(isinstance(value, _Pairs), field, value, "it must be an object")


def _type(line: Any, field: Field, value: Any) -> None:
    _require(isinstance(value, str), field, value, "it must be a string")
    if value not in TYPES:
        raise _Wrong(f"there is no Type {_shown(value)}")
    line["type"] = TYPES.index(value)


def _message(line: Any, field: Field, value: Any) -> None:
    _require(isinstance(value, str), field, value, "it must be a string")
    text = np.frombuffer(value.encode("utf-8", "surrogatepass"), np.uint8)
    parse_message(line, text, 0, len(text), np.zeros(MOST_VALUES, np.int64))


_SETTERS: Final[dict[Field, Callable[[Any, Field, Any], None]]] = {
    **dict.fromkeys((Field.Playerid, Field.Dealer, Field.WinningPlayer), _number),
    **dict.fromkeys((Field.Bid, Field.Amount, Field.Option), _number),
    **dict.fromkeys((Field.Trump, Field.Lead), _suit),
    **dict.fromkeys((Field.PlayedCard, Field.WinningCard), _card),
    **dict.fromkeys((Field.GameOver, Field.Win), _truth),
    Field.Hand: _cards,
    Field.Score: _scores,
    Field.TableId: _table_id,
    Field.Tables: _tables,
    Field.MyTable: _table,
    Field.Type: _type,
    Field.Message: _message,
}


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, _Pairs)


def _code(field: Field, value: Any) -> int:
    """The code of a card of the deck."""
    if not isinstance(value, str):
        raise _Wrong(f"{field.name} holds {_shown(value)}, which is not a card")
    try:
        card = cards.code(value)
    except ValueError:
        card = NO_CARD
    if card > 60 or not DECK >> card & 1:
        sentence = f"{field.name} holds {_shown(value)}, which is not a card of the deck"
        raise _Wrong(sentence, Reason.UNKNOWN_CARD)
    return card


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]} and more"


def players_of(text: bytes) -> list[str]:
    """The names at the table in a line, empty if there are none."""
    try:
        table = json.loads(text[4:])["MyTable"]["Players"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return table if isinstance(table, list) and all(isinstance(name, str) for name in table) else []
