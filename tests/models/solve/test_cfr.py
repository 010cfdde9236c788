"""Counterfactual regret minimisation, on a game whose equilibria are known."""

import numpy as np
import pytest

from cardlog.models.solve.cfr import CHANGES, DECIDES, ENDS, Builder, Tree, best_responses, solve, value

ALONE, HIGHER, DEALT = range(3)
"""Matrices of Kuhn's poker: the one left wins, the higher card wins, and the deal."""


def kuhn(*, dealt_later: bool) -> Tree:
    """Kuhn's poker ("A simplified two-person poker", 1950): three cards, an ante of 1, one bet of 1.

    dealt_later
        Whether both get their cards by a change of types after the beginning.
    """
    build = Builder()
    root = -1
    for player in (0, 1) if dealt_later else ():
        root = build.add(root, CHANGES, player, DEALT)
    first = build.add(root, DECIDES, 0)

    def faces_bet(node: int, player: int) -> None:
        build.add(node, ENDS, matrix=ALONE, amount=-1 if player == 0 else 1)
        build.add(node, ENDS, matrix=HIGHER, amount=2)

    checked = build.add(first, DECIDES, 1)
    build.add(checked, ENDS, matrix=HIGHER, amount=1)
    faces_bet(build.add(checked, DECIDES, 0), 0)
    faces_bet(build.add(first, DECIDES, 1), 1)
    cards = np.arange(3)
    differ = 1.5 * (cards[:, None] != cards)  # two can't have the same card
    values = np.array([differ, differ * np.sign(cards[:, None] - cards), np.full((3, 3), 1 / 3)])
    return build.tree(values, np.full((2, 3), 1 / 3))


@pytest.mark.parametrize("dealt_later", [False, True])
def test_kuhns_poker_is_solved(dealt_later: bool) -> None:
    """Its value is -1/18. The first player bets a jack as often as 1/3 of a king, the second calls with a
    queen and bluffs with a jack one time in three."""
    tree = kuhn(dealt_later=dealt_later)
    strategy = solve(tree, 2_000)
    assert value(tree, strategy) == pytest.approx(-1 / 18, abs=1e-3)
    assert 0 <= sum(best_responses(tree, strategy)) < 1e-3
    first, checked, called, bet = strategy
    assert first[1, 0] == pytest.approx(first[1, 2] / 3, abs=0.01)
    assert first[1, 1] == pytest.approx(0, abs=0.01)
    assert called[1] == pytest.approx([0, first[1, 0] + 1 / 3, 1], abs=0.01)
    assert checked[1] == pytest.approx([1 / 3, 0, 1], abs=0.01)
    assert bet[1] == pytest.approx([0, 1 / 3, 1], abs=0.01)
    np.testing.assert_allclose(strategy[:, :2].sum(axis=1), 1)


def test_the_best_response_to_always_betting_and_calling_waits_for_better_cards() -> None:
    """It calls with a king and with a queen, which wins half the time, and folds a jack to a bet."""
    tree = kuhn(dealt_later=False)
    strategy = np.zeros((4, 4, 3))
    strategy[:, 1] = 1
    assert value(tree, strategy) == pytest.approx(0)
    first, second = best_responses(tree, strategy)
    assert (first, second) == pytest.approx((1 / 3, 1 / 3))
