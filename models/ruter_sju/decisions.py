"""Ruter Sju's decisions: what the acting seat knew, what it could do, and where it finished.
docs/features/ruter_sju.md lists the observation."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.ruter_sju.legal import holding, may_block, may_pass, placements
from cardlog.models.ruter_sju.state import (
    CARD_OF,
    DECK_CARDS,
    NUMBER_OF,
    PLAYING,
    RANKS,
    SEATS,
    SUIT_OF,
    SUITS,
)
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action

DECISION_KINDS: Final = ("play",)
_PLAY: Final = 0

BLOCK_ACTION: Final = DECK_CARDS
"""One action per card, suit by suit in the game's order, each from the lowest; then the block."""
PASS_ACTION: Final = BLOCK_ACTION + 1
MOST_ACTIONS: Final = PASS_ACTION + 1

# Values at the first 90 indices, one per card.
NO_CARD: Final = -1  # not in this deck
UNSEEN: Final = 0
IN_HAND: Final = 1
PLACED: Final = 2  # on the table; plus how many seats after the acting one the player sits
MAY_HOLD: Final = 8  # in the acting seat's hand or in another hidden one: the source does not say which

# Indices after the cards. Those with a value per player start from the acting seat; missing players have -1.
LEFT_AT: Final = DECK_CARDS
PLACES_AT: Final = LEFT_AT + SEATS
BLOCKS_AT: Final = PLACES_AT + SEATS
UNDER_AT: Final = BLOCKS_AT + SEATS
OVER_AT: Final = UNDER_AT + SUITS
HOLDER_AT, AGAIN_AT, SEATS_AT, SUITS_AT, RANKS_AT = range(OVER_AT + SUITS, OVER_AT + SUITS + 5)
OBSERVATION_WIDTH: Final = RANKS_AT + 1


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`."""
    if state.phase != PLAYING or state.holder == state.turn:
        return NOTHING, 0
    for suit in range(SUITS):
        legal: Int = np.int64(0)
        if suit < state.suits:
            legal = placements(state, state.turn, suit)
        for step in range(RANKS):
            mask[suit * RANKS + step] = legal >> step & 1 == 1
    mask[BLOCK_ACTION] = may_block(state, state.turn)
    mask[PASS_ACTION] = may_pass(state, state.turn)
    return _PLAY, MOST_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`."""
    if action == BLOCK_ACTION:
        event.action = Action.PLAY_BLOCK
    elif action == PASS_ACTION:
        event.action = Action.PLAY_PASS
    else:
        event.action = Action.PLAY_CARD
        event.count = 1
        event.cards[0] = CARD_OF[action // RANKS, action % RANKS + 1]


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, Int]:
    """See `Decisions`."""
    if event.action == Action.PLAY_CARD:
        card = event.cards[0]
        action = np.int64(SUIT_OF[card]) * RANKS + np.int64(NUMBER_OF[card]) - 1
    elif event.action == Action.PLAY_BLOCK:
        action = np.int64(BLOCK_ACTION)
    elif event.action == Action.PLAY_PASS:
        action = np.int64(PASS_ACTION)
    else:
        return NOTHING, 0, 0
    if state.any_start and 0 <= event.seat < state.seats:
        state.turn = event.seat  # [R9] only the event shows which hidden hand begins
    kind, count = legal_actions(state, mask)
    return kind, count, action


@compiled
def knows_hand(state: Any, seat: Int) -> bool:
    """See `Decisions`. [R9]"""
    return bool(state.hidden >> np.int64(seat) & 1 == 0)


@compiled
def observe(state: Any, seat: Int, observation: Any) -> None:
    """Write what a seat knows: its cards, the table, and the others' counts and places."""
    me = np.int64(seat)
    seats = np.int64(state.seats)
    held_value = MAY_HOLD if state.hidden >> me & 1 else IN_HAND
    for suit in range(SUITS):
        cards: Int = np.int64(0)
        if suit < state.suits:
            cards = holding(state, me, suit)
        for step in range(RANKS):
            value = held_value if cards >> step & 1 else UNSEEN
            if suit >= state.suits or step >= state.ranks:
                value = NO_CARD
            observation[suit * RANKS + step] = value
        observation[UNDER_AT + suit] = state.under[suit]
        observation[OVER_AT + suit] = state.over[suit]
    for number in range(state.plays):
        card = state.played[number]
        index = np.int64(SUIT_OF[card]) * RANKS + np.int64(NUMBER_OF[card]) - 1
        observation[index] = PLACED + (np.int64(state.players[number]) - me) % seats
    for step in range(SEATS):
        is_taken = step < seats
        other = (me + step) % seats
        observation[LEFT_AT + step] = state.left[other] if is_taken else -1
        observation[PLACES_AT + step] = state.places[other] if is_taken else -1
        observation[BLOCKS_AT + step] = state.blocks[other] if is_taken else -1
    observation[HOLDER_AT] = -1 if state.holder == NO_SEAT else (np.int64(state.holder) - me) % seats
    observation[AGAIN_AT] = state.again
    observation[SEATS_AT] = seats
    observation[SUITS_AT] = state.suits
    observation[RANKS_AT] = state.ranks


@compiled
def outcome(state: Any, decision: Any) -> tuple[float, float]:
    """No reward; the return is how many seats finish after this one, less how many finish before it."""
    if state.done == 0:
        return 0.0, np.nan
    return 0.0, np.float64(state.seats) + 1.0 - 2.0 * np.float64(state.places[decision.seat])


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
    knows_hand=knows_hand,
    words={"play": (*cards.singly(cards.texts(CARD_OF[:, 1:].ravel())), "take the block", "pass")},
)
