"""Belote's expert: names trump by what six cards are worth, plays by `thumb`. It names trump if its side can
expect more than half of all points ([R13] of docs/rules/belote.md): jack and nine of trump above all, then
length, bela, and aces of other suits (pagat.com/jass/belote.html)."""

from typing import Any, Final

import numpy as np

from cardlog.models.belote.decisions import DECK_INDEX
from cardlog.models.belote.legal import playable_cards
from cardlog.models.belote.score import ACE, JACK, KING, NINE, ONE_PER_SUIT, QUEEN, TEN
from cardlog.models.belote.solvable import SOLVABLE
from cardlog.models.belote.state import BIDDING, DECK, SEEN_IN_BIDDING
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import of_suit, size_of
from cardlog.models.players.thumb import look_up, play_by_thumb
from cardlog.schemas import cards

_ABOVE, _WORTH = look_up(SOLVABLE, 20)
_SUITS: Final = len(cards.SUITS)

# What a hand is worth: the points its side can expect with nothing in it, and what each card adds.
BASE: Final = 45.0
LENGTH: Final = 9.0
TRUMPS: Final = np.array([20.0, 14.0, 8.0, 4.0, 0.0, 0.0])  # jack, nine, ace, ten, king and queen of trump
BELA_WORTH: Final = 15.0
SIDE_ACE: Final = 12.0
SIDE_ACE_TEN: Final = 6.0
SIDE_TEN: Final = 3.0
VOID: Final = 3.0
ENOUGH: Final = 86.0  # half of all points, and a margin

_HIGH: Final = np.array([JACK, NINE, ACE, TEN, KING, QUEEN])


@compiled
def expert(state: Any) -> Int:
    """The action of the seat in turn, from what it knows."""
    if state.phase == BIDDING:
        return _bid(state)
    return np.int64(DECK_INDEX[play_by_thumb(state, playable_cards(state), DECK, _ABOVE, _WORTH)])


@compiled
def _bid(state: Any) -> Int:
    """[R4] A pass, or a suit. The seat has not seen its last two cards yet."""
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
    """The points that the side of these six cards can expect with a trump."""
    own = of_suit(seen, trump)
    side = seen & ~own
    worth = BASE + LENGTH * size_of(own)
    for index in range(len(_HIGH)):
        worth += TRUMPS[index] * size_of(own & ONE_PER_SUIT << _HIGH[index])
    kings, queens = own & ONE_PER_SUIT << KING, own & ONE_PER_SUIT << QUEEN
    worth += BELA_WORTH * (kings != 0 and queens != 0)
    aces, tens = side & ONE_PER_SUIT << ACE, side & ONE_PER_SUIT << TEN
    both = aces >> (ACE - TEN) & tens
    worth += SIDE_ACE * size_of(aces) + SIDE_ACE_TEN * size_of(both) + SIDE_TEN * size_of(tens & ~both)
    for suit in range(_SUITS):
        worth += VOID * (suit != trump and of_suit(seen, suit) == 0)
    return float(worth)
