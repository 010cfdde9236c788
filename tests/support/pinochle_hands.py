"""Hands of Pinochle for tests: deals, events and the states they lead to."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.cards import DECK_TEXT, meld, spread
from cardlog.models.pinochle.legal import legal_cards
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, Action
from cardlog.schemas.reasons import Reason

PACK = [DECK_TEXT[index : index + 2] for index in range(0, 48, 2)] * 2

# One suit each: seat 0 diamonds, 1 clubs, 2 hearts, 3 spades, each card twice.
ONE_SUIT_EACH = ["".join(rank + suit for rank in "ATKQJ9") * 2 for suit in "DCHS"]
# Every seat the same: three ranks of each suit, seats 0 and 2 the high ones.
HALVES = ["".join(rank + suit for suit in "DCHS" for rank in ranks) for ranks in ("ATK", "QJ9") * 2]


def record(
    action: int,
    seat: int = NO_SEAT,
    shown: str = "",
    amount: int = NO_AMOUNT,
    suit: str | None = None,
) -> Any:
    """An event in compiled form."""
    event = np.zeros(1, pinochle.EVENT)[0]
    codes = cards.codes(shown)
    event["action"], event["seat"], event["amount"], event["count"] = action, seat, amount, len(codes)
    event["suit"] = cards.NO_SUIT if suit is None else cards.SUIT_LETTERS.index(suit)
    event["detail"], event["at"] = NO_DETAIL, NO_TIME
    event["cards"][: len(codes)] = codes
    return event


def detail(rules: str = "book", dealer: int = 3, match: dict[str, Any] | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"dealer": dealer, "players": [{}] * 4, "settings": {"dialect": rules}}
    return found if match is None else found | {"match": match}


@dataclass
class Hand:
    states: Any

    @property
    def state(self) -> Any:
        return self.states[0]

    def evolve(self, *arguments: Any, **named: Any) -> Reason:
        return Reason(pinochle.evolve(self.state, record(*arguments, **named)))

    def do(self, *arguments: Any, **named: Any) -> "Hand":
        reason = self.evolve(*arguments, **named)
        assert reason is Reason.OK, reason
        return self

    def bids(self, *amounts: int) -> "Hand":
        """Bids starting with the seat to act; 0 is a pass."""
        for amount in amounts:
            seat = int(self.state["turn"])
            self.do(Action.BID_BID, seat, amount=amount) if amount else self.do(Action.BID_PASS, seat)
        return self

    def names(self, suit: str) -> "Hand":
        return self.do(Action.BID_TRUMP, int(self.state["declarer"]), suit=suit)

    def throws_in(self) -> "Hand":
        return self.do(Action.BID_THROW_IN, int(self.state["declarer"]))

    def meld_of(self, seat: int) -> tuple[int, str]:
        points, once, twice = meld(
            self.state["firsts"][seat],
            self.state["seconds"][seat],
            self.state["trump"],
            bool(self.state["double_run_shows_both_nines"]),
        )
        codes = np.zeros(24, np.uint8)
        count = spread(once, twice, codes)
        return int(points), cards.texts(codes[:count])

    def melds(self) -> "Hand":
        """All seats show their melds."""
        for seat in range(4):
            points, shown = self.meld_of(seat)
            self.do(Action.MELD_DECLARE, seat, shown, amount=points)
        return self

    def plays(self, run: str) -> "Hand":
        for index in range(0, len(run), 2):
            self.do(Action.PLAY_CARD, NO_SEAT, run[index : index + 2])
        return self

    def play(self, card: str) -> Reason:
        return self.evolve(Action.PLAY_CARD, NO_SEAT, card)

    def legal(self) -> set[str]:
        mask = int(legal_cards(self.state))
        return {cards.text(code) for code in range(61) if mask >> code & 1}

    def played_out(self, rng: random.Random) -> "Hand":
        """Play random legal cards to the end."""
        while not self.state["done"]:
            self.plays(rng.choice(sorted(self.legal())))
        return self


def dealt(
    hands: list[str], rules: str = "book", dealer: int = 3, match: dict[str, Any] | None = None
) -> Hand:
    hand = Hand(pinochle.begin(detail(rules, dealer, match))).do(Action.DEAL_OPEN)
    for seat, held in enumerate(hands):
        hand.do(Action.DEAL_HAND, seat, held)
    return hand


def shuffled(rng: random.Random) -> list[str]:
    pack = rng.sample(PACK, len(PACK))
    return ["".join(pack[12 * seat : 12 * seat + 12]) for seat in range(4)]
