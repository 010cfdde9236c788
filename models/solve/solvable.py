"""What the solver needs of a game, and what it works on."""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled, specialised
from cardlog.models.engine.game import WORLDS, Game, Records
from cardlog.models.engine.trick import SEATS
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action, compiled_dtype

MOST_CARDS: Final = 52  # of a pack, counting both of twins
MOST_MOVES: Final = 13  # of a seat: the different cards of a hand
TRUMPS: Final = 6  # from no suit, before there is one, to no trump
PLAYOUTS: Final = 32  # of each card that is estimated
RANDOM_MOVE_IN: Final = 4  # in a playout one move in so many is random
TABLE_BITS: Final = 18


@compiled
def hand_of(state: Any, seat: Int) -> Int:
    """`Solving.held` of games that need only one mask for a hand."""
    return np.int64(state.hands[seat])


@compiled
def give_mask(state: Any, seat: Int, once: Int, twice: Int) -> None:
    """`Solving.give` of such games."""
    state.hands[seat] = once


@compiled
def nothing_shown(state: Any, me: Int, seat: Int) -> tuple[Int, Int]:
    """`Solving.shown` of games in which cards are seen only when they are played."""
    return np.int64(0), np.int64(0)


@compiled
def no_cards(state: Any, seat: Int) -> Int:
    """`Solving.held_twice` of packs that have each card once."""
    return np.int64(0)


@compiled
def card_of(state: Any, event: Any) -> Int:
    """`Solving.acted`: the card."""
    return np.int64(event.cards[0])


@compiled
def fits_always(state: Any) -> bool:
    """`Solving.complete` of games in which what was shown says nothing of other cards."""
    return True


@compiled
def follows_always(state: Any, suit: Int) -> bool:
    """`Solving.must_follow` of games in which every suit must be followed."""
    return True


@compiled
def nothing_else(state: Any) -> Int:
    """`Solving.matters` of games in which the score is a matter of points alone."""
    return np.int64(0)


class Solving(NamedTuple):
    """What the solver asks of a game, besides its rules. All functions are compiled."""

    evolve: Callable[[Any, Any], Any]  # the game's own
    # ``legal_cards(state)``: what the seat in turn may play, a mask of card codes
    legal_cards: Callable[[Any], Int]
    # ``reveal(state, last)``: give the seats the cards that the hand's last state shows they had; False if it
    # does not show all
    reveal: Callable[[Any, Any], bool]
    # ``total(state)``: the total so far, from the side of team 0; once the hand is done, all of it
    total: Callable[[Any], Int]
    # ``bounds(state, tricks, worth)``: the least and the most that the total can be in the end, if the side
    # in turn takes at least `tricks` tricks, with cards worth `worth`, see `Solvable.worth`.
    bounds: Callable[[Any, Int, Int], tuple[Int, Int]]
    finish: Callable[[Any, Int], None]  # ``finish(state, total)``: end the hand with a total, and score it
    # ``give(state, seat, once, twice)``: set a seat's hand to cards given as two masks, with none unknown
    give: Callable[[Any, Int, Int, Int], None]
    # ``shown(state, me, seat)``: the cards that one seat knows another one to have had when the first card
    # was led, since they were passed, melded, declared or claimed; two such masks
    shown: Callable[[Any, Int, Int], tuple[Int, Int]]
    # ``held(state, seat)``: the cards a seat holds, as a mask; and those it holds two of
    held: Callable[[Any, Int], Int] = hand_of
    held_twice: Callable[[Any, Int], Int] = no_cards
    # ``must_follow(state, suit)``: whether a seat that has cards of the suit led must play one of them
    must_follow: Callable[[Any, Int], bool] = follows_always
    # ``matters(state)``: what the rest of the total depends on besides the cards, trump and who leads
    matters: Callable[[Any], Int] = nothing_else
    # ``complete(state)``: whether the hands of a state fit what was shown; also notes what follows from the
    # cards, such as melds that are still to be claimed
    complete: Callable[[Any], bool] = fits_always
    acted: Callable[[Any, Any], Int] = card_of  # ``acted(state, event)``: the column of an event of play


class Playing(NamedTuple):
    """What the tree search asks of a trick-taking game of four in which each seat plays for itself. All
    functions are compiled; those that `Solving` has, too, are described there."""

    evolve: Callable[[Any, Any], Any]
    legal_cards: Callable[[Any], Int]
    guess: Callable[[Any], Int]  # ``guess(state)``: a good card of the seat in turn, by rules of thumb
    result: Callable[[Any, Int], float]  # ``result(state, seat)``: what a hand that is over brought a seat
    shown: Callable[[Any, Int, Int], tuple[Int, Int]] = nothing_shown
    give: Callable[[Any, Int, Int, Int], None] = give_mask
    held: Callable[[Any, Int], Int] = hand_of
    held_twice: Callable[[Any, Int], Int] = no_cards
    complete: Callable[[Any], bool] = fits_always
    acted: Callable[[Any, Any], Int] = card_of


