"""Five-card draw's player `cfr`: against one opponent by the strategy of `heads_up`, near an equilibrium,
else as the expert. A table becomes the place that is most like it there, by ratios: the number of antes that
both have, how the first round ended, and where in the round it stands. Chances are taken by a number that
follows from what the seat knows."""

from collections.abc import Iterable
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.five_card_draw import heads_up
from cardlog.models.five_card_draw.decisions import (
    ALL_IN_RAISE,
    BIG_RAISE,
    CALL_ACTION,
    CHECK_ACTION,
    MIDDLE_RAISE,
)
from cardlog.models.five_card_draw.expert import expert
from cardlog.models.five_card_draw.heads_up import COUNTS, DEPTHS, Game, Place
from cardlog.models.five_card_draw.legal import owed
from cardlog.models.five_card_draw.ranks import rank_of_codes
from cardlog.models.five_card_draw.state import DRAWING, FIRST_BETS, key_of, next_seat, seen_by
from cardlog.models.game import Records
from cardlog.models.policy import Actions, DecisionBatch

INSTEAD: Final = {
    ALL_IN_RAISE: (ALL_IN_RAISE, CALL_ACTION, CHECK_ACTION),
    BIG_RAISE: (BIG_RAISE, ALL_IN_RAISE, CALL_ACTION, CHECK_ACTION),
    MIDDLE_RAISE: (MIDDLE_RAISE, BIG_RAISE, ALL_IN_RAISE, CALL_ACTION, CHECK_ACTION),
}
"""What is done if a raise is not legal."""
_TOO_DEEP: Final = 2


class Cfr:
    """The player, a policy as `cardlog.models.policy` describes it."""

    def __init__(self) -> None:
        self._edges = np.zeros(0)
        self._strategies: dict[int, tuple[Game, NDArray[np.int32], NDArray[np.float64]]] = {}

    def sees(self, states: Records, seats: NDArray[np.integer[Any]]) -> Records:
        """The states as far as their seats know them."""
        return seen_by(states, seats)

    def choose(self, decisions: DecisionBatch) -> Actions:
        """An action for each decision: shape (tables,)."""
        assert decisions.states is not None
        pairs = zip(decisions.states, decisions.masks, strict=True)
        return np.array([self.action(state, mask) for state, mask in pairs], np.int64)

    def action(self, state: Any, mask: NDArray[np.bool_]) -> int:
        """The action of the seat in turn."""
        if int(state["present"]).bit_count() != 2 or state["ante"] == 0:
            return int(expert(state))
        at = _Table(state)
        found, rows, strategy = self._strategy(at.depth)
        if state["phase"] == DRAWING:
            ending = at.ending(found)
            drawn = min(int(state["swapped"][at.other]), COUNTS - 1)
            node = found.draws[ending, drawn] if at.player else found.endings[ending].node
            _, sets, kind = self._before_draw(state)
            return int(sets[_picked(strategy[rows[node], :, kind], state)])
        place = at.place(found)
        kind = (
            self._before_draw(state)[2]
            if state["phase"] == FIRST_BETS
            else int(heads_up.TYPE_OF_RANK[rank_of_codes(state["held_cards"][at.seat])])
        )
        action = place.actions[_picked(strategy[rows[place.node], :, kind], state)]
        return _legal(action, mask, is_too_deep=at.antes > _TOO_DEEP * DEPTHS[-1])

    def _strategy(self, depth: int) -> tuple[Game, NDArray[np.int32], NDArray[np.float64]]:
        """The game with some number of antes, its `Tree.rows`, and the strategy."""
        if depth not in self._strategies:
            with np.load(heads_up.WEIGHTS, allow_pickle=False) as kept:
                self._edges = kept["edges"]
                strategy = heads_up.unpacked(kept[str(depth)])
            found = heads_up.game(depth)
            self._strategies[depth] = found, found.build.rows(), strategy
        return self._strategies[depth]

    def _before_draw(self, state: Any) -> tuple[NDArray[np.float64], NDArray[np.int64], int]:
        """How likely the best discard of each number of cards is to win, these, and the type of the hand."""
        wins, sets, made = np.zeros(COUNTS), np.zeros(COUNTS, np.int64), np.zeros((COUNTS, heads_up.TYPES))
        heads_up.draws_of(state["held_cards"][state["turn"]], wins, sets, made)
        return wins, sets, heads_up.type_of(wins, self._edges)


class _Table:
    """A table of two, in the terms of `heads_up`."""

    def __init__(self, state: Any) -> None:
        self.state, self.seat = state, int(state["turn"])
        self.player = int(next_seat(int(state["present"]), int(state["dealer"])) != self.seat)
        self.other = int(next_seat(int(state["present"]) & ~(1 << self.seat), self.seat))
        self.antes = min(int(state["start"][each]) for each in (self.seat, self.other)) / int(state["ante"])
        self.depth = min(DEPTHS, key=lambda depth: abs(log(depth / self.antes)))

    def ending(self, of: Game) -> int:
        """The number of the ending of the first round."""
        raiser = int(self.state["raiser"])
        raised = raiser if raiser < 0 else self.player ^ (raiser != self.seat)
        is_over = self.state["phase"] == DRAWING and self._in_antes(self.state["level"]) >= self.antes
        return min(
            range(len(of.endings)),
            key=lambda number: (
                (of.endings[number].level >= of.depth) != is_over,
                of.endings[number].raiser != raised,
                _apart(of.endings[number].level, self._in_antes(self.state["level"])),
            ),
        )

    def place(self, of: Game) -> Place:
        """The place of a bet."""
        state = self.state
        key: tuple[int, ...] = ()
        if state["phase"] != FIRST_BETS:
            both = [min(int(state["swapped"][each]), COUNTS - 1) for each in (self.seat, self.other)]
            key = (self.ending(of), *(both if self.player == 0 else both[::-1]))
        asked = int(owed(state))
        can_raise = asked < state["stack"][self.seat] and state["stack"][self.other] > 0
        mine = self._in_antes(state["staked"][self.seat])
        level = self._in_antes(state["staked"][self.seat] + asked)
        return min(
            (place for place in of.places[key] if place.player == self.player),
            key=lambda place: (
                (place.level > place.mine) != (asked > 0),
                (place.level < of.depth) != can_raise,
                _apart(place.mine, mine) + _apart(place.level, level),
            ),
        )

    def _in_antes(self, chips: Any) -> float:
        return int(chips) / int(self.state["ante"])


def _apart(one: float, other: float) -> float:
    return abs(log(one / max(other, 1e-9)))


def _picked(chances: NDArray[np.float64], state: Any) -> int:
    """The choice to which the number of a decision leads."""
    sums = np.cumsum(chances)
    return int((sums > (int(key_of(state)) / 2**64) * sums[-1]).argmax())


def _legal(action: int, mask: NDArray[np.bool_], *, is_too_deep: bool) -> int:
    """The action, or what is legal instead."""
    if action == ALL_IN_RAISE and is_too_deep:
        action = BIG_RAISE
    wanted: Iterable[int] = INSTEAD.get(action, (action, CHECK_ACTION, CALL_ACTION))
    return next(each for each in wanted if mask[each])


PLAYER: Final = Cfr()  # the player
