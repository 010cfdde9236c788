"""Hold'em's decisions: what the acting seat knew, what it could do, and the outcome. A decision makes a row
only if the seat's cards are known at that moment. docs/features/hold_em.md lists the observation."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.hold_em.rules import legal_actions as legal_of
from cardlog.models.hold_em.state import BETTING, BOARD_CARDS, HOLE_CARDS, SEATS
from cardlog.models.poker.betting import (
    MAY_CALL,
    MAY_CHECK,
    MAY_FOLD,
    owed_by,
    raise_limits,
)
from cardlog.models.poker.chips import knows_hand, note_chips, outcome, pot_of
from cardlog.schemas import cards
from cardlog.schemas.events import Action

DECISION_KINDS: Final = ("bid",)
_BID: Final = 0

(
    FOLD_ACTION, CHECK_ACTION, CALL_ACTION, SMALL_RAISE, HALF_POT_RAISE, THREE_QUARTERS_RAISE, POT_RAISE,
    OVERBET, ALL_IN_RAISE,
) = range(9)  # fmt: skip
"""The actions. A bet or raise goes by what it adds to the highest bet, as a part of the pot after a call; but
one of all the chips is all in."""
MOST_ACTIONS: Final = 9
QUARTERS: Final = np.array([0, 2, 3, 4, 8, 2**30])
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
def _least_of(action: Int, to_call: Int, stack: Int, pot: Int, limits: tuple[Int, Int]) -> Int:
    """[R7] The fewest chips with which a seat can bet or raise as an action says, 0 if it can't; `pot` is the
    pot after a call."""
    least, most = limits
    if most == 0:
        return 0
    if action == ALL_IN_RAISE:
        return stack if most == stack else np.int64(0)
    part = action - SMALL_RAISE
    by = max(least - to_call, (QUARTERS[part] * pot + 3) // 4)
    if 4 * by >= QUARTERS[part + 1] * pot and pot > 0:
        return 0
    if pot == 0 and action != OVERBET:
        return 0
    amount = to_call + by
    return amount if amount <= most and amount < stack else np.int64(0)


@compiled
def _action_of(state: Any, event: Any) -> Int:
    """The action of a bet."""
    if event.action == Action.BID_FOLD:
        return FOLD_ACTION
    if event.action == Action.BID_CHECK:
        return CHECK_ACTION
    if event.action == Action.BID_CALL:
        return CALL_ACTION
    amount, to_call = np.int64(event.amount), owed_by(state, state.turn)
    if amount == state.stack[state.turn]:
        return ALL_IN_RAISE
    pot, by = pot_of(state) + to_call, amount - to_call
    action: Int = OVERBET
    while action > SMALL_RAISE and 4 * by < QUARTERS[action - SMALL_RAISE] * pot:
        action -= 1
    return action


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`."""
    legal = legal_of(state)
    if legal == 0 or state.known >> state.turn & 1 == 0:
        return NOTHING, 0
    mask[FOLD_ACTION] = legal & MAY_FOLD != 0
    mask[CHECK_ACTION] = legal & MAY_CHECK != 0
    mask[CALL_ACTION] = legal & MAY_CALL != 0
    to_call, stack = owed_by(state, state.turn), np.int64(state.stack[state.turn])
    pot, limits = pot_of(state) + to_call, raise_limits(state)
    for action in range(SMALL_RAISE, MOST_ACTIONS):
        mask[action] = _least_of(action, to_call, stack, pot, limits) > 0
    return _BID, MOST_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`. A raise is the least of its kind."""
    to_call, stack = owed_by(state, state.turn), np.int64(state.stack[state.turn])
    if action == FOLD_ACTION:
        event.action = Action.BID_FOLD
    elif action == CHECK_ACTION:
        event.action = Action.BID_CHECK
    elif action == CALL_ACTION:
        event.action = Action.BID_CALL
        event.amount = min(to_call, stack)
    else:
        event.action = Action.BID_RAISE
        event.amount = _least_of(action, to_call, stack, pot_of(state) + to_call, raise_limits(state))


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, Int]:
    """See `Decisions`."""
    if state.phase != BETTING or event.action not in (
        Action.BID_FOLD,
        Action.BID_CHECK,
        Action.BID_CALL,
        Action.BID_RAISE,
    ):
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, _action_of(state, event)


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


def _raises(state: Any) -> tuple[int, int]:
    least, most = raise_limits(state)
    return int(least), int(most)


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
    raises=_raises,
)
