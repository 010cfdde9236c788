"""Pinochle's decisions: what the acting seat knew, what it could do, and the outcome.
docs/features/pinochle.md lists the observation."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.engine.trick import DECISION_KINDS, SEATS, lowest, player_of
from cardlog.models.pinochle.cards import DECK_CODES, DECK_TEXT, KINDS
from cardlog.models.pinochle.legal import legal_cards, may_bid
from cardlog.models.pinochle.state import BIDDING, MOST_BID, NAMING, PASSED, PLAYING
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, Action

_DECK_INDEX: Final = trick.index_by_code(DECK_CODES)

PLAY_ACTIONS: Final = KINDS
"""One action per kind of card, in the order of `DECK_TEXT`; the two copies share one."""
HIGH_ACTION: Final = 100  # a bid of 100 or more. Below it the action is the number bid; 0 is a pass.
NAME_ACTION: Final = HIGH_ACTION + 1
THROW_IN_ACTION: Final = NAME_ACTION + len(cards.SUITS)
BID_ACTIONS: Final = THROW_IN_ACTION + 1
"""A pass, the numbers, the four suits that may be named trump, and throwing the hand in."""
MOST_ACTIONS: Final = BID_ACTIONS

COPIES: Final = 2
"""Of each kind of card: the first 48 indices have one value per card of the pack, copies side by side."""
# Values at these indices.
UNSEEN: Final = 0
IN_HAND: Final = 1
PLAYED: Final = 2  # in an earlier trick; plus how many seats after the acting one the player sits
ON_TABLE: Final = 6  # on the table; plus the same
SHOWN: Final = 10  # shown in a meld and not played since; plus the same, which is not 0

# Indices after the cards.
BIDS_AT: Final = COPIES * KINDS
HIGH_BID_AT, DECLARER_AT, TRUMP_AT, THROWN_IN_AT, DEALER_AT = range(BIDS_AT + SEATS, BIDS_AT + SEATS + 5)
MELDS_AT: Final = DEALER_AT + 1
TRICK_AT, TABLE_AT, OUR_POINTS_AT, THEIR_POINTS_AT, OUR_SCORE_AT, THEIR_SCORE_AT = range(
    MELDS_AT + SEATS, MELDS_AT + SEATS + 6
)
LACKS_AT: Final = THEIR_SCORE_AT + 1
OBSERVATION_WIDTH: Final = LACKS_AT + trick.LACKS
MOST: Final = 127  # numbers are clipped to -127..127


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`. Melding is no decision: the whole meld is shown."""
    if state.phase == PLAYING:
        trick.mark(mask, legal_cards(state), DECK_CODES)
        return trick.PLAY, PLAY_ACTIONS
    if state.phase == NAMING:
        for action in range(BID_ACTIONS):
            mask[action] = action >= NAME_ACTION
        return trick.BID, BID_ACTIONS
    if state.phase != BIDDING:
        return NOTHING, 0
    for action in range(BID_ACTIONS):
        mask[action] = action < HIGH_ACTION and (action == 0 or may_bid(state, action))
    mask[HIGH_ACTION] = may_bid(state, _high_bid(state))
    return trick.BID, BID_ACTIONS


