"""Playouts: a hand played to its end by a simple rule, with all cards seen, where a search takes too long."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np

from cardlog.models.compiled import Int, compiled, specialised
from cardlog.models.game import Game
from cardlog.models.rng import begin, below
from cardlog.models.solver import loops_of, write_moves
from cardlog.models.solving import PLAYOUTS, Solving, solvable_of
from cardlog.models.trick import SEATS

game = cast(Solving, None)
"""In the loop below: the functions of the game it is compiled for."""
advance = scored = cast(Callable[..., Any], None)
"""The loops of `solver` that it calls."""


@compiled
def credible(mean: float, squares: float) -> float:
    """How much better an action is than the one that was taken, from the mean difference in `PLAYOUTS`
    playouts and that of its squares: 0 if it seems better by no more than twice its standard error."""
    error = np.sqrt(max(0.0, squares - mean * mean) / (PLAYOUTS - 1))
    return 0.0 if 0 < mean <= 2 * error else mean


def _play_out(work: Any, start: Int, last: Any, salt: np.uint64, number: Int) -> Int:
    """The score of a playout from `work.states[start]`, in which the seats play what looks good, and now and
    then any card."""
    begin(work.rng, salt, number)
    hands = np.empty(SEATS, np.int64)
    ply = start
    while work.states[ply].done == 0:
        state = work.states[ply]
        for seat in range(SEATS):
            hands[seat] = game.held(state, seat)
        tables = work.tables[state.trump + 1]
        count = write_moves(state, game.legal_cards(state), hands, tables, work, ply)
        choice = below(work.rng, count) if below(work.rng, 4) == 0 else 0
        advance(work, state, work.moves[ply, choice], ply + 1)
        ply += 1
    return np.int64(scored(work, last, game.total(work.states[ply])))


@cache
def play_out_of(game: Game) -> Callable[..., Any]:
    """`_play_out` for a game."""
    loops = loops_of(game)
    functions = solvable_of(game).functions
    return specialised(_play_out, game.name, functions, advance=loops.advance, scored=loops.scored)
