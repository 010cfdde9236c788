"""Hold'em's decisions: what the acting seat knew, what it could do, and the outcome. A decision makes a row
only if the seat's cards are known at that moment. docs/features/hold_em.md lists the observation."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.hold_em.rules import legal_actions as legal_of
from cardlog.models.hold_em.state import BETTING, HOLE_CARDS, SEATS
from cardlog.models.poker.actions import (
    BET_WORDS,
    NO_END,
    SMALL_RAISE,
    action_of,
    bet_event,
    is_bet,
    mask_bets,
)
from cardlog.models.poker.betting import owed_by, raise_span
from cardlog.models.poker.cards import BOARD_CARDS
from cardlog.models.poker.chips import knows_hand, note_chips, outcome, pot_of
from cardlog.schemas import cards

DECISION_KINDS: Final = ("bid",)
_BID: Final = 0

HALF_POT_RAISE, THREE_QUARTERS_RAISE, POT_RAISE, OVERBET, ALL_IN_RAISE = range(
    SMALL_RAISE + 1, SMALL_RAISE + 6
)
MOST_ACTIONS: Final = ALL_IN_RAISE + 1
QUARTERS: Final = np.array([0, 2, 3, 4, 8, NO_END])
"""Where the raises from `SMALL_RAISE` to `OVERBET` begin, and the last one ends: in quarters of the pot."""

# Values at the first 52 indices, one per card of the pack.
UNSEEN: Final = 0
IN_HAND: Final = 1  # in the seat's hand; plus its position there, 0 or 1
ON_BOARD: Final = 3  # plus its position there, 0 to 4

# The status of a player.
NOBODY, CAN_BET, IS_ALL_IN, HAS_FOLDED = range(4)

# Indices after the cards.
STREET_AT: Final = 52
BUTTON_AT, STRUCTURE_AT, RAISES_AT, AGGRESSOR_AT, PLAYERS_AT = range(STREET_AT + 1, STREET_AT + 6)
RAISED_AT: Final = PLAYERS_AT + SEATS
DIGITS: Final = 4
"""Digits of a number of chips, base 128, least significant first; larger numbers are clipped."""
POT_AT: Final = RAISED_AT + SEATS
OWED_AT, LEAST_AT, BET_AT, STACKS_AT = (POT_AT + DIGITS * number for number in range(1, 5))
BETS_AT: Final = STACKS_AT + SEATS * DIGITS
STAKED_AT: Final = BETS_AT + SEATS * DIGITS
OBSERVATION_WIDTH: Final = STAKED_AT + SEATS * DIGITS

_CARD_INDEX: Final = np.full(256, -1, np.int64)
for _suit in range(len(cards.SUITS)):
    for _rank in range(len(cards.PACK_RANKS)):
        _CARD_INDEX[cards.SUIT_STRIDE * _suit + _rank] = len(cards.PACK_RANKS) * _suit + _rank


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`."""
    legal = legal_of(state)
    if legal == 0 or state.known >> state.turn & 1 == 0:
        return NOTHING, 0
    mask_bets(state, legal, mask, QUARTERS)
    return _BID, MOST_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`. A raise is the least of its kind."""
    bet_event(state, action, event, QUARTERS)


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, Int]:
    """See `Decisions`."""
    if state.phase != BETTING or not is_bet(event.action) or event.seat != state.turn:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, action_of(state, event, QUARTERS)


@compiled
def observe(state: Any, seat: Int, observation: Any) -> None:
    """Write what a seat knows: its cards and the board, the status of the players, who has raised, and all
    chips."""
    me = np.int64(seat)
    for index in range(STREET_AT):
        observation[index] = UNSEEN
    for index in range(HOLE_CARDS):
        if state.dealt_cards[me, index] != cards.UNKNOWN:
            observation[_CARD_INDEX[state.dealt_cards[me, index]]] = IN_HAND + index
    for index in range(BOARD_CARDS):
        if state.board[0, index] != cards.UNKNOWN:
            observation[_CARD_INDEX[state.board[0, index]]] = ON_BOARD + index
    observation[STREET_AT] = state.tricks
    observation[BUTTON_AT] = (state.dealer - me) % SEATS
    observation[STRUCTURE_AT] = state.structure
    observation[RAISES_AT] = state.raises
    observation[AGGRESSOR_AT] = -1 if state.aggressor < 0 else (state.aggressor - me) % SEATS
    for player in range(SEATS):
        other = (me + player) % SEATS
        status = NOBODY
        if state.present >> other & 1:
            status = CAN_BET
            if state.live >> other & 1 == 0:
                status = HAS_FOLDED
            elif state.stack[other] == 0:
                status = IS_ALL_IN
        observation[PLAYERS_AT + player] = status
        observation[RAISED_AT + player] = state.raised[other]
        note_chips(observation, STACKS_AT + DIGITS * player, state.stack[other], DIGITS)
        note_chips(observation, BETS_AT + DIGITS * player, state.bets[other], DIGITS)
        note_chips(observation, STAKED_AT + DIGITS * player, state.staked[other], DIGITS)
    note_chips(observation, POT_AT, pot_of(state), DIGITS)
    note_chips(observation, OWED_AT, owed_by(state, me), DIGITS)
    note_chips(observation, LEAST_AT, state.full, DIGITS)
    note_chips(observation, BET_AT, state.least_bet, DIGITS)


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
    words={
        "bid": (
            *BET_WORDS,
            "raise by less than half the pot",
            "raise by half the pot or more",
            "raise by three quarters of the pot or more",
            "raise by the pot or more",
            "raise by twice the pot or more",
            "raise with all chips",
        )
    },
    raises=raise_span,
)
