"""The solver against plain minimax over the rules, and properties of its values."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
import pytest

from cardlog import models
from cardlog.models.engine.compiled import Int, specialised
from cardlog.models.engine.dealing import BOOK
from cardlog.models.engine.game import Game
from cardlog.models.engine.trick import lowest
from cardlog.models.solve import solvable as solving
from cardlog.models.solve import solver
from cardlog.models.solve.solvable import Solving
from cardlog.schemas.events import NO_SEAT
from tests.support.priced import simulated
from tests.support.soak import long

GAMES = ("kaiser", "belote", "pinochle")
DIALECTS = [(name, rules) for name in GAMES for rules in models.game(name).playing().rules]
CARDS_LEFT = 11

game = cast(Solving, None)


def _minimax(work: Any, left: Any, best: Any) -> Int:
    """The total of `work.states[0]` by trying everything, without any of the solver's shortcuts."""
    ply = 0
    enters = True
    total = np.int64(0)
    while True:
        state = work.states[ply]
        if enters and state.done == 0:
            left[ply] = game.legal_cards(state)
            best[ply] = 1000 if state.turn & 1 else -1000
        elif enters:
            best[ply] = game.total(state)
            left[ply] = 0
        else:
            best[ply] = min(best[ply], total) if state.turn & 1 else max(best[ply], total)
        if left[ply] == 0:
            if ply == 0:
                return best[0]
            total = best[ply]
            ply -= 1
            enters = False
            continue
        work.states[ply + 1] = state
        event = work.event[0]
        event.cards[0] = lowest(left[ply])
        event.seat = NO_SEAT
        left[ply] &= left[ply] - 1
        game.evolve(work.states[ply + 1], event)
        ply += 1
        enters = True


def _compare(workspace: Any, positions: Any, lasts: Any, values: Any, wrong: Any) -> None:
    """Count for each position the legal cards whose value differs from that of plain minimax."""
    work = workspace[0]
    left = np.empty(50, np.int64)
    best = np.empty(50, np.int64)
    for index in range(len(positions)):
        position = positions[index]
        game.reveal(position, lasts[index])
        legal = game.legal_cards(position)
        for card in range(64):
            if legal >> card & 1 == 0:
                wrong[index] += not np.isnan(values[index, card])
                continue
            work.states[0] = position
            event = work.event[0]
            event.cards[0] = card
            event.seat = NO_SEAT
            game.evolve(work.states[0], event)
            total = minimax(work, left, best)
            wrong[index] += values[index, card] != scored(work, lasts[index], total)


minimax = scored = cast(Callable[..., Any], None)


@cache
def compare_for(game: Game) -> Callable[..., None]:
    functions = solving.solvable_of(game).functions
    plain = specialised(_minimax, game.name, functions)
    scored = specialised(solver.scored, game.name, functions)
    return specialised(_compare, game.name, functions, minimax=plain, scored=scored)


@pytest.mark.parametrize(
    ("name", "rules", "endings"),
    [*((name, BOOK, 200) for name in GAMES), *long(*((*dialect, 3000) for dialect in DIALECTS))],
)
def test_plain_minimax_over_the_rules_finds_the_same_values(name: str, rules: str, endings: int) -> None:
    """Of every legal card, in the middle of tricks too."""
    count = endings // 10
    hands = simulated(name, rules, count)
    values, exact = hands.analyse(slice(0, count), budget=20_000)
    positions = hands.positions()
    late = np.flatnonzero(hands.cards_left() <= CARDS_LEFT)[:endings]
    assert len(late) == endings
    assert exact[late].all()
    wrong = np.zeros(endings, np.int64)
    lasts = hands.lasts[hands.plays["hand"][late]]
    compare_for(hands.game)(solving.workspace(hands.game), positions[late], lasts, values[late], wrong)
    assert not wrong.any()


def test_values_do_not_depend_on_the_table_or_on_what_was_solved_before() -> None:
    """A table of four positions, one of many, and one that has seen other hands."""
    hands = simulated("kaiser", "book", 6)
    several, _ = hands.analyse(slice(0, 6))
    alone, _ = hands.analyse(slice(5, 6))
    small, _ = hands.analyse(slice(5, 6), table_bits=2)
    for values in (alone, small):
        np.testing.assert_array_equal(values, several[-len(alone) :])


def test_what_takes_too_many_nodes_is_estimated_and_still_adds_up() -> None:
    hands = simulated("pinochle", "book", 4)
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
