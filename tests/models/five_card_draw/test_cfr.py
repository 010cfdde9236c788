"""Five-card draw of two players: the game that is solved, and the player that uses the solution."""

import numpy as np
import pytest

from cardlog.models.five_card_draw import cfr, heads_up
from cardlog.models.five_card_draw.decisions import ALL_IN_RAISE, BIG_RAISE
from cardlog.models.five_card_draw.expert import expert
from cardlog.models.five_card_draw.heads_up import DEPTHS, PARTS, TYPES, Hands, packed, unpacked
from cardlog.models.five_card_draw.state import SECOND_BETS
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION
from cardlog.models.solve.cfr import DECIDES, best_responses, solve
from cardlog.schemas import cards
from tests.support.priced import decisions

MOST_BYTES = 2**20


def some_hands() -> Hands:
    """Made-up hands: all types before the draw equally likely, and better ones make better hands."""
    types = np.arange(TYPES)
    chances = 1 / (1 + np.abs(types[:, None] - types))
    made = np.stack([chances**power for power in (4, 3, 2, 1)])
    return Hands(np.zeros(TYPES), np.full(TYPES, 1 / TYPES), made / made.sum(axis=2, keepdims=True))


@pytest.mark.long
def test_a_game_of_few_antes_is_solved() -> None:
    tree = heads_up.game(3).tree(some_hands())
    uniform, solved = solve(tree, 0), solve(tree, 200)
    assert sum(best_responses(tree, uniform)) > 1
    assert 0 <= sum(best_responses(tree, solved)) < 0.01
    assert 0 <= sum(best_responses(tree, unpacked(packed(solved)))) < 0.02


def test_stored_strategies_are_small_and_sum_to_one() -> None:
    assert heads_up.WEIGHTS.stat().st_size <= MOST_BYTES
    with np.load(heads_up.WEIGHTS, allow_pickle=False) as weights:
        assert weights["edges"].shape == (TYPES,)
        assert all((np.diff(part) > 0).all() for part in np.split(weights["edges"], np.cumsum(PARTS)[:-1]))
        for depth in DEPTHS:
            game = heads_up.game(depth)
            strategy = unpacked(weights[str(depth)])
            assert len(strategy) == game.build.kinds.count(DECIDES)
            np.testing.assert_allclose(strategy.sum(axis=1), 1)
            assert strategy.min() >= 0
            rows = game.build.rows()
            for node in game.bet_nodes[()]:
                assert not strategy[rows[node.node], len(node.actions) :].any()


def test_with_more_players_it_plays_as_the_expert() -> None:
    for state, _, mask in decisions("five_card_draw", 5, seats=3):
        assert cfr.PLAYER.action(state, mask) == expert(state)


@pytest.mark.parametrize(
    ("hand", "acts"),
    [("AS AH AD AC KS", {CALL_ACTION, BIG_RAISE, ALL_IN_RAISE}), ("2S 3H 4D 7C 8S", {FOLD_ACTION})],
)
def test_facing_an_all_in_bet_the_best_hand_stays_and_the_worst_folds(hand: str, acts: set[int]) -> None:
    chosen = set()
    for state, _, mask in decisions("five_card_draw", 100, seats=2):
        if state["phase"] == SECOND_BETS and mask[FOLD_ACTION] and not mask[CHECK_ACTION]:
            table = cfr._Table(state)
            node = table.bet_node(heads_up.game(table.depth))
            if node.level == table.depth and table.antes > 15:
                state["held_cards"][state["turn"]] = cards.codes(hand.replace(" ", ""))
                chosen.add(cfr.PLAYER.action(state, mask))
    assert chosen
    assert chosen <= acts
