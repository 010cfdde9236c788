"""What is legal in Pinochle: the bids and the cards. [R3] is rule 3 of docs/rules/pinochle.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import suit_led
from cardlog.models.pinochle.cards import DECK_CODES, KINDS, NO_CARDS, ONE, playable
from cardlog.models.pinochle.state import BIDDING, MOST_BID, NAMING, PLAYING
from cardlog.schemas import cards


@compiled
def may_bid(state: Any, amount: Int) -> bool:
    """[R5] Whether the seat in turn may bid an amount: any above the highest bid; if low bids are passes, any
    at all."""
    if amount > MOST_BID or amount < -MOST_BID:
        return False
    return bool(amount > state.high_bid or state.low_bids_are_passes)


@compiled
def legal_cards(state: Any) -> Int:
    """[R10] The cards the seat in turn may play, as a mask over the kinds of cards. If some of its cards are
    unknown, all that it may play if it holds them."""
    seat = state.turn
    if state.unknown[seat] > 0:
        return _possible_cards(state)
    if state.trick_cards == 0:
        return np.int64(state.firsts[seat])
    led = suit_led(state)
    return playable(np.int64(state.firsts[seat]), led, np.int64(state.best), np.int64(state.trump))


@compiled
def _possible_cards(state: Any) -> Int:
    """The cards that the seat in turn may hold and that its known cards do not forbid."""
    firsts = np.int64(state.firsts[state.turn])
    possible = NO_CARDS
    for index in range(KINDS):
        bit = ONE << DECK_CODES[index]
        if firsts & bit == 0 and state.seen_seconds & bit:
            continue
        legal = firsts | bit
        if state.trick_cards > 0:
            led = suit_led(state)
            legal = playable(firsts | bit, led, np.int64(state.best), np.int64(state.trump))
        possible |= legal & bit
    return possible


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do: `legal_cards` in play; while bidding bit 0 for a pass, bit 1 for a bid
    that `may_bid` allows; to name trump the four suits as bits 0..3, and bit 4 to throw the hand in;
    otherwise 0."""
    if state.phase == PLAYING:
        return legal_cards(state)
    if state.phase == BIDDING:
        return np.int64(0b11 if may_bid(state, state.high_bid + 1) else 0b01)
    if state.phase == NAMING:
        return np.int64(0b11111)
    return NO_CARDS


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_actions(state))
    if state["phase"] == PLAYING:
        options = [cards.text(int(card)) for card in DECK_CODES if mask >> int(card) & 1]
    elif state["phase"] == NAMING:
        options = [f"trump {suit}" for suit in cards.SUITS] + ["throw_in"]
    elif state["phase"] == BIDDING:
        options = ["pass", f"{int(state['high_bid']) + 1} or more"]
        if state["low_bids_are_passes"]:
            options.append("a lower number as a pass")
    else:
        options = []
    return f"seat {state['turn']}: {', '.join(options)}" if options else ""
