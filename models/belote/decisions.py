"""Belote's decisions: what the acting seat knew, what it could do, and the outcome. docs/features/belote.md
lists the observation."""

from typing import Any, Final

import numpy as np

from cardlog.models.belote.legal import bela_cards, legal_bids, playable_cards
from cardlog.models.belote.state import BIDDING, DECK_TEXT, KARO, NOBODY, PLAYING, SEEN_IN_BIDDING
from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.engine.trick import DECISION_KINDS, SEATS
from cardlog.schemas import cards
from cardlog.schemas.events import Action

_DECK_CODES: Final = np.array(cards.codes(DECK_TEXT), np.int64)
DECK_INDEX: Final = trick.index_by_code(_DECK_CODES)

PLAY_ACTIONS: Final = len(_DECK_CODES)  # one action per card, in the order of `DECK_TEXT`
BID_ACTIONS: Final = 1 + len(cards.SUITS)  # a pass, then the four suits
MOST_ACTIONS: Final = PLAY_ACTIONS

# Values at the first 32 indices, one per card of the pack.
UNSEEN: Final = 0
IN_HAND: Final = 1
PLAYED: Final = 2  # in an earlier trick; plus how many seats after the acting one the player sits
ON_TABLE: Final = 6  # on the table; plus the same
HELD: Final = 10
"""Shown in a declaration, or known from a claim of bela, and not played since; plus the same."""

# Indices after the cards.
BIDS_AT: Final = 32
(
    BIDDER_AT, TRUMP_AT, DEALER_AT, TRICK_AT, TABLE_AT, OUR_POINTS_AT, THEIR_POINTS_AT, OUR_DECLARED_AT,
    THEIR_DECLARED_AT, BELA_AT, OUR_MATCH_AT, THEIR_MATCH_AT, HAND_KNOWN_AT,
) = range(BIDS_AT + SEATS, BIDS_AT + SEATS + 13)  # fmt: skip
LACKS_AT: Final = HAND_KNOWN_AT + 1
OBSERVATION_WIDTH: Final = LACKS_AT + trick.LACKS
HALF_POINTS: Final = 81  # subtracted from the points of tricks, which go up to 162, to fit 8 bits
TENS: Final = 10  # unit of declarations and of the match score
MOST: Final = 127  # declarations and match scores are clipped to this


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`. Declaring is no decision, nor is claiming bela: whatever counts is shown."""
    if state.phase == BIDDING:
        legal = legal_bids(state)
        for action in range(BID_ACTIONS):
            mask[action] = legal >> action & 1 == 1
        return trick.BID, BID_ACTIONS
    if state.phase != PLAYING:
        return NOTHING, 0
    trick.mark(mask, playable_cards(state), _DECK_CODES)
    return trick.PLAY, PLAY_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`."""
    if state.phase != BIDDING:
        event.action = Action.PLAY_CARD
        event.count = 1
        event.cards[0] = _DECK_CODES[action]
    elif action == 0:
        event.action = Action.BID_PASS
    else:
        event.action = Action.BID_TRUMP
        event.suit = action - 1


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, int]:
    """See `Decisions`."""
    if event.action == Action.PLAY_CARD:
        action = DECK_INDEX[event.cards[0]]
    elif event.action == Action.BID_TRUMP:
        action = 1 + np.int64(event.suit)
    elif event.action == Action.BID_PASS:
        action = np.int64(0)
    else:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, action


@compiled
def knows_hand(state: Any, me: Int) -> bool:
    """See `Decisions`. While bidding, whether the six cards seen are known and in the order dealt."""
    if state.phase != BIDDING:
        return bool(state.hidden[me] == 0)
    known = bool(state.ordered >> me & 1)
    for index in range(SEEN_IN_BIDDING):
        known = known and state.dealt_cards[me, index] != cards.UNKNOWN
    return known


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """Write what a seat knows. Bela is claimed with a card, so the claim is not known when that card is
    chosen. While bidding, a seat has seen only the first six cards that it was dealt."""
    observation[:BIDS_AT] = UNSEEN
    if state.phase == BIDDING:
        _observe_six(state, me, observation)
    else:
        _observe_cards(state, me, observation)
    for step in range(SEATS):
        observation[BIDS_AT + step] = state.bids[(me + step) & 3]
    observation[BIDDER_AT] = (state.declarer - me) & 3 if state.declarer >= 0 else -1
    observation[TRUMP_AT] = state.trump
    observation[DEALER_AT] = (state.dealer - me) & 3
    observation[TRICK_AT] = state.tricks
    observation[TABLE_AT] = state.trick_cards
    ours, theirs = me & 1, 1 - (me & 1)
    observation[OUR_POINTS_AT] = state.points[ours] - HALF_POINTS
    observation[THEIR_POINTS_AT] = state.points[theirs] - HALF_POINTS
    observation[OUR_DECLARED_AT] = min(MOST, state.declared[ours] // TENS)
    observation[THEIR_DECLARED_AT] = min(MOST, state.declared[theirs] // TENS)
    claimed = state.bela != NOBODY and not state.claiming
    observation[BELA_AT] = (state.bela - me) & 3 if claimed else -1
    observation[OUR_MATCH_AT] = min(MOST, state.before[ours] // TENS) if state.in_match else -1
    observation[THEIR_MATCH_AT] = min(MOST, state.before[theirs] // TENS) if state.in_match else -1
    free = np.int64(KARO if state.karo_led_frees_everyone else cards.NO_SUIT)
    trick.observe_lacking(state, me, observation, LACKS_AT, (True, free))


@compiled
def _observe_six(state: Any, me: Int, observation: Any) -> None:
    """Write the cards seen before bidding; none if the log does not say which they were."""
    for index in range(SEEN_IN_BIDDING if state.ordered >> me & 1 else 0):
        card = state.dealt_cards[me, index]
        if card != cards.UNKNOWN:
            observation[DECK_INDEX[card]] = IN_HAND
    observation[HAND_KNOWN_AT] = knows_hand(state, me)


@compiled
def _observe_cards(state: Any, me: Int, observation: Any) -> None:
    """Write where every card is, as far as the seat knows."""
    held = np.int64(state.hands[me])
    trick.observe_cards(observation, held, DECK_INDEX, IN_HAND)
    for seat in range(SEATS):
        known = bela_cards(state) if seat == state.bela else np.int64(0)
        for number in range(state.shown_count[seat]):
            known |= state.shown[seat, number]
        if seat != me:
            trick.observe_cards(observation, known & ~held, DECK_INDEX, HELD + ((seat - me) & 3))
    trick.observe_played(state, me, observation, DECK_INDEX, (PLAYED, ON_TABLE))
    observation[HAND_KNOWN_AT] = knows_hand(state, me)


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
    knows_hand=knows_hand,
    words={"play": cards.singly(DECK_TEXT), "bid": ("pass", *trick.NAME_WORDS)},
    encoders={"original": "cardlog.pipelines.export.belote_original:ENCODER"},
)
