"""What the solver needs of belote. The total is what team 0 takes in tricks, plus one if it takes all of
them, minus one if the others do; the score is monotone in it. Declarations and bela stay as they were in the
hand. [R3] is rule 3 of docs/rules/belote.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.belote.declarations import find_held, is_among, rightly_shown
from cardlog.models.belote.legal import bela_cards, playable_cards
from cardlog.models.belote.rules import evolve, settle_hand
from cardlog.models.belote.score import (
    BELA,
    HAND_POINTS,
    PLAIN_ORDER,
    PLAIN_VALUES,
    TRICKS,
    TRUMP_ORDER,
    TRUMP_VALUES,
)
from cardlog.models.belote.state import DECK_TEXT, KARO, NOBODY
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS, player_of
from cardlog.models.solve.solvable import TRUMPS, Solvable, Solving, bounds_of
from cardlog.schemas import cards


@compiled
def _reveal(state: Any, last: Any) -> bool:
    """Every card is known once it is played. A claim of bela is dropped: it would limit the cards."""
    for play in range(state.plays, last.plays):
        seat = (last.leaders[play // SEATS] + play) % SEATS
        state.hands[seat] |= np.int64(1) << np.int64(last.played[play])
    state.claiming = 0
    for seat in range(SEATS):
        if last.hidden[seat] != 0:
            return False
        state.hands[seat] |= np.int64(last.hands[seat])
        state.hidden[seat] = 0
    return True


@compiled
def _total(state: Any) -> Int:
    total = np.int64(state.points[0])
    for team in range(2):
        if state.tricks_won[team] == TRICKS:
            total += 1 - 2 * team
    return total


@compiled
def _bounds(state: Any, tricks: Int, worth: Int) -> tuple[Int, Int]:
    """All points that are left for either team."""
    return bounds_of(state, state.tricks_won, HAND_POINTS, tricks, worth)


@compiled
def _must_follow(state: Any, suit: Int) -> bool:
    return bool(suit != KARO or not state.karo_led_frees_everyone)


@compiled
def _matters(state: Any) -> Int:
    """[R15] Whether a team has all tricks so far, and which."""
    for team in range(2):
        if state.tricks_won[1 - team] == 0:
            return np.int64(1 + team + 2 * (state.tricks == 0))
    return np.int64(0)


@compiled
def _finish(state: Any, total: Int) -> None:
    """Score a hand that ends with a total."""
    state.points[0] = min(max(total, 0), HAND_POINTS)
    state.points[1] = HAND_POINTS - state.points[0]
    state.tricks_won[0] = TRICKS if total > HAND_POINTS else 0 if total < 0 else 1
    state.tricks_won[1] = TRICKS - state.tricks_won[0]
    state.score[:] = 0
    settle_hand(state)


@compiled
def _give(state: Any, seat: Int, once: Int, twice: Int) -> None:
    state.hands[seat] = once
    state.hidden[seat] = 0


@compiled
def _shown(state: Any, me: Int, seat: Int) -> tuple[Int, Int]:
    """[R7] Declarations, and [R9] bela."""
    known = bela_cards(state) if state.bela == seat else np.int64(0)
    for number in range(state.shown_count[seat]):
        known |= np.int64(state.shown[seat, number])
    return known, np.int64(0)


@compiled
def _complete(state: Any) -> bool:
    """[R9] Whoever can still claim bela will. [R7] Runs were shown whole; [R8] and by rules that show all
    declarations that count, there are no others."""
    state.claiming = 0
    held_now = state.hands.copy()
    played = np.int64(0)
    for play in range(state.plays):
        bit = np.int64(1) << np.int64(state.played[play])
        played |= bit
        state.hands[player_of(state, play)] |= bit
    for seat in range(SEATS):
        find_held(state, seat)
    fits = rightly_shown(state)
    for seat in range(SEATS):
        for number in range(state.shown_count[seat]):
            fits &= is_among(state.shown[seat, number], state.found[seat], state.found_count[seat])
    both = bela_cards(state)
    for seat in range(SEATS):
        if state.bela == NOBODY and played & both == 0 and both & ~np.int64(state.hands[seat]) == 0:
            state.bela_points[seat & 1] += BELA
        state.hands[seat] = held_now[seat]
    return fits


def _order(trump: int) -> list[int]:
    """[R2] The pack suit by suit, each from its highest card."""
    return [
        cards.code(rank + suit)
        for number, suit in enumerate(cards.SUITS)
        for rank in reversed(TRUMP_ORDER if number == trump else PLAIN_ORDER)
    ]


def _worth(trump: int) -> list[int]:
    """[R10] What the cards are worth, by their codes."""
    worth = [0] * 64
    for card in cards.codes(DECK_TEXT):
        worth[card] = (TRUMP_VALUES if card >> 4 == trump else PLAIN_VALUES).get(cards.RANKS[card & 15], 0)
    return worth


_TRUMPS: Final = range(-1, TRUMPS - 1)
_SOLVING: Final = Solving(
    evolve, playable_cards, _reveal, _total, _bounds, _finish, _give, _shown,
    must_follow=_must_follow, matters=_matters, complete=_complete,
)  # fmt: skip
SOLVABLE: Final = Solvable(
    _SOLVING,
    order=np.array([_order(trump) for trump in _TRUMPS], np.int8),
    worth=np.array([_worth(trump) for trump in _TRUMPS], np.int8),
    budget=5_000_000,  # enough for 99 of 100 hands by the book; the programs' rules leave more legal cards
    rounds=1200,
)
