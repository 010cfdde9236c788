"""What is legal in Ruter Sju: the cards that fit, the block, a pass. [R3] is rule 3 of
docs/rules/ruter_sju.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.ruter_sju.state import NO_CARD, PLAYING, RANK_LETTERS, SUIT_LETTERS, SUITS

# Bits of `legal_actions`: for suit s the low end 3s, the middle card 3s + 1, the high end 3s + 2; then
LOW, MIDDLE, HIGH = range(3)
BLOCK_BIT: Final = 3 * SUITS
PASS_BIT: Final = BLOCK_BIT + 1
BLOCKED_BIT: Final = PASS_BIT + 1
ANY_CARD_BIT: Final = BLOCKED_BIT + 1  # set if the seat may place any card it holds. [R10]


@compiled
def is_unchecked(state: Any, seat: Int) -> bool:
    """[R10] Whether the seat's acts are accepted unchecked."""
    return bool(state.humans_unchecked and state.humans >> seat & 1)


@compiled
def holding(state: Any, seat: Int, suit: Int) -> Int:
    """The cards of a suit that a seat holds, or may hold if they are hidden: bit n - 1 for number n."""
    held: Int = np.int64(state.hands[seat, suit])
    if state.hidden >> seat & 1:
        held = np.int64(state.pool[suit])
    return held


@compiled
def fitting(state: Any, suit: Int) -> Int:
    """[R6] The cards of a suit that fit the table, as a mask like that of `holding`: the middle card; once
    that is placed, the two next to it, and those next to the cards last placed below and above. [R5] Before
    the first suit's middle card is placed, only that."""
    middle_bit: Int = np.int64(1) << np.int64(state.centre - 1)
    if state.placed[0] & middle_bit == 0:
        return middle_bit if suit == 0 else np.int64(0)
    if state.placed[suit] & middle_bit == 0:
        return middle_bit
    fit: Int = middle_bit << 1 | middle_bit >> 1
    if state.under[suit] > 1:
        fit |= np.int64(1) << (state.under[suit] - 2)
    if state.over[suit] != NO_CARD:
        fit |= np.int64(1) << state.over[suit]
    fit &= (np.int64(1) << np.int64(state.ranks)) - 1
    fit &= ~np.int64(state.placed[suit])
    return fit


@compiled
def placements(state: Any, seat: Int, suit: Int) -> Int:
    """The cards of a suit that a seat may place on its turn, as a mask like that of `holding`."""
    if state.holder == seat:
        return np.int64(0)
    held = holding(state, seat, suit)
    if not is_unchecked(state, seat):
        held &= fitting(state, suit)
    return held


@compiled
def count_placements(state: Any, seat: Int) -> int:
    """How many cards a seat may place on its turn; a hidden hand counts all that it may hold."""
    count = 0
    for suit in range(state.suits):
        remaining = placements(state, seat, suit)
        while remaining != 0:
            remaining &= remaining - 1
            count += 1
    return count


@compiled
def waits(state: Any, seat: Int) -> bool:
    """[R10] Whether a seat is a computer that does nothing because the first suit's middle card, which it
    does not hold, is not placed yet."""
    middle_bit = np.int64(1) << np.int64(state.centre - 1)
    placed_or_held = (np.int64(state.placed[0]) | holding(state, seat, 0)) & middle_bit
    return bool(state.computers_wait and state.humans >> seat & 1 == 0 and placed_or_held == 0)


@compiled
def may_block(state: Any, seat: Int) -> bool:
    """[R8] Whether a seat may take the block: only if it can't place a card. Hidden hands get the benefit of
    the doubt."""
    if state.holder == seat:
        return False
    if is_unchecked(state, seat):
        return True
    if state.again or waits(state, seat):
        return False
    return bool(state.hidden >> seat & 1) or count_placements(state, seat) == 0


@compiled
def may_pass(state: Any, seat: Int) -> bool:
    """[R7] Whether a seat may pass: after an end card it need not place another."""
    if state.holder == seat:
        return False
    if is_unchecked(state, seat) or waits(state, seat):
        return True
    return bool(state.again and not (state.computers_go_on and state.humans >> seat & 1 == 0))


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do, as a mask of the bits above; 0 if it is nobody's turn."""
    if state.phase != PLAYING:
        return np.int64(0)
    seat = state.turn
    if state.holder == seat:
        return np.int64(1) << BLOCKED_BIT
    legal = np.int64(0)
    for suit in range(state.suits):
        fit = holding(state, seat, suit) & fitting(state, suit)
        below = (np.int64(1) << (state.centre - 1)) - 1
        for end, part in ((LOW, below), (MIDDLE, below + 1), (HIGH, ~(2 * below + 1))):
            if fit & part:
                legal |= np.int64(1) << (3 * suit + end)
    if may_block(state, seat):
        legal |= np.int64(1) << BLOCK_BIT
    if may_pass(state, seat):
        legal |= np.int64(1) << PASS_BIT
    if is_unchecked(state, seat):
        legal |= np.int64(1) << ANY_CARD_BIT
    return legal


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    mask = int(legal_actions(state))
    seat = int(state["turn"])
    options = [
        RANK_LETTERS[number - 1] + SUIT_LETTERS[suit]
        for suit in range(int(state["suits"]))
        for number in range(1, int(state["ranks"]) + 1)
        if mask and int(placements(state, seat, suit)) >> (number - 1) & 1
    ]
    names = ((BLOCK_BIT, "the block"), (PASS_BIT, "pass"), (BLOCKED_BIT, "blocked"))
    options += [word for bit, word in names if mask >> bit & 1]
    return f"seat {seat}: {' '.join(options)}" if options else ""
