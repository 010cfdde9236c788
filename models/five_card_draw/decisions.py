"""Five-card draw's decisions: what the acting seat knew, what it could do, and the outcome. A decision makes
a row only if the seat's cards are known at that moment; in logs only the human's are.
docs/features/five_card_draw.md lists the observation."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NOTHING
from cardlog.models.engine.game import Decisions
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.legal import aces_held, may_swap
from cardlog.models.five_card_draw.state import DECK_TEXT, DRAWING, FIRST_BETS, SEATS
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
from cardlog.models.poker.chips import DIGIT_BASE, knows_hand, note_chips, outcome, pot_of
from cardlog.models.poker.ranks import HAND_CARDS, ranks_of
from cardlog.schemas import cards
from cardlog.schemas.events import Action

DECISION_KINDS: Final = ("bid", "play")
_BID, _PLAY = range(2)

MIDDLE_RAISE, BIG_RAISE, ALL_IN_RAISE = range(SMALL_RAISE + 1, SMALL_RAISE + 4)
"""A raise is small if it is by less than half the pot after a call, big if it is by that pot or more; but one
of all the chips is all in."""
BID_ACTIONS: Final = ALL_IN_RAISE + 1
QUARTERS: Final = np.array([0, 2, 4, NO_END])
"""Where the raises from `SMALL_RAISE` to `BIG_RAISE` begin, and the last one ends: in quarters of the pot."""
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
def legal_actions(state: Any, mask: Any) -> tuple[int, int]:
    """See `Decisions`."""
    legal = game.legal_actions(state)
    if legal == 0 or state.known >> state.turn & 1 == 0:
        return NOTHING, 0
    if state.phase == DRAWING:
        aces = aces_held(state)
        for discard in range(PLAY_ACTIONS):
            mask[discard] = state.swaps_any or may_swap(aces, discard)
        return _PLAY, PLAY_ACTIONS
    mask_bets(state, legal, mask, QUARTERS)
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
    else:
        bet_event(state, action, event, QUARTERS)


@compiled
def decide(state: Any, event: Any, mask: Any) -> tuple[int, int, Int]:
    """See `Decisions`."""
    if event.action == Action.PLAY_DISCARD:
        action = _discard_of(state, event)
    elif is_bet(event.action) and event.seat == state.turn and state.phase != DRAWING:
        action = action_of(state, event, QUARTERS)
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
    note_chips(observation, OWED_AT, 0 if state.phase == DRAWING else owed_by(state, me), DIGITS)
    note_chips(observation, ANTE_AT, max(state.ante, state.small_bet), DIGITS)


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
    words={
        "bid": (
            *BET_WORDS,
            "raise by less than half the pot",
            "raise by half the pot or more",
            "raise by the pot or more",
            "raise with all chips",
        ),
        "play": (
            "keep all cards",
            *[
                "discard " + " ".join(str(card) for card in range(HAND_CARDS) if discard >> card & 1)
                for discard in range(1, PLAY_ACTIONS)
            ],
        ),
    },
    raises=raise_span,
)
