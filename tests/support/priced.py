"""Simulated hands, their plays, and what the solver says of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.fold import DECISION, DecisionBuffers, Verdicts, replay_decisions
from cardlog.models.engine.game import Game, Records
from cardlog.models.engine.trick import SEATS
from cardlog.models.solve import pricing
from cardlog.models.solve import solvable as solving


def decisions(name: str, hands: int, seats: int | None = None) -> Iterator[tuple[Records, int, Any]]:
    """States in which a seat decides, with kind and mask, of hands played by random players."""
    game = models.game(name)
    players = ("random",) * (seats or game.playing().usual_seats)
    played = Simulation(name, 11, players).play(hands)
    for hand, first in enumerate(played.offsets[:-1]):
        [state] = game.begin(json.loads(played.details[played.events["detail"][first]]))
        for index in range(first, played.offsets[hand + 1]):
            mask = np.zeros(game.decisions.most_actions, np.bool_)
            kind = game.decisions.decide(state, played.events[index], mask)[0]
            if kind >= 0:
                yield state.copy(), int(kind), mask
            assert game.evolve(state, played.events[index]) == 0


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


def simulated(name: str, rules: str, count: int, seats: int | None = None) -> Hands:
    """Hands that random players have played."""
    of = models.game(name)
    players = ("random",) * (seats or of.playing().usual_seats)
    played = Simulation(name, 25, players, rules).play(count)
    firsts = played.events["detail"][played.offsets[:-1]]
    befores = np.concatenate([of.begin(json.loads(played.details[first])) for first in firsts])
    lasts = befores.copy()
    room = len(played.events) + 1
    masks, observations = np.empty((room, of.decisions.most_actions), np.bool_), np.zeros((room, 0), np.int8)
    buffers = DecisionBuffers(np.empty(room, DECISION), masks, observations)
    verdicts = Verdicts(np.zeros(count, np.int8), np.zeros(count, np.int64))
    found = replay_decisions(of, None, (played.events, played.offsets, lasts), verdicts, buffers)
    rows = buffers.rows[:found]
    plays = rows[rows["kind"] == of.decisions.kinds.index("play")]
    return Hands(of, played.events, played.offsets, befores, lasts, plays)
