"""What cards cost by what their players knew."""

import numpy as np
import pytest

from cardlog.models.knowing import costs_known
from tests.support.priced import simulated


@pytest.mark.long
def test_what_a_card_cost_by_what_was_known_is_the_same_every_time() -> None:
    """And never below 0; nothing in the last trick, where nobody has a choice, and nothing often before."""
    hands = simulated("kaiser", "book", 3)
    told = hands.events, hands.offsets, hands.befores, hands.lasts
    late = hands.cards_left() <= 16
    plays = hands.plays["event"][late].astype(np.int64)
    costs = costs_known(hands.game, told, plays, 3)
    assert (costs >= 0).all()
    assert not costs[hands.cards_left()[late] <= 4].any()
    assert 0 < (costs > 0).mean() < 1
    np.testing.assert_array_equal(costs, costs_known(hands.game, told, plays, 3))
    alone = costs_known(hands.game, told, plays[-1:], 3)
    np.testing.assert_array_equal(alone, costs[-1:])
