"""What a seat knows before it passes or plays a card, as numbers."""

from typing import Any, Final

import numpy as np

from cardlog.plugin import Int, alone, cards, compiled, trick

from .players import ALONE
from .rules import PACK_TEXT, RULES

INDEX: Final = trick.index_by_code(np.array(cards.codes(PACK_TEXT), np.int64))

# The first 52 values, one a card of the pack: not seen, held, passed, or played by a seat counted from me.
IN_HAND, PASSED, PLAYED, ON_TABLE = 1, 2, 3, 7
TRICK, BROKEN, DIRECTION, RULES_AT = range(52, 56)
OBSERVATION_WIDTH: Final = RULES_AT + len(RULES)


@compiled
def observe(state: Any, me: Int, observation: Any) -> None:
    """See `Decisions`."""
    observation[:TRICK] = 0
    trick.observe_cards(observation, state.hands[me], INDEX, IN_HAND)
    trick.observe_cards(observation, state.given[me], INDEX, PASSED)
    trick.observe_played(state, me, observation, INDEX, (PLAYED, ON_TABLE))
    observation[TRICK], observation[BROKEN], observation[DIRECTION] = (
        state.tricks,
        state.broken,
        state.direction,
    )
    for bit in range(len(RULES)):
        observation[RULES_AT + bit] = state.rules >> bit & 1


DECISIONS: Final = alone.decisions(ALONE, observe, OBSERVATION_WIDTH)
