"""Pinochle's expert: bids what it can meld and take with the best trump, plays by `thumb`. The bid follows D.
Dailey, "Pinochle Tactics" (pagat.com/marriage/pintip.html): aces and long trumps take counters, other cards
are losers. Then comes what a partner adds on average."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import index_by_code, of_suit, size_of
from cardlog.models.pinochle.cards import DECK, DECK_CODES, ONE, meld
from cardlog.models.pinochle.decisions import HIGH_ACTION, NAME_ACTION, THROW_IN_ACTION
from cardlog.models.pinochle.legal import legal_cards
from cardlog.models.pinochle.solvable import SOLVABLE
from cardlog.models.pinochle.state import BIDDING, PLAYING
from cardlog.models.players.thumb import best_by_thumb, look_up
from cardlog.schemas import cards

_ABOVE, _WORTH = look_up(SOLVABLE, 2)
_INDEX: Final = index_by_code(DECK_CODES)
_SUITS: Final = len(cards.SUITS)
_ACES: Final = np.int64(cards.mask("ACADAHAS"))

PARTNER: Final = 9.0  # what a partner melds and takes on average
ACE: Final = 1.5  # the counters that an ace takes
TRUMP: Final = 0.7  # and each trump
RISK: Final = 1.0
THROW_IN: Final = 12.0
"""With less than this it is better to lose the bid at once than to let the others take counters, too."""


@compiled
def expert(state: Any) -> Int:
    """The action of the seat in turn, from what it knows."""
    once, twice = np.int64(state.firsts[state.turn]), np.int64(state.seconds[state.turn])
    if state.phase == PLAYING:
        return _play(state, once, twice)
    suit = np.int64(0)
    for other in range(1, _SUITS):
        if worth_with(state, once, twice, other) > worth_with(state, once, twice, suit):
            suit = np.int64(other)
    worth = worth_with(state, once, twice, suit)
    if state.phase == BIDDING:
        bid = np.int64(state.high_bid) + 1
        return min(bid, np.int64(HIGH_ACTION)) if bid <= worth - RISK else np.int64(0)
    return np.int64(THROW_IN_ACTION) if worth < THROW_IN and state.throw_in_ends_hand else NAME_ACTION + suit


@compiled
def _play(state: Any, once: Int, twice: Int) -> Int:
    seen_once = once
    seen_twice = twice
    for play in range(state.plays):
        bit = ONE << np.int64(state.played[play])
        seen_twice |= seen_once & bit
        seen_once |= bit
    row = state.trump + 1
    card = best_by_thumb(state, legal_cards(state), once, DECK & ~seen_twice, _ABOVE[row], _WORTH[row])
    return np.int64(_INDEX[card])


@compiled
def worth_with(state: Any, once: Int, twice: Int, trump: Int) -> float:
    """What a side can expect to meld and take with a trump, judged by one hand."""
    melded = meld(once, twice, trump, state.double_run_shows_both_nines == 1)[0]
    aces = size_of(once & _ACES) + size_of(twice & _ACES)
    trumps = size_of(of_suit(once, trump)) + size_of(of_suit(twice, trump))
    return melded + ACE * aces + TRUMP * trumps + PARTNER
