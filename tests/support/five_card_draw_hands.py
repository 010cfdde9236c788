"""Five-card draw hands for tests, made by hand or from the oracle."""

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from cardlog.models.engine.dealing import new_event
from cardlog.models.five_card_draw import rules as game
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from tests.support.logs import json_lines

FIXTURES = Path(__file__).parents[1] / "fixtures" / "five_card_draw"


def event(action: int, seat: int = NO_SEAT, amount: int = NO_AMOUNT, shown: str = "") -> Any:
    """One event as a record; `shown` are cards as ``8STH``."""
    made, codes = new_event(np.zeros(1, game.EVENT), 0, action, seat), cards.codes(shown)
    made["amount"], made["count"], made["cards"][: len(codes)] = amount, len(codes), codes
    return made


LOGS = ("games", "more", "odd")
"""The logs with an oracle. `games` has one of another form than the others."""


@cache
def oracle(log: str = "games") -> list[dict[str, Any]]:
    """All games of a log, with the original program's internal state."""
    return [*json_lines(f"five_card_draw/{log}_oracle.jsonl.gz")]


@dataclass
class OracleHand:
    game: dict[str, Any]
    number: int
    seats: list[str]  # names by seat, of the whole game
    events: list[dict[str, Any]]

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


@cache
def oracle_hands(log: str = "games") -> list[OracleHand]:
    """All hands of a log but those in which the program crashed before all antes were paid."""
    return [hand for one in oracle(log) for hand in (hands_of if log == "games" else hands_reported)(one)]


def hands_of(one: dict[str, Any]) -> Iterator[OracleHand]:
    [table] = [event for event in one["events"] if event["t"] == "table"]
    starts = [n for n, event in enumerate(one["events"]) if event["t"] == "hand"]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], None], strict=True)):
        events = one["events"][start:end]
        yield OracleHand(one, number, table["seats"], events)


def hands_reported(one: dict[str, Any]) -> Iterator[OracleHand]:
    """The hands of a game in `more` or `odd`, in the form of those in `games`: what was refused is left out
    there, a table is known by the antes, and ranks only of the hands in the end."""
    starts = [n for n, event in enumerate(one["events"]) if event["t"] == "ante"]
    first = one["events"][starts[0]]["order"] if starts else []
    seats = [*first[-1:], *first[:-1]]
    for number, (start, end) in enumerate(pairwise([*starts, None])):
        yield OracleHand(one, number, seats, list(_reported(one["events"][start:end], seats)))


def _reported(events: list[dict[str, Any]], seats: list[str]) -> Iterator[dict[str, Any]]:
    paid: dict[str, int] = {}
    for one in events:
        if one["t"] == "ante":
            paid = dict(one["paid"])
            assert paid.keys() == set(one["order"])
            yield {"t": "hand", "button": one["button"], "seats": [n if n in paid else "" for n in seats]}
            chips = {name: [one["before"][name] - paid[name], paid[name]] for name in paid}
            yield {"t": "ante", "order": one["order"], "chips": chips}
        elif one["t"] == "deal":
            yield one | {"rank_n": {name: class_of(held)[0] for name, held in one["hands"].items()}}
        elif one["t"] == "bet":
            name, amount = one["p"], one["amount"]
            assert one["pot"] == sum(paid.values())
            assert one["call"] == max(paid.values()) - paid[name]
            paid[name] += amount
            yield one | {
                "player": name,
                "ok": True,
                "stack_before": one["stack"],
                "stack": one["stack"] - amount,
                "contribution": paid[name],
                "pot": one["pot"] + amount,
            }
        elif one["t"] == "swap":
            number, name = class_of(one["after"])
            yield one | {"player": one["p"], "ok": True, "rank_n": number, "rank_c": name}
        else:
            for held, *ranked in one.get("hands", {}).values():
                assert ranked == class_of(held)
            yield one


@cache
def _classes() -> dict[tuple[str, bool], list[Any]]:
    """The number and the category of each rank, by the sorted ranks of the cards and whether of one suit."""
    with gzip.open(FIXTURES / "classes_7462.csv.gz", "rt", encoding="utf-8") as lines:
        return {
            ("".join(sorted(row["ranks"])), row["flush"] == "1"): [int(row["rank_n"]), row["rank_c"]]
            for row in csv.DictReader(lines)
        }


def class_of(held: list[str]) -> list[Any]:
    """The number and the category of the oracle's ``["6H", "4H", …]``."""
    of_one_suit = len({card[1] for card in held}) == 1
    return _classes()["".join(sorted(card[0] for card in held)), of_one_suit]


def opening_of(hand: OracleHand, dialect: str = "original") -> dict[str, Any]:
    players = [{"name": name} if chips else None for name, chips in zip(hand.seats, hand.chips, strict=True)]
    dealer = hand.seat(hand.of("hand")[0]["button"])
    return json.loads(game.opening(dialect, hand.game["ante"], dealer, players, hand.chips))


def betting_event(hand: OracleHand, bet: dict[str, Any]) -> Any:
    """A player without chips, whom the program asks all the same, calls with nothing."""
    amount, call, seat = bet["amount"], bet["call"], hand.seat(bet["player"])
    if not amount and (call or bet["stack_before"]):
        return event(Action.BID_FOLD if call else Action.BID_CHECK, seat)
    return event(Action.BID_RAISE if amount > call else Action.BID_CALL, seat, amount)


def full_events(hand: OracleHand) -> Iterator[tuple[dict[str, Any] | None, Any]]:
    """The hand with all cards open, as events, each with the oracle's note."""
    yield None, event(Action.DEAL_OPEN)
    for noted in hand.events:
        kind = noted["t"]
        if kind == "ante":
            for name in noted["order"]:
                yield noted, event(Action.BID_ANTE, hand.seat(name), noted["chips"][name][1])
        elif kind == "deal":
            for name, held in noted["hands"].items():
                yield None, event(Action.DEAL_HAND, hand.seat(name), shown="".join(held).upper())
        elif kind == "bet" and noted["ok"]:
            yield noted, betting_event(hand, noted)
        elif kind == "swap" and noted["ok"]:
            seat, gone = hand.seat(noted["player"]), noted["discards"]
            yield None if gone else noted, event(Action.PLAY_DISCARD, seat, shown="".join(gone).upper())
            if gone:
                drawn = "".join(noted["after"][5 - len(gone) :]).upper()
                yield noted, event(Action.DEAL_DRAW, seat, shown=drawn)
