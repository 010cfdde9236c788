"""The fold: a hand's state is what its events make of the state before the first one.

`evolve` is a game's own compiled function; everything here works for every game.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

from schemas.events import NO_SEAT

Evolve = Callable[[Any, Any], int]
"""``evolve(state, event) -> reason``: changes the state, or names why the event is illegal and
leaves the state as it was. Both are NumPy records; the reason is a number of `Reason`, 0 for
none. Where the event's seat is null, it fills in the seat whose turn it is."""

Records = NDArray[np.void]
Offsets = NDArray[np.int64]

WHOLE: Final = -1
"""Stands in `Verdicts.at` for a hand in which no event is illegal."""


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def fold(
    evolve: Evolve,
    events: Records,
    offsets: Offsets,
    states: Records,
    reasons: NDArray[np.int8],
    at: Offsets,
) -> None:
    """Fold every hand of a batch through the rules.

    events
        All events, hand after hand: shape (events,), dtype `schemas.events.record_dtype`.
    offsets
        Where each hand begins in `events`, and where the last one ends: shape (hands + 1,).
    states
        In: each hand's state before its first event. Out: after its last legal one. (hands,)
    reasons
        Out: why the hand is illegal, 0 if it isn't. (hands,)
    at
        Out: the place in `events` of the first illegal event, `WHOLE` if there is none. (hands,)
    """
    for hand in range(len(states)):
        reasons[hand] = 0
        at[hand] = WHOLE
        for place in range(offsets[hand], offsets[hand + 1]):
            reason = evolve(states[hand], events[place])
            if reason != 0:
                reasons[hand] = reason
                at[hand] = place
                break


__all__ = ["NO_SEAT", "WHOLE", "Evolve", "Offsets", "Records", "fold"]
