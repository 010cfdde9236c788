"""The `plays` table: every card played, in which trick and how, and what it won."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.derive.projections.hands import HIDDEN, Hands, of_seat
from cardlog.pipelines.events.columns import card_labels, labels, nullable
from cardlog.schemas.cards import RANKS, SUIT_CHARACTERS, SUIT_STRIDE
from cardlog.schemas.events import Action
from cardlog.schemas.tables import PLAYS


def plays(hands: Hands) -> pa.Table:
    """The rows of `plays` for some legal hands."""
    batch = hands.batch
    index = np.flatnonzero(batch.events["action"] == Action.PLAY_CARD)
    hand = hands.hand_of_event[index].astype(np.int64)
    seat, card = batch.events["seat"][index], batch.events["cards"][index, 0]
    columns = {
        "seq": nullable((index - batch.offsets[hand]).astype(np.int16), None),
        "seat": nullable(seat, None),
        "player_name": of_seat(hands.openings, "player_{}_name", hand, seat),
        "player_kind": of_seat(hands.openings, "player_{}_kind", hand, seat),
        "card": card_labels(card),
        "rank": labels(card % SUIT_STRIDE, RANKS),
        "suit": labels(card // SUIT_STRIDE, SUIT_CHARACTERS),
        "cards_left_in_suit": _left_in_suit(hands, hand, seat, card // SUIT_STRIDE),
    }
    if hands.has_tricks:
        columns |= _in_tricks(hands, hand, seat, card // SUIT_STRIDE)
    return hands.rows(PLAYS, hand, columns)


def _in_tricks(
    hands: Hands, hand: NDArray[np.int64], seat: NDArray[np.int8], suit: NDArray[np.uint8]
) -> dict[str, pa.Array]:
    """The columns that depend on a play's trick. A last trick that is cut off has no winner."""
    tricks = hands.tricks
    all_hands = np.arange(len(hands))
    number = np.arange(len(hand)) - np.searchsorted(hand, all_hands)[hand]
    trick, order = np.divmod(number, tricks.cards.shape[1])
    led = suit[np.arange(len(hand)) - order]
    index = np.searchsorted(tricks.hand, all_hands)[hand] + trick
    is_whole = index < np.searchsorted(tricks.hand, all_hands, "right")[hand]
    index[~is_whole] = -1
    won = seat == np.append(tricks.winner, -1)[index]
    points = np.where(won, np.append(tricks.points, 0)[index], 0).astype(np.int32)
    trumped = (suit != led) & (suit == hands.trumps[hand])
    return {
        "trick_no": nullable(trick.astype(np.int8), None),
        "order_in_trick": nullable(order.astype(np.int8), None),
        "is_led": nullable(order == 0, None),
        "followed": nullable(suit == led, order > 0),
        "trumped": nullable(trumped, order > 0),
        "won": nullable(won, is_whole),
        "points": nullable(points, is_whole),
    }


def _left_in_suit(
    hands: Hands, hand: NDArray[np.int64], seat: NDArray[np.int8], suit: NDArray[np.uint8]
) -> pa.Array:
    """How many cards of the suit the player still holds after each play, null if its hand is not known."""
    known = (hands.dealt > 0) & (hands.suits_dealt[:, :, HIDDEN] == 0)
    held = hands.suits_dealt[hand, seat, suit]
    suit_of_seat = (seat * len(SUIT_CHARACTERS) + suit).astype(np.uint8)
    order = np.argsort(suit_of_seat, kind="stable")  # the fastest sort that there is, of numbers this small
    key = hand[order] * 256 + suit_of_seat[order]
    firsts = np.flatnonzero(np.diff(key, prepend=-1))
    played: NDArray[Any] = np.empty(len(key), np.int64)
    played[order] = np.arange(len(key)) - np.repeat(firsts, np.diff(firsts, append=len(key))) + 1
    return nullable((held - played).astype(np.int8), known[hand, seat])
