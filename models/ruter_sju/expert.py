"""Ruter Sju's expert: opens the way to its own cards, by the usual advice for sevens: "If your cards are
woeful, hold back any that could open up the game for anyone else as long as you can" (The Guardian, "Rules of
card games: sevens", 22 November 2008)."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.ruter_sju.decisions import BLOCK_ACTION, PASS_ACTION
from cardlog.models.ruter_sju.legal import may_block, placements
from cardlog.models.ruter_sju.state import RANKS

# What makes a card good to place.
FARTHEST: Final = 4
"""For each step from the middle to the farthest card of the own hand that has to wait for this one."""
AWAY: Final = 4
"""For each step from the middle to the card itself: the fewer cards lie beyond it, the less it opens."""
NEXT: Final = 2  # if the next card is in the own hand
OTHERS: Final = -2  # if it is in another
END: Final = 3  # for an end card, after which another may be placed


@compiled
def expert(state: Any) -> Int:
    """The action of the seat in turn, from what it knows."""
    seat = np.int64(state.turn)
    chosen = np.int64(BLOCK_ACTION if may_block(state, seat) else PASS_ACTION)
    best = np.int64(-1000)
    for suit in range(np.int64(state.suits)):
        fit: Int = placements(state, seat, suit)
        for number in range(1, np.int64(state.ranks) + 1):
            if fit >> (number - 1) & 1:
                score = np.int64(_promise(state, np.int64(state.hands[seat, suit]), number))
                if score > best:
                    best = score
                    chosen = np.int64(suit * RANKS + number - 1)
    return chosen


@compiled
def _promise(state: Any, held: Int, number: Int) -> Int:
    """How good it is to place a card of a suit."""
    ranks, centre = np.int64(state.ranks), np.int64(state.centre)
    score = np.int64(END if number in (1, ranks) else 0) + AWAY * abs(number - centre)
    for step in (-1, 1):
        if (step < 0 and number > centre) or (step > 0 and number < centre):
            continue
        other = number + step
        if 1 <= other <= ranks:
            score += NEXT if held >> (other - 1) & 1 else OTHERS
        farthest = np.int64(0)
        while 1 <= other <= ranks:
            if held >> (other - 1) & 1:
                farthest = abs(other - centre)
            other += step
        score += FARTHEST * farthest
    return score