@dataclass(frozen=True, eq=False)
class Searchable(ABC):
    """A game's part of its solver, whichever that is."""

    functions: Any  # what the search asks of the game: its `Solving`, `Playing` or `race.Racing`
    # how many plays may be searched in a hand by default; what would take more is estimated
    budget: int
    # the moves that play no card, by the actions of their events
    moves: Mapping[Action, int] = field(default_factory=dict, kw_only=True)
    # how many tricks, or in games without teams cards, before the end a player's search becomes exact; before
    # that it plays out
    late: int = field(default=8, kw_only=True)
    # how many worlds `search` looks at where no number is named: more than others if these make it better in
    # at most 6 ms a move
    worlds: int = field(default=WORLDS, kw_only=True)
    # how many rounds of a tree search count as one world of a level, see `ismcts`
    rounds: int = field(default=1, kw_only=True)

    solves: ClassVar[bool] = True  # whether its values can be exact
    width: ClassVar[int] = 64  # how many columns the values of a decision have: card codes, and other moves

    def name(self, column: int) -> str:
        """The card of a column's code, or the name of another move."""
        names = {move: action.name.partition("_")[2].lower() for action, move in self.moves.items()}
        return names.get(column) or cards.text(column)

    def columns(self, events: Records) -> NDArray[np.uint8]:
        """The columns of events of play: shape (events,)."""
        columns = np.array(events["cards"][:, 0])
        for action, move in self.moves.items():
            columns[events["action"] == action] = move
        return columns

    @abstractmethod
    def workspace(self, game: Game, budget: int, table_bits: int | None) -> Records:
        """See the function of the same name."""


@dataclass(frozen=True, eq=False)
class Solvable(Searchable):
    """The part of a trick-taking game of four, in two teams with a `Solving`."""

    # the pack for each trump (index trump + 1, from no suit to no trump), suit by suit, each from its highest
    # card: shape (6, cards), card codes
    order: NDArray[np.int8]
    # what each card is worth to the seat that takes it, for each trump: shape (6, 64). Cards of different
    # worth are never treated as alike.
    worth: NDArray[np.int8]

    def tables(self) -> Records:
        """What the search looks up, a record for each trump: shape (6,)."""
        tables = np.zeros(TRUMPS, tables_dtype(self.order.shape[1]))
        tables["order"] = self.order
        tables["worth"] = self.worth
        for table in tables:
            table["kind"] = 32 * np.unique(table["worth"][table["order"]], return_inverse=True)[1]
            higher = defaultdict[int, int](int)
            for card in table["order"].tolist():
                suit = card // cards.SUIT_STRIDE
                table["above"][card] = higher[suit]
                table["strength"][card] = -higher[suit].bit_count()
                higher[suit] |= 1 << card
        return tables

    def workspace(self, game: Game, budget: int, table_bits: int | None) -> Records:
        """See the function of the same name."""
        work = new_workspace(_workspace_dtype(game, self.order.shape[1]), budget, table_bits)
        event = work["event"]
        event["action"], event["seat"], event["count"] = Action.PLAY_CARD, NO_SEAT, 1
        work["tables"] = self.tables()
        return work


@dataclass(frozen=True, eq=False)
class Unsolved(Solvable):
    """The part of one in which each seat plays for itself, with a `Playing`: its values are those of a tree
    search, not exact."""

    solves = False


