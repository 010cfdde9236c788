"""The tree search: belote's `search`, and what others are measured by."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.ismcts import TreeSearch
from cardlog.models.ladder import ladder
from cardlog.models.search import Level, Search, searcher
from cardlog.models.worlds import seen_by
from tests.support.hidden_cards import redealt
from tests.support.priced import simulated

pytestmark = pytest.mark.long
ROUNDS = 300


def known_at(state: Any, game: Any) -> Any:
    """A state as the seat in turn knows it."""
    return seen_by(game, state[None].copy(), np.array([state["turn"]]))[0]


@pytest.mark.parametrize("game", ["kaiser", "belote", "pinochle", "ruter_sju"])
def test_every_round_tries_a_legal_card_and_the_same_rounds_follow_from_the_same_knowledge(game: str) -> None:
    hands, rng = simulated(game, "book", 1), np.random.default_rng(2)
    one, two = (TreeSearch(hands.game, rounds=ROUNDS) for _ in range(2))
    for state in hands.positions()[::7]:
        seen = known_at(state, hands.game)
        values = one.values(seen)
        assert np.nansum(one.preferred(values)) == ROUNDS
        other, _ = redealt(game, state, int(state["turn"]), rng)
        np.testing.assert_array_equal(values, two.values(known_at(other, hands.game)))


def test_belote_searches_so_by_sets_of_deals() -> None:
    belote = models.game("belote")
    player = searcher(belote, "search-2")
    hands = simulated("belote", "book", 1)
    state = known_at(hands.positions()[0], belote)
    assert isinstance(player, TreeSearch)
    assert np.nansum(player.preferred(player.values(state))) == 2 * 1200
    assert player.values(state).tobytes() == TreeSearch(belote, rounds=2400).values(state).tobytes()


def test_a_ladder_has_it_by_its_number_of_rounds() -> None:
    found = ladder("ruter_sju", ["ismcts-2", "random"], 2, 1)
    assert {each.player for each in found.standings} == {"ismcts-2", "random"}


def test_it_finds_the_better_card_of_two() -> None:
    """In the last trick but one of Kaiser, where exact values are far apart."""
    hands = simulated("kaiser", "book", 40)
    tree, exact = TreeSearch(hands.game, rounds=ROUNDS), Search(hands.game, Level(worlds=40))
    left = hands.cards_left()
    asked = 0
    for state in hands.positions()[(left > 4) & (left <= 8)]:
        seen = known_at(state, hands.game)
        values = exact.values(seen)
        if np.nanmax(values) - np.nanmin(values) >= 2:
            asked += 1
            assert np.nanargmax(tree.preferred(tree.values(seen))) == np.nanargmax(values)
    assert asked > 10
