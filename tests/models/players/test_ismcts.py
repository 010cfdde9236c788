"""The tree search: belote's `search`, and a yardstick for other players."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.ladder import ladder
from cardlog.models.players.ismcts import TreeSearch
from cardlog.models.players.search import Level, Search, searcher
from tests.support.priced import simulated

pytestmark = pytest.mark.long
ROUNDS = 300


def known_at(state: Any, game: Any) -> Any:
    """A state as the seat in turn knows it."""
    return game.visible.seen_by(state[None], np.array([state["turn"]]))[0]


@pytest.mark.parametrize("game", ["kaiser", "belote", "pinochle", "ruter_sju"])
def test_every_round_tries_a_legal_card_and_the_same_knowledge_leads_to_the_same_rounds(game: str) -> None:
    hands = simulated(game, "book", 1)
    first, second = (TreeSearch(hands.game, rounds=ROUNDS) for _ in range(2))
    for state in hands.positions()[::7]:
        seen = known_at(state, hands.game)
        values = first.values(seen)
        assert np.nansum(first.preferred(values)) == ROUNDS
        np.testing.assert_array_equal(values, second.values(state))


def test_belote_searches_with_rounds_for_each_world() -> None:
    belote = models.game("belote")
    player = searcher(belote, "search-2")
    hands = simulated("belote", "book", 1)
    state = known_at(hands.positions()[0], belote)
    assert isinstance(player, TreeSearch)
    assert np.nansum(player.preferred(player.values(state))) == 2 * 1200
    assert player.values(state).tobytes() == TreeSearch(belote, rounds=2400).values(state).tobytes()


def test_a_ladder_names_it_by_its_number_of_rounds() -> None:
    standings = ladder("ruter_sju", ["ismcts-2", "random"], 2, 1).standings
    assert {standing.player for standing in standings} == {"ismcts-2", "random"}


def test_it_finds_the_better_of_two_cards() -> None:
    """In the last trick but one of Kaiser, where exact values are far apart."""
    hands = simulated("kaiser", "book", 40)
    tree, exact = TreeSearch(hands.game, rounds=ROUNDS), Search(hands.game, Level(worlds=40))
    left = hands.cards_left()
    tried = 0
    for state in hands.positions()[(left > 4) & (left <= 8)]:
        seen = known_at(state, hands.game)
        values = exact.values(seen)
        if np.nanmax(values) - np.nanmin(values) >= 2:
            tried += 1
            assert np.nanargmax(tree.preferred(tree.values(seen))) == np.nanargmax(values)
    assert tried > 10