@compiled
def _high_bid(state: Any) -> Int:
    """The lowest bid that `HIGH_ACTION` stands for: one that wins, or after the highest there is, one that
    counts as a pass."""
    return min(max(np.int64(HIGH_ACTION), np.int64(state.high_bid) + 1), np.int64(MOST_BID))


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`. `HIGH_ACTION` becomes the lowest bid that it stands for."""
    if state.phase == PLAYING:
        event.action = Action.PLAY_CARD
        event.count = 1
        event.cards[0] = DECK_CODES[action]
    elif action == THROW_IN_ACTION:
        event.action = Action.BID_THROW_IN
    elif action >= NAME_ACTION:
        event.action = Action.BID_TRUMP
        event.suit = action - NAME_ACTION
    elif action == 0:
        event.action = Action.BID_PASS
    else:
        event.action = Action.BID_BID
        event.amount = action if action < HIGH_ACTION else _high_bid(state)


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, int]:
    """See `Decisions`."""
    if event.action == Action.PLAY_CARD:
        action = _DECK_INDEX[event.cards[0]]
    elif event.action == Action.BID_BID:
        action = min(max(np.int64(event.amount), 0), np.int64(HIGH_ACTION))
    elif event.action == Action.BID_PASS:
        action = np.int64(0)
    elif event.action == Action.BID_TRUMP:
        action = NAME_ACTION + np.int64(event.suit)
    elif event.action == Action.BID_THROW_IN:
        action = np.int64(THROW_IN_ACTION)
    else:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, action


@compiled
def knows_hand(state: Any, me: Int) -> bool:
    """See `Decisions`. Of hands that are thrown in or broken off, some cards stay unknown."""
    return bool(state.unknown[me] == 0)


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """Write what a seat knows: its cards, what was bid, shown and played, and the scores."""
    _observe_cards(state, me, observation)
    for step in range(SEATS):
        seat = (me + step) & 3
        bid = state.bids[seat]
        observation[BIDS_AT + step] = -1 if bid == NO_AMOUNT else _clipped(max(bid, PASSED))
        observation[MELDS_AT + step] = _clipped(state.meld_points[seat])
    has_declarer = state.phase >= NAMING
    observation[HIGH_BID_AT] = _clipped(state.high_bid)
    observation[DECLARER_AT] = (state.declarer - me) & 3 if has_declarer else -1
    observation[TRUMP_AT] = state.trump
    observation[THROWN_IN_AT] = state.thrown_in
    observation[DEALER_AT] = (state.dealer - me) & 3
    observation[TRICK_AT] = state.tricks
    observation[TABLE_AT] = state.trick_cards
    observation[OUR_POINTS_AT] = state.points[me & 1]
    observation[THEIR_POINTS_AT] = state.points[1 - (me & 1)]
    observation[OUR_SCORE_AT] = _clipped(state.before[me & 1])
    observation[THEIR_SCORE_AT] = _clipped(state.before[1 - (me & 1)])
    trick.observe_lacking(state, me, observation, LACKS_AT, (True, cards.NO_SUIT))


@compiled
def _clipped(number: Int) -> Int:
    return min(max(number, -MOST), MOST)


@compiled
def _observe_cards(state: Any, me: Int, observation: Any) -> None:
    """Write both values of each kind of card: copies that the seat holds come first, then those played, then
    those that others have shown."""
    observation[:BIDS_AT] = UNSEEN
    _put_all(observation, state.firsts[me], IN_HAND)
    _put_all(observation, state.seconds[me], IN_HAND)
    on_table = state.plays - state.trick_cards
    for number in range(state.plays):
        status = PLAYED if number < on_table else ON_TABLE
        _put(observation, state.played[number], status + ((player_of(state, number) - me) & 3))
    for step in range(1, SEATS):
        seat = (me + step) & 3
        firsts, seconds = np.int64(state.meld_firsts[seat]), np.int64(state.meld_seconds[seat])
        tricks = (state.plays + SEATS - 1) // SEATS
        for trick_no in range(tricks if firsts | seconds else 0):
            number = SEATS * trick_no + ((seat - state.leaders[trick_no]) & 3)
            if number < state.plays:
                bit = np.int64(1) << state.played[number]
                firsts, seconds = firsts & ~(bit & ~seconds), seconds & ~bit
        _put_all(observation, firsts, SHOWN + step)
        _put_all(observation, seconds, SHOWN + step)


@compiled
def _put_all(observation: Any, cards: Int, value: Int) -> None:
    """Fill the next value of each card of a mask."""
    while cards:
        _put(observation, lowest(cards), value)
        cards &= cards - 1


@compiled
def _put(observation: Any, card: Int, value: Int) -> None:
    """Fill the next value of a kind of card, if one is left: nines can be shown that nobody holds."""
    index = COPIES * _DECK_INDEX[card]
    if observation[index] == UNSEEN:
        observation[index] = value
    elif observation[index + 1] == UNSEEN:
        observation[index + 1] = value


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
    words={
        "play": cards.singly(DECK_TEXT),
        "bid": (
            "pass",
            *[f"bid {number}" for number in range(1, HIGH_ACTION)],
            f"bid {HIGH_ACTION} or more",
            *trick.NAME_WORDS,
            "throw in",
        ),
    },
)
