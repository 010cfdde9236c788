"""Pinochle's simulations are complete, varied, and fair to both copies of a card; [R16] is in test_arena."""

from collections import Counter

import numpy as np

from cardlog.models.contest.simulation import Simulation
from cardlog.models.pinochle.state import GAME, HAND_CARDS
from cardlog.schemas.events import Action

SEED = 11


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
