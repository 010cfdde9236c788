"""The solvers against trying everything by the rules alone, and properties of their values."""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, cast

import numpy as np
import pytest

from cardlog import models
from cardlog.models.engine.compiled import compiled, specialised
from cardlog.models.engine.dealing import BOOK, new_event
from cardlog.models.engine.game import Game
from cardlog.models.solve.solvable import searchable_of
from cardlog.schemas.events import NO_SEAT, Action
from tests.support.figures import report
from tests.support.priced import simulated
from tests.support.soak import long, soak

GAMES = ("kaiser", "belote", "pinochle")
DIALECTS = [(name, rules) for name in GAMES for rules in models.game(name).playing().rules]
TABLES = [
    *((name, BOOK, 4, 20, 200) for name in GAMES),
    ("ruter_sju", BOOK, 4, 10, 100),
    *long(*((*dialect, 4, 300, 3000) for dialect in DIALECTS)),
    *long(
        *(("ruter_sju", rules, seats, 10, 100) for rules, seats in ((BOOK, 3), (BOOK, 6), ("original", 5)))
    ),
    *soak(
        *(("ruter_sju", rules, seats, 400, 3000) for rules in (BOOK, "original") for seats in (3, 4, 5, 6))
    ),
]
"""Rules, seats, how many hands, and how many of their endings are compared."""
MOST_PLIES = 400


class Plain(NamedTuple):
    """What is asked of a game. ``worth(state, out)`` writes what a hand that is over brought each seat."""

    evolve: Callable[..., Any]
    legal_actions: Callable[..., Any]
    to_event: Callable[..., Any]
    worth: Callable[..., Any]


game = cast(Plain, None)


def _plain(states: Any, events: Any, masks: Any, best: Any) -> None:
    """Write to `best[0]` what `states[0]` leads to by trying everything to the very end, without any of the
    solvers' shortcuts. Of equally good actions the lowest is taken."""
    tried = np.zeros(len(states), np.int64)
    forced = np.zeros(len(states), np.bool_)
    ply, enters = 0, True
    while ply >= 0:
        state = states[ply]
        if enters:
            masks[ply], best[ply], tried[ply], forced[ply] = False, -1000, 0, False
            if state.done:
                game.worth(state, best[ply])
            elif game.legal_actions(state, masks[ply])[0] < 0:
                masks[ply, 0] = forced[ply] = True
        elif best[ply + 1, state.turn] > best[ply, state.turn]:
            best[ply] = best[ply + 1]
        while tried[ply] < masks.shape[1] and not masks[ply, tried[ply]]:
            tried[ply] += 1
        enters = tried[ply] < masks.shape[1]
        if not enters:
            ply -= 1
            continue
        states[ply + 1] = state
        event = new_event(events, 0, Action.PLAY_BLOCKED, NO_SEAT)
        if not forced[ply]:
            game.to_event(state, tried[ply], event)
        game.evolve(states[ply + 1], event)
        tried[ply] += 1
        ply += 1


@compiled
def _by_score(state: Any, out: Any) -> None:
    for seat in range(4):
        out[seat] = (state.score[0] - state.score[1]) * (1 - 2 * (seat & 1))


@compiled
def _by_place(state: Any, out: Any) -> None:
    for seat in range(state.seats):
        out[seat] = state.seats + 1 - 2 * state.places[seat]


@cache
def plain_search(of: Game) -> Callable[..., None]:
    worth = _by_score if of.name in GAMES else _by_place
    functions = Plain(of.evolve, of.decisions.legal_actions, of.decisions.to_event, worth)
    return specialised(_plain, of.name, functions)


