"""What the solver needs of Pinochle. The total is the counters of team 0, plus one if the others take no
trick, minus one if it takes none itself; the score is monotone in it. Melds stay as they were in the hand.
[R3] is rule 3 of docs/rules/pinochle.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS, player_of
from cardlog.models.pinochle.cards import COUNTERS, RANKS, held_of_shown, meld
from cardlog.models.pinochle.legal import legal_cards
from cardlog.models.pinochle.rules import HAND_POINTS, evolve, settle_hand
from cardlog.models.solve.solvable import Solvable, Solving, bounds_of, same_in_every_trump
from cardlog.schemas import cards


@compiled
def _held(state: Any, seat: Int) -> Int:
    return np.int64(state.firsts[seat])


@compiled
def _held_twice(state: Any, seat: Int) -> Int:
    return np.int64(state.seconds[seat])


@compiled
def _reveal(state: Any, last: Any) -> bool:
    """Every card is known once it is played."""
    firsts = last.firsts.copy()
    seconds = last.seconds.copy()
    for play in range(last.plays - 1, state.plays - 1, -1):
        seat = (last.leaders[play // SEATS] + play) % SEATS
        bit = np.int64(1) << np.int64(last.played[play])
        seconds[seat] |= firsts[seat] & bit
        firsts[seat] |= bit
    for seat in range(SEATS):
        if last.unknown[seat] != 0:
            return False
        state.firsts[seat] = firsts[seat]
        state.seconds[seat] = seconds[seat]
        state.unknown[seat] = 0
    return True


@compiled
def _total(state: Any) -> Int:
    total = np.int64(state.points[0])
    if state.done:
        total += (state.took[1] == 0) - np.int64(state.took[0] == 0)
    return total


@compiled
def _bounds(state: Any, tricks: Int, worth: Int) -> tuple[Int, Int]:
    """All counters that are left for either team."""
    return bounds_of(state, state.took, HAND_POINTS, tricks, worth)


@compiled
def _matters(state: Any) -> Int:
    """[R13] Which teams have taken a trick."""
    return np.int64(state.took[0] > 0) + 2 * np.int64(state.took[1] > 0)


@compiled
def _finish(state: Any, total: Int) -> None:
    """Score a hand that ends with a total."""
    state.points[0] = min(max(total, 0), HAND_POINTS)
    state.points[1] = HAND_POINTS - state.points[0]
    state.took[0] = total >= 0
    state.took[1] = total <= HAND_POINTS
    settle_hand(state)


@compiled
def _give(state: Any, seat: Int, once: Int, twice: Int) -> None:
    state.firsts[seat] = once
    state.seconds[seat] = twice
    state.unknown[seat] = 0


@compiled
def _shown(state: Any, me: Int, seat: Int) -> tuple[Int, Int]:
    """[R7] The meld, [R8] without nines that are shown but may not be held."""
    return held_of_shown(
        np.int64(state.meld_firsts[seat]),
        np.int64(state.meld_seconds[seat]),
        np.int64(state.meld_points[seat]),
        np.int64(state.trump),
        state.double_run_shows_both_nines == 1,
    )


@compiled
def _complete(state: Any) -> bool:
    """[R7] Each hand as dealt must meld exactly what was shown."""
    firsts = state.firsts.copy()
    seconds = state.seconds.copy()
    for play in range(state.plays):
        seat = player_of(state, play)
        bit = np.int64(1) << np.int64(state.played[play])
        seconds[seat] |= firsts[seat] & bit
        firsts[seat] |= bit
    for seat in range(SEATS):
        points, once, twice = meld(
            firsts[seat], seconds[seat], np.int64(state.trump), state.double_run_shows_both_nines == 1
        )
        if (
            points != state.meld_points[seat]
            or once != state.meld_firsts[seat]
            or twice != state.meld_seconds[seat]
        ):
            return False
    return True


_ORDER: Final = [cards.code(rank + suit) for suit in cards.SUITS for rank in RANKS]

_SOLVING: Final = Solving(
    evolve, legal_cards, _reveal, _total, _bounds, _finish, _give, _shown,
    held=_held, held_twice=_held_twice, matters=_matters, complete=_complete,
)  # fmt: skip
SOLVABLE: Final = Solvable(
    _SOLVING,
    order=same_in_every_trump(_ORDER),
    worth=same_in_every_trump([int(COUNTERS) >> card & 1 for card in range(64)]),
    budget=2_000_000,  # enough for the last nine or ten tricks of most hands
    late=7,
)
