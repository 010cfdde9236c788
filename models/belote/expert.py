"""Belote's expert: names trump by what six cards are worth, plays by `thumb`. Trump is for who can expect
more than half of all points ([R13] of docs/rules/belote.md): jack and nine of trump above all, then length,
bela, and aces of other suits (pagat.com/jass/belote.html)."""

from typing import Any, Final

import numpy as np

from cardlog.models.belote.decisions import DECK_INDEX
from cardlog.models.belote.legal import choice
from cardlog.models.belote.score import ACE, JACK, KING, NINE, QUEEN, TEN
from cardlog.models.belote.solving import SOLVABLE
from cardlog.models.belote.state import BIDDING, DECK, SEEN_IN_BIDDING
from cardlog.models.compiled import Int, compiled
from cardlog.models.thumb import look_up, play_by_thumb
from cardlog.models.trick import of_suit, size_of
from cardlog.schemas import cards

_ABOVE, _WORTH = look_up(SOLVABLE, 20)
_SUITS: Final = len(cards.SUITS)
_RANKS: Final = np.int64(1 | 1 << 16 | 1 << 32 | 1 << 48)  # rank 0 of each suit; to be shifted for the others

# What a hand is worth: the points of its side with nothing, and what is added for each card.
BASE: Final = 45.0
LENGTH: Final = 9.0
TRUMPS: Final = np.array([20.0, 14.0, 8.0, 4.0, 0.0, 0.0])  # jack, nine, ace, ten, king and queen of trump
BELA_WORTH: Final = 15.0
SIDE_ACE: Final = 12.0
SIDE_ACE_TEN: Final = 6.0
SIDE_TEN: Final = 3.0
VOID: Final = 3.0
ENOUGH: Final = 86.0  # half of all points, and a little for what can go wrong

_HIGH: Final = np.array([JACK, NINE, ACE, TEN, KING, QUEEN])


@compiled
def expert(state: Any) -> Int:
    """The action of the seat in turn, by what it knows."""
    if state.phase == BIDDING:
        return _bid(state)
    return np.int64(DECK_INDEX[play_by_thumb(state, choice(state), DECK, _ABOVE, _WORTH)])


@compiled
def _bid(state: Any) -> Int:
    """[R4] A pass, or a suit. The last two cards dealt have not been seen."""
    seen = np.int64(0)
    for index in range(SEEN_IN_BIDDING):
        card = np.int64(state.dealt_cards[state.turn, index])
        if card != cards.UNKNOWN:
            seen |= np.int64(1) << card
    suit = np.int64(0)
    for other in range(1, _SUITS):
        if worth_with(seen, other) > worth_with(seen, suit):
            suit = np.int64(other)
    if state.turn != state.dealer and worth_with(seen, suit) < ENOUGH:
        return np.int64(0)
    return 1 + suit


@compiled
def worth_with(seen: Int, trump: Int) -> float:
    """The points that the side of six cards can expect with a trump."""
    own = of_suit(seen, trump)
    side = seen & ~own
    worth = BASE + LENGTH * size_of(own)
    for index in range(len(_HIGH)):
        worth += TRUMPS[index] * size_of(own & _RANKS << _HIGH[index])
    kings, queens = own & _RANKS << KING, own & _RANKS << QUEEN
    worth += BELA_WORTH * (kings != 0 and queens != 0)
    aces, tens = side & _RANKS << ACE, side & _RANKS << TEN
    both = aces >> (ACE - TEN) & tens
    worth += SIDE_ACE * size_of(aces) + SIDE_ACE_TEN * size_of(both) + SIDE_TEN * size_of(tens & ~both)
    for suit in range(_SUITS):
        worth += VOID * (suit != trump and of_suit(seen, suit) == 0)
    return float(worth)
