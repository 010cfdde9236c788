"""Five-card draw's decisions: what the acting seat knew, what it could do, and the outcome. A decision makes
a row only if the seat's cards are known at that moment; in logs only the human's are.
docs/features/five_card_draw.md lists the observation."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.five_card_draw import legal as game_legal
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.state import (
    DECK_TEXT,
    DRAWING,
    FIRST_BETS,
    SEATS,
)
from cardlog.models.poker.betting import MAY_CALL, MAY_CHECK, MAY_FOLD, MAY_RAISE
from cardlog.models.poker.chips import DIGIT_BASE, knows_hand, note_chips, outcome, pot_of
from cardlog.models.poker.ranks import HAND_CARDS, ranks_of
from cardlog.schemas import cards
from cardlog.schemas.events import Action

DECISION_KINDS: Final = ("bid", "play")
_BID, _PLAY = range(2)

FOLD_ACTION, CHECK_ACTION, CALL_ACTION, SMALL_RAISE, MIDDLE_RAISE, BIG_RAISE, ALL_IN_RAISE = range(7)
"""The bets. A raise is small if it is by less than half the pot after a call, big if it is by that pot or
more; but one of all the chips is all in."""
BID_ACTIONS: Final = 7
PLAY_ACTIONS: Final = 1 << HAND_CARDS
"""[R9] One action for each set of cards to exchange: bit n stands for card n of the hand."""
MOST_ACTIONS: Final = PLAY_ACTIONS

_DECK_CODES: Final = np.array(cards.codes(DECK_TEXT), np.int64)
_DECK_INDEX: Final = np.full(256, -1, np.int64)
_DECK_INDEX[_DECK_CODES] = np.arange(len(_DECK_CODES))

# Values at the first 52 indices, one per card of the pack.
UNSEEN: Final = 0
IN_HAND: Final = 1  # in the seat's hand; plus its position there, 0 to 4
DISCARDED: Final = 6  # the seat has discarded it

# The status of a player.
NOBODY, CAN_BET, IS_ALL_IN, HAS_FOLDED = range(4)

# Indices after the cards.
ROUND_AT: Final = 52
BUTTON_AT, RAISES_AT, PLAYERS_AT = range(ROUND_AT + 1, ROUND_AT + 4)
SWAPPED_AT: Final = PLAYERS_AT + SEATS
DIGITS: Final = 3
"""Digits of a number of chips, base 128, least significant first; larger numbers are clipped."""
_DIGIT: Final = 20  # of a hand's rank: 7462 is a little less than 20 ** 3
POT_AT: Final = SWAPPED_AT + SEATS
OWED_AT: Final = POT_AT + DIGITS
ANTE_AT: Final = OWED_AT + DIGITS
STACKS_AT: Final = ANTE_AT + DIGITS
STAKED_AT: Final = STACKS_AT + SEATS * DIGITS
OBSERVATION_WIDTH: Final = STAKED_AT + SEATS * DIGITS


@compiled
def least_raise(state: Any, action: Int) -> Int:
    """[R6] The fewest chips with which the seat in turn can make a raise of this kind, 0 if it can't."""
    if game_legal.legal_bets(state) & MAY_RAISE == 0:
        return 0
    to_call = game_legal.owed(state)
    return _least_raise(action, to_call, np.int64(state.stack[state.turn]), pot_of(state) + to_call)


@compiled
def _least_raise(action: Int, to_call: Int, stack: Int, pot: Int) -> Int:
    """`least_raise` of a seat that may raise; `pot` is the pot after a call."""
    if action == ALL_IN_RAISE:
        return stack
    by: Int = np.int64(1)
    if action == BIG_RAISE:
        by = max(pot, by)  # with an empty pot every raise is by the pot or more
    elif action == MIDDLE_RAISE:
        by = (pot + 1) // 2
        if by >= pot:
            return 0
    elif 2 * by >= pot:
        return 0
    return to_call + by if by < stack - to_call else 0


@compiled
def _action_of(state: Any, event: Any) -> Int:
    """The action of a bet."""
    if event.action == Action.BID_FOLD:
        return FOLD_ACTION
    if event.action == Action.BID_CHECK:
        return CHECK_ACTION
    if event.action == Action.BID_CALL:
        return CALL_ACTION
    to_call, amount = game_legal.owed(state), np.int64(event.amount)
    if amount == state.stack[state.turn]:
        return ALL_IN_RAISE
    pot, by = pot_of(state) + to_call, amount - to_call
    if 2 * by < pot:
        return SMALL_RAISE
    return MIDDLE_RAISE if by < pot else BIG_RAISE


