"""Bids that are searched: the worlds of a seat that has to bid, and what bids lead to in them."""

import json
from itertools import chain
from typing import Any

import numpy as np
import pytest
from scipy.special import chdtrc

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.arena import STEP_EVENTS
from cardlog.models.engine.dealing import new_event
from cardlog.models.engine.game import Game
from cardlog.models.engine.trick import SEATS
from cardlog.models.players import bidding
from cardlog.models.solve import worlds
from cardlog.models.solve.solvable import search_loop, solvable_of
from cardlog.schemas import cards
from tests.support.soak import long

GAMES = ["kaiser", *long("belote", "pinochle")]
SEEN = {"kaiser": 8, "belote": 6, "pinochle": 12}
"""How many of its cards a seat has seen when it bids."""
DRAWN = 300


def first_bids(game: Game, count: int) -> list[Any]:
    """The states in which the first seats bid, with what they know."""
    known = []
    played = Simulation(game.name, 3).play(count)
    for first in played.offsets[:-1]:
        states = game.begin(json.loads(played.details[played.events["detail"][first]]))
        mask = np.zeros(game.decisions.most_actions, np.bool_)
        while game.decisions.legal_actions(states[0], mask)[0] < 0:
            assert game.evolve(states[0], played.events[first]) == 0
            first += 1
        known.append(game.visible.seen_by(states, states["turn"])[0])
    return known


def dealt(state: Any, seat: int) -> list[int]:
    return sorted(state["dealt_cards"][seat].tolist())


@pytest.mark.parametrize("name", GAMES)
def test_worlds_of_a_bidder_are_the_pack_shuffled_except_for_what_it_has_seen(name: str) -> None:
    game = models.game(name)
    solvable, known = solvable_of(game), worlds.knowledge(game)
    functions = solvable.functions
    deal_whole = search_loop(game, worlds.deal_whole)
    pack = cards.codes(game.pack)
    pack = sorted(pack * (game.state["dealt_cards"].shape[1] * SEATS // len(pack)))
    [state] = first_bids(game, 1)
    me = int(state["turn"])
    own = state["dealt_cards"][me][: SEEN[name]].tolist()
    other = next(card for card in pack if card not in own)
    counts = np.zeros(SEATS)
    for _ in range(DRAWN):
        deal_whole(state, known, solvable.order[0])
        world = known.world[0]
        hands = [dealt(world, seat) for seat in range(SEATS)]
        assert world["dealt_cards"][me][: SEEN[name]].tolist() == own
        assert sorted(chain(*hands)) == pack
        for seat, hand in enumerate(hands):
            once, twice = (int(held(world, seat)) for held in (functions.held, functions.held_twice))
            assert sorted(card for card in range(64) for mask in (once, twice) if mask >> card & 1) == hand
            counts[seat] += hand.count(other)
    room = np.array([len(hands[0]) - SEEN[name] * (seat == me) for seat in range(SEATS)])
    able = room > 0
    assert not counts[~able].any()
    expected = counts.sum() * room[able] / room.sum()
    statistic = ((counts[able] - expected) ** 2 / expected).sum()
    assert chdtrc(able.sum() - 1, statistic) > 1e-4


@pytest.mark.parametrize("name", GAMES)
def test_a_bid_is_worth_what_experts_score_with_it(name: str) -> None:
    """Played on from the same worlds, event by event."""
    game = models.game(name)
    players, count = game.playing(), 3
    expert, carry_out = players.expert, players.carry_out
    assert expert is not None
    table = bidding.table_of(game)
    events = np.zeros(STEP_EVENTS, game.event)
    for state in first_bids(game, 3):
        side = -1 if state["turn"] & 1 else 1
        mask = np.zeros(game.decisions.most_actions, np.bool_)
        game.decisions.legal_actions(state, mask)
        bids = bidding.candidates(np.flatnonzero(mask), int(expert(state)))
        known = worlds.knowledge(game)
        values = bidding.values_of(game, table, known, state, bids, count)
        again = bidding.values_of(game, table, known, state, bids[::-1].copy(), count)
        np.testing.assert_array_equal(again, values[:, ::-1])
        last = known.world.copy()
        for index, bid in enumerate(bids):
            after, action = last.copy()[0], int(bid)
            while True:
                if carry_out:
                    size = carry_out(table.tables[0], after, action, events, 0)
                else:
                    new_event(events, 0, 0, int(after["turn"]))
                    game.decisions.to_event(after, action, events[0])
                    size = 1
                applied = 0
                while applied < size:
                    while applied < size:
                        assert game.evolve(after, events[applied]) == 0
                        applied += 1
                    size = players.follow(table.tables[0], after, events, size)
                if after["done"]:
                    break
                action = int(expert(after))
            assert values[-1, index] == side * (int(after["score"][0]) - int(after["score"][1]))


def test_the_bids_looked_at_are_the_experts_a_pass_and_those_near_it() -> None:
    legal = np.array([0, *range(14, 26)])
    assert bidding.candidates(legal, 17).tolist() == [17, 0, 15, 16, 18, 19]
    assert bidding.candidates(legal, 0).tolist() == [0, 14, 15]
    assert bidding.candidates(legal, 25).tolist() == [25, 0, 23, 24]
    assert bidding.candidates(np.array([0, 1, 2, 3, 4]), 4).tolist() == [4, 0, 1, 2, 3]


def test_a_bid_other_than_the_experts_must_be_clearly_better() -> None:
    noise = np.random.default_rng(1).normal(size=100)
    noise -= noise.mean()
    doubtful, clear = 0.05 + noise, 0.5 + noise
    baseline = np.zeros(100)
    assert bidding.best_of(np.stack([baseline, doubtful], 1)) == 0
    assert bidding.best_of(np.stack([baseline, doubtful, clear], 1)) == 2
    assert bidding.best_of(np.stack([clear, baseline, doubtful], 1)) == 0
