"""High card's decisions: what the acting seat knew, what it could do, and the outcome.

docs/features/high_card.md lists the values of the observation.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.dealing import NOTHING
from cardlog.models.game import Decisions
from cardlog.models.high_card.rules import DECK_TEXT, legal_cards
from cardlog.models.trick import index_by_code, mark, observe_played
from cardlog.schemas import cards
from cardlog.schemas.events import Action

DECISION_KINDS: Final = ("play",)

_DECK_CODES: Final = np.array(cards.codes(DECK_TEXT), np.int64)
_DECK_INDEX: Final = index_by_code(_DECK_CODES)

MOST_ACTIONS: Final = len(_DECK_CODES)
"""One action per card, in the order of `DECK_TEXT`."""

# Values at the first 52 indices, one per card of the pack.
UNSEEN: Final = 0
IN_HAND: Final = 1
PLAYED: Final = 2
"""Played in an earlier trick; plus the player, counted from the acting seat in turn order."""
ON_TABLE: Final = 6
"""On the table; plus the player, counted likewise."""

TRICK_AT: Final = MOST_ACTIONS
OBSERVATION_WIDTH: Final = TRICK_AT + 1


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[Int, Int]:
    """See `Decisions`."""
    legal = legal_cards(state)
    if legal == 0:
        return NOTHING, 0
    mark(mask, legal, _DECK_CODES)
    return 0, MOST_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`."""
    event.action = Action.PLAY_CARD
    event.count = 1
    event.cards[0] = _DECK_CODES[action]


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[Int, Int, Int]:
    """See `Decisions`."""
    if event.action != Action.PLAY_CARD:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, _DECK_INDEX[event.cards[0]]


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """Write what a seat knows: its cards, and those that were played."""
    for index in range(MOST_ACTIONS):
        observation[index] = IN_HAND if state.hands[me] >> _DECK_CODES[index] & 1 else UNSEEN
    observe_played(state, me, observation, _DECK_INDEX, (PLAYED, ON_TABLE))
    observation[TRICK_AT] = state.tricks


@compiled
def outcome(state: Any, decision: Any) -> tuple[float, float]:
    """1 for a trick that the seat's team took, -1 for one that the other took; the same for the hand."""
    team = decision.seat & 1
    reward = np.nan
    if decision.trick < state.tricks:
        reward = 1.0 if state.winners[decision.trick] & 1 == team else -1.0
    if state.done == 0:
        return reward, np.nan
    return reward, 1.0 if state.score[team] > 0 else -1.0


DECISIONS: Final = Decisions(
    kinds=DECISION_KINDS,
    most_actions=MOST_ACTIONS,
    width=OBSERVATION_WIDTH,
    version=1,
    legal_actions=legal_actions,
    observe=observe,
    to_event=to_event,
    decide=decide,
    outcome=outcome,
)
