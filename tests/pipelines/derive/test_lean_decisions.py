"""The table `decisions` of every game against the replay: legal actions as bits, and nothing else is lost;
the action taken is always one of them."""

import re

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.derive.projections import TABLES, project
from cardlog.pipelines.derive.projections.decisions import decisions
from cardlog.pipelines.derive.projections.hands import Hands
from cardlog.pipelines.events.folding import NotLegal, replay_batch
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
    assert models.game(game).decisions.most_actions <= 2 * MASK_BITS


@pytest.mark.parametrize("game", models.GAMES)
@pytest.mark.parametrize("change", ["mask", "action", "negative"])
def test_a_mask_without_the_action_taken_stops_the_build_at_its_hand(game: str, change: str) -> None:
    (batch,) = batches(game, "test", Simulation(game, 5), 30)
    replayed = replay_batch(batch)
    row = replayed.rows[len(replayed.rows) // 2]
    if change == "mask":
        replayed.masks[len(replayed.rows) // 2, row["action"]] = False
    else:
        row["action"] = row["width"] if change == "action" else -1
    hand_id = batch.hand_ids[row["hand"]].decode()
    with pytest.raises(NotLegal, match=re.escape(f"hand {hand_id}: decision {row['step']} ")):
        decisions(Hands(batch, replayed.folded, TABLES[game]), replayed)
