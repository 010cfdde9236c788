"""Pinochle's simulations: legal by a second opinion, and what they put into openings."""

import json
from collections import Counter

import numpy as np
import pytest

from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.dealing import BOOK
from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.dialects import GAME_POINTS, RULES
from cardlog.models.pinochle.state import HAND_CARDS, TRICKS
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export import simulate
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.pinochle_referee import judge_hand

SEED = 11
GAME = pinochle.GAME


@pytest.mark.parametrize("rules", RULES)
def test_every_hand_is_legal_and_played_to_its_end(rules: str) -> None:
    seen = Counter[str]()
    simulation = Simulation(GAME, SEED, rules=rules)
    for batch in simulate.batches("pinochle", "test", simulation, 200):
        folded = fold_batch(batch)
        assert not folded.reasons.any()
        assert folded.done.all()
        for hand in range(len(batch)):
            assert judge_hand(batch, hand) == "complete"
        states = folded.states
        thrown = states["thrown_in"] == 1
        seen["thrown in"] += thrown.sum()
        seen["played on"] += (thrown & (states["tricks"] == 12)).sum()
        seen["low"] += ((states["bids"] > 0) & (states["bids"] <= 20)).sum()
        seen["stuck"] += (states["high_bid"] == 20).sum()
        seen["made"] += (states["score"][np.arange(len(batch)), states["declarer"] & 1] > 0).sum()
        seen["won"] += (batch.events["action"] == Action.SCORE_PLACE).sum() // 4
        numbers = batch.hand_nos[np.flatnonzero(np.diff(batch.match_of)) + 1]
        assert not numbers.any()
        firsts = (states["dealer"] - batch.hand_nos) % 4
        for match in range(len(batch.matches)):
            assert len(set(firsts[batch.match_of == match])) == 1
        assert rules == BOOK or not firsts.any()
    assert min(seen[name] for name in ("thrown in", "stuck", "made", "won")) > 3
    assert (seen["played on"] > 0) == (rules == "jan2013")
    assert (seen["low"] > 0) == (rules != "book")


@pytest.mark.parametrize("rules", RULES)
def test_openings_have_the_match_so_far(rules: str) -> None:
    simulation = Simulation(GAME, SEED, rules=rules)
    [batch] = simulate.batches("pinochle", "test", simulation, 200)
    states = fold_batch(batch).states
    before: dict[str, object] = {}
    for hand, state in enumerate(states):
        match = json.loads(batch.details[batch.events["detail"][batch.offsets[hand]]])["match"]
        if batch.hand_nos[hand] == 0:
            before = {"hands_played": 0, "score": [0, 0], "trump": None}
        assert match == before
        played = state["tricks"] == TRICKS
        trump = None if state["trump"] < 0 else cards.SUITS[state["trump"]]
        before = {
            "hands_played": match["hands_played"] + bool(played),
            "score": state["after"].tolist(),
            "trump": trump if played else match["trump"],
        }
        over = max(before["score"]) >= GAME_POINTS
        assert hand + 1 == len(states) or over == (batch.hand_nos[hand + 1] == 0)


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