@pytest.mark.parametrize(("name", "rules", "seats", "count", "endings"), TABLES)
def test_trying_everything_by_the_rules_finds_the_same_values(
    name: str, rules: str, seats: int, count: int, endings: int
) -> None:
    """Of every legal action in endings, in the middle of tricks and turns too."""
    hands = simulated(name, rules, count, seats)
    values, exact = hands.analyse(slice(0, count), budget=20_000)
    of, functions, positions = hands.game, searchable_of(hands.game).functions, hands.positions()
    left = hands.cards_left() if name in GAMES else positions["left"].sum(1) - 1
    late = np.flatnonzero(left <= 11)[:endings]
    assert len(late) == endings
    assert exact[late].all()
    states, events = np.zeros(MOST_PLIES, of.state), np.zeros(1, of.event)
    masks, best = (
        np.zeros((MOST_PLIES, of.decisions.most_actions), np.bool_),
        np.zeros((MOST_PLIES, 6), np.int64),
    )
    actions = 0
    for number in late:
        state, mask = positions[number], np.zeros(of.decisions.most_actions, np.bool_)
        last = hands.lasts[hands.plays["hand"][number]]
        functions.reveal(state, last)
        if name == "belote":  # what is claimed later counts, whoever takes the trick
            state["bela_points"] = last["bela_points"]
        of.decisions.legal_actions(state, mask)
        expected = np.full(values.shape[1], np.nan, np.float32)
        for action in np.flatnonzero(mask).tolist():
            states[0] = state
            event = new_event(events, 0, Action.PLAY_BLOCKED, NO_SEAT)
            of.decisions.to_event(state, action, event)
            column = functions.acted(state, event)
            assert of.evolve(states[0], event) == 0
            plain_search(of)(states, events, masks, best)
            expected[column] = best[0, state["turn"] if name not in GAMES else 0]
        np.testing.assert_array_equal(values[number], expected)
        actions += int(mask.sum())
    assert actions > endings
    if count > 300:
        report(f"max^n, {rules}, {seats} seats: {actions} actions of {endings} endings, none differs")


@pytest.mark.parametrize(("name", "count", "bits"), [("kaiser", 6, 2), *long(("ruter_sju", 2, 17))])
def test_values_do_not_depend_on_the_table_or_on_what_was_solved_before(
    name: str, count: int, bits: int
) -> None:
    """A small table, one of many positions, and one that has seen other hands."""
    hands = simulated(name, BOOK, count)
    several, _ = hands.analyse(slice(0, count))
    for values, _ in (hands.analyse(slice(count - 1, count), **how) for how in ({}, {"table_bits": bits})):
        np.testing.assert_array_equal(values, several[-len(values) :])


def test_what_takes_too_many_nodes_is_estimated_and_still_adds_up() -> None:
    hands = simulated("pinochle", BOOK, 4)
    values, exact = hands.analyse(slice(0, 4), budget=50_000)
    assert exact.any()
    assert not exact.all()
    rows = hands.plays
    side = np.where(rows["seat"] & 1, -1, 1)
    own = values * side[:, None]
    cost = np.nanmax(own, 1) - own[np.arange(len(own)), hands.events["cards"][rows["event"], 0]]
    assert (cost >= 0).all()
    score = hands.lasts["score"].astype(np.int64)
    for hand in range(4):
        mine = rows["hand"] == hand
        if mine.any():
            par = (side * np.nanmax(own, 1))[mine][0]
            assert score[hand, 0] - score[hand, 1] == pytest.approx(par - (side * cost)[mine].sum(), abs=1e-3)


def test_in_ruter_sju_an_estimate_is_a_mean_of_returns_and_the_last_choice_is_exact() -> None:
    hands = simulated("ruter_sju", BOOK, 2)
    values, exact = hands.analyse(slice(0, 2), budget=30_000)
    assert exact.any()
    assert not exact.all()
    race: Any = searchable_of(hands.game)
    taken = values[np.arange(len(values)), race.columns(hands.events[hands.plays["event"]])]
    assert not np.isnan(taken).any()
    assert (np.abs(values[~np.isnan(values)]) <= 6).all()
    for hand in range(2):
        last = np.flatnonzero(hands.plays["hand"] == hand)[-1]
        assert taken[last] == 5 - 2 * hands.lasts["places"][hand, hands.plays["seat"][last]]
