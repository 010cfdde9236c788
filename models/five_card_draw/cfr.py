"""Five-card draw's player `cfr`: against one opponent by the strategy of `heads_up`, which is near an
equilibrium, otherwise as the expert. A table is mapped to the most similar node of that game, by ratios of
chips: the number of antes that both have, how the first round ended, and where in the round it is. Mixed
strategies are sampled by a number that follows from what the seat knows."""

from collections.abc import Iterable
from math import log
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.game import Records
from cardlog.models.engine.policy import Actions, DecisionBatch
from cardlog.models.five_card_draw import heads_up
from cardlog.models.five_card_draw.decisions import (
    ALL_IN_RAISE,
    BIG_RAISE,
    MIDDLE_RAISE,
)
from cardlog.models.five_card_draw.expert import expert
from cardlog.models.five_card_draw.heads_up import COUNTS, DEPTHS, BetNode, Game
from cardlog.models.five_card_draw.state import DRAWING, FIRST_BETS, VISIBLE, key_of
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION
from cardlog.models.poker.betting import owed
from cardlog.models.poker.chips import next_seat
from cardlog.models.poker.ranks import rank_of_codes

PREFERENCES: Final = {
    ALL_IN_RAISE: (ALL_IN_RAISE, CALL_ACTION, CHECK_ACTION),
    BIG_RAISE: (BIG_RAISE, ALL_IN_RAISE, CALL_ACTION, CHECK_ACTION),
    MIDDLE_RAISE: (MIDDLE_RAISE, BIG_RAISE, ALL_IN_RAISE, CALL_ACTION, CHECK_ACTION),
}
"""For each raise the actions to take, the first that is legal."""
_TOO_DEEP: Final = 2  # times the deepest game that was solved: beyond that it does not go all in


class Cfr:
    """The player, a policy as `cardlog.models.engine.policy` describes it."""

    def __init__(self) -> None:
        self._edges = np.zeros(0)
        self._strategies: dict[int, tuple[Game, NDArray[np.int32], NDArray[np.float64]]] = {}

    def sees(self, states: Records, seats: NDArray[np.integer[Any]]) -> Records:
        """The states without what their seats do not know."""
        return VISIBLE.seen_by(states, seats)

    def choose(self, decisions: DecisionBatch) -> Actions:
        """An action for each decision: shape (tables,)."""
        assert decisions.states is not None
        pairs = zip(decisions.states, decisions.masks, strict=True)
        return np.array([self.action(state, mask) for state, mask in pairs], np.int64)

    def action(self, state: Any, mask: NDArray[np.bool_]) -> int:
        """The action of the seat in turn."""
        if int(state["present"]).bit_count() != 2 or state["ante"] == 0:
            return int(expert(state))
        table = _Table(state)
        game, rows, strategy = self._strategy(table.depth)
        if state["phase"] == DRAWING:
            ending = table.ending(game)
            drawn = min(int(state["swapped"][table.other]), COUNTS - 1)
            node = game.draws[ending, drawn] if table.player else game.endings[ending].node
            discards, hand_type = self._before_draw(state)
            return int(discards[_sampled(strategy[rows[node], :, hand_type], state)])
        bet_node = table.bet_node(game)
        hand_type = (
            self._before_draw(state)[1]
            if state["phase"] == FIRST_BETS
            else int(heads_up.TYPE_OF_RANK[rank_of_codes(state["held_cards"][table.seat])])
        )
        action = bet_node.actions[_sampled(strategy[rows[bet_node.node], :, hand_type], state)]
        return _legal(action, mask, is_too_deep=table.antes > _TOO_DEEP * DEPTHS[-1])

    def _strategy(self, depth: int) -> tuple[Game, NDArray[np.int32], NDArray[np.float64]]:
        """The game with some number of antes, its `Tree.rows`, and the strategy."""
        if depth not in self._strategies:
            with np.load(heads_up.WEIGHTS, allow_pickle=False) as weights:
                self._edges = weights["edges"]
                strategy = heads_up.unpacked(weights[str(depth)])
            game = heads_up.game(depth)
            self._strategies[depth] = game, game.build.rows(), strategy
        return self._strategies[depth]

    def _before_draw(self, state: Any) -> tuple[NDArray[np.int64], int]:
        """The best discard of each number of cards, and the type of the hand."""
        wins, discards = np.zeros(COUNTS), np.zeros(COUNTS, np.int64)
        made = np.zeros((COUNTS, heads_up.TYPES))
        heads_up.draws_of(state["held_cards"][state["turn"]], wins, discards, made)
        return discards, heads_up.type_of(wins, self._edges)


class _Table:
    """A table of two players, in the terms of `heads_up`."""

    def __init__(self, state: Any) -> None:
        self.state, self.seat = state, int(state["turn"])
        self.player = int(next_seat(int(state["present"]), int(state["dealer"])) != self.seat)
        self.other = int(next_seat(int(state["present"]) & ~(1 << self.seat), self.seat))
        self.antes = min(int(state["start"][seat]) for seat in (self.seat, self.other)) / int(state["ante"])
        self.depth = min(DEPTHS, key=lambda depth: abs(log(depth / self.antes)))

    def ending(self, game: Game) -> int:
        """The number of the most similar ending of the first round."""
        seat = int(self.state["raiser"])
        raiser = seat if seat < 0 else self.player ^ (seat != self.seat)
        level = self._in_antes(self.state["level"])
        is_all_in = self.state["phase"] == DRAWING and level >= self.antes
        return min(
            range(len(game.endings)),
            key=lambda number: (
                (game.endings[number].level >= game.depth) != is_all_in,
                game.endings[number].raiser != raiser,
                _log_ratio(game.endings[number].level, level),
            ),
        )

    def bet_node(self, game: Game) -> BetNode:
        """The most similar node at which the seat bets."""
        state = self.state
        key: tuple[int, ...] = ()
        if state["phase"] != FIRST_BETS:
            drawn = [min(int(state["swapped"][seat]), COUNTS - 1) for seat in (self.seat, self.other)]
            key = (self.ending(game), *(drawn if self.player == 0 else drawn[::-1]))
        to_call = int(owed(state))
        can_raise = to_call < state["stack"][self.seat] and state["stack"][self.other] > 0
        mine = self._in_antes(state["staked"][self.seat])
        level = self._in_antes(state["staked"][self.seat] + to_call)
        return min(
            (node for node in game.bet_nodes[key] if node.player == self.player),
            key=lambda node: (
                (node.level > node.mine) != (to_call > 0),
                (node.level < game.depth) != can_raise,
                _log_ratio(node.mine, mine) + _log_ratio(node.level, level),
            ),
        )

    def _in_antes(self, chips: Any) -> float:
        return int(chips) / int(self.state["ante"])


def _log_ratio(first: float, second: float) -> float:
    return abs(log(first / max(second, 1e-9)))


def _sampled(chances: NDArray[np.float64], state: Any) -> int:
    """A choice sampled by the key of the state, so the same state always leads to the same choice."""
    sums = np.cumsum(chances)
    return int((sums > (int(key_of(state)) / 2**64) * sums[-1]).argmax())


def _legal(action: int, mask: NDArray[np.bool_], *, is_too_deep: bool) -> int:
    """The action, or if it is not legal, the next best."""
    if action == ALL_IN_RAISE and is_too_deep:
        action = BIG_RAISE
    preferred: Iterable[int] = PREFERENCES.get(action, (action, CHECK_ACTION, CALL_ACTION))
    return next(candidate for candidate in preferred if mask[candidate])


PLAYER: Final = Cfr()
