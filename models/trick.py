"""What trick-taking games share: sets of cards as bit masks, and who takes a trick."""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.schemas.cards import SUIT_STRIDE

NO_TRICK: Final = -1
SUIT_BITS: Final = np.int64((1 << SUIT_STRIDE) - 1)
"""The cards of suit 0; shifted by 16 bits for each suit above."""


@compiled
def suit_of(card: Int) -> Int:
    """The suit of a card code, 0..3."""
    return card >> 4


@compiled
def of_suit(cards: Int, suit: Int) -> Int:
    """The cards of a set that are of one suit, as a mask."""
    return cards & (SUIT_BITS << (suit << 4))


@compiled
def follow_suit(hand: Int, suit_led: Int) -> Int:
    """The legal cards after a lead: those of the suit led, or any if there are none."""
    same = of_suit(hand, suit_led)
    if same != 0:
        return same
    return hand


@compiled
def beats(card: Int, best: Int, trump: Int) -> bool:
    """Whether `card`, played later, takes the trick from `best`: higher in the same suit, or a
    trump on a plain card. Ranks count by their numbers; trump may be no suit."""
    if suit_of(card) == suit_of(best):
        return bool(card > best)
    return bool(suit_of(card) == trump)


@compiled
def outcome(state: Any, seat: Int, trick: Int) -> tuple[float, float]:
    """Reward and return of a seat's decision, in games of two partnerships: the trick's points, negative if
    the other team took it, nan if it was not finished, 0 for a decision before the first trick, with number
    `NO_TRICK`; and the score of the hand less the other team's, nan if the hand breaks off."""
    team = seat & 1
    reward = 0.0
    if trick != NO_TRICK:
        reward = np.nan
        if trick < state.tricks:
            value = np.float64(state.values[trick])
            reward = value if state.winners[trick] & 1 == team else -value
    if state.done == 0:
        return reward, np.nan
    return reward, np.float64(state.score[team]) - np.float64(state.score[1 - team])
