"""Five-card draw hands for tests, made by hand or from the oracle, with nothing from `pipelines`."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from models import five_card_draw as game
from schemas import cards
from schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME
from schemas.reasons import Reason

FIXTURES = Path(__file__).parents[1] / "fixtures" / "five_card_draw"


def event(action: int, seat: int = NO_SEAT, amount: int = NO_AMOUNT, shown: str = "") -> Any:
    """One event as a record; `shown` are cards as ``8STH``."""
    made = np.zeros(1, game.EVENT)
    codes = cards.codes(shown)
    made["action"], made["seat"], made["amount"], made["count"] = action, seat, amount, len(codes)
    made["suit"], made["detail"], made["at"] = -1, NO_DETAIL, NO_TIME
    made["cards"][0, : len(codes)] = codes
    return made[0]


def card_text(word: str) -> str:
    """The oracle's ``Th`` in our spelling."""
    return word[0] + word[1].upper()


def hand_text(words: list[str]) -> str:
    return "".join(map(card_text, words))


@lru_cache(maxsize=1)
def oracle() -> list[dict[str, Any]]:
    """All games the original program played, with what it held inside."""
    with gzip.open(FIXTURES / "games_oracle.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@dataclass
class OracleHand:
    """A hand in the oracle."""

    game: dict[str, Any]
    number: int
    seats: list[str]  # names by seat, of the whole game
    events: list[dict[str, Any]]
    kicked: list[str]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [one for one in self.events if one["t"] == kind]

    def seat(self, name: str) -> int:
        return self.seats.index(name)

    @property
    def crashed(self) -> bool:
        return not self.of("rewards")

    def by_seat(self, values: dict[str, Any], missing: Any = 0) -> list[Any]:
        return [values.get(name, missing) for name in self.seats]

    @property
    def chips(self) -> list[int]:
        """Before the hand."""
        return self.by_seat({name: sum(pair) for name, pair in self.of("ante")[0]["chips"].items()})

    @property
    def bets(self) -> list[dict[str, Any]]:
        """Those that were taken."""
        return [bet for bet in self.of("bet") if bet["ok"]]

    @property
    def swaps(self) -> list[dict[str, Any]]:
        return [swap for swap in self.of("swap") if swap["ok"]]


def oracle_hands() -> Iterator[OracleHand]:
    for one in oracle():
        [table] = [event for event in one["events"] if event["t"] == "table"]
        starts = [n for n, event in enumerate(one["events"]) if event["t"] == "hand"]
        for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True)):
            events = one["events"][start:end]
            kicked = [name for event in events if event["t"] == "kick" for name in event["players"]]
            yield OracleHand(one, number, table["seats"], events, kicked)


def opening_of(hand: OracleHand, dialect: str = "original") -> dict[str, Any]:
    players = [{"name": name} if chips else None for name, chips in zip(hand.seats, hand.chips, strict=True)]
    dealer = hand.seat(hand.of("hand")[0]["button"])
    return json.loads(game.opening(dialect, hand.game["ante"], dealer, players, hand.chips))


def betting_event(hand: OracleHand, bet: dict[str, Any]) -> Any:
    seat = hand.seat(bet["player"])
    if bet["kind"] in ("check", "fold"):
        return event(game.BID_CHECK if bet["kind"] == "check" else game.BID_FOLD, seat)
    return event(game.BID_RAISE if "raise" in bet["kind"] else game.BID_CALL, seat, bet["amount"])


def full_events(hand: OracleHand) -> Iterator[tuple[dict[str, Any] | None, Any]]:
    """The hand with all cards open, as events, each with what the oracle noted of it."""
    yield None, event(game.OPEN)
    for noted in hand.events:
        kind = noted["t"]
        if kind == "ante":
            for name in noted["order"]:
                yield noted, event(game.BID_ANTE, hand.seat(name), noted["chips"][name][1])
        elif kind == "deal":
            for name, held in noted["hands"].items():
                yield None, event(game.DEAL_HAND, hand.seat(name), shown=hand_text(held))
        elif kind == "bet" and noted["ok"]:
            yield noted, betting_event(hand, noted)
        elif kind == "swap" and noted["ok"]:
            seat, gone = hand.seat(noted["player"]), noted["discards"]
            yield None if gone else noted, event(game.DISCARD, seat, shown=hand_text(gone))
            if gone:
                drawn = hand_text(noted["after"][5 - len(gone) :])
                yield noted, event(game.DEAL_DRAW, seat, shown=drawn)


class Table:
    """A hand as it goes on. Every refusal is checked to leave the state as it was."""

    def __init__(
        self, chips: list[int], ante: int = 5, dealer: int = 0, dialect: str = "book", antes: bool = True
    ) -> None:
        players = [{} if count else None for count in chips]
        self.states = game.begin(json.loads(game.opening(dialect, ante, dealer, players, chips)))
        self.state = self.states[0]
        self.do(game.OPEN)
        while antes and self.state["phase"] == game.ANTES:
            seat = int(self.state["turn"])
            self.do(game.BID_ANTE, seat, min(ante, int(self.state["stack"][seat])))

    def try_(self, action: int, seat: int = NO_SEAT, amount: int = NO_AMOUNT, shown: str = "") -> Reason:
        before = self.states.copy()
        reason = Reason(game.evolve(self.state, event(action, seat, amount, shown)))
        assert (reason is Reason.OK) or self.states.tobytes() == before.tobytes()
        return reason

    def do(self, action: int, seat: int = NO_SEAT, amount: int = NO_AMOUNT, shown: str = "") -> "Table":
        reason = self.try_(action, seat, amount, shown)
        assert reason is Reason.OK, (reason, game.legal_text(self.state))
        return self

    def deal(self, *hands: str) -> "Table":
        """Hands by seat of those who play; hidden ones where none are given."""
        seats = [seat for seat in range(6) if self.state["present"] >> seat & 1]
        for seat, hand in zip(seats, hands or ("??" * 5,) * len(seats), strict=True):
            self.do(game.DEAL_HAND, seat, shown=hand)
        return self

    def act(self, *words: str) -> "Table":
        """What the seats in turn do: ``check``, ``fold``, ``call``, or ``raise 40`` chips paid."""
        for word in words:
            name, _, amount = word.partition(" ")
            seat = int(self.state["turn"])
            if name == "call":
                amount = str(min(int(game.owed(self.state)), int(self.state["stack"][seat])))
            action = {"check": game.BID_CHECK, "fold": game.BID_FOLD, "call": game.BID_CALL}
            self.do(action.get(name, game.BID_RAISE), seat, int(amount) if amount else NO_AMOUNT)
        return self

    def stand_pat(self) -> "Table":
        """Nobody exchanges a card."""
        while self.state["phase"] == game.DRAWING:
            self.do(game.DISCARD, int(self.state["turn"]))
        return self

    def won(self) -> list[int]:
        return [int(chips) for chips in self.state["won"]]
