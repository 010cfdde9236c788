"""What the solver needs of a game, and what it works on."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.game import Game, Records
from cardlog.models.trick import SEATS
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action, compiled_dtype

MOST_CARDS: Final = 48
"""Of a pack, with both of twins."""
MOST_MOVES: Final = 12
"""Of a seat: the different cards of a hand."""
TRUMPS: Final = 6
"""From no suit, before there is one, to no trump."""
PLAYOUTS: Final = 32
"""Of each card that is estimated."""
TABLE_BITS: Final = 18


class Solving(NamedTuple):
    """What the solver asks of a game, besides its rules. All functions are compiled.

    evolve
        The game's own.
    legal_cards
        ``legal_cards(state)``: what the seat in turn may play, a mask of card codes.
    held, held_twice
        ``held(state, seat)``: the cards a seat holds, as a mask; and those it holds two of.
    reveal
        ``reveal(state, last)``: give the seats the cards that the hand's last state shows they had; False if
        it does not show all.
    total
        ``total(state)``: the total so far, from the side of team 0; once the hand is done, all of it.
    bounds
        ``bounds(state)``: the least and the most that the total can be in the end.
    matters
        ``matters(state)``: what the rest of the total depends on besides the cards, trump and who leads; 0 if
        nothing.
    finish
        ``finish(state, total)``: end the hand with a total, and score it.
    give
        ``give(state, seat, once, twice)``: make a seat's hand these cards, two masks as of `held`, with none
        unknown.
    shown
        ``shown(state, me, seat)``: the cards that one seat knows another one to have had when the first card
        was led, since they were passed, melded, declared or claimed; two such masks.
    complete
        ``complete(state)``: whether the hands of a state fit what was shown; with what follows from the cards
        noted, such as melds that are still to be claimed.
    """

    evolve: Callable[[Any, Any], Any]
    legal_cards: Callable[[Any], Int]
    held: Callable[[Any, Int], Int]
    held_twice: Callable[[Any, Int], Int]
    reveal: Callable[[Any, Any], bool]
    total: Callable[[Any], Int]
    bounds: Callable[[Any], tuple[Int, Int]]
    matters: Callable[[Any], Int]
    finish: Callable[[Any, Int], None]
    give: Callable[[Any, Int, Int, Int], None]
    shown: Callable[[Any, Int, Int], tuple[Int, Int]]
    complete: Callable[[Any], bool]


def sees_own(states: Records, seats: NDArray[np.integer[Any]]) -> None:
    """`Searchable.hide_own` of games in which seats know their hands."""


@dataclass(frozen=True, eq=False)
class Searchable(ABC):
    """A game's part of its solver, whichever that is.

    functions
        What the solver asks of the game, besides its rules.
    budget
        How many plays may be searched in a hand, unless said otherwise; what would take more is estimated.
    private
        The fields of a state that not all seats know, and what stands for them: see `worlds.seen_by`.
    hide_own
        ``hide_own(states, seats)``: take from states what some seats, one each, do not know of their own
        hands.
    """

    functions: Any
    budget: int
    private: Mapping[str, int]
    hide_own: Callable[[Records, NDArray[np.integer[Any]]], None] = field(default=sees_own, kw_only=True)

    @property
    @abstractmethod
    def width(self) -> int:
        """How many columns the values of a decision have."""

    @abstractmethod
    def name(self, column: int) -> str:
        """What the play of a column is called."""

    @abstractmethod
    def columns(self, events: Records) -> NDArray[np.integer[Any]]:
        """The columns of some events of play: shape (events,)."""

    @abstractmethod
    def workspace(self, game: Game, budget: int, table_bits: int | None) -> Any:
        """See the function of this name."""


@dataclass(frozen=True, eq=False)
class Solvable(Searchable):
    """The part of a trick-taking game of two teams; `functions` are its `Solving`.

    order
        The pack for each trump (index trump + 1, from no suit to no trump), suit by suit, each from its
        highest card: shape (6, cards), card codes.
    worth
        What each card is worth to who takes it, for each trump: shape (6, 64). Cards of different worth are
        never exchanged for each other.
    tricks
        How many tricks before the end a player's search begins to be exact; before that it plays out.
    """

    order: NDArray[np.int8]
    worth: NDArray[np.int8]
    tricks: int = 8

    @property
    def width(self) -> int:
        """The number of card codes."""
        return 64

    def name(self, column: int) -> str:
        """The card of a code."""
        return cards.text(column)

    def columns(self, events: Records) -> NDArray[np.uint8]:
        """The codes of the cards played."""
        return np.asarray(events["cards"][:, 0])

    def tables(self) -> Records:
        """What the search looks up, a record for each trump: shape (6,)."""
        found = np.zeros(TRUMPS, tables_dtype(self.order.shape[1]))
        found["order"] = self.order
        found["worth"] = self.worth
        for table in found:
            higher: dict[int, int] = {}
            for card in table["order"].tolist():
                table["above"][card] = higher.get(card >> 4, 0)
                table["strength"][card] = -int(table["above"][card]).bit_count()
                higher[card >> 4] = higher.get(card >> 4, 0) | 1 << card
        return found

    def workspace(self, game: Game, budget: int, table_bits: int | None) -> "Workspace":
        """See the function of this name."""
        room = MOST_CARDS + 1
        size = 2 ** (TABLE_BITS if table_bits is None else table_bits)
        event = np.zeros(1, game.event)
        event["action"], event["seat"], event["count"] = Action.PLAY_CARD, NO_SEAT, 1
        return Workspace(
            np.zeros(room, game.state),
            event,
            np.zeros(1, game.state),
            np.zeros(1, game.state),
            np.zeros(room, game.state),
            np.zeros(room, np.int64),
            np.zeros((room, MOST_MOVES), np.uint8),
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
            np.zeros(room, np.uint64),
            np.zeros(size, np.uint64),
            np.zeros(size, np.int16),
            np.zeros(size, np.int16),
            np.zeros(MOST_MOVES, np.int64),
            self.tables(),
            np.zeros((2, SEATS), np.int64),
            np.zeros(1, np.uint64),
            np.zeros(PLAYOUTS, np.int64),
            np.array([0, budget], np.int64),
        )


@compiled
def no_cards(state: Any, seat: Int) -> Int:
    """`Solving.held_twice` of packs that have each card once."""
    return np.int64(0)


@compiled
def fits_always(state: Any) -> bool:
    """`Solving.complete` of games in which what was shown says nothing of other cards."""
    return True


@compiled
def nothing_else(state: Any) -> Int:
    """`Solving.matters` of games in which the score is a matter of points alone."""
    return np.int64(0)


def same_in_every_trump(row: list[int]) -> NDArray[np.int8]:
    """A table of `Solvable` that is the same whatever trump is: shape (6, cards)."""
    return np.tile(np.array(row, np.int8), (TRUMPS, 1))


def tables_dtype(cards: int) -> np.dtype[np.void]:
    """Of `Solvable.tables`, for a pack."""
    return compiled_dtype(
        [
            ("order", np.int8, (cards,)),
            ("worth", np.int8, (64,)),
            ("above", np.int64, (64,)),  # of its suit, as masks
            ("strength", np.int8, (64,)),  # 0 for the highest card of a suit, less for each below
        ]
    )


class Workspace(NamedTuple):
    """What a search works on; one for each thread.

    states, event, scratch
        The states on the way to where the search is, (cards + 1,); an event of play, (1,); a state, (1,).
    replayed, positions, plays
        A hand that is analysed: its state, (1,), those before its plays, and the cards played, (cards + 1,).
    moves, counts, tried, best, keys
        Of each of them: its cards in the order they are tried, how many there are, how many have been tried,
        the best total found so far, and its key.
    table_keys, table_low, table_high
        Positions, and bounds of what the total can still grow by: shape (a power of two,).
    scores
        How promising the moves of one state are, shape (`MOST_MOVES`,).
    tables
        See `Solvable.tables`.
    hands
        The cards that the seats hold, and those they hold two of: shape (2, 4).
    rng, played_out
        Of playouts: a stream, (1,), and scores, (`PLAYOUTS`,).
    nodes
        How many plays have been searched in a hand, and how many may be: shape (2,).
    """

    states: Records
    event: Records
    scratch: Records
    replayed: Records
    positions: Records
    plays: NDArray[np.int64]
    moves: NDArray[np.uint8]
    counts: NDArray[np.int64]
    tried: NDArray[np.int64]
    best: NDArray[np.int64]
    keys: NDArray[np.uint64]
    table_keys: NDArray[np.uint64]
    table_low: NDArray[np.int16]
    table_high: NDArray[np.int16]
    scores: NDArray[np.int64]
    tables: Records
    hands: NDArray[np.int64]
    rng: NDArray[np.uint64]
    played_out: NDArray[np.int64]
    nodes: NDArray[np.int64]


def workspace(game: Game, budget: int | None = None, table_bits: int | None = None) -> Any:
    """What the solver of a game works on: a `Workspace` or a `race.Room`. Raises ValueError if it has none.

    budget
        How many plays may be searched in a hand; what would take more is estimated. By default the game's.
    table_bits
        The table has 2 ** `table_bits` positions.
    """
    searchable = searchable_of(game)
    return searchable.workspace(game, searchable.budget if budget is None else budget, table_bits)


def searchable_of(game: Game) -> Searchable:
    """A game's part of its solver. Raises ValueError if it has none."""
    if game.solvable is None:
        raise ValueError(f"{game.name} has no solver")
    return cast(Searchable, game.solvable())


def solvable_of(game: Game) -> Solvable:
    """The same of a trick-taking game of two teams."""
    found = searchable_of(game)
    assert isinstance(found, Solvable)
    return found
