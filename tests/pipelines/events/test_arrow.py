"""Batches as rows of `events` and back: nothing changes, and what is not whole is refused."""

import numpy as np
import pyarrow as pa
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.from_arrow import from_table, hands_of
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.export.simulate import DEFAULT_PLAYERS, batches
from cardlog.schemas.events import SCHEMA


def simulated(game: str) -> Batch:
    """Some hands, of which one says less than the others."""
    found = Batch.joined([*batches(game, "-", Simulation(game, 1, (DEFAULT_PLAYERS,)), 12)]).sorted()
    found.hand_nos[3] = -1
    found.keys = pa.array([None if hand == 5 else f"key {hand}" for hand in range(len(found))], pa.string())
    return found.numbered(7)


def same(one: Batch, other: Batch) -> bool:
    """Whether two batches say the same, wherever their texts are."""
    numbers = ("hand_ids", "offsets", "hand_nos", "ingest_nos")
    assert [getattr(one, name).tolist() for name in numbers] == [
        getattr(other, name).tolist() for name in numbers
    ]
    assert one.events["line"].tolist() == other.events["line"].tolist()
    return one.content().tolist() == other.content().tolist() and one.keys.equals(other.keys)


@pytest.mark.parametrize("game", models.GAMES)
def test_there_and_back(game: str) -> None:
    batch = simulated(game)
    [table] = to_tables(batch)
    assert table.schema.equals(SCHEMA)
    table.validate(full=True)
    found = from_table(game, table)
    assert same(found, batch)
    assert hands_of(game, table).hand_ids.tolist() == batch.hand_ids.tolist()
    middle = slice(int(batch.offsets[2]), int(batch.offsets[9]))
    some = np.arange(2, 9)
    assert same(from_table(game, table.slice(middle.start, middle.stop - middle.start)), batch.take(some))
    halves = [table.slice(0, middle.start + 1), table.slice(middle.start + 1)]
    assert same(from_table(game, pa.concat_tables(halves)), batch)


BAD = {
    "are not all there": ("seq", pa.int16(), lambda values: [*values[:2], 9, *values[3:]]),
    "no known kind and action": ("kind", pa.string(), lambda values: ["play", *values[1:]]),
    "no run of at most": ("cards", pa.string(), lambda values: ["XX", *values[1:]]),
}


@pytest.mark.parametrize("said", BAD)
def test_what_no_event_has_is_refused(said: str) -> None:
    [table] = to_tables(simulated("kaiser"))
    name, kind, change = BAD[said]
    index = table.schema.get_field_index(name)
    values = pa.array(change(table.column(name).to_pylist()), kind)
    with pytest.raises(ValueError, match=said):
        from_table("kaiser", table.set_column(index, name, values))
