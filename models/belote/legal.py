"""What is legal in belote: the bids, the cards, and whether bela may be claimed. [R3] is rule 3 of
docs/rules/belote.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.belote.score import KING, QUEEN, above
from cardlog.models.belote.state import BIDDING, DECK, KARO, PASSED, PLAYING
from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import of_suit, suit_led, suit_of
from cardlog.schemas import cards

_KING_QUEEN: Final = np.int64(1 << KING | 1 << QUEEN)  # of suit 0; shifted for the others


@compiled
def legal_bids(state: Any) -> Int:
    """[R4] The bids open to the seat in turn, as a mask: bit 0 for a pass, bit s + 1 to name suit s. The
    dealer, last to speak, can't pass."""
    return 0b11110 if state.turn == state.dealer else 0b11111


@compiled
def _may_play(state: Any, hand: Int) -> Int:
    """[R5] The cards of a hand that the rules allow next in this trick, as a mask."""
    if state.trick_cards == 0:
        return hand
    led = suit_led(state)
    if led == KARO and state.karo_led_frees_everyone:
        return hand
    trump: Int = np.int64(state.trump)
    best: Int = np.int64(state.best)
    allowed = of_suit(hand, led)
    must_beat = suit_of(best) == led and (led == trump or state.beat_in_every_suit)
    if allowed == 0:
        allowed = of_suit(hand, trump)
        must_beat = suit_of(best) == trump
    if allowed == 0:
        return hand
    if must_beat:
        higher = allowed & above(best, trump)
        if higher:
            return higher
    return allowed


@compiled
def playable_cards(state: Any) -> Int:
    """[R5] The cards the seat in turn may play, as a mask, whether or not it has claimed bela. If some of its
    cards are unknown, also each that it may hold and that would be legal together with the known ones."""
    hand: Int = state.hands[state.turn]
    legal = _may_play(state, hand)
    if state.hidden[state.turn]:
        unseen = DECK & ~state.seen
        for card in range(61):
            bit = np.int64(1) << card
            if unseen & bit:
                legal |= _may_play(state, hand | bit) & bit
    return legal


@compiled
def legal_cards(state: Any) -> Int:
    """[R5] The cards the seat in turn may play, as a mask; [R9] after a claim king and queen of trump."""
    legal: Int = playable_cards(state)
    return legal & bela_cards(state) if state.claiming else legal


@compiled
def bela_cards(state: Any) -> Int:
    """King and queen of trump as a mask."""
    return _KING_QUEEN << (np.int64(state.trump) << 4)


@compiled
def may_claim(state: Any) -> bool:
    """[R9] Whether the seat in turn may claim bela with its next card: it holds both and may play one."""
    if state.phase != PLAYING or state.claiming:
        return False
    both = bela_cards(state)
    return bool(both & ~may_hold(state) == 0 and legal_cards(state) & both != 0)


@compiled
def may_hold(state: Any) -> Int:
    """The cards that the seat in turn holds, or might hold if some of its cards are unknown."""
    if state.hidden[state.turn] == 0:
        return np.int64(state.hands[state.turn])
    return np.int64(state.hands[state.turn] | DECK & ~state.seen)


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do: `legal_bids` while bidding, `legal_cards` in play, otherwise 0."""
    if state.phase == PLAYING:
        return legal_cards(state)
    if state.phase == BIDDING:
        return legal_bids(state)
    return 0


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_actions(state))
    if state["phase"] == PLAYING:
        options = cards.in_mask(mask)
    else:
        options = [bid_text(bid) for bid in range(len(cards.SUITS) + 1) if mask >> bid & 1]
    return trick.legal_text(state, options)


def bid_text(bid: int) -> str:
    """A bid as `playedhand` writes it: ``pass``, or the suit that was options."""
    return "pass" if bid == PASSED else cards.SUITS[bid - 1]
