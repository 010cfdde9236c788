"""What a seat knows before it plays a card, as numbers."""

from typing import Any, Final

import numpy as np

from cardlog.plugin import Int, alone, cards, compiled, trick

from .players import ALONE
from .rules import PACK_TEXT

INDEX: Final = trick.index_by_code(np.array(cards.codes(PACK_TEXT), np.int64))

# The first 52 values, one a card of the pack: not seen, held, or played by a seat counted from me.
IN_HAND, PLAYED, ON_TABLE = 1, 2, 6
TRICK: Final = 52
OBSERVATION_WIDTH: Final = 53


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """Write what a seat knows, and nothing else."""
    observation[:TRICK] = 0
    trick.observe_cards(observation, state.hands[me], INDEX, IN_HAND)
    trick.observe_played(state, me, observation, INDEX, (PLAYED, ON_TABLE))
    observation[TRICK] = state.tricks


DECISIONS: Final = alone.decisions(ALONE, observe, OBSERVATION_WIDTH)
