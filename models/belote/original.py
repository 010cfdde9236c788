"""The input of the original program's learning player: the tensor of its playing network, with that player's
blind spots (docs/features/belote.md).

* It looks at the table only when it is about to play: cards played after its own stay unknown, or held.
* An unknown card counts as a third for each of the three others.
* Of the declarations it sees those that count.

The numbers have 64 bits, as in the program's own record.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import playable_cards
from cardlog.models.belote.state import HAND_CARDS
from cardlog.models.engine.compiled import compiled
from cardlog.models.engine.trick import SEATS, index_by_code
from cardlog.schemas import cards
from cardlog.schemas.events import Action

VERSION: Final = 1  # raised when the meaning of any number of the tensor changes

# Axis 0: whose cards, seen from the acting seat. LEFT is the seat before it, RIGHT the one after.
TEAMMATE, LEFT, RIGHT, ME = range(4)
# Axis 1: in hand, played earlier, on the table.
AVAILABLE, UNAVAILABLE, TABLE = range(3)

SUITS: Final = "DHSC"  # the suits in the order of the program's numbers
RANKS: Final = "789TJQKA"
CARDS: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
"""Axis 2: the cards in the order of the program's numbers."""
SHAPE: Final = (4, 3, len(CARDS))
UNKNOWN: Final = np.float64(1 / 3)

_INDEX: Final = index_by_code(np.array(cards.codes("".join(CARDS)), np.int64))
_SUIT_NUMBER: Final = np.array([SUITS.index(suit) for suit in cards.SUITS], np.int64)
_ROW: Final = np.array([ME, RIGHT, TEAMMATE, LEFT], np.int64)
"""The row of a seat, by how many seats after the acting one it sits."""
MOST_PLAYS: Final = SEATS * HAND_CARDS


def playing_states(
    events: NDArray[np.void],
) -> tuple[NDArray[np.float64], NDArray[np.int8], int, NDArray[np.int8]]:
    """The acting seat's tensor at each play of a legal hand.

    Returns the tensors, shape (plays, 4, 3, 32); who played, shape (plays,); the number of the trump suit, 0
    KARO, 1 HERC, 2 PIK, 3 TREF; and the steps from each of these seats to the bidder, shape (plays,). Raises
    ValueError unless all dealt cards are known.
    """
    dealt = events[events["action"] == Action.DEAL_HAND]["cards"]
    if len(dealt) != SEATS or (dealt == cards.UNKNOWN).any():
        raise ValueError("not all cards of the hand are known")
    tensors = np.zeros((MOST_PLAYS, *SHAPE), np.float64)
    seats = np.zeros(MOST_PLAYS, np.int8)
    count, trump, bidder = _playing_states(events, tensors, seats)
    return tensors[:count], seats[:count], int(trump), ((bidder - seats[:count]) % SEATS).astype(np.int8)


@compiled
def _playing_states(events: Any, tensors: Any, seats: Any) -> tuple[int, int, int]:
    """Replay a hand; returns how many cards were played, the trump suit's number, and the bidder."""
    known = np.zeros((SEATS, 4, 3, len(CARDS)), np.float64)
    unknown = np.ones((SEATS, len(CARDS)), np.bool_)
    table = np.full(SEATS, -1, np.int64)
    count = 0
    trump = -1
    bidder = -1
    for event in events:
        seat = event.seat
        if event.action == Action.DEAL_HAND:
            for index in range(HAND_CARDS):
                card = _INDEX[event.cards[index]]
                known[seat, ME, AVAILABLE, card] = 1
                unknown[seat, card] = False
        elif event.action == Action.BID_TRUMP:
            trump = _SUIT_NUMBER[event.suit]
            bidder = seat
        elif event.action == Action.MELD_DECLARE:
            for index in range(event.count):
                card = _INDEX[event.cards[index]]
                for me in range(SEATS):
                    if me != seat:
                        unknown[me, card] = False
                        known[me, _ROW[(seat - me) & 3], AVAILABLE, card] = 1
        elif event.action == Action.PLAY_CARD:
            _look(known[seat], unknown[seat], table, seat)
            tensors[count] = known[seat]
            for row in range(ME):
                for card in range(len(CARDS)):
                    if unknown[seat, card]:
                        tensors[count, row, AVAILABLE, card] = UNKNOWN
            seats[count] = seat
            _turn_away(known[seat])
            card = _INDEX[event.cards[0]]
            known[seat, ME, AVAILABLE, card] = 0
            known[seat, ME, UNAVAILABLE, card] = 1
            table[seat] = card
            count += 1
            if count % SEATS == 0:
                table[:] = -1
    return count, trump, bidder


@compiled
def _look(known: Any, unknown: Any, table: Any, me: int) -> None:
    """Mark the cards on the table as such."""
    for seat in range(SEATS):
        card = table[seat]
        if card >= 0:
            row = _ROW[(seat - me) & 3]
            unknown[card] = False
            known[row, AVAILABLE, card] = 0
            known[row, TABLE, card] = 1


@compiled
def _turn_away(known: Any) -> None:
    """Mark the cards that were on the table as played."""
    for row in range(ME):
        for card in range(len(CARDS)):
            if known[row, TABLE, card]:
                known[row, TABLE, card] = 0
                known[row, UNAVAILABLE, card] = 1


@compiled
def legal_plays(state: Any, events: Any, masks: Any) -> None:
    """The legal cards at each play, as masks: shape (plays,), int64. `state`, the one before the first event,
    becomes the last. A claim of bela leaves all cards legal: the program asked about it after the choice."""
    count = 0
    for event in events:
        if event.action == Action.PLAY_CARD:
            masks[count] = playable_cards(state)
            count += 1
        belote.evolve(state, event)
