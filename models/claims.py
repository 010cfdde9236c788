"""Claims: whether all tricks that are left are one side's, whatever the other side plays.

The search of `solver`, with all cards seen, for another total: how many tricks team 0 has taken.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.game import Game
from cardlog.models.solver import UNKNOWN, Loops, loops_for
from cardlog.models.solving import nothing_else, solvable_of, workspace

MOST_PLAYS: Final = 5_000_000
"""That are searched for a claim."""


@compiled
def _total(state: Any) -> Int:
    """`Solving.total`."""
    taken = np.int64(0)
    for trick in range(np.int64(state.tricks)):
        taken += 1 - (np.int64(state.winners[trick]) & 1)
    return taken


@compiled
def _bounds(state: Any) -> tuple[Int, Int]:
    """`Solving.bounds`."""
    taken = _total(state)
    return taken, taken + len(state.winners) - np.int64(state.tricks)


@cache
def _loops_of(game: Game) -> Loops:
    functions = solvable_of(game).functions
    asked = functions._replace(total=_total, bounds=_bounds, matters=nothing_else)
    return loops_for(f"{game.name}_claims", asked)


def all_tricks(game: Game, state: Any) -> list[int]:
    """How the side in turn takes all tricks that are left: the cards that are played, in order, where the
    others play the lowest code they may. Empty if the others can take a trick, or if that takes too long to
    find out.

    state
        Of the play, with all cards known.
    """
    legal_cards, loops = solvable_of(game).functions.legal_cards, _loops_of(game)
    work = workspace(game, MOST_PLAYS)
    side = int(state["turn"]) & 1
    taken, most = _bounds(state)
    target = most if side == 0 else taken + 1

    def holds() -> bool:
        found = int(loops.search(work, 0, target, np.uint64(0)))
        return found != UNKNOWN and (found >= target) == (side == 0)

    work.states[0] = state
    played: list[int] = []
    while not work.states[0]["done"] and (played or holds()):
        before = work.states[0].copy()
        for card in _in(int(legal_cards(before))):
            loops.advance(work, before, card, 0)
            if int(before["turn"]) & 1 != side or holds():
                break
        played.append(card)
    return played


def _in(mask: int) -> Iterator[int]:
    """The cards of a mask that is not empty."""
    return (card for card in range(64) if mask >> card & 1)
