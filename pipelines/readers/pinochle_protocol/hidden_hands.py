"""The other seats' hands: the log shows only seat 0's.

Their known cards are those that they melded and played.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.models.pinochle.cards import DECK_CODES, KINDS, held_of_shown, masks_of
from cardlog.models.pinochle.dialects import RULES
from cardlog.models.pinochle.rules import DECLARE, PLAY_CARD
from cardlog.models.pinochle.state import HAND_CARDS, SEATS
from cardlog.pipelines.readers.pinochle_protocol.state import DIALECTS, FIRST_EVENTS
from cardlog.schemas.cards import UNKNOWN as UNKNOWN_CARD

_BOTH_NINES: Final = np.array([RULES[name].double_run_shows_both_nines for name in DIALECTS])


@compiled
def fill_in(events: NDArray[Any], trump: int, dialect: int) -> None:
    """Fill in the deals of seats 1 to 3 in a hand's events."""
    held = np.zeros((SEATS, 64), np.int64)
    played = np.zeros(SEATS, np.int64)
    for event in events[FIRST_EVENTS:]:
        if event.action == PLAY_CARD:
            held[event.seat, event.cards[0]] += 1
            played[event.seat] += 1
    for event in events[FIRST_EVENTS:]:
        if event.action == DECLARE and played[event.seat] < HAND_CARDS:
            firsts, seconds = masks_of(event.cards, event.count)
            if firsts < 0:
                continue
            firsts, seconds = held_of_shown(firsts, seconds, event.amount, trump, _BOTH_NINES[dialect])
            for kind in range(KINDS):
                code = DECK_CODES[kind]
                least = (firsts >> code & 1) + (seconds >> code & 1)
                held[event.seat, code] = max(held[event.seat, code], least)
    for seat in range(1, SEATS):
        _fill(events[1 + seat], held[seat])


@compiled
def _fill(event: Any, held: Any) -> None:
    """Fill a deal with the held number of each card, in the servers' order, then with unknown cards."""
    event.count = 0
    for kind in range(KINDS):
        for _ in range(held[DECK_CODES[kind]]):
            if event.count < HAND_CARDS:
                event.cards[event.count] = DECK_CODES[kind]
                event.count += 1
    for index in range(event.count, HAND_CARDS):
        event.cards[index] = UNKNOWN_CARD
    event.count = HAND_CARDS
