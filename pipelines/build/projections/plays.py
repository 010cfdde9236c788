"""The `plays` table: every card played, in which trick and how, and what it won."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.trick import suit_of
from cardlog.pipelines.build.projections.columns import (
    card_labels,
    labels,
    nullable,
    optional,
    rank_labels,
    suit_labels,
)
from cardlog.pipelines.build.projections.hands import Hands
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_AMOUNT, Action, compiled_dtype
from cardlog.schemas.tables import MOST_SEATS, PLAYS

PLAY_CARD: Final = Action.PLAY_CARD
NULL: Final = -1
_SUITS: Final = 8
"""More than cards have suits, by their numbers."""

PLAY: Final = compiled_dtype(
    [
        ("hand", np.int32),  # index of the hand in the batch
        ("seq", np.int16),
        ("seat", np.int8),
        ("card", np.uint8),
        # NULL stands for null in the others but points, where `NO_AMOUNT` does.
        ("trick", np.int8),
        ("order", np.int8),
        ("followed", np.int8),
        ("trumped", np.int8),
        ("won", np.int8),
        ("left", np.int8),
        ("points", np.int32),
    ]
)


def plays(hands: Hands) -> pa.Table:
    """The rows of `plays` for some legal hands."""
    events, tricks = hands.batch.events, hands.tricks
    played = events["action"], events["seat"], events["cards"][:, 0]
    ends = np.append(0, np.cumsum(np.bincount(tricks.hand, minlength=len(hands))))
    taken = tricks.cards.shape[1], ends, tricks.winner, tricks.points
    dealt = hands.states["dealt_cards"], hands.dealt
    rows = np.empty(np.count_nonzero(events["action"] == PLAY_CARD), PLAY)
    _plays(played, hands.batch.offsets, hands.numbers("trump"), dealt, taken, rows)
    hand, seat = rows["hand"], rows["seat"]
    names, kinds = hands.names, hands.kinds
    in_trick = rows["order"] != NULL
    columns = {
        "trick_no": optional(rows["trick"], NULL),
        "order_in_trick": optional(rows["order"], NULL),
        "seq": nullable(rows["seq"], None),
        "seat": nullable(seat, None),
        "player_name": labels(names[0][hand, seat], names[1]),
        "player_kind": labels(kinds[0][hand, seat], kinds[1]),
        "card": card_labels(rows["card"]),
        "rank": rank_labels(rows["card"]),
        "suit": suit_labels(rows["card"]),
        "is_led": nullable(rows["order"] == 0, in_trick),
        "followed": _truth(rows["followed"]),
        "trumped": _truth(rows["trumped"]),
        "won": _truth(rows["won"]),
        "points": optional(rows["points"], NO_AMOUNT),
        "cards_left_in_suit": optional(rows["left"], NULL),
    }
    return hands.rows(PLAYS, hand, columns)


def _truth(values: NDArray[np.int8]) -> pa.Array:
    return nullable(values == 1, values != NULL)


@compiled
def _plays(played: Any, offsets: Any, trumps: Any, dealt: Any, taken: Any, rows: Any) -> None:
    """Fill in the rows. A last trick that is cut off has no winner; the cards left are known only of hands
    that are."""
    actions, seats, cards = played
    size, ends, winners, points = taken
    held = np.zeros((MOST_SEATS, _SUITS), np.int8)
    known = np.zeros(MOST_SEATS, np.bool_)
    count = 0
    led: Int = NULL
    for hand in range(len(offsets) - 1):
        _take_up(dealt, hand, held, known)
        play = 0
        for index in range(offsets[hand], offsets[hand + 1]):
            if actions[index] != PLAY_CARD:
                continue
            seat, card = seats[index], cards[index]
            suit = suit_of(card)
            row = rows[count]
            row.hand = hand
            row.seq = index - offsets[hand]
            row.seat = seat
            row.card = card
            held[seat, suit] -= 1
            row.left = held[seat, suit] if known[seat] else NULL
            row.trick = row.order = row.followed = row.trumped = row.won = NULL
            row.points = NO_AMOUNT
            if size > 0:
                row.trick = play // size
                row.order = play % size
                if row.order == 0:
                    led = suit
                else:
                    row.followed = suit == led
                    row.trumped = suit != led and suit == trumps[hand]
                trick = ends[hand] + row.trick
                if trick < ends[hand + 1]:
                    row.won = seat == winners[trick]
                    row.points = points[trick] if row.won else 0
            play += 1
            count += 1


@compiled
def _take_up(dealt: Any, hand: Any, held: Any, known: Any) -> None:
    """Count the cards of each seat by suit, and note which hands are known."""
    codes, counts = dealt
    held[:] = 0
    for seat in range(counts.shape[1]):
        known[seat] = counts[hand, seat] > 0
        for index in range(counts[hand, seat]):
            card = codes[hand, seat, index]
            if card == UNKNOWN:
                known[seat] = False
            else:
                held[seat, suit_of(card)] += 1
