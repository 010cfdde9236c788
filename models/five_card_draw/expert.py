"""Five-card draw's expert: discards by exact counts, and bets by pot odds.

It makes the discard that is likeliest to win against the hands that the others can be expected to end up
with: a player who has exchanged one card holds a better hand than one who has exchanged three. It calls if
its share of the pot is more than the call costs (D. Sklansky, "The Theory of Poker", 1987, chapter "Pot
odds"), and raises with clearly more. It takes a raise by another player as a sign of a better hand. It never
bluffs.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.five_card_draw.decisions import (
    ALL_IN_RAISE,
    BIG_RAISE,
    MIDDLE_RAISE,
    PLAY_ACTIONS,
    QUARTERS,
)
from cardlog.models.five_card_draw.legal import aces_held, may_swap
from cardlog.models.five_card_draw.odds import ANY_HAND, count_draws, list_unseen
from cardlog.models.five_card_draw.state import DRAWING, SEATS, STATE
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION, least_raise
from cardlog.models.poker.betting import MAY_CALL, MAY_CHECK, legal_bets, owed
from cardlog.models.poker.ranks import CLASSES, HAND_CARDS, PACK, rank_of_codes

MOST_RAISES: Final = 3  # in a round; after these it does not raise again
STRONG: Final = 0.55  # the edge from which on it raises: 0 with a fair share of the wins, 1 with all of them
SURE: Final = 0.8  # the edge from which on it raises by the pot
RESPECT: Final = 0.35
"""How much each raise takes from its chance to win, which is raised to the power of 1 + RESPECT * raises."""
PARTS: Final = 32
_NOT_KNOWN: Final = 5  # the row of `EXPECTED` of players of whom the number of cards exchanged is not known
_SAMPLE: Final = 4_000
_SEED: Final = 1

EXPECTED: Final = np.array([
    [0, 206, 243, 322, 431, 802, 840, 873, 1120, 1263, 1527, 1527, 1557, 1600, 1601, 1602, 1602,
     1602, 1602, 1604, 1604, 1605, 1605, 1606, 1606, 1606, 1607, 1608, 1608, 1608, 1608, 1609, 1609],
    [0, 220, 276, 1630, 1762, 1944, 2149, 2478, 2495, 2542, 2557, 2591, 2658, 2694, 2739, 2762, 2784,
     2830, 2859, 2930, 2958, 2993, 3018, 3065, 3095, 3121, 3162, 3188, 3203, 3224, 3290, 3312, 7345],
    [0, 1686, 1860, 2013, 2263, 2439, 2494, 2540, 2602, 2732, 3227, 3350, 3389, 3551, 3602, 3769, 3809,
     3857, 4010, 4054, 4212, 4249, 4293, 4452, 4523, 4677, 4876, 4917, 5129, 5342, 5552, 5762, 6713],
    [0, 1906, 2427, 2680, 2989, 3330, 3414, 3571, 3671, 3814, 3938, 4068, 4229, 4388, 4554, 4746, 4945,
     5145, 5337, 5582, 5818, 6028, 6191, 6227, 6275, 6355, 6424, 6573, 6724, 6813, 6975, 7113, 7462],
    [0, 2474, 2576, 3341, 3378, 3413, 3450, 3490, 3532, 3592, 3992, 4233, 4656, 4909, 5329, 5749, 5999,
     6206, 6234, 6262, 6292, 6324, 6354, 6382, 6413, 6445, 6476, 6507, 6539, 6572, 6608, 6643, 6678],
    [0, 1686, 2069, 2471, 2583, 2769, 3014, 3270, 3372, 3502, 3607, 3772, 3859, 4019, 4154, 4295, 4475,
     4663, 4875, 5091, 5300, 5536, 5774, 6023, 6199, 6247, 6327, 6405, 6540, 6722, 6843, 7064, 7462],
])  # fmt: skip
"""The result of `expected_hands`: shape (6, 33)."""


def _beaten() -> NDArray[np.float64]:
    parts = np.arange(PARTS + 1) / PARTS
    ranks = np.arange(CLASSES + 1)
    return np.stack([1 - np.interp(ranks, row, parts) for row in EXPECTED])


BEATEN: Final = _beaten()
"""The chance that each rank beats a player, by the rows of `EXPECTED`: shape (6, 7463)."""
ANYBODY: Final = BEATEN[_NOT_KNOWN].copy()  # the chance to beat a player of whom nothing is known: (7463,)


@compiled
def _chances(state: Any, chances: Any) -> None:
    """Write the chance of each rank to beat all others who have not folded: shape (7463,)."""
    chances[:] = 1.0
    for seat in range(SEATS):
        if seat != state.turn and state.live >> seat & 1:
            swapped = np.int64(state.swapped[seat])
            chances *= BEATEN[swapped if 0 <= swapped < _NOT_KNOWN else _NOT_KNOWN]


@compiled
def best_draw(state: Any, chances: Any) -> tuple[Int, float]:
    """The discard that is likeliest to win, and how likely that is."""
    hand = state.held_cards[state.turn]
    unseen = np.zeros(64, np.int64)
    size = list_unseen(hand, np.int64(0), unseen)
    chosen = np.int64(0)
    best = -1.0
    counts = np.zeros(CLASSES + 1, np.int64)
    aces = aces_held(state)
    for discard in range(PLAY_ACTIONS):
        if state.swaps_any or may_swap(aces, discard):
            counts[:] = 0
            count_draws(hand, discard, unseen, size, counts)
            chance = (counts * chances).sum() / counts.sum()
            if chance > best:
                best = chance
                chosen = np.int64(discard)
    return chosen, best


@compiled
def expert(state: Any) -> Int:
    """The action of the seat in turn, from what it knows."""
    chances = np.empty(CLASSES + 1)
    _chances(state, chances)
    if state.phase == DRAWING:
        return best_draw(state, chances)[0]
    if state.swapped[state.turn] < 0:
        chance = best_draw(state, chances)[1]
    else:
        chance = chances[rank_of_codes(state.held_cards[state.turn])]
    return _bet(state, chance)


@compiled
def _bet(state: Any, chance: float) -> Int:
    """The bet of the seat in turn, given its chance to win."""
    seat = np.int64(state.turn)
    legal = legal_bets(state)
    cost = min(owed(state), np.int64(state.stack[seat]))
    mine = np.int64(state.staked[seat]) + cost
    pot = np.int64(0)
    others = 0
    for other in range(SEATS):
        pot += min(np.int64(state.staked[other]), mine)
        others += other != seat and state.live >> other & 1
    if cost > 0:
        chance = chance ** (1.0 + RESPECT * np.float64(state.raises))
    fair = 1.0 / (max(others, 1) + 1)  # some programs ask the last one left
    edge = (chance - fair) / (1.0 - fair)
    if state.raises < MOST_RAISES and edge > STRONG:
        preferred = BIG_RAISE if edge > SURE else MIDDLE_RAISE
        for action in (preferred, MIDDLE_RAISE):
            if least_raise(state, action, QUARTERS) > 0:
                return np.int64(action)
        if edge > SURE and least_raise(state, ALL_IN_RAISE, QUARTERS) > 0:
            return np.int64(ALL_IN_RAISE)
    if legal & MAY_CHECK:
        return np.int64(CHECK_ACTION)
    if legal & MAY_CALL and (cost == 0 or chance * (pot + cost) >= cost):
        return np.int64(CALL_ACTION)
    return np.int64(FOLD_ACTION)


def expected_hands() -> NDArray[np.int64]:
    """What opponents end up with who exchange 0, 1, 2, 3 or 4 cards, or of whom that is not known: the ranks
    that each 1/32 of their hands is at least as good as, shape (6, 33). Each hand of a sample makes the
    discard that is likeliest to beat five random cards. Running this module prints the table."""
    rng = np.random.default_rng(_SEED)
    state = np.zeros(1, STATE)[0]
    state["phase"], state["known"] = DRAWING, 1
    totals = np.zeros((6, CLASSES + 1))
    for _ in range(_SAMPLE):
        state["held_cards"][0] = rng.choice(PACK, HAND_CARDS, replace=False)
        hand = state["held_cards"][0]
        discard, _ = best_draw(state, ANY_HAND)
        unseen = np.zeros(len(PACK), np.int64)
        counts = np.zeros(CLASSES + 1, np.int64)
        count_draws(hand, discard, unseen, list_unseen(hand, 0, unseen), counts)
        totals[[int(discard).bit_count(), _NOT_KNOWN]] += counts / counts.sum()
    shares = np.cumsum(totals, 1) / totals.sum(1, keepdims=True)
    parts = np.arange(PARTS + 1) / PARTS - 1e-12
    return np.array([np.searchsorted(row, parts) for row in shares])


if __name__ == "__main__":
    print(np.array2string(expected_hands(), separator=", ", max_line_width=100, threshold=10_000))
