"""Projections of simulated hands."""

import numpy as np
import pytest

from cardlog import models
from cardlog.models.simulation import Simulation
from cardlog.pipelines.build.projections import project
from cardlog.pipelines.export.simulate import batches
from cardlog.schemas.tables import PROJECTIONS


@pytest.mark.parametrize("game", models.GAMES)
def test_the_rows_of_a_hand_do_not_depend_on_the_hands_beside_it(game: str) -> None:
    """Such as on which suits are trump in them."""
    [batch] = batches(game, "test", Simulation(game, 1, ("random",)), 12)
    together = {name: rows.to_pylist() for name, rows in project(batch, tuple(PROJECTIONS))}
    for number, hand_id in enumerate(batch.hand_ids.tolist()):
        for name, rows in project(batch.take(np.array([number])), tuple(PROJECTIONS)):
            expected = [row for row in together[name] if row["hand_id"] == hand_id.decode()]
            assert rows.to_pylist() == expected, name
