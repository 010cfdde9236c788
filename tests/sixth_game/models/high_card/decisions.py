"""High card's decisions: what the acting seat knew, what it could do, and the outcome.

docs/features/high_card.md lists the values of the observation.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.dealing import NOTHING
from cardlog.models.high_card import rules as high_card
from cardlog.models.high_card.rules import SEATS
from cardlog.schemas import cards

DECISION_KINDS: Final = ("play",)

_DECK_CODES: Final = np.array(cards.codes(high_card.DECK_TEXT), np.int64)
_DECK_INDEX: Final = np.full(256, -1, np.int64)
_DECK_INDEX[_DECK_CODES] = np.arange(len(_DECK_CODES))

MOST_ACTIONS: Final = len(_DECK_CODES)
"""One action per card, in the order of `high_card.DECK_TEXT`."""

# Values at the first 52 indices, one per card of the pack.
UNSEEN: Final = 0
IN_HAND: Final = 1
PLAYED: Final = 2
"""Played by the acting seat; one more if by the other."""

TRICK_AT: Final = MOST_ACTIONS
LED_AT: Final = TRICK_AT + 1
OBSERVATION_WIDTH: Final = LED_AT + 1


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `cardlog.models.arena`."""
    legal = high_card.legal_cards(state)
    if legal == 0:
        return NOTHING, 0
    for index in range(MOST_ACTIONS):
        mask[index] = legal >> _DECK_CODES[index] & 1 == 1
    return 0, MOST_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `cardlog.models.arena`."""
    event.action = high_card.PLAY_CARD
    event.count = 1
    event.cards[0] = _DECK_CODES[action]


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, int]:
    """See `cardlog.models.fold.replay_decisions`."""
    if event.action != high_card.PLAY_CARD:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, _DECK_INDEX[event.cards[0]]


@compiled
def knows_hand(state: Any, me: Int) -> bool:
    """See `cardlog.models.fold.replay_decisions`. A deal with unknown cards is illegal."""
    return True


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """Write what a seat knows: its cards, and those that were played."""
    for index in range(MOST_ACTIONS):
        observation[index] = IN_HAND if state.hands[me] >> _DECK_CODES[index] & 1 else UNSEEN
    for number in range(state.plays):
        seat = (state.leaders[number // SEATS] + number) % SEATS
        observation[_DECK_INDEX[state.played[number]]] = PLAYED + (seat != me)
    observation[TRICK_AT] = state.tricks
    observation[LED_AT] = -1
    if state.plays % SEATS == 1:
        observation[LED_AT] = _DECK_INDEX[state.played[state.plays - 1]]


@compiled
def outcome(state: Any, decision: Any) -> tuple[float, float]:
    """1 for a trick that the seat took, -1 for one that the other took; the same for the hand."""
    reward = np.nan
    if decision.trick < state.tricks:
        reward = 1.0 if state.winners[decision.trick] == decision.seat else -1.0
    if state.done == 0:
        return reward, np.nan
    won = state.points[decision.seat] > state.points[1 - decision.seat]
    return reward, 1.0 if won else -1.0
