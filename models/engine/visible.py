"""What each seat may see of a hand: `Visible` is a game's table of its state, `CARDS` says it of events."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.schemas.events import Action

NOBODY: Final = -1
"""The seat of those who only watch."""
EVERYONE, OWN = range(2)
CARDS: Final = {
    Action.DEAL_HAND: OWN,
    Action.DEAL_PASS: OWN,
    Action.DEAL_DRAW: OWN,
    Action.DEAL_BOARD: EVERYONE,
    Action.MELD_DECLARE: EVERYONE,
    Action.PLAY_CARD: EVERYONE,
    Action.PLAY_DISCARD: OWN,
    Action.SCORE_TRICK: EVERYONE,
    Action.SCORE_SHOW: EVERYONE,
}
"""Whether everyone sees the cards of an event, or its own seat. Nobody sees those of an action that is not
listed."""


@dataclass(frozen=True, eq=False)
class Visible:
    """Every field of a game's state, in one of three groups. A field in none is shown to nobody, as zeros."""

    public: tuple[str, ...]  # seen by everyone
    # with a row for each seat, which only that seat sees; and the value that the others see
    own: Mapping[str, Any]
    secret: Mapping[str, Any] = field(default_factory=dict)  # seen by nobody; and the value shown instead
    # ``amend(shown, state, seat)`` changes the state that is shown, by how far the hand is: it adds what a
    # rule opens, and hides what a rule has not yet opened
    amend: Callable[[Any, Any, int], None] = lambda shown, state, seat: None

    def seen_by(self, states: NDArray[np.void], seats: NDArray[np.integer[Any]]) -> NDArray[np.void]:
        """States as far as a seat, one for each state, or `NOBODY`, may see them: shape (states,)."""
        seen = np.zeros(len(states), states.dtype)
        for name in self.public:
            seen[name] = states[name]
        seated = np.flatnonzero(seats != NOBODY)
        rows = seated, seats[seated]
        for name, blank in self.own.items():
            seen[name] = blank
            seen[name][rows] = states[name][rows]
        for name, blank in self.secret.items():
            seen[name] = blank
        for shown, state, seat in zip(seen, states, seats.tolist(), strict=True):
            self.amend(shown, state, seat)
        return seen
