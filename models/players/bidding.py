"""What bids lead to, on average over worlds, if all bid and play on as the expert does. GIB does the same
(Ginsberg, JAIR 14, 2001, see `search`), but solves the play; here that made bids far too high:
docs/players.md. Before the first card a world is the unseen cards shuffled; earlier bids say nothing of them.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine import arena
from cardlog.models.engine.arena import STEP_EVENTS
from cardlog.models.engine.compiled import loop
from cardlog.models.engine.dealing import EXPERT, MOST_SEATS, Setup
from cardlog.models.engine.game import Game, Records
from cardlog.models.engine.rng import begin, mixed
from cardlog.models.solve.solvable import Solving, search_loop, solvable_of
from cardlog.models.solve.worlds import deal_whole

WORLDS: Final = 10  # for each world in which a card would be searched: playouts take little time
AROUND: Final = 2  # how many legal bids on either side of the expert's are looked at
MOST_BIDS: Final = 2 * AROUND + 2
CREDIBLE: Final = 1.0  # by how many standard errors a bid must be better than the expert's

game = cast(Solving, None)  # in the loop below: the functions of the game it is compiled for
carry_out = play_on = cast(Callable[..., Any], None)  # those of `arena`, for which `game` is something else


class Table(NamedTuple):
    """A table for playouts."""

    # a table of experts, (1,), the state of a hand, (1,), and its events, shape (events,)
    tables: Records
    states: Records
    events: Records


def table_of(game: Game) -> Table:
    """A table of a game."""
    players = game.playing()
    setup = Setup(scored=False, players=("expert",) * players.usual_seats)
    tables, states = arena.new_tables(game, setup, np.full(MOST_SEATS, EXPERT, np.int8), 1)
    return Table(tables, states, np.zeros(players.most_events + 2 * STEP_EVENTS, game.event))


def candidates(legal: NDArray[np.int64], guess: int) -> NDArray[np.int64]:
    """The bids that are looked at, the expert's first: all, or if there are more than `MOST_BIDS` the lowest
    and those nearest to the expert's."""
    index = int(np.searchsorted(legal, guess))
    near = legal if len(legal) <= MOST_BIDS else legal[max(index - AROUND, 0) : index + AROUND + 1]
    return np.array(list(dict.fromkeys([guess, int(legal[0]), *near.tolist()])))


@loop
def _weigh(known: Any, table: Table, order: Any, state: Any, bids: Any, values: Any) -> None:
    """Find what bids lead to in some worlds, the score of the team in turn less the other's: `values` has
    shape (worlds, bids). `order` is the pack."""
    once, twice = game.held(state, state.turn), game.held_twice(state, state.turn)
    begin(known.rng, mixed(np.uint64(once)) ^ np.uint64(twice), np.int64(state.dealer))
    side = -1 if state.turn & 1 else 1
    for number in range(len(values)):
        deal_whole(state, known, order)
        for index in range(len(bids)):
            table.states[0] = known.world[0]
            after = table.states[0]
            size = carry_out(table.tables[0], after, bids[index], table.events, 0)
            play_on(table.tables[0], after, table.events, 0, size)
            values[number, index] = side * (np.int64(after.score[0]) - np.int64(after.score[1]))


def values_of(
    game: Game, table: Table, known: Any, state: Any, bids: NDArray[np.int64], count: int
) -> NDArray[np.float64]:
    """What bids lead to in some worlds that fit what the seat in turn knows: shape (worlds, bids). `known` is
    made by `worlds.knowledge`."""
    values = np.empty((count, len(bids)))
    loops = {"carry_out": arena.carry_out_of(game), "play_on": arena.loop_of(game, arena.play_on)}
    weigh = search_loop(game, _weigh, **loops)
    weigh(known, table, solvable_of(game).order[0], state, bids, values)
    return values


def best_of(values: NDArray[np.float64]) -> int:
    """The index of the bid that is best on average; 0 unless that is better than the first by more than
    `CREDIBLE` standard errors."""
    gains = values - values[:, :1]
    mean, error = gains.mean(axis=0), gains.std(axis=0, ddof=1) / np.sqrt(len(values))
    best = int(mean.argmax())
    return best if mean[best] > CREDIBLE * error[best] else 0
