"""What the solver of `max_n` needs of a game in which each seat plays for itself and they finish one after
the other, and what it works on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int
from cardlog.models.engine.game import Game, Records
from cardlog.models.solve.solvable import PLAYOUTS, Searchable, new_workspace
from cardlog.schemas.events import compiled_dtype

SEATS: Final = 6  # the most
MOST_PLIES: Final = 110  # choices in a hand: the cards, and once for each end card whether to go on
MOVES: Final = 128  # the codes of all cards, and some more
MOST_MOVES: Final = 16
MOST_ACTS: Final = 1100  # of a hand that is analysed, forced ones too
TABLE_BITS: Final = 20


class Racing(NamedTuple):
    """What the solver asks of a game, besides the fields `done`, `turn`, `seats`, `out` and `places` of its
    states. All functions are compiled.
    """

    evolve: Callable[[Any, Any], Any]  # the game's own
    # ``reveal(state, last)``: give the seats the cards that the hand's last state shows they had; False if it
    # does not show all, or if the hand is not played by rules that can be solved
    reveal: Callable[[Any, Any], bool]
    # ``acted(state, event)``: the move of an event: a card's code, or one of `Searchable.moves`
    acted: Callable[[Any, Any], Int]
    # ``list_moves(state, moves)``: write the legal moves of the seat in turn, the lowest action first;
    # returns how many, at least one
    list_moves: Callable[[Any, Any], Int]
    # ``act(state, move, event)``: carry out a move of the seat in turn, and what follows without a choice.
    # `event` is room for one.
    act: Callable[[Any, Int, Any], None]
    # ``position(state)``: a number that identifies what the rest of the hand depends on besides the deal
    position: Callable[[Any], Int]
    guess: Callable[[Any], Int]  # ``guess(state)``: a good move, by rules of thumb
    # ``learn(state, known)`` finds what the seat in turn knows, and returns an array, empty if no deal fits.
    # Then ``deal(state, known, array)`` makes `known.world` one of the deals that do, each equally likely,
    # with random numbers of `known.rng`. `known` is what `Race.knowledge` returns.
    learn: Callable[[Any, Any], NDArray[np.float64]]
    deal: Callable[[Any, Any, Any], None]
    # ``beginning(state)``: a number that follows from what the seat in turn knows
    beginning: Callable[[Any], np.uint64]


@dataclass(frozen=True, eq=False)
class Race(Searchable):
    """A game's part of the solver."""

    # returns room for what a seat knows, with the fields `world`, shape (1,), and `rng`, (1,)
    knowledge: Callable[[], Any]

    width = MOVES

    def workspace(self, game: Game, budget: int, table_bits: int | None) -> Records:
        """See `solvable.workspace`."""
        return new_workspace(_workspace_dtype(game), budget, table_bits)


@cache
def _workspace_dtype(game: Game) -> np.dtype[np.void]:
    """What a search works on; one for each thread."""
    position = compiled_dtype([("key", np.uint64), ("places", np.uint32)])
    return compiled_dtype(
        [
            ("table", position, (2**TABLE_BITS,)),  # the places that positions lead to
            ("mask", np.uint64),  # the bits of a key that are its index in the table
            ("event", game.event, (1,)),
            ("moves", np.int64, (MOST_PLIES, MOST_MOVES)),  # of `states`
            ("counts", np.int64, (MOST_PLIES,)),  # how many moves there are
            ("tried", np.int64, (MOST_PLIES,)),  # how many have been tried
            ("best", np.int64, (MOST_PLIES,)),  # the places after the best of them, packed
            ("keys", np.uint64, (MOST_PLIES,)),
            ("plays", np.int64, (MOST_ACTS,)),  # the moves made in a hand that is analysed
            ("rng", np.uint64, (1,)),  # of playouts
            ("played_out", np.int64, (PLAYOUTS,)),  # returns
            ("nodes", np.int64, (2,)),  # how many moves have been searched in a hand, and how many may be
            # states last, as NumPy aligns records to single bytes
            ("states", game.state, (MOST_PLIES,)),  # on the way to where the search is
            ("replayed", game.state, (1,)),  # of a hand that is analysed
            ("positions", game.state, (MOST_ACTS,)),  # those before its decisions
        ]
    )
