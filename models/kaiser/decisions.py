"""Kaiser's decisions: what the acting seat knew, what it could do, and the outcome.

docs/features/kaiser.md lists the values of the observation.
"""

from typing import Any, Final

import numpy as np

from cardlog.models import trick
from cardlog.models.compiled import Int, compiled
from cardlog.models.dealing import NOTHING
from cardlog.models.kaiser import rules as kaiser
from cardlog.models.kaiser.legal import legal_cards
from cardlog.models.kaiser.state import DECK_TEXT, HIGHEST_BID, NAMING, PASSED, PLAYING, SEATS
from cardlog.schemas import cards

DECISION_KINDS: Final = ("bid", "play")
_BID, _PLAY = range(2)

_DECK_CODES: Final = np.array(cards.codes(DECK_TEXT), np.int64)
_DECK_INDEX: Final = np.full(256, -1, np.int64)
_DECK_INDEX[_DECK_CODES] = np.arange(len(_DECK_CODES))

PLAY_ACTIONS: Final = len(_DECK_CODES)
"""One action per card, in the order of `DECK_TEXT`."""
NAME_ACTION: Final = 2 * HIGHEST_BID + 2
BID_ACTIONS: Final = NAME_ACTION + len(cards.SUITS)
"""One action per rank of bid (0 a pass, 2n a bid of n, 2n + 1 a no-trump bid of n), then the four suits
that may be named trump."""
MOST_ACTIONS: Final = max(PLAY_ACTIONS, BID_ACTIONS)

# Values at the first 32 indices, one per card of the pack.
UNSEEN: Final = 0
IN_HAND: Final = 1
PLAYED: Final = 2
"""Played in an earlier trick; plus the player, counted from the acting seat in turn order."""
ON_TABLE: Final = 6
"""On the table; plus the player, counted likewise."""
GIVEN: Final = 10
"""Passed to the partner and not played since."""

# Indices after the cards.
BIDS_AT: Final = 32
DECLARER_AT, TRUMP_AT, DEALER_AT, MINIMUM_AT, TRICK_AT, TABLE_AT, OUR_POINTS_AT, THEIR_POINTS_AT = range(
    BIDS_AT + SEATS, BIDS_AT + SEATS + 8
)
OBSERVATION_WIDTH: Final = THEIR_POINTS_AT + 1


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `cardlog.models.arena`. Passing cards makes no training row."""
    if state.phase == PLAYING:
        legal = legal_cards(state)
        for index in range(PLAY_ACTIONS):
            mask[index] = legal >> _DECK_CODES[index] & 1 == 1
        return _PLAY, PLAY_ACTIONS
    legal = kaiser.legal_actions(state)
    if legal == 0:
        return NOTHING, 0
    shift = NAME_ACTION if state.phase == NAMING else 0
    for action in range(BID_ACTIONS):
        mask[action] = action >= shift and legal >> (action - shift) & 1 == 1
    return _BID, BID_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `cardlog.models.arena`."""
    if state.phase == PLAYING:
        event.action = kaiser.PLAY_CARD
        event.count = 1
        event.cards[0] = _DECK_CODES[action]
    elif state.phase == NAMING:
        event.action = kaiser.NAME_TRUMP
        event.suit = action - NAME_ACTION
    elif action == PASSED:
        event.action = kaiser.BID_PASS
    else:
        event.action = kaiser.BID
        event.amount = action >> 1
        event.suit = cards.NO_TRUMP if action & 1 else cards.NO_SUIT


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, int]:
    """See `cardlog.models.fold.replay_decisions`."""
    if event.action == kaiser.PLAY_CARD:
        action = _DECK_INDEX[event.cards[0]]
    elif event.action == kaiser.BID:
        action = 2 * np.int64(event.amount) + (event.suit == cards.NO_TRUMP)
    elif event.action == kaiser.BID_PASS:
        action = np.int64(PASSED)
    elif event.action == kaiser.NAME_TRUMP:
        action = NAME_ACTION + np.int64(event.suit)
    else:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, action


@compiled
def knows_hand(state: Any, me: Int) -> bool:
    """See `cardlog.models.fold.replay_decisions`. A deal with unknown cards is illegal."""
    return True


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """Write what a seat knows: its cards, what was bid, passed and played, and the score."""
    for index in range(len(_DECK_CODES)):
        observation[index] = IN_HAND if state.hands[me] >> _DECK_CODES[index] & 1 else UNSEEN
    if state.gave == (1 << SEATS) - 1:
        for index in range(2):
            observation[_DECK_INDEX[state.passed_cards[me, index]]] = GIVEN
    on_table = state.plays - state.trick_cards
    for number in range(state.plays):
        seat = (state.leaders[number >> 2] + number) & 3
        where = PLAYED if number < on_table else ON_TABLE
        observation[_DECK_INDEX[state.played[number]]] = where + ((seat - me) & 3)
    for step in range(SEATS):
        observation[BIDS_AT + step] = state.bids[(me + step) & 3]
    over = state.phase >= NAMING
    observation[DECLARER_AT] = (state.declarer - me) & 3 if over else -1
    observation[TRUMP_AT] = state.trump
    observation[DEALER_AT] = (state.dealer - me) & 3
    observation[MINIMUM_AT] = state.min_bid
    observation[TRICK_AT] = state.tricks
    observation[TABLE_AT] = state.trick_cards
    observation[OUR_POINTS_AT] = state.points[me & 1]
    observation[THEIR_POINTS_AT] = state.points[1 - (me & 1)]


@compiled
def outcome(state: Any, decision: Any) -> tuple[float, float]:
    """Points of the trick, positive if the seat's team took it; score of the hand less the other team's."""
    return trick.outcome(state, decision.seat, decision.trick if decision.kind == _PLAY else trick.NO_TRICK)
