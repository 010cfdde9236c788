"""What the players of every game share: the table, new events, and dealing."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.rng import below, shuffle
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_TIME, Action, compiled_dtype

BOOK: Final = "book"  # the name of the rules of the rule book, which every game has
RANDOM, EXPERT = range(2)  # indices in `Players.names` of games whose first built-in players these are
POLICY: Final = "policy"  # the name of a player that is a policy rather than one of the game's own

MOST_SEATS: Final = 10
NO_MATCH: Final = -1
NOTHING: Final = -1  # the kind of decision where no seat has to decide


class Setup(NamedTuple):
    """How a game is played."""

    rules: str = BOOK  # a name of the rules that the game has
    players: tuple[str, ...] = ()  # who sits at each seat: a name of the game's players, or `POLICY`
    # whether the log has the match score before each hand and score events for tricks and hands. The hands
    # themselves are the same either way.
    scored: bool = True
    # whether each hand is a match of its own; then there are as many seats as named players
    single: bool = False


def detail_by(details: Callable[[Setup, NDArray[np.void]], list[str]]) -> Callable[[Setup, Any], str]:
    """A game's `Players.detail`, from its `Players.details`."""
    return lambda setup, table: details(setup, np.asarray(table).reshape(1))[0]


def table_dtype(pack: int, fields: list[Any]) -> np.dtype[np.void]:
    """The dtype of a table: what every game needs, a game's own fields, and a deck of `pack` cards."""
    return compiled_dtype(
        [
            ("number", np.int64),  # of the hand
            ("match", np.int32),  # its number, NO_MATCH between matches
            ("hand_no", np.int32),
            ("seats", np.int8),
            ("scored", np.int8),
            ("players", np.int8, (MOST_SEATS,)),  # index in `Players.names`; -1 - i for the i-th policy
            ("rng", np.uint64, (1,)),
            *fields,
            ("deck", np.uint8, (pack,)),  # the pack as shuffled
        ]
    )


def at_seats(players: tuple[Any, ...], counts: range, usual: int) -> tuple[Any, ...]:
    """The player at each seat; a single one fills the usual number of seats. Raises ValueError if the game
    can't be played by that many."""
    if len(players) == 1:
        return players * usual
    if len(players) not in counts:
        allowed = f"{usual}" if len(counts) == 1 else f"{counts.start} to {counts.stop - 1}"
        seats = "all" if len(counts) == 1 else f"all {usual}"
        raise ValueError(f"{len(players)} players are named; it must be one for {seats}, or {allowed}")
    return players


@compiled
def new_event(events: Any, index: Int, action: Int, seat: Int) -> Any:
    """The event at an index, blank except for action and seat."""
    event = events[index]
    event.action = action
    event.seat = seat
    event.suit = NO_SUIT
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = 0
    event.detail = NO_DETAIL
    event.at = NO_TIME
    event.cards[:] = 0
    return event


FIRST_TIME: Final = 1_577_836_800_000_000  # when the first hand is recorded: 2020-01-01 UTC, in microseconds
HAND_TIME: Final = 3_000_000  # microseconds per hand, over all tables; each starts at a random one


@compiled
def stamp(table: Any, opening: Any) -> None:
    """Write the number of a hand and when it began into its opening."""
    opening.amount = table.number + 1
    opening.at = FIRST_TIME + table.number * HAND_TIME + below(table.rng, HAND_TIME)


@compiled
def shuffle_pack(table: Any, pack: Any) -> None:
    """Shuffle a pack, card codes of shape (cards,), into the table's deck."""
    for index in range(len(pack)):
        table.deck[index] = pack[index]
    shuffle(table.rng, table.deck)


@compiled
def deal_hands(table: Any, events: Any, size: Int, count: Int) -> Int:
    """Deal `count` cards to every seat, from seat 0; returns the index of the next event."""
    for seat in range(table.seats):
        event = new_event(events, size + seat, Action.DEAL_HAND, seat)
        event.count = count
        for index in range(count):
            event.cards[index] = table.deck[seat * count + index]
    return size + np.int64(table.seats)


@compiled
def report(events: Any, size: Int, action: Int, amounts: Any) -> Int:
    """Write a score event for each team or seat; returns the index of the next event."""
    for side in range(len(amounts)):
        new_event(events, size + side, action, side).amount = amounts[side]
    return size + len(amounts)
