"""Kaiser's decisions: what the acting seat knew, what it could do, and the outcome. docs/features/kaiser.md
lists the observation."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.engine.trick import DECISION_KINDS, SEATS
from cardlog.models.kaiser import legal as kaiser
from cardlog.models.kaiser.state import DECK_TEXT, HIGHEST_BID, NAMING, PASSED, PLAYING
from cardlog.schemas import cards
from cardlog.schemas.events import Action

_DECK_CODES: Final = np.array(cards.codes(DECK_TEXT), np.int64)
DECK_INDEX: Final = trick.index_by_code(_DECK_CODES)

PLAY_ACTIONS: Final = len(_DECK_CODES)  # one action per card, in the order of `DECK_TEXT`
NAME_ACTION: Final = 2 * HIGHEST_BID + 2
BID_ACTIONS: Final = NAME_ACTION + len(cards.SUITS)
"""One action per rank of bid (0 a pass, 2n a bid of n, 2n + 1 a no-trump bid of n), then the four suits
that may be named trump."""
MOST_ACTIONS: Final = max(PLAY_ACTIONS, BID_ACTIONS)

# Values at the first 32 indices, one per card of the pack.
UNSEEN: Final = 0
IN_HAND: Final = 1
PLAYED: Final = 2  # in an earlier trick; plus how many seats after the acting one the player sits
ON_TABLE: Final = 6  # on the table; plus the same
GIVEN: Final = 10  # passed to the partner and not played since

# Indices after the cards.
BIDS_AT: Final = 32
DECLARER_AT, TRUMP_AT, DEALER_AT, MINIMUM_AT, TRICK_AT, TABLE_AT, OUR_POINTS_AT, THEIR_POINTS_AT = range(
    BIDS_AT + SEATS, BIDS_AT + SEATS + 8
)
LACKS_AT: Final = THEIR_POINTS_AT + 1
OBSERVATION_WIDTH: Final = LACKS_AT + trick.LACKS


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`. Passing cards is no decision, so it makes no training row."""
    if state.phase == PLAYING:
        trick.mark(mask, kaiser.legal_cards(state), _DECK_CODES)
        return trick.PLAY, PLAY_ACTIONS
    legal = kaiser.legal_actions(state)
    if legal == 0:
        return NOTHING, 0
    shift = NAME_ACTION if state.phase == NAMING else 0
    for action in range(BID_ACTIONS):
        mask[action] = action >= shift and legal >> (action - shift) & 1 == 1
    return trick.BID, BID_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`."""
    if state.phase == PLAYING:
        event.action = Action.PLAY_CARD
        event.count = 1
        event.cards[0] = _DECK_CODES[action]
    elif state.phase == NAMING:
        event.action = Action.BID_TRUMP
        event.suit = action - NAME_ACTION
    elif action == PASSED:
        event.action = Action.BID_PASS
    else:
        event.action = Action.BID_BID
        event.amount = action >> 1
        event.suit = cards.NO_TRUMP if action & 1 else cards.NO_SUIT


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, int]:
    """See `Decisions`."""
    if event.action == Action.PLAY_CARD:
        action = DECK_INDEX[event.cards[0]]
    elif event.action == Action.BID_BID:
        action = 2 * np.int64(event.amount) + (event.suit == cards.NO_TRUMP)
    elif event.action == Action.BID_PASS:
        action = np.int64(PASSED)
    elif event.action == Action.BID_TRUMP:
        action = NAME_ACTION + np.int64(event.suit)
    else:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, action


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """Write what a seat knows: its cards, what was bid, passed and played, and the score."""
    observation[:BIDS_AT] = UNSEEN
    trick.observe_cards(observation, state.hands[me], DECK_INDEX, IN_HAND)
    if state.gave == (1 << SEATS) - 1:
        for index in range(2):
            observation[DECK_INDEX[state.passed_cards[me, index]]] = GIVEN
    trick.observe_played(state, me, observation, DECK_INDEX, (PLAYED, ON_TABLE))
    for step in range(SEATS):
        observation[BIDS_AT + step] = state.bids[(me + step) & 3]
    has_declarer = state.phase >= NAMING
    observation[DECLARER_AT] = (state.declarer - me) & 3 if has_declarer else -1
    observation[TRUMP_AT] = state.trump
    observation[DEALER_AT] = (state.dealer - me) & 3
    observation[MINIMUM_AT] = state.min_bid
    observation[TRICK_AT] = state.tricks
    observation[TABLE_AT] = state.trick_cards
    observation[OUR_POINTS_AT] = state.points[me & 1]
    observation[THEIR_POINTS_AT] = state.points[1 - (me & 1)]
    trick.observe_lacking(state, me, observation, LACKS_AT, (False, cards.NO_SUIT))


DECISIONS: Final = Decisions(
    kinds=DECISION_KINDS,
    most_actions=MOST_ACTIONS,
    width=OBSERVATION_WIDTH,
    version=2,
    legal_actions=legal_actions,
    observe=observe,
    to_event=to_event,
    decide=decide,
    outcome=trick.outcome,
    words={
        "play": cards.singly(DECK_TEXT),
        "bid": (
            "pass",
            *[f"bid {rank >> 1}{' no trump' if rank & 1 else ''}" for rank in range(1, NAME_ACTION)],
            *trick.NAME_WORDS,
        ),
    },
)
