"""A game's own part of the tables that all games share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch

States = NDArray[np.void]
"""The last state of each hand: shape (hands,), the game's `STATE` dtype."""


class Tricks(NamedTuple):
    """The whole tricks of some hands, hand after hand: arrays of shape (tricks,).

    hand, number
        The index of the hand, int32, and the trick's position in it, int8.
    leader, winner
        Seats, int8.
    points
        What the trick is worth to its winner's team, int32.
    cards
        Codes in the order they were played: shape (tricks, cards in a trick).
    """

    hand: NDArray[Any]
    number: NDArray[Any]
    leader: NDArray[Any]
    winner: NDArray[Any]
    points: NDArray[Any]
    cards: NDArray[np.uint8]


def no_tricks(states: States) -> Tricks:
    """The tricks of games without tricks, which have no cards."""
    short, long = np.zeros(0, np.int8), np.zeros(0, np.int32)
    return Tricks(long, short, short, short, long, np.zeros((0, 0), np.uint8))


def no_columns(batch: Batch, states: States, dealt: "Dealt") -> dict[str, pa.Array]:
    """The columns of games without their own columns in `seats`."""
    return {}


class Dealt(NamedTuple):
    """The cards dealt to occupied seats: arrays of shape (rows,).

    hand, seat
        The hand and the seat of a row.
    codes
        The cards, `cards.UNKNOWN` if not shown: shape (rows, most cards).
    counts
        The number of cards.
    known
        Whether there are cards and all are known.
    """

    hand: NDArray[Any]
    seat: NDArray[Any]
    codes: NDArray[np.uint8]
    counts: NDArray[Any]
    known: NDArray[np.bool_]


SeatColumns = Callable[[Batch, States, Dealt], dict[str, pa.Array]]
"""Columns of `seats`, from the hands, their last states and what was dealt."""


def same_for_all(states: States) -> NDArray[Any]:
    """How many cards each seat was dealt, in games that deal a fixed number: shape (hands, seats). `dealt` in
    their states has a bit for each seat that has its cards."""
    seats, number = states.dtype["dealt_cards"].shape
    return np.asarray((states["dealt"][:, None] >> np.arange(seats) & 1) * number)


@dataclass(frozen=True)
class GameTables:
    """A game's own part of the tables. Columns that are missing are null.

    hand_columns
        Columns of `playedhand`, one value a hand, from its last state.
    tricks
        The whole tricks of some hands.
    seat_columns
        Columns of `seats`.
    dealt
        How many cards of `dealt_cards` in the state each seat was dealt: shape (hands, seats).
    bids
        Codes of the actions that are rows of `bids`.
    """

    hand_columns: Callable[[Batch, States], dict[str, pa.Array]]
    tricks: Callable[[States], Tricks] = no_tricks
    seat_columns: SeatColumns = no_columns
    dealt: Callable[[States], NDArray[Any]] = same_for_all
    bids: tuple[int, ...] = ()
