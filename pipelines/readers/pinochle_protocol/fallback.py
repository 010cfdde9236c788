"""Lines of Pinochle's protocol that are not in the form in which servers write them: by the json module.

It comes to the same record as the scanner does, and says what is wrong with a line that is none.
"""

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np

from cardlog.models.pinochle.cards import DECK
from cardlog.models.pinochle.rules import MOST_SHOWN
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    AMOUNT,
    BAD,
    BID,
    BID_TYPE,
    DEALER,
    FIELDS,
    GAME_OVER,
    HAND,
    KIND,
    LEAD,
    LINE,
    MUST,
    MY_TABLE,
    NO_CARD,
    OPTION,
    PLAYED_CARD,
    PLAYERID,
    SCORE,
    TABLE_ID,
    TABLES,
    TO_CLIENT,
    TO_SERVER,
    TRUMP,
    TYPE,
    TYPES,
    WIN,
    WINNING_CARD,
    WINNING_PLAYER,
    blank,
    classify,
    put_card,
    put_message,
    put_number,
    put_suit,
)
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason


class _Wrong(ValueError):
    """What is wrong with a line, for a person, and which reason that is."""

    def __init__(self, reason: Reason, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason


MOST_SHOWN_CHARACTERS: Final = 100


@lru_cache(maxsize=4096)
def parsed(text: bytes) -> tuple[np.record, Reason, str]:
    """The record of a line that the scanner has left alone; if it says nothing that can be
    understood, its kind is `BAD`, and there is a reason and a sentence."""
    line = np.zeros(1, LINE)[0]
    blank(line)
    line["kind"] = BAD
    try:
        _fill(line, text)
        classify(line)
        if line["kind"] == BAD:
            raise _Wrong(Reason.UNPARSABLE, _misfit(line))
    except _Wrong as wrong:
        line["kind"] = BAD
        return line, wrong.reason, str(wrong)
    return line, Reason.OK, ""


def _fill(line: Any, text: bytes) -> None:
    arrow = text[:4]
    if arrow not in (TO_CLIENT, TO_SERVER):
        shown = repr(text[:MOST_SHOWN_CHARACTERS].decode("utf-8", "replace"))
        raise _Wrong(Reason.UNPARSABLE, f"it does not begin with --> or <-- and a blank: {shown}")
    line["answer"] = arrow == TO_SERVER
    try:
        pairs = json.loads(text[4:].decode(), object_pairs_hook=_Pairs)
    except (ValueError, RecursionError) as error:
        raise _Wrong(Reason.UNPARSABLE, f"what follows the arrow is no JSON: {error}") from error
    if not isinstance(pairs, _Pairs):
        raise _Wrong(Reason.UNPARSABLE, "what follows the arrow is no JSON object")
    for name, value in pairs:
        if name not in FIELDS:
            raise _Wrong(Reason.UNPARSABLE, f"there is no field {name!r}")
        field = FIELDS.index(name)
        if line["fields"] >> field & 1:
            raise _Wrong(Reason.UNPARSABLE, f"{name} is there twice")
        line["fields"] |= 1 << field
        _put(line, field, value)


class _Pairs(list[tuple[str, Any]]):
    """A JSON object as its pairs, so that none is lost."""


def _put(line: Any, field: int, value: Any) -> None:
    """Note the value of a field."""
    name = FIELDS[field]
    if field in (PLAYERID, DEALER, BID, AMOUNT, WINNING_PLAYER, OPTION):
        if type(value) is not int or abs(value) >= 2**31 or not put_number(line, field, value):
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be a number{_range(field)}")
    elif field in (TRUMP, LEAD):
        if not isinstance(value, str) or value not in tuple(cards.SUITS):
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be one of C D H S")
        put_suit(line, field, cards.SUITS.index(value))
    elif field in (PLAYED_CARD, WINNING_CARD):
        put_card(line, field, _card_code(name, value))
    elif field == HAND:
        if not isinstance(value, list) or isinstance(value, _Pairs) or len(value) > MOST_SHOWN:
            raise _Wrong(
                Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be at most {MOST_SHOWN} cards"
            )
        for place, card in enumerate(value):
            line["cards"][place] = _card_code(name, card)
        line["count"] = len(value)
    elif field == SCORE:
        if not isinstance(value, list) or [type(number) for number in value] != [int, int]:
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be two numbers")
        if max(map(abs, value)) >= 2**31:
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; that is more than 32 bits")
        line["scores"] = value
    elif field in (GAME_OVER, WIN):
        if not isinstance(value, bool):
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be true or false")
        line["win" if field == WIN else "over"] = value
    elif field == TABLE_ID:
        if type(value) is not int or abs(value) >= 2**63:
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be a number of 64 bits")
    elif field == TABLES:
        if not isinstance(value, list) or isinstance(value, _Pairs):
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be a list")
    elif field == MY_TABLE:
        if not isinstance(value, _Pairs):
            raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be an object")
    elif not isinstance(value, str):
        raise _Wrong(Reason.UNPARSABLE, f"{name} is {_shown(value)}; it must be a text")
    elif field == TYPE:
        if value not in TYPES:
            raise _Wrong(Reason.UNPARSABLE, f"there is no Type {_shown(value)}")
        line["type"] = TYPES.index(value)
    else:
        message = np.frombuffer(value.encode("utf-8", "surrogatepass"), np.uint8)
        put_message(line, message, 0, len(message), np.zeros(8, np.int64))


def _card_code(name: str, value: Any) -> int:
    if not isinstance(value, str):
        raise _Wrong(Reason.UNPARSABLE, f"{name} holds {_shown(value)}, which is no card")
    try:
        card = cards.code(value)
    except ValueError:
        card = NO_CARD
    if card > 60 or not DECK >> card & 1:
        raise _Wrong(Reason.UNKNOWN_CARD, f"{name} holds {_shown(value)}, which is no card of the pack")
    return card


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= MOST_SHOWN_CHARACTERS else f"{text[:MOST_SHOWN_CHARACTERS]} and more"


def _range(field: int) -> str:
    return " from 0 to 3" if field in (PLAYERID, DEALER) else ""


def _misfit(line: Any) -> str:
    """Why type and fields do not fit together."""
    if line["type"] < 0:
        return "it has no Type"
    name, answer = TYPES[line["type"]], int(line["answer"])
    if KIND[answer, line["type"]] == BAD:
        return f"the {'client' if answer else 'server'} says no {name}"
    must = int(MUST[answer, line["type"]])
    lacking = [field for place, field in enumerate(FIELDS) if (must & ~int(line["fields"])) >> place & 1]
    if lacking:
        return f"{name} lacks {', '.join(lacking)}"
    if line["type"] == BID_TYPE and line["amount"] != 0:
        return f"Amount is {line['amount']}; in a bid it is 0"
    return f"{name} has more fields than it may"


def players_of(text: bytes) -> list[str]:
    """The names at the table that a line shows, empty if it shows none."""
    try:
        table = json.loads(text[4:])["MyTable"]["Players"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    return table if isinstance(table, list) and all(isinstance(name, str) for name in table) else []
