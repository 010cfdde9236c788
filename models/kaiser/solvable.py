"""What the solver needs of Kaiser. The total is the points of team 0, in which the score is monotone. [R3] is
rule 3 of docs/rules/kaiser.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS
from cardlog.models.kaiser.legal import legal_cards
from cardlog.models.kaiser.rules import (
    FIVE_OF_HEARTS,
    FIVE_POINTS,
    HAND_POINTS,
    THREE_OF_SPADES,
    THREE_POINTS,
    TRICK_POINTS,
    evolve,
    settle_hand,
)
from cardlog.models.kaiser.state import DECK_TEXT, TRICKS
from cardlog.models.solve.solvable import Solvable, Solving, give_mask, same_in_every_trump
from cardlog.schemas import cards

_WORTH: Final = {FIVE_OF_HEARTS: FIVE_POINTS, THREE_OF_SPADES: THREE_POINTS}


@compiled
def _reveal(state: Any, last: Any) -> bool:
    """All cards are known from the deal."""
    return True


@compiled
def _total(state: Any) -> Int:
    return np.int64(state.points[0])


@compiled
def _bounds(state: Any, tricks: Int, worth: Int) -> tuple[Int, Int]:
    """[R11] The tricks left, and what the five and the three add unless they have been taken. Whoever takes
    the three takes a trick with it."""
    points = np.int64(state.points[0])
    rest = HAND_POINTS - points - np.int64(state.points[1])
    left = np.int64(TRICKS - state.tricks)
    least: Int = rest
    most: Int = rest
    if tricks < left:
        least = tricks * TRICK_POINTS + (FIVE_POINTS if worth > 0 else 0)
        if rest - left * TRICK_POINTS in (THREE_POINTS, FIVE_POINTS + THREE_POINTS):
            least += THREE_POINTS + (TRICK_POINTS if tricks == 0 else 0)
            most -= THREE_POINTS + TRICK_POINTS
    if state.turn & 1:
        least, most = rest - most, rest - least
    return points + least, points + most


@compiled
def _finish(state: Any, total: Int) -> None:
    state.points[0] = total
    state.points[1] = HAND_POINTS - total
    settle_hand(state)


@compiled
def _shown(state: Any, me: Int, seat: Int) -> tuple[Int, Int]:
    """[R3] The cards passed to the partner."""
    given = np.int64(0)
    if seat == me ^ 2 and state.gave == (1 << SEATS) - 1:
        for index in range(2):
            given |= np.int64(1) << np.int64(state.passed_cards[me, index])
    return given, np.int64(0)


_BY_RANK: Final = sorted(cards.codes(DECK_TEXT), key=lambda card: (card >> 4, -card))

SOLVABLE: Final = Solvable(
    Solving(evolve, legal_cards, _reveal, _total, _bounds, _finish, give_mask, _shown),
    order=same_in_every_trump(_BY_RANK),
    worth=same_in_every_trump([_WORTH.get(card, 0) for card in range(64)]),
    budget=100_000_000,  # far more than a hand needs
)
