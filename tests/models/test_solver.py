"""The solver against plain minimax over the rules, and what has to hold of its values."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import numpy as np
import pytest
from numpy.typing import NDArray

from cardlog import models
from cardlog.models import pricing, solver, solving
from cardlog.models.compiled import Int, specialised
from cardlog.models.fold import DECISION, DecisionBuffers, Verdicts, replay_decisions
from cardlog.models.game import Game, Records
from cardlog.models.simulation import Simulation
from cardlog.models.solver import lowest
from cardlog.models.solving import Solving
from cardlog.models.trick import PLAY, SEATS
from cardlog.schemas.events import NO_SEAT

GAMES = [
    (name, rules) for name in ("kaiser", "belote", "pinochle") for rules in models.game(name).playing().rules
]
ENDINGS = 3000
CARDS_LEFT = 11
HANDS = 300

game = cast(Solving, None)


@dataclass
class Hands:
    """Simulated hands, and their plays."""

    game: Game
    events: Records
    offsets: NDArray[np.int64]
    befores: Records
    lasts: Records
    plays: Records

    def positions(self) -> Records:
        """The states before the plays."""
        found = np.empty(len(self.plays), self.game.state)
        position = 0
        for hand, state in enumerate(self.befores.copy()):
            for index in range(self.offsets[hand], self.offsets[hand + 1]):
                if position < len(found) and self.plays["event"][position] == index:
                    found[position] = state
                    position += 1
                self.game.evolve(state, self.events[index])
        return found

    def cards_left(self) -> NDArray[np.int64]:
        """How many cards are still held before each play."""
        held = self.lasts["leaders"].shape[1] * SEATS
        numbers = np.arange(len(self.plays)) - np.searchsorted(self.plays["hand"], self.plays["hand"])
        return held - numbers

    def analyse(self, some: slice, **how: int) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """What the solver says of some of the hands."""
        first, end = self.offsets[some.start], self.offsets[some.stop]
        events = self.plays["event"][(self.plays["event"] >= first) & (self.plays["event"] < end)]
        hands = self.events, self.offsets[some.start : some.stop + 1], self.befores[some], self.lasts[some]
        salts = np.arange(some.start, some.stop).astype(np.uint64) << np.uint64(20)
        return pricing.analyse(
            self.game, hands, events.astype(np.int64), salts, solving.workspace(self.game, **how)
        )


def simulated(name: str, rules: str, count: int) -> Hands:
    """Hands that random players have played."""
    of = models.game(name)
    played = Simulation(name, 25, rules=rules).play(count)
    firsts = played.events["detail"][played.offsets[:-1]]
    befores = np.concatenate([of.begin(json.loads(played.details[first])) for first in firsts])
    lasts = befores.copy()
    room = len(played.events) + 1
    buffers = DecisionBuffers(
        np.empty(room, DECISION),
        np.empty((room, of.decisions.most_actions), np.bool_),
        np.zeros((room, 0), np.int8),
    )
    verdicts = Verdicts(np.zeros(count, np.int8), np.zeros(count, np.int64))
    found = replay_decisions(of, None, (played.events, played.offsets, lasts), verdicts, buffers)
    rows = buffers.rows[:found]
    return Hands(of, played.events, played.offsets, befores, lasts, rows[rows["kind"] == PLAY])


def _minimax(work: Any, left: Any, best: Any) -> Int:
    """The total of `work.states[0]` by trying everything, without any of the solver's short cuts."""
    ply = 0
    enters = True
    total = np.int64(0)
    while True:
        state = work.states[ply]
        if enters and state.done == 0:
            left[ply] = game.legal_cards(state)
            best[ply] = 1000 if state.turn & 1 else -1000
        elif enters:
            best[ply] = game.total(state)
            left[ply] = 0
        else:
            best[ply] = min(best[ply], total) if state.turn & 1 else max(best[ply], total)
        if left[ply] == 0:
            if ply == 0:
                return best[0]
            total = best[ply]
            ply -= 1
            enters = False
            continue
        work.states[ply + 1] = state
        event = work.event[0]
        event.cards[0] = lowest(left[ply])
        event.seat = NO_SEAT
        left[ply] &= left[ply] - 1
        game.evolve(work.states[ply + 1], event)
        ply += 1
        enters = True


def _compare(work: Any, positions: Any, lasts: Any, values: Any, wrong: Any) -> None:
    """Count for each position the legal cards whose value differs from what plain minimax says it is."""
    left = np.empty(50, np.int64)
    best = np.empty(50, np.int64)
    for index in range(len(positions)):
        position = positions[index]
        game.reveal(position, lasts[index])
        legal = game.legal_cards(position)
        for card in range(64):
            if legal >> card & 1 == 0:
                wrong[index] += not np.isnan(values[index, card])
                continue
            work.states[0] = position
            event = work.event[0]
            event.cards[0] = card
            event.seat = NO_SEAT
            game.evolve(work.states[0], event)
            total = minimax(work, left, best)
            wrong[index] += values[index, card] != scored(work, lasts[index], total)


minimax = scored = cast(Callable[..., Any], None)


@cache
def compare_for(of: Game) -> Callable[..., None]:
    """`_compare` for a game."""
    functions = solving.solvable_of(of).functions
    plain = specialised(_minimax, of.name, functions)
    return specialised(_compare, of.name, functions, minimax=plain, scored=solver.loops_of(of).scored)


@pytest.mark.parametrize(("name", "rules"), GAMES)
def test_plain_minimax_over_the_rules_finds_the_same_values(name: str, rules: str) -> None:
    """Of every legal card in 3,000 endings, in the middle of tricks too."""
    hands = simulated(name, rules, HANDS)
    values, exact = hands.analyse(slice(0, HANDS), budget=20_000)
    positions = hands.positions()
    late = np.flatnonzero(hands.cards_left() <= CARDS_LEFT)[:ENDINGS]
    assert len(late) == ENDINGS
    assert exact[late].all()
    wrong = np.zeros(ENDINGS, np.int64)
    lasts = hands.lasts[hands.plays["hand"][late]]
    compare_for(hands.game)(solving.workspace(hands.game), positions[late], lasts, values[late], wrong)
    assert not wrong.any()


def test_values_do_not_depend_on_the_table_or_on_what_was_solved_before() -> None:
    """A table of four positions, one of many, and one that has seen other hands."""
    hands = simulated("kaiser", "book", 6)
    several, _ = hands.analyse(slice(0, 6))
    alone, _ = hands.analyse(slice(5, 6))
    small, _ = hands.analyse(slice(5, 6), table_bits=2)
    for values in (alone, small):
        np.testing.assert_array_equal(values, several[-len(alone) :])


def test_what_takes_too_many_nodes_is_estimated_and_still_adds_up() -> None:
    hands = simulated("pinochle", "book", 4)
    values, exact = hands.analyse(slice(0, 4), budget=50_000)
    assert exact.any()
    assert not exact.all()
    rows = hands.plays
    side = np.where(rows["seat"] & 1, -1, 1)
    own = values * side[:, None]
    cost = np.nanmax(own, 1) - own[np.arange(len(own)), hands.events["cards"][rows["event"], 0]]
    assert (cost >= 0).all()
    score = hands.lasts["score"].astype(np.int64)
    for hand in range(4):
        mine = rows["hand"] == hand
        if mine.any():
            par = (side * np.nanmax(own, 1))[mine][0]
            assert score[hand, 0] - score[hand, 1] == pytest.approx(par - (side * cost)[mine].sum(), abs=1e-3)
