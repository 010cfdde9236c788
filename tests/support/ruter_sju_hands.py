"""Ruter Sju's hands for tests: recounted from their events, or written in a short notation."""

import json
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.state import CARD_OF, NUMBER_OF, RANK_LETTERS, SUIT_LETTERS, SUIT_OF
from cardlog.pipelines.events.batch import Batch
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason

SUIT_NAMES = ("diamonds", "spades", "hearts", "clubs", "4", "5")


@dataclass
class Replay:
    """The statistics of a hand's events, counted like the original program.

    moves
        By seat and round number, what the seat did.
    turns
        By seat.
    """

    players: list[dict[str, str]]
    start: int
    order: list[int]
    rounds: int
    turns: dict[int, int]
    moves: dict[int, dict[int, list[str]]]
    state: Any


def replay(batch: Batch, hand: int) -> Replay:
    """Count turns and rounds of a hand from its events; only who acts again comes from the rules."""
    events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
    detail = json.loads(batch.details[int(events[0]["detail"])])
    [state] = ruter_sju.begin(detail)
    seats = len(detail["players"])
    start, order = NO_SEAT, []
    turns: dict[int, int] = defaultdict(int)
    moves: dict[int, dict[int, list[str]]] = defaultdict(dict)
    visit, counter, rounds = -1, 0, 0
    for event in events:
        before = state.copy()
        assert ruter_sju.evolve(state, event.copy()) == 0
        seat, text = int(event["seat"]), word(event)
        if text is None:
            continue
        if start == NO_SEAT:
            start = visit = seat
            turns[seat] += 1
        elif not before["again"]:  # a new turn: go round the table, past seats that are out
            while True:
                counter += 1
                if counter == seats - int((before["places"] > 0).sum()):
                    counter, rounds = 0, rounds + 1
                visit = (visit + 1) % seats
                if visit == seat:
                    break
            turns[seat] += 1
        if text:
            moves[seat].setdefault(rounds, []).append(text)
        if state["places"][seat]:
            order.append(seat)
    return Replay(detail["players"], start, order, rounds, dict(turns), dict(moves), state)


def word(event: Any) -> str | None:
    """What a seat did, in the original's notation; empty for a skipped turn, None if it is not an action."""
    if event["action"] == Action.PLAY_CARD:
        card = int(event["cards"][0])
        return f"places {NUMBER_OF[card]} of {SUIT_NAMES[SUIT_OF[card]]}"
    return {Action.PLAY_BLOCK: "takes block", Action.PLAY_BLOCKED: "blocked", Action.PLAY_PASS: ""}.get(
        int(event["action"])
    )


def pairs(codes: Any) -> list[list[int]]:
    """Cards as the oracles write them: suit, number."""
    return [[int(SUIT_OF[card]), int(NUMBER_OF[card])] for card in codes]


# ---------------------------------------------------------------- hands written in a few words


def card(text: str) -> int:
    return int(CARD_OF[SUIT_LETTERS.index(text[1]), RANK_LETTERS.index(text[0]) + 1])


def event(action: int, seat: int = NO_SEAT, cards: str = "", amount: int = NO_AMOUNT) -> Any:
    row = np.zeros(1, ruter_sju.EVENT)[0]
    row["action"], row["seat"], row["suit"], row["amount"], row["detail"] = action, seat, -1, amount, -1
    codes = [255 if text == "??" else card(text) for text in cards.split()]
    row["count"], row["cards"][: len(codes)] = len(codes), codes
    return row


class Hand:
    """A hand at the table: cards by seat, then the actions.

    kinds
        c for a computer, h for a human, one a seat.
    """

    def __init__(self, *hands: str, dialect: str = "book", kinds: str = "", suits: int = 4, ranks: int = 13):
        kinds = kinds or "c" * len(hands)
        players = [{"kind": {"c": "computer", "h": "human"}[kind]} for kind in kinds]
        settings = ruter_sju.Settings(dialect, suits, ranks)
        [self.state] = ruter_sju.begin(json.loads(ruter_sju.opening(settings, players)))
        assert self.do(event(Action.DEAL_OPEN)) is Reason.OK
        self.dealt = [self.do(event(Action.DEAL_HAND, seat, cards)) for seat, cards in enumerate(hands)]

    def do(self, row: Any) -> Reason:
        return Reason(ruter_sju.evolve(self.state, row))

    def place(self, text: str, seat: int = NO_SEAT) -> Reason:
        return self.do(event(Action.PLAY_CARD, seat, text))

    def block(self, seat: int = NO_SEAT) -> Reason:
        return self.do(event(Action.PLAY_BLOCK, seat))

    def blocked(self, seat: int = NO_SEAT) -> Reason:
        return self.do(event(Action.PLAY_BLOCKED, seat))

    def skip(self, seat: int = NO_SEAT) -> Reason:
        return self.do(event(Action.PLAY_PASS, seat))

    @property
    def legal(self) -> str:
        return ruter_sju.legal_text(self.state)
