"""What each card cost by what its player knew: against the card that is best on average over worlds."""

from collections.abc import Callable
from functools import cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import specialised
from cardlog.models.game import Game, Records
from cardlog.models.pricing import acted_of
from cardlog.models.search import NODES, TABLE_BITS, knowledge_of, late_of, weigh_of
from cardlog.models.solving import Solving, searchable_of, workspace

game = cast(Solving, None)
"""In the loop below: the functions of the game it is compiled for."""
acted = weigh = cast(Callable[..., Any], None)
"""What it calls."""


def _price_known(
    workspace: Any,
    known: Any,
    hands: tuple[Any, Any, Any, Any],
    plays: Any,
    how: tuple[int, int, int],
    costs: Any,
) -> None:
    work = workspace[0]
    events, offsets, befores, lasts = hands
    means = np.empty(how[2])
    done = 0
    for hand in range(len(befores)):
        work.replayed[0] = befores[hand]
        state = work.replayed[0]
        for index in range(offsets[hand], offsets[hand + 1]):
            if done < len(plays) and plays[done] == index:
                work.positions[0] = state
                position = work.positions[0]
                costs[done] = np.nan
                if game.reveal(position, lasts[hand]):
                    weigh(workspace, known, position, how[0], how[1], means)
                    costs[done] = np.nanmax(means) - means[acted(state, events[index])]
                done += 1
            game.evolve(state, events[index])


@cache
def _price_known_for(game: Game) -> Callable[..., None]:
    """`_price_known` for a game."""
    functions = searchable_of(game).functions
    return specialised(_price_known, game.name, functions, acted=acted_of(game), weigh=weigh_of(game))


def costs_known(
    game: Game,
    hands: tuple[Records, NDArray[np.int64], Records, Records],
    plays: NDArray[np.int64],
    count: int,
) -> NDArray[np.float32]:
    """What each play cost on average over worlds that fit what its player knew; 0 for the one best so.

    hands, plays
        As `pricing.analyse` takes them.
    count
        How many worlds. They follow from what the player knew, so they are the same every time.

    Returns a cost for each play, nan for hands of which the log does not show all cards: shape (plays,).
    """
    costs = np.empty(len(plays), np.float32)
    how = count, late_of(game), searchable_of(game).width
    work = workspace(game, NODES, TABLE_BITS)
    _price_known_for(game)(work, knowledge_of(game), hands, plays, how, costs)
    return costs
