"""The tree search that `search` is measured by."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.ismcts import TreeSearch
from cardlog.models.search import Search
from cardlog.models.worlds import seen_by
from tests.support.priced import simulated

pytestmark = pytest.mark.long
ROUNDS = 300


def known_at(state: Any, game: Any) -> Any:
    """A state as the seat in turn knows it."""
    return seen_by(game, state[None].copy(), np.array([state["turn"]]))[0]


@pytest.mark.parametrize("game", ["kaiser", "belote", "pinochle", "ruter_sju"])
def test_every_round_tries_a_legal_card_and_the_same_rounds_follow_from_the_same_knowledge(game: str) -> None:
    hands = simulated(game, "book", 1)
    one, two = TreeSearch(hands.game, ROUNDS), TreeSearch(hands.game, ROUNDS)
    for state in hands.positions()[::7]:
        seen = known_at(state, hands.game)
        visits = one.values(seen)
        assert np.nansum(visits) == ROUNDS
        assert (visits[~np.isnan(visits)] > 0).all()
        np.testing.assert_array_equal(visits, two.values(seen))


def test_it_finds_cards_that_are_better_by_far() -> None:
    """In the last four tricks of Kaiser, where exact values of ten worlds are far apart."""
    hands = simulated("kaiser", "book", 30)
    tree, sure = TreeSearch(models.game("kaiser"), ROUNDS), Search(models.game("kaiser"))
    right = asked = 0
    for state in hands.positions()[hands.cards_left() <= 16]:
        seen = known_at(state, hands.game)
        values = sure.values(seen)
        ranked = np.sort(values[~np.isnan(values)])
        if len(ranked) > 1 and ranked[-1] - ranked[-2] >= 3:
            asked += 1
            right += int(np.nanargmax(tree.values(seen)) == np.nanargmax(values))
    assert asked > 20
    assert right >= 0.9 * asked
