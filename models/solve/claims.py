"""Claims: whether one side can take all tricks that are left, whatever the other side plays. The search is
that of `solver`, with all cards seen, for another total: the tricks of team 0."""

from typing import Any, Final, cast

import numpy as np

from cardlog.models.engine.compiled import Int, compiled, loop, specialised
from cardlog.models.engine.game import Game
from cardlog.models.engine.trick import lowest
from cardlog.models.solve.solvable import MOST_CARDS, Solving, nothing_else, solvable_of, workspace
from cardlog.models.solve.solver import UNKNOWN, advance, search

MOST_PLAYS: Final = 5_000_000  # searched for a claim


@compiled
def _total(state: Any) -> Int:
    """`Solving.total`."""
    taken = np.int64(0)
    for trick in range(np.int64(state.tricks)):
        taken += 1 - (np.int64(state.winners[trick]) & 1)
    return taken


@compiled
def _bounds(state: Any, tricks: Int, worth: Int) -> tuple[Int, Int]:
    """`Solving.bounds`."""
    taken = _total(state)
    left = len(state.winners) - np.int64(state.tricks)
    return (taken, taken + left - tricks) if state.turn & 1 else (taken + tricks, taken + left)


game = cast(Solving, None)  # in the loop below: the functions of the game it is compiled for


@compiled
def _is_proof(bound: Int, side: Int, target: Int) -> bool:
    """Whether the bound that a search returned proves a side's claim."""
    return bool(bound != UNKNOWN and (bound >= target) == (side == 0))


@loop
def _play_out(workspace: Any, state: Any, target: Int, played: Any) -> Int:
    """Write the cards of `all_tricks`; returns how many there are. `target` is in tricks of team 0: at least
    as many if it is in turn, else fewer."""
    work = workspace[0]
    side = np.int64(state.turn) & 1
    work.states[0] = state
    count = np.int64(0)
    if not _is_proof(search(work, 0, target, np.uint64(0)), side, target):
        return count
    while not work.states[0].done:
        work.positions[0] = work.states[0]
        before = work.positions[0]
        left = game.legal_cards(before)
        is_done = False
        while left and not is_done:
            played[count] = lowest(left)
            left &= left - 1
            advance(work, before, played[count], 0)
            is_done = np.int64(before.turn) & 1 != side or _is_proof(
                search(work, 0, target, np.uint64(0)), side, target
            )
        count += 1
    return count


def all_tricks(game: Game, state: Any) -> list[int]:
    """How the side in turn takes all tricks that are left: the cards in the order they are played, with the
    opponents always playing their lowest legal code. Empty if they can take a trick, or if the search takes
    too long. All cards of the state must be known."""
    taken, highest = _bounds(state, 0, 0)
    target = taken + 1 if int(state["turn"]) & 1 else highest
    played = np.zeros(MOST_CARDS, np.int64)
    functions = solvable_of(game).functions._replace(total=_total, bounds=_bounds, matters=nothing_else)
    play_out = specialised(_play_out, f"{game.name}_claims", functions)
    count = play_out(workspace(game, MOST_PLAYS), state, target, played)
    return [int(card) for card in played[:count]]
