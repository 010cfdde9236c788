"""Hold'em's expert: bets by its chance to win and the odds that the pot offers.

The chance is that of its hand against random hands of all who are left, over random boards. It calls if its
share of the pot is more than the call costs (D. Sklansky, "The Theory of Poker", 1987, chapter "Pot odds"),
and bets or raises with clearly more than a fair share; in late position with a little less (chapter
"Position"). It takes raises by others as a sign of better hands. It never bluffs."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.rng import begin, below
from cardlog.models.hold_em.decisions import (
    ALL_IN_RAISE,
    HALF_POT_RAISE,
    MOST_ACTIONS,
    POT_RAISE,
    legal_actions,
)
from cardlog.models.hold_em.state import HOLE_CARDS, key_of
from cardlog.models.poker.actions import CALL_ACTION, CHECK_ACTION, FOLD_ACTION, SMALL_RAISE
from cardlog.models.poker.betting import owed_by
from cardlog.models.poker.cards import BOARD_CARDS, rank_on
from cardlog.models.poker.chips import bits, next_seat, pot_of
from cardlog.models.poker.ranks import PACK

SAMPLES: Final = 60
MOST_RAISES: Final = 3  # in a round; after these it does not raise again
STRONG: Final = 0.25  # the edge from which on it raises: 0 with a fair share of the wins, 1 with all of them
SURE: Final = 0.6  # the edge from which on it raises by the pot
POSITION: Final = 0.1  # by how much less edge does in last position
RESPECT: Final = 0.3
"""How much each raise takes from its chance to win, which is raised to the power of 1 + RESPECT * raises."""


@compiled
def fill_unseen(state: Any, pack: Any) -> Int:
    """Write the codes of the cards that the seat in turn has not seen; returns how many."""
    seen = np.int64(0)
    for index in range(HOLE_CARDS):
        seen |= np.int64(1) << np.int64(state.dealt_cards[state.turn, index])
    for index in range(state.board_count[0]):
        seen |= np.int64(1) << np.int64(state.board[0, index])
    count = 0
    for code in PACK:
        if seen >> code & 1 == 0:
            pack[count] = code
            count += 1
    return count


@compiled
def chance_to_win(state: Any, samples: Int) -> float:
    """The share of the pot that the seat in turn wins on average against random hands of all others who are
    left, over random boards."""
    rng = np.zeros(1, np.uint64)
    begin(rng, key_of(state), 0)
    pack = np.zeros(len(PACK), np.int64)
    size = fill_unseen(state, pack)
    board = state.board[0].copy()
    others, known = bits(state.live) - 1, np.int64(state.board_count[0])
    needed = HOLE_CARDS * others + BOARD_CARDS - known
    won = 0.0
    for _ in range(samples):
        for index in range(needed):
            other = index + below(rng, size - index)
            pack[index], pack[other] = pack[other], pack[index]
        for index in range(known, BOARD_CARDS):
            board[index] = pack[HOLE_CARDS * others + index - known]
        own, ties, best = rank_on(board, state.dealt_cards[state.turn]), 1, True
        for other in range(others):
            rank = rank_on(board, pack[HOLE_CARDS * other : HOLE_CARDS * (other + 1)])
            best = best and bool(rank >= own)
            ties += rank == own
        if best:
            won += 1.0 / ties
    return won / samples


@compiled
def expert(state: Any) -> Int:
    """The action of the seat in turn."""
    return bet(state, chance_to_win(state, SAMPLES))


@compiled
def bet(state: Any, chance: float) -> Int:
    """The action of the seat in turn, given its chance against random hands."""
    mask = np.zeros(MOST_ACTIONS, np.bool_)
    legal_actions(state, mask)
    raises = np.int64(state.raises) - (state.aggressor == state.turn)
    if state.tricks == 0 and state.blind_counts:
        raises -= 1
    chance = chance ** (1.0 + RESPECT * max(raises, 0))
    fair = 1.0 / bits(state.live)
    edge = (chance - fair) / (1.0 - fair)
    if next_seat(state.pending, state.turn) == state.turn or state.dealer == state.turn:
        edge += POSITION
    if edge >= STRONG and state.raises < MOST_RAISES:
        wanted = POT_RAISE if edge >= SURE else HALF_POT_RAISE
        for action in range(wanted, ALL_IN_RAISE + 1):
            if mask[action]:
                return np.int64(action)
        for step in range(wanted - SMALL_RAISE):
            if mask[wanted - 1 - step]:
                return np.int64(wanted - 1 - step)
    if mask[CHECK_ACTION]:
        return np.int64(CHECK_ACTION)
    cost = min(owed_by(state, state.turn), np.int64(state.stack[state.turn]))
    if chance * (pot_of(state) + cost) >= cost:
        return np.int64(CALL_ACTION)
    return np.int64(FOLD_ACTION)
