"""The step loop plays what the arena plays, and its hands are stored and judged like any other."""

from typing import Any

import numpy as np
import pytest

from cardlog.models.contest.play_off import play_off
from cardlog.models.contest.simulation import Played, Simulation
from cardlog.models.contest.steps import Steps
from cardlog.models.engine.policy import DecisionBatch
from tests.models.engine.test_arena import GAMES


def fields_of(played: Played) -> dict[str, Any]:
    """The events without the bytes between their fields."""
    return {name: played.events[name].tolist() for name in played.events.dtype.names or ()}


class Replayer:
    """A policy that repeats what a step loop did, hand after hand."""

    def __init__(self, actions: list[list[int]]) -> None:
        self.actions = actions

    def choose(self, decisions: DecisionBatch) -> Any:
        return np.array([self.actions[0].pop(0)])


@pytest.mark.parametrize("name", GAMES)
def test_a_simulation_by_a_policy_plays_the_same_hand(name: str) -> None:
    table, actions = Steps(name), []
    table.reset(11)
    while not table.is_over:
        actions.append(table.legal_actions()[-1])
        table.step(actions[-1])
    played = Simulation(name, 11, (Replayer([actions]),), single=True).play(1)
    assert played.details == table.played().details
    assert fields_of(played) == fields_of(table.played())
    assert np.array_equal(played.returns, table.played().returns, equal_nan=True)


@pytest.mark.parametrize("name", GAMES)
def test_a_seed_deals_the_same_and_another_does_not(name: str) -> None:
    table, dealt = Steps(name), []
    for seed in (1, 1, 2, -1):
        table.reset(seed)
        dealt.append(fields_of(table.played()))
    assert dealt[0] == dealt[1] != dealt[2] != dealt[3]


@pytest.mark.parametrize("name", GAMES)
def test_impossible_requests_are_errors(name: str) -> None:
    table = Steps(name)
    most = len(table.mask())
    for action in (most, -1, int((~table.mask()).argmax())):
        with pytest.raises(ValueError, match=rf"action {action} is not legal; seat \d may choose \d"):
            table.step(action)
    with pytest.raises(ValueError, match="the hand is not over yet"):
        table.returns()
    with pytest.raises(ValueError, match="there is no seat 9; there are 0 to"):
        table.observe(9)
    while not table.is_over:
        table.step(table.legal_actions()[0])
    for ask in (lambda: table.step(0), table.observe, lambda: table.kind, lambda: table.current_seat):
        with pytest.raises(ValueError, match="the hand is over"):
            ask()
    assert table.observe(0).any()
    for seats in (11, 1, 0, -1, 10**20):
        with pytest.raises(ValueError, match=f"there can't be {seats} seats; it must be \\d"):
            Steps(name, seats=seats)
        with pytest.raises(ValueError, match=f"there can't be {seats} seats"):
            play_off(name, ("random", "random"), 1, seats=seats)
    with pytest.raises(ValueError, match="has no rules 'none'"):
        Steps(name, "none")


@pytest.mark.parametrize("seats", range(2, 7))
def test_a_table_has_as_many_seats_as_asked_for(seats: int) -> None:
    for name in ("five_card_draw", "ruter_sju") if seats > 2 else ("five_card_draw",):
        table = Steps(name, seats=seats)
        assert table.seats == seats
        while not table.is_over:
            table.step(table.legal_actions()[0])
        assert len(table.returns()) == seats
        assert sum(table.returns()) == 0
