"""Cards that an event of a poker game shows or hides, and hands that use a board."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.ranks import KEYS, NO_CARDS, mask_of, rank_of_key
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason

BOARD_CARDS: Final = 5


@compiled
def shown_cards(seen: Int, event: Any, count: Int) -> tuple[Reason, Int, Int]:
    """Check that an event has `count` cards that are not among those seen, a mask; any may be hidden. Returns
    the mask of those it shows and the number of those it hides, too."""
    mask, hidden = np.int64(0), np.int64(0)
    if event.count != count:
        return Reason.INCOMPLETE, mask, hidden
    for index in range(count):
        card = event.cards[index]
        if card == cards.UNKNOWN:
            hidden += 1
            continue
        if KEYS[card] == 0:
            return Reason.UNKNOWN_CARD, mask, hidden
        bit = np.int64(1) << np.int64(card)
        if (seen | mask) & bit:
            return Reason.DUPLICATE_CARD, mask, hidden
        mask |= bit
    return Reason.OK, mask, hidden


@compiled
def rank_on(board: Any, hole: Any) -> Int:
    """The rank of the best five of a board's cards, shape (5,), and a player's own, shape (2,)."""
    key = np.int64(NO_CARDS)
    for index in range(len(board)):
        key += KEYS[board[index]]
    for index in range(len(hole)):
        key += KEYS[hole[index]]
    return rank_of_key(key, mask_of(board) | mask_of(hole))
