"""Hands of any game in a few words.

    hand = dealt("kaiser", hands, detail).tries("0 bid 7; pass; pass; pass; trump H; AC; 1 9C")
    hand.tries("KS: must_follow")

An event is a seat, an action, and what belongs to it: cards, a number, a suit. Cards alone are played.
Without a seat, bids are made by the seat in turn, and what is played or claimed is nobody's. A colon is
followed by the reason why an event is refused.
"""

import json
import re
from typing import Any

import numpy as np

from cardlog import models
from cardlog.models.engine.dealing import new_event
from cardlog.schemas import cards
from cardlog.schemas.events import CODE, NO_SEAT
from cardlog.schemas.reasons import Reason

WORDS = {"hand": "deal hand", "give": "deal pass", "show": "meld declare", "bela": "meld bela"}
WORDS |= {word: f"bid {word}" for word in ("bid", "pass", "trump", "throw_in")}
WORDS |= {word: f"bid {word}" for word in ("ante", "check", "call", "raise", "fold")}
WORDS |= {"discard": "play discard", "draw": "deal draw", "shows": "score show"}
WORDS |= {word: f"play {word}" for word in ("card", "block", "blocked")} | {"skip": "play pass"}
WORDS |= {word: f"score {word}" for word in ("trick", "points", "match", "place")} | {"result": "score hand"}
"""Short names of actions; others are written in full, ``deal/draw``."""
_CARDS = re.compile(r"([2-9TJQKAEF?][CDHS45?])+")


def event(game: str, text: str, turn: int = NO_SEAT) -> Any:
    """The event of a text, a record."""
    words = text.split()
    seat = int(words.pop(0)) if re.fullmatch(r"-?\d+", words[0]) else None
    word = "card" if _CARDS.fullmatch(words[0]) else words.pop(0)
    kind, _, name = WORDS.get(word, word.replace("/", " ")).partition(" ")
    if seat is None:
        seat = turn if kind == "bid" else NO_SEAT
    one = new_event(np.zeros(1, models.game(game).event), 0, CODE[kind, name], seat)
    for word in words:
        number = re.fullmatch(r"(-?\d+)(N?)", word)
        if word in cards.SUIT_LETTERS:
            one["suit"] = cards.SUIT_LETTERS.index(word)
        elif number:
            one["amount"], one["suit"] = int(number[1]), cards.NO_TRUMP if number[2] else cards.NO_SUIT
        else:
            codes = cards.codes(word)
            one["cards"][: len(codes)], one["count"] = codes, len(codes)
    return one


class Hand:
    """A hand in progress, from the detail of its opening on; `state` is a record."""

    def __init__(self, game: str, detail: dict[str, Any] | str) -> None:
        self.game = models.game(game)
        self.states = self.game.begin(json.loads(detail) if isinstance(detail, str) else detail)
        self.state = self.states[0]

    def do(self, what: str | Any) -> Reason:
        """Apply an event if it is legal; one that is refused must leave the state alone."""
        one = event(self.game.name, what, int(self.state["turn"])) if isinstance(what, str) else what
        before = self.states.tobytes()
        reason = Reason(self.game.evolve(self.state, one))
        assert not reason or self.states.tobytes() == before, f"{what} is refused but changes the state"
        return reason

    def tries(self, script: str) -> "Hand":
        """Apply events, divided by semicolons; each must be legal, or refused for the reason given."""
        for step in filter(str.strip, script.split(";")):
            text, _, reason = step.partition(":")
            found = self.do(text).code
            assert found == (reason.strip() or "ok"), (
                f"{text}: {found}, legal is {self.game.legal_text(self.state)}"
            )
        return self


def dealt(game: str, hands: Any, detail: dict[str, Any] | str) -> Hand:
    """A hand when its cards have been dealt."""
    hand = Hand(game, detail).tries("deal/open")
    return hand.tries(";".join(f"{seat} hand {held}" for seat, held in enumerate(hands)))


def refusal(game: str, detail: dict[str, Any]) -> str:
    """Why an opening is refused; empty if it isn't."""
    try:
        models.game(game).begin(detail)
    except ValueError as error:
        return str(error)
    return ""
