"""Kaiser's expert: bids what its hand is worth, plays by `thumb`. A bid is the number of points that a side
believes it can take (pagat.com/auctionwhist/kaiser.html): tricks by aces, kings and length, what a partner
adds, and the five of hearts for a hand that can keep it."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import of_suit, size_of, suit_of
from cardlog.models.kaiser.decisions import DECK_INDEX, NAME_ACTION
from cardlog.models.kaiser.legal import legal_bids, legal_cards
from cardlog.models.kaiser.rules import FIVE_OF_HEARTS, THREE_OF_SPADES
from cardlog.models.kaiser.solvable import SOLVABLE
from cardlog.models.kaiser.state import DECK, HIGHEST_BID, NAMING, PASSED, PLAYING
from cardlog.models.players.thumb import look_up, play_by_thumb
from cardlog.schemas import cards

_ABOVE, _WORTH = look_up(SOLVABLE, 1)
_ONE_PER_SUIT: Final = np.int64(1 | 1 << 16 | 1 << 32 | 1 << 48)  # cards of rank 0; shifted for other ranks
_HIGH: Final = np.array([cards.RANKS.index(rank) for rank in "AKQJ"])
_HEARTS: Final = np.int64(suit_of(FIVE_OF_HEARTS))
_SUITS: Final = len(cards.SUITS)

# What a hand is worth: the points its side can expect with nothing in it, and what each card adds. The first
# group is for a contract with trump, the constants in `_WITHOUT` are for one without.
BASE: Final = 1.2
LENGTH: Final = 0.45
TRUMPS: Final = np.array([0.9, 0.7, 0.45, 0.3])  # ace, king, queen and jack of trump
SIDE: Final = np.array([1.0, 0.5, 0.15, 0.0])  # the same cards of other suits
VOID: Final = 0.6
SINGLETON: Final = 0.25
FIVE: Final = 0.6
FIVE_IN_TRUMP: Final = 1.5
THREE: Final = -0.2
BASE_WITHOUT: Final = 0.8
HIGH_WITHOUT: Final = np.array([1.3, 0.8, 0.4, 0.2])
LONG_WITHOUT: Final = np.array([0.3, 0.5])  # a suit of four cards or more; five or more
FIVE_WITHOUT: Final = 0.6
THREE_WITHOUT: Final = -0.2
RISK: Final = 0.5  # subtracted before bidding, since the others know their own cards better
RISK_WITHOUT: Final = 1.0


@compiled
def expert(state: Any) -> Int:
    """The action of the seat in turn, from what it knows."""
    hand = np.int64(state.hands[state.turn])
    if state.phase == PLAYING:
        return np.int64(DECK_INDEX[play_by_thumb(state, legal_cards(state), DECK, _ABOVE, _WORTH)])
    suit = np.int64(0)
    for other in range(1, _SUITS):
        if worth_with(hand, other) > worth_with(hand, suit):
            suit = np.int64(other)
    return NAME_ACTION + suit if state.phase == NAMING else _bid(state, hand, suit)


@compiled
def _bid(state: Any, hand: Int, suit: Int) -> Int:
    """The lowest legal bid that the hand is worth. Without trump, where everything counts double, the margin
    is larger."""
    legal = legal_bids(state)
    with_trump = worth_with(hand, suit) - RISK
    without = worth_without(hand) - RISK_WITHOUT
    for rank in range(2 * np.int64(state.min_bid), 2 * HIGHEST_BID + 2):
        worth = without if rank & 1 else with_trump
        if legal >> rank & 1 and rank >> 1 <= worth:
            return np.int64(rank)
    if legal & 1:
        return np.int64(PASSED)
    lowest = 2 * np.int64(state.min_bid)
    return lowest + 1 if without > with_trump + RISK_WITHOUT else lowest


@compiled
def worth_with(hand: Int, trump: Int) -> float:
    """The points that a hand's side can expect with a trump."""
    own = of_suit(hand, trump)
    worth = BASE + LENGTH * size_of(own)
    for index in range(len(_HIGH)):
        high = hand & _ONE_PER_SUIT << _HIGH[index]
        worth += TRUMPS[index] * size_of(high & own) + SIDE[index] * size_of(high & ~own)
    for suit in range(_SUITS):
        if suit != trump:
            count = size_of(of_suit(hand, suit))
            worth += VOID * (count == 0) + SINGLETON * (count == 1)
    if hand >> FIVE_OF_HEARTS & 1:
        worth += FIVE_IN_TRUMP if trump == _HEARTS else FIVE
    return worth + THREE * (hand >> THREE_OF_SPADES & 1)


@compiled
def worth_without(hand: Int) -> float:
    """The points that a hand's side can expect without trump."""
    worth = BASE_WITHOUT
    longest = np.int64(0)
    for index in range(len(_HIGH)):
        worth += HIGH_WITHOUT[index] * size_of(hand & _ONE_PER_SUIT << _HIGH[index])
    for suit in range(_SUITS):
        longest = max(longest, np.int64(size_of(of_suit(hand, suit))))
    worth += LONG_WITHOUT[0] * (longest >= 4) + LONG_WITHOUT[1] * (longest >= 5)
    worth += FIVE_WITHOUT * (hand >> FIVE_OF_HEARTS & 1) + THREE_WITHOUT * (hand >> THREE_OF_SPADES & 1)
    return float(worth)
