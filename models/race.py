"""What the solver of `max_n` needs of a game in which each seat plays for itself and they finish one after
the other, and what it works on.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int
from cardlog.models.game import Game, Records
from cardlog.models.solving import PLAYOUTS, Searchable, new_workspace
from cardlog.schemas import cards
from cardlog.schemas.events import Action, compiled_dtype

SEATS: Final = 6
"""The most."""
MOST_PLIES: Final = 110
"""Choices in a hand: the cards, and once for each end card whether to go on."""
MOVES: Final = 128
"""The codes of all cards, and some more."""
MOST_MOVES: Final = 16
MOST_ACTS: Final = 1100
"""Of a hand that is analysed, forced ones too."""
TABLE_BITS: Final = 20


class Racing(NamedTuple):
    """What the solver asks of a game, besides the fields `done`, `turn`, `seats`, `out` and `places` of its
    states. All functions are compiled.

    evolve
        The game's own.
    reveal
        ``reveal(state, last)``: give the seats the cards that the hand's last state shows they had; False if
        it does not show all, or if the hand is not played by rules that can be solved.
    acted
        ``acted(state, event)``: the move of an event: a card's code, or one of `Race.moves`.
    list_moves
        ``list_moves(state, moves)``: write the legal moves of the seat in turn, the lowest action first;
        returns how many, at least one.
    act
        ``act(state, move, event)``: carry out a move of the seat in turn, and what follows without a choice.
        `event` is room for one.
    position
        ``position(state)``: a number of what the rest of the hand depends on besides the deal, for each
        another one.
    guess
        ``guess(state)``: a good move, by rules of thumb.
    learn, deal
        ``learn(state, known)`` finds what the seat in turn knows, which has to act, and returns an array,
        empty if no deal fits. Then ``deal(state, known, array)`` makes `known.world` one of those that do,
        all equally often, by the numbers of `known.rng`. `known` is what `Race.knowledge` makes.
    beginning
        ``beginning(state)``: a number that follows from what the seat in turn knows.
    """

    evolve: Callable[[Any, Any], Any]
    reveal: Callable[[Any, Any], bool]
    acted: Callable[[Any, Any], Int]
    list_moves: Callable[[Any, Any], Int]
    act: Callable[[Any, Int, Any], None]
    position: Callable[[Any], Int]
    guess: Callable[[Any], Int]
    learn: Callable[[Any, Any], NDArray[np.float64]]
    deal: Callable[[Any, Any, Any], None]
    beginning: Callable[[Any], np.uint64]


@dataclass(frozen=True, eq=False)
class Race(Searchable):
    """A game's part of the solver. `functions` are its `Racing`.

    moves
        The moves that place no card, by their events.
    knowledge
        Makes room for what a seat knows, with the fields `world`, shape (1,), and `rng`, (1,).
    late
        How many cards before the end a player's search begins to be exact; before that it plays out.
    """

    moves: Mapping[Action, int]
    knowledge: Callable[[], Any]
    late: int

    @property
    def width(self) -> int:
        """The number of moves."""
        return MOVES

    def name(self, column: int) -> str:
        """The card of a code, or the name of another move."""
        names = {move: action.name.partition("_")[2].lower() for action, move in self.moves.items()}
        return names.get(column) or cards.text(column)

    def columns(self, events: Records) -> NDArray[np.uint8]:
        """The moves."""
        found = np.array(events["cards"][:, 0])
        for action, move in self.moves.items():
            found[events["action"] == action] = move
        return found

    def workspace(self, game: Game, budget: int, table_bits: int | None) -> Records:
        """See `solving.workspace`."""
        return new_workspace(_workspace_dtype(game), budget, table_bits)


@cache
def _workspace_dtype(game: Game) -> np.dtype[np.void]:
    """What a search works on; one for each thread.

    states, event
        The states on the way to where the search is, and an event: shape (plies,) and (1,).
    moves, counts, tried
        Of each of them: its moves, how many there are, how many have been tried: shape (plies, moves) and
        (plies,).
    best, keys
        The places after the best of them, packed, and its key: shape (plies,).
    table, mask
        Positions, and the places to which they lead; and the bits of a key that say where it is.
    replayed, positions, plays
        A hand that is analysed: its state, those before its decisions, and the moves made.
    rng, played_out
        Of playouts: a stream, (1,), and returns, (`PLAYOUTS`,).
    nodes
        How many moves have been searched in a hand, and how many may be: shape (2,).
    """
    position = compiled_dtype([("key", np.uint64), ("places", np.uint32)])
    return compiled_dtype(
        [
            ("table", position, (2**TABLE_BITS,)),
            ("mask", np.uint64),
            ("event", game.event, (1,)),
            ("moves", np.int64, (MOST_PLIES, MOST_MOVES)),
            ("counts", np.int64, (MOST_PLIES,)),
            ("tried", np.int64, (MOST_PLIES,)),
            ("best", np.int64, (MOST_PLIES,)),
            ("keys", np.uint64, (MOST_PLIES,)),
            ("plays", np.int64, (MOST_ACTS,)),
            ("rng", np.uint64, (1,)),
            ("played_out", np.int64, (PLAYOUTS,)),
            ("nodes", np.int64, (2,)),
            # states last, as NumPy aligns records to single bytes
            ("states", game.state, (MOST_PLIES,)),
            ("replayed", game.state, (1,)),
            ("positions", game.state, (MOST_ACTS,)),
        ]
    )
