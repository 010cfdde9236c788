"""What is legal in Kaiser: the bids, the suits that may be trump, the cards. [R3] is rule 3 of
docs/rules/kaiser.md."""

from typing import Any

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import follow_suit, suit_led
from cardlog.models.kaiser.state import BIDDING, HIGHEST_BID, NAMING, PASSED, PASSING, PLAYING
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT


@compiled
def legal_bids(state: Any) -> Int:
    """The bids open to the seat in turn, as a mask over ranks: bit 0 a pass, bit 2n a bid of n, bit 2n + 1
    one without trump. [R5] From the minimum to 12. [R6] Above the highest so far, a no-trump bid above a bid
    of the same number; [R7] the dealer, last to speak, may equal it, and [R8] can't pass when all have."""
    lowest = 2 * np.int64(state.min_bid)
    if state.declarer != NO_SEAT:
        lowest = state.bids[state.declarer]
        if state.turn != state.dealer:
            lowest += 1
    bids = np.int64(0)
    for rank in range(lowest, 2 * HIGHEST_BID + 2):
        bids |= np.int64(1) << rank
    if state.turn != state.dealer or state.declarer != NO_SEAT:
        bids |= 1
    return bids


@compiled
def may_bid(state: Any) -> bool:
    """[R3] Whether the cards have been passed, or the log shows only the hands after the pass."""
    return bool(state.phase == BIDDING or (state.phase == PASSING and state.gave == 0))


@compiled
def legal_cards(state: Any) -> Int:
    """[R10] The cards the seat in turn may play, as a mask: of the suit led if it has any."""
    hand: Int = state.hands[state.turn]
    if state.trick_cards == 0:
        return hand
    return follow_suit(hand, suit_led(state))


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do: `legal_bids` while bidding, the four suits as bits 0..3 to name trump,
    `legal_cards` in play, otherwise 0."""
    if state.phase == PLAYING:
        return legal_cards(state)
    if may_bid(state):
        return legal_bids(state)
    if state.phase == NAMING:
        return 0b1111
    return 0


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_actions(state))
    if state["phase"] == PLAYING:
        options = cards.in_mask(mask)
    elif state["phase"] == NAMING:
        options = [f"trump {suit}" for suit in cards.SUITS]
    else:
        options = [bid_text(rank) for rank in range(2 * HIGHEST_BID + 2) if mask >> rank & 1]
    return trick.legal_text(state, options)


def bid_text(rank: int) -> str:
    """A bid's rank as `playedhand` writes it, without a trump letter: ``pass``, ``7``, ``8N``."""
    if rank == PASSED:
        return "pass"
    return f"{rank >> 1}N" if rank & 1 else str(rank >> 1)
