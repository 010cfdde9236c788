"""The table `decisions` of every game against the replay: legal actions as bits, and nothing else is lost."""

import numpy as np
import pytest

from cardlog import models
from cardlog.models.simulation import Simulation
from cardlog.pipelines.build.projections import project
from cardlog.pipelines.export.simulate import batches
from cardlog.schemas.tables import DECISIONS, MASK_BITS
from tests.support.decision_rows import decision_rows


@pytest.mark.parametrize("game", models.GAMES)
def test_masks_are_the_bits_of_two_integers(game: str) -> None:
    (batch,) = batches(game, "test", Simulation(game, 5), 30)
    ((_, table),) = project(batch, ("decisions",))
    assert table.schema.names == DECISIONS.names
    expected = decision_rows(batch)
    assert len(table) == len(expected) > 100
    for row, right in zip(table.to_pylist(), expected, strict=True):
        assert {name: row[name] for name in right if name in row and name != "action_mask"} == {
            name: value for name, value in right.items() if name not in ("observation", "action_mask")
        }
        low, high = row["action_mask"], row["action_mask_high"]
        assert min(low, high) >= 0
        legal = [action for action in range(2 * MASK_BITS) if (low | high << MASK_BITS) >> action & 1]
        assert legal == np.flatnonzero(right["action_mask"]).tolist()
        assert row["action"] in legal


def test_every_kind_of_decision_has_a_bit_for_each_action() -> None:
    assert all(models.part(game, "decisions").MOST_ACTIONS <= 2 * MASK_BITS for game in models.GAMES)
