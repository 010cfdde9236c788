"""What the games' players share: the form of what they have played.

A game's players are in its module `players`, which has

* `PLAYERS`: the names of the players there are, each with a few words;
* `RULES`: the names of the rules they can play by, each with a few words;
* `Simulation(key, scores, players, rules)`, whose `play(count)` gives the next hands, `Played`. It
  is the same for the same arguments, however many hands are asked for at a time.

Where `Simulation` takes a `policy`, too, that plays the seats of the players named `POLICY`: anything
that can be asked from Python, a network for one. Many tables play at the same time, and it is asked
for all that wait for it at once.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.fold import Records
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_TIME

BOOK: Final = "book"
"""The name of the rules of the rule book, which every game has."""

POLICY: Final = "policy"
"""The name of a player that a policy plays."""


@dataclass(frozen=True)
class Asked:
    """Decisions that are to be taken, one each at several tables.

    seats
        Whose they are: shape (tables,), int8.
    kinds
        Each one's kind, a place in the game's `DECISION_KINDS`: shape (tables,), int8.
    observations
        What the seat knows, as the encoder `v1` has it: shape (tables, `OBSERVATION_WIDTH`), int8.
    masks
        The legal actions: shape (tables, `MOST_ACTIONS`), bool.
    """

    seats: NDArray[np.int8]
    kinds: NDArray[np.int8]
    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]


Policy = Callable[[Asked], NDArray[np.integer[Any]]]
"""Gives a legal action for each decision, shape (tables,)."""


@dataclass(frozen=True)
class Played:
    """Hands that were played.

    events, offsets
        As in a batch: all events, and where each hand begins, and the end.
    details
        Texts that the events' `detail` is an index into.
    matches, hand_nos
        The number of each hand's match, and the hand's place in it: shape (hands,).
    """

    events: Records
    offsets: NDArray[np.int64]
    details: list[str]
    matches: NDArray[np.int32]
    hand_nos: NDArray[np.int32]


def at_seats(players: tuple[str, ...], seats: int) -> tuple[str, ...]:
    """Who plays at each seat: one name stands for all. Raises ValueError for another number."""
    if len(players) == 1:
        return players * seats
    if len(players) != seats:
        raise ValueError(f"{len(players)} players are named; it must be one for all, or {seats}")
    return players


@compiled
def new_event(events: Any, place: Int, action: Int, seat: Int) -> Any:
    """An event at a place, everything null but what is given."""
    event = events[place]
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
