"""What the solver needs of a game, and what it works on."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
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
        ``bounds(state, tricks, worth)``: the least and the most that the total can be in the end. The side in
        turn takes so many tricks at least, by cards worth so much, see `Solvable.worth`.
    must_follow
        ``must_follow(state, suit)``: whether who has cards of a suit that is led must play one of them.
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
    bounds: Callable[[Any, Int, Int], tuple[Int, Int]]
    must_follow: Callable[[Any, Int], bool]
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
    def workspace(self, game: Game, budget: int, table_bits: int | None) -> Records:
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
            table["kind"] = 32 * np.unique(table["worth"][table["order"]], return_inverse=True)[1]
            higher: dict[int, int] = {}
            for card in table["order"].tolist():
                table["above"][card] = higher.get(card >> 4, 0)
                table["strength"][card] = -int(table["above"][card]).bit_count()
                higher[card >> 4] = higher.get(card >> 4, 0) | 1 << card
        return found

    def workspace(self, game: Game, budget: int, table_bits: int | None) -> Records:
        """See the function of this name."""
        found = new_workspace(_workspace_dtype(game, self.order.shape[1]), budget, table_bits)
        event = found["event"]
        event["action"], event["seat"], event["count"] = Action.PLAY_CARD, NO_SEAT, 1
        found["tables"] = self.tables()
        return found


def new_workspace(dtype: np.dtype[np.void], budget: int, table_bits: int | None) -> Records:
    """A record of such a type to search in, with the fields `nodes` and `mask` of `_workspace_dtype`.

    A record and not a tuple of arrays, as compiled functions count references to arrays at each use: that
    takes three quarters of the time. It is in an array of shape (1,), as to hand over the record itself takes
    NumPy 5 ms.
    """
    found = np.zeros(1, dtype)
    size = found["table"].shape[1] if table_bits is None else 2**table_bits
    found["nodes"][:, 1], found["mask"] = budget, size - 1
    return found


@compiled
def no_cards(state: Any, seat: Int) -> Int:
    """`Solving.held_twice` of packs that have each card once."""
    return np.int64(0)


@compiled
def fits_always(state: Any) -> bool:
    """`Solving.complete` of games in which what was shown says nothing of other cards."""
    return True


@compiled
def follows_always(state: Any, suit: Int) -> bool:
    """`Solving.must_follow` of games in which every suit must be followed."""
    return True


@compiled
def bounds_of(state: Any, taken: Any, points: Int, tricks: Int, worth: Int) -> tuple[Int, Int]:
    """`Solving.bounds` of games in which the total is the points of team 0, one more if the others take no
    trick, one less if it takes none itself.

    taken
        Tricks of each team.
    points
        Of a hand.
    """
    low = np.int64(state.points[0])
    high = points - np.int64(state.points[1])
    takes_all = tricks == len(state.winners) - state.tricks
    if state.turn & 1:
        high = low if takes_all else high - worth
        return low - (taken[0] == 0), high + (taken[1] == 0 and tricks == 0) - (taken[0] == 0 and takes_all)
    low = high if takes_all else low + worth
    return low - (taken[0] == 0 and tricks == 0) + (taken[1] == 0 and takes_all), high + (taken[1] == 0)


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
            ("kind", np.int64, (cards,)),  # in this order, 32 times the number of the card's worth
            ("worth", np.int8, (64,)),
            ("above", np.int64, (64,)),  # of its suit, as masks
            ("strength", np.int8, (64,)),  # 0 for the highest card of a suit, less for each below
        ]
    )


@cache
def _workspace_dtype(game: Game, cards: int) -> np.dtype[np.void]:
    """What a search of a game of tricks works on; one for each thread.

    states, event, scratch
        The states on the way to where the search is, (cards + 1,); an event of play, (1,); a state, (1,).
    replayed, positions, plays
        A hand that is analysed: its state, (1,), those before its plays, and the cards played, (cards + 1,).
    moves, counts, tried, best, keys
        Of each of them: its cards in the order they are tried, how many there are, how many have been tried,
        the best total found so far, and its key.
    table, mask
        Positions, and bounds of what the total can still grow by; and the bits of a key that say where it is.
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
    room = MOST_CARDS + 1
    position = compiled_dtype([("key", np.uint64), ("low", np.int16), ("high", np.int16)])
    return compiled_dtype(
        [
            ("table", position, (2**TABLE_BITS,)),
            ("mask", np.uint64),
            ("event", game.event, (1,)),
            ("plays", np.int64, (room,)),
            ("counts", np.int64, (room,)),
            ("tried", np.int64, (room,)),
            ("best", np.int64, (room,)),
            ("keys", np.uint64, (room,)),
            ("scores", np.int64, (MOST_MOVES,)),
            ("tables", tables_dtype(cards), (TRUMPS,)),
            ("hands", np.int64, (2, SEATS)),
            ("rng", np.uint64, (1,)),
            ("played_out", np.int64, (PLAYOUTS,)),
            ("nodes", np.int64, (2,)),
            # states last, as NumPy aligns records to single bytes
            ("states", game.state, (room,)),
            ("scratch", game.state, (1,)),
            ("replayed", game.state, (1,)),
            ("positions", game.state, (room,)),
            ("moves", np.uint8, (room, MOST_MOVES)),
        ]
    )


def workspace(game: Game, budget: int | None = None, table_bits: int | None = None) -> Records:
    """What the solver of a game works on, shape (1,). Raises ValueError if it has none.

    budget
        How many plays may be searched in a hand; what would take more is estimated. By default the game's.
    table_bits
        The table has 2 ** `table_bits` positions, by default and at most 2 ** `TABLE_BITS`.
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
