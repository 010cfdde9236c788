"""What is legal in five-card draw: the bets, and how many cards may be exchanged. [R3] is rule 3 of
docs/rules/five_card_draw.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.five_card_draw.state import (
    DRAWING,
    FIRST_BETS,
    MOST_SWAPPED,
    SECOND_BETS,
    SWAPPED_WITH_ACE,
)
from cardlog.models.poker.betting import bets_text, legal_bets
from cardlog.models.poker.ranks import HAND_CARDS

ACE = 12  # the rank of an ace in a card's code


@compiled
def legal_swaps(state: Any) -> Int:
    """[R9] How many cards the seat in turn may exchange, as bits 0 to 5."""
    if state.swaps_any:
        return (1 << HAND_CARDS + 1) - 1
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
    if an ace is kept; by rules that limit it."""
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
    seat = f"seat {state['turn']}"
    if state["phase"] == DRAWING:
        with_ace = ", 4 keeping an ace" if legal >> SWAPPED_WITH_ACE & 1 else ""
        return f"{seat}: exchange 0 to {'5 cards' if state['swaps_any'] else f'3 cards{with_ace}'}"
    return f"{seat}: {bets_text(state)}"