@compiled
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`."""
    legal = game.legal_actions(state)
    if legal == 0 or state.known >> state.turn & 1 == 0:
        return NOTHING, 0
    if state.phase == DRAWING:
        aces = game_legal.aces_held(state)
        for discard in range(PLAY_ACTIONS):
            mask[discard] = game_legal.may_swap(aces, discard)
        return _PLAY, PLAY_ACTIONS
    mask[FOLD_ACTION] = legal & MAY_FOLD != 0
    mask[CHECK_ACTION] = legal & MAY_CHECK != 0
    mask[CALL_ACTION] = legal & MAY_CALL != 0
    to_call, may_raise = game_legal.owed(state), legal & MAY_RAISE != 0
    stack, pot = np.int64(state.stack[state.turn]), pot_of(state) + to_call
    for action in range(SMALL_RAISE, BID_ACTIONS):
        mask[action] = may_raise and _least_raise(action, to_call, stack, pot) > 0
    return _BID, BID_ACTIONS


@compiled
def to_event(state: Any, action: Int, event: Any) -> None:
    """See `Decisions`. A raise is the least of its kind."""
    if state.phase == DRAWING:
        event.action = Action.PLAY_DISCARD
        for index in range(HAND_CARDS):
            if action >> index & 1:
                event.cards[event.count] = state.held_cards[state.turn, index]
                event.count += 1
    elif action == FOLD_ACTION:
        event.action = Action.BID_FOLD
    elif action == CHECK_ACTION:
        event.action = Action.BID_CHECK
    elif action == CALL_ACTION:
        event.action = Action.BID_CALL
        event.amount = min(game_legal.owed(state), np.int64(state.stack[state.turn]))
    else:
        event.action = Action.BID_RAISE
        event.amount = least_raise(state, action)


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, Int]:
    """See `Decisions`."""
    if event.action == Action.PLAY_DISCARD:
        action = _discard_of(state, event)
    elif event.action in (Action.BID_FOLD, Action.BID_CHECK, Action.BID_CALL, Action.BID_RAISE):
        action = _action_of(state, event)
    else:
        return NOTHING, 0, 0
    kind, count = legal_actions(state, mask)
    return kind, count, action


@compiled
def _discard_of(state: Any, event: Any) -> Int:
    """The cards of the hand that are discarded, one bit each."""
    discard = np.int64(0)
    for index in range(HAND_CARDS):
        for number in range(event.count):
            if state.held_cards[state.turn, index] == event.cards[number]:
                discard |= 1 << index
    return discard


@compiled
def observe(state: Any, seat: Int, observation: Any) -> None:
    """Write what a seat knows: its cards, the status of the players, how many cards each has exchanged, and
    all chips."""
    me = np.int64(seat)
    for index in range(ROUND_AT):
        observation[index] = UNSEEN
    for index in range(HAND_CARDS):
        observation[_DECK_INDEX[state.held_cards[me, index]]] = IN_HAND + index
    for number in range(state.swapped[me]):
        observation[_DECK_INDEX[state.discards[me, number]]] = DISCARDED
    observation[ROUND_AT] = state.phase - FIRST_BETS
    observation[BUTTON_AT] = (state.dealer - me) % SEATS
    observation[RAISES_AT] = 0 if state.phase == DRAWING else state.raises
    for player in range(SEATS):
        other = (me + player) % SEATS
        status = NOBODY
        if state.present >> other & 1:
            status = CAN_BET
            if state.live >> other & 1 == 0:
                status = HAS_FOLDED
            elif state.all_in >> other & 1:
                status = IS_ALL_IN
        observation[PLAYERS_AT + player] = status
        observation[SWAPPED_AT + player] = state.swapped[other]
        note_chips(observation, STACKS_AT + DIGITS * player, state.stack[other], DIGITS)
        note_chips(observation, STAKED_AT + DIGITS * player, state.staked[other], DIGITS)
    note_chips(observation, POT_AT, pot_of(state), DIGITS)
    note_chips(observation, OWED_AT, 0 if state.phase == DRAWING else game_legal.owed_by(state, me), DIGITS)
    note_chips(observation, ANTE_AT, state.ante, DIGITS)


def hand_numbers(observations: NDArray[np.int8]) -> NDArray[np.int8]:
    """Numbers that follow from observations, for networks, which can't count well: shape (rows, numbers).

    For each card of the hand: how many cards have its rank, its suit, a higher rank, and another rank with
    which it fits into a straight. Then the hand's rank, in two digits; a call as a percentage of the pot
    after it, and the pot as a percentage of the pot and the seat's chips.
    """
    held = (observations[:, :ROUND_AT, None] - IN_HAND == np.arange(HAND_CARDS)).argmax(axis=1)
    ranks, suits = divmod(held, len(cards.SUITS))
    above = ranks[:, None] - ranks[:, :, None]
    counts = [
        above == 0,
        suits[:, None] == suits[:, :, None],
        above > 0,
        (above != 0) & (abs(above) < HAND_CARDS),
    ]
    hands = ranks_of(_DECK_CODES[held])
    pot, owed, chips = (
        observations[:, at : at + DIGITS] @ DIGIT_BASE ** np.arange(DIGITS)
        for at in (POT_AT, OWED_AT, STACKS_AT)
    )
    totals = [
        hands // _DIGIT**2,
        hands // _DIGIT % _DIGIT,
        100 * owed // np.maximum(pot + owed, 1),
        100 * pot // np.maximum(pot + chips, 1),
    ]
    return np.column_stack([*(count.sum(axis=2) for count in counts), *totals]).astype(np.int8)


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
    raises=lambda state: (int(game_legal.owed(state)) + 1, int(state["stack"][state["turn"]])),
)
