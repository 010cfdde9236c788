"""Pinochle's simulations are complete, varied, and fair to both copies of a card; [R16] is in test_arena."""

from collections import Counter

import numpy as np
import pytest

from cardlog.models.contest.simulation import Simulation
from cardlog.models.pinochle.dialects import RULES
from cardlog.models.pinochle.state import GAME, HAND_CARDS
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export import simulate
from cardlog.schemas.events import Action
from tests.support.pinochle_referee import judge_hand

SEED = 11


@pytest.mark.parametrize("rules", RULES)
def test_hands_of_every_kind_are_played_and_legal_by_a_second_opinion(rules: str) -> None:
    [batch] = simulate.batches("pinochle", "test", Simulation(GAME, SEED, rules=rules), 200)
    states = fold_batch(batch).states
    assert all(judge_hand(batch, hand) == "complete" for hand in range(len(batch)))
    thrown = states["thrown_in"] == 1
    seen = {
        "thrown in": thrown.sum(),
        "stuck": (states["high_bid"] == 20).sum(),
        "made": (states["score"][np.arange(len(batch)), states["declarer"] & 1] > 0).sum(),
        "won": (batch.events["action"] == Action.SCORE_PLACE).sum() // 4,
    }
    assert min(seen.values()) > 3, seen
    assert (thrown & (states["tricks"] == 12)).any() == (rules == "jan2013")
    assert ((states["bids"] > 0) & (states["bids"] <= 20)).any() == (rules != "book")


def test_each_card_of_a_hand_is_equally_likely_to_be_led() -> None:
    """Both copies of a card that is held twice are."""
    played = Simulation(GAME, SEED, scored=False).play(8000)
    led, expected = [], []
    for hand in range(len(played.hand_nos)):
        events = played.events[played.offsets[hand] : played.offsets[hand + 1]]
        plays = events[events["action"] == Action.PLAY_CARD]
        if len(plays):
            held = Counter(events["cards"][1 + int(plays["seat"][0])][:HAND_CARDS].tolist())
            led.append(held[int(plays["cards"][0, 0])] == 2)
            expected.append(sum(copies for copies in held.values() if copies == 2) / HAND_CARDS)
    spread = np.sqrt(np.sum(np.multiply(expected, np.subtract(1, expected))))
    assert abs(sum(led) - sum(expected)) < 4 * spread