def unsolved(pack: str, functions: Playing, rounds: int) -> Unsolved:
    """The part of a game in which cards of a suit rank by their numbers; `rounds` is that of `Searchable`."""
    order = sorted(cards.codes(pack), key=lambda card: (card // cards.SUIT_STRIDE, -card))
    worth = same_in_every_trump([0] * 64)
    return Unsolved(functions, 0, order=same_in_every_trump(order), worth=worth, rounds=rounds)


def new_workspace(dtype: np.dtype[np.void], budget: int, table_bits: int | None) -> Records:
    """A record to search in. With arrays in a tuple, compiled functions would count references at each use,
    which takes three quarters of the time. The record is in an array of shape (1,), since passing the record
    itself takes 5 ms."""
    work = np.zeros(1, dtype)
    size = work["table"].shape[1] if table_bits is None else 2**table_bits
    work["nodes"][:, 1], work["mask"] = budget, size - 1
    return work


@compiled
def bounds_of(state: Any, taken: Any, points: Int, tricks: Int, worth: Int) -> tuple[Int, Int]:
    """`Solving.bounds` of games in which the total is the points of team 0, one more if the other team takes
    no trick, one less if it takes none itself. `taken` is the tricks of each team, `points` the points of a
    hand."""
    low = np.int64(state.points[0])
    high = points - np.int64(state.points[1])
    takes_all = tricks == len(state.winners) - state.tricks
    if state.turn & 1:
        high = low if takes_all else high - worth
        return low - (taken[0] == 0), high + (taken[1] == 0 and tricks == 0) - (taken[0] == 0 and takes_all)
    low = high if takes_all else low + worth
    return low - (taken[0] == 0 and tricks == 0) + (taken[1] == 0 and takes_all), high + (taken[1] == 0)


@compiled
def credible(mean: float, squares: float) -> float:
    """How much better an action is than the one that was taken, from the mean of the differences in
    `PLAYOUTS` playouts and that of their squares: 0 if it seems better by no more than twice the standard
    error."""
    error = np.sqrt(max(0.0, squares - mean * mean) / (PLAYOUTS - 1))
    return 0.0 if 0 < mean <= 2 * error else mean


def same_in_every_trump(row: list[int]) -> NDArray[np.int8]:
    """A table for `Solvable` that is the same for every trump: shape (6, cards)."""
    return np.tile(np.array(row, np.int8), (TRUMPS, 1))


def tables_dtype(cards: int) -> np.dtype[np.void]:
    """The dtype of `Solvable.tables`, for a pack of so many cards."""
    return compiled_dtype(
        [
            ("order", np.int8, (cards,)),
            ("kind", np.int64, (cards,)),  # in this order, 32 times the rank of the card's worth
            ("worth", np.int8, (64,)),
            ("above", np.int64, (64,)),  # the higher cards of the suit, as masks
            ("strength", np.int8, (64,)),  # 0 for the highest card of a suit, less for each below
        ]
    )


@cache
def _workspace_dtype(game: Game, cards: int) -> np.dtype[np.void]:
    """What a search of a game of tricks works on; one for each thread."""
    room = MOST_CARDS + 1
    position = compiled_dtype([("key", np.uint64), ("low", np.int16), ("high", np.int16)])
    return compiled_dtype(
        [
            ("table", position, (2**TABLE_BITS,)),  # bounds of what the total can still grow by
            ("mask", np.uint64),  # the bits of a key that are its index in the table
            ("event", game.event, (1,)),  # a play
            ("plays", np.int64, (room,)),  # the cards played in a hand that is analysed
            ("counts", np.int64, (room,)),  # of `states`: how many moves there are
            ("tried", np.int64, (room,)),  # how many of them have been tried
            ("best", np.int64, (room,)),  # the best total found so far
            ("keys", np.uint64, (room,)),
            ("scores", np.int64, (MOST_MOVES,)),  # how promising the moves of one state are
            ("tables", tables_dtype(cards), (TRUMPS,)),  # see `Solvable.tables`
            ("hands", np.int64, (2, SEATS)),  # the cards that the seats hold, and those they hold two of
            ("rng", np.uint64, (1,)),  # of playouts
            ("played_out", np.int64, (PLAYOUTS,)),  # scores
            ("nodes", np.int64, (2,)),  # how many plays have been searched in a hand, and how many may be
            # states last, as NumPy aligns records to single bytes
            ("states", game.state, (room,)),  # on the way to where the search is
            ("scratch", game.state, (1,)),
            ("replayed", game.state, (1,)),  # of a hand that is analysed
            ("positions", game.state, (room,)),  # those before its plays
            ("moves", np.uint8, (room, MOST_MOVES)),  # of `states`: the cards in the order they are tried
        ]
    )


def workspace(game: Game, budget: int | None = None, table_bits: int | None = None) -> Records:
    """What the solver of a game works on, shape (1,): for a budget of plays in a hand, by default the game's,
    and with a table of 2 ** `table_bits` positions, by default and at most 2 ** `TABLE_BITS`. Raises
    ValueError if the game has no solver."""
    searchable = searchable_of(game)
    return searchable.workspace(game, searchable.budget if budget is None else budget, table_bits)


def searchable_of(game: Game) -> Searchable:
    """A game's part of its solver. Raises ValueError if it has none."""
    if game.solvable is None:
        raise ValueError(f"{game.name} has no solver")
    assert isinstance(game.solvable, Searchable)
    return game.solvable


def search_loop(game: Game, template: Callable[..., Any], **called: Any) -> Callable[..., Any]:
    """A loop whose `game` is a game's `Solving` or `race.Racing`, see `compiled.specialised`."""
    return specialised(template, game.name, searchable_of(game).functions, **called)


def solvable_of(game: Game) -> Solvable:
    """The same for a trick-taking game of two teams."""
    solvable = searchable_of(game)
    assert isinstance(solvable, Solvable)
    return solvable
