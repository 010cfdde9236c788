"""What is legal in five-card draw: the bets, and how many cards may be exchanged. [R3] is rule 3 of
docs/rules/five_card_draw.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.five_card_draw.state import (
    DRAWING,
    FIRST_BETS,
    MOST_SWAPPED,
    SEATS,
    SECOND_BETS,
    SWAPPED_WITH_ACE,
)
from cardlog.models.poker.betting import MAY_CALL, MAY_CHECK, MAY_FOLD, MAY_RAISE
from cardlog.models.poker.ranks import HAND_CARDS

ACE = 12  # the rank of an ace in a card's code


@compiled
def owed(state: Any) -> Int:
    """[R6] What the seat in turn must pay to call, whether or not it has that much."""
    return owed_by(state, state.turn)


@compiled
def owed_by(state: Any, seat: Int) -> Int:
    """[R6] What a seat would have to pay to call."""
    most = np.int64(0)
    for other in range(SEATS):
        most = max(most, np.int64(state.staked[other]))
    return most - np.int64(state.staked[seat])


@compiled
def legal_bets(state: Any) -> Int:
    """[R6] What the seat in turn may do, as bits: check if it owes nothing, otherwise fold or call; raise if
    it has more than it owes. [R8] A seat without chips, which only some programs ask to act, may call with
    none, or fold if its ante was not paid in full."""
    to_call = owed(state)
    stack = state.stack[state.turn]
    if stack == 0:
        return MAY_FOLD if to_call > 0 and state.short_ante_folds == 1 else MAY_CALL
    legal: Int = MAY_FOLD | MAY_CALL if to_call > 0 else MAY_CHECK
    if stack > to_call:
        legal |= MAY_RAISE
    return legal


# ---------------------------------------------------------------- the draw


@compiled
def legal_swaps(state: Any) -> Int:
    """[R9] How many cards the seat in turn may exchange, as bits 0 to 4."""
    swaps = (1 << MOST_SWAPPED + 1) - 1
    may_hold_ace = state.known >> state.turn & 1 == 0 or aces_held(state) != 0
    return swaps | 1 << SWAPPED_WITH_ACE if may_hold_ace else swaps


@compiled
def aces_held(state: Any) -> Int:
    """The aces in the known hand of the seat in turn, one bit for each position."""
    aces = np.int64(0)
    for index in range(HAND_CARDS):
        aces |= np.int64(state.held_cards[state.turn, index] & 15 == ACE) << index
    return aces


@compiled
def may_swap(aces: Int, discard: Int) -> bool:
    """[R9] Whether cards of a known hand may be exchanged, one bit each: up to `MOST_SWAPPED`, or all others
    if an ace is kept."""
    count: Int = 0
    for index in range(HAND_CARDS):
        count += discard >> index & 1
    return bool((count <= MOST_SWAPPED) | (aces & ~discard != 0))


# ---------------------------------------------------------------- what is legal


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do: `legal_bets` or, in the draw, `legal_swaps`; otherwise 0."""
    if state.phase == FIRST_BETS or state.phase == SECOND_BETS:
        return legal_bets(state)
    if state.phase == DRAWING and state.replaced == 0:
        return legal_swaps(state)
    return 0


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    legal = int(legal_actions(state))
    if not legal:
        return ""
    if state["phase"] == DRAWING:
        with_ace = "4 keeping an ace" if legal >> SWAPPED_WITH_ACE & 1 else ""
        options = ["exchange 0 to 3 cards", with_ace]
    else:
        to_call, stack = int(owed(state)), int(state["stack"][state["turn"]])
        options = [
            "fold" if legal & MAY_FOLD else "",
            "check" if legal & MAY_CHECK else "",
            f"call {min(to_call, stack)}" if legal & MAY_CALL else "",
            f"raise, paying {to_call + 1} to {stack}" if legal & MAY_RAISE else "",
        ]
    return f"seat {state['turn']}: {', '.join(filter(None, options))}"
