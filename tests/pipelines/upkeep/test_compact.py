"""Compact: no row changes, whatever goes on beside it and wherever it is cut."""

import time
from pathlib import Path

import pytest

from cardlog import models
from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep import compact as compacting
from cardlog.pipelines.upkeep import rewrite
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.status import status
from cardlog.pipelines.upkeep.verify import verify
from tests.support.csv_rows import dump, dump_lines
from tests.support.figures import report
from tests.support.soak import soak
from tests.support.stores import (
    ALL,
    PROJECTIONS,
    assert_same,
    copied,
    differences,
    ingest,
    ingest_text,
    numbers,
)

pytestmark = pytest.mark.long

LINES = dump_lines()


def files(store: Store) -> dict[str, int]:
    return {name: len(store.paths(name)) for name in SCHEMAS}


def test_no_row_of_any_game_changes(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    for number in range(2):
        logs = [tmp_path / f"{game}-{number}.jsonl" for game in models.GAMES]
        for game, log in zip(models.GAMES, logs, strict=True):
            simulate(game, 8, number, str(log))
        ingest(store, *logs)
    runs.build(store)
    other = copied(store, tmp_path / "other")
    before = files(store)
    assert max(before.values()) == 2 * len(models.GAMES)
    said = compact(store, dry_run=True)
    assert files(store) == before == {table.table: table.before for table in said}
    assert compact(store) == said
    assert files(store) == {table.table: table.after for table in said}
    assert files(store)["events"] == len(models.GAMES)
    assert_same(other, store, ALL)
    for name in ("events", *PROJECTIONS):
        assert numbers(store, name) == numbers(other, name)
    assert all(table["files"] == files(store)[name] for name, table in status(store)["tables"].items())
    assert [table.bytes for table in compact(store)] == [0] * len(SCHEMAS)
    assert verify(store).problems == []


def test_a_compact_that_loses_a_row_is_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2):
        runs.ingest(store, [_written(tmp_path, number)])
    real = rewrite._in_order
    monkeypatch.setattr(rewrite, "_in_order", lambda store, name, paths: real(store, name, paths[1:]))
    before = files(store)
    with pytest.raises(compacting.StoreError, match="some rows would be lost or repeated"):
        compact(store)
    assert files(store) == before


def test_no_more_rows_are_merged_than_fit_into_memory(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        runs.ingest(store, [_written(tmp_path, number)])
    rows = store.rows("events")
    monkeypatch.setattr(compacting, "MOST_ROWS", rows * 3 // 5)
    compact(store)
    assert files(store)["events"] == 2
    assert store.rows("events") == rows


@pytest.mark.parametrize(("ingests", "pile"), [(24, 4), *soak((2000, compacting.PILE))])
def test_what_piles_up_is_put_together(
    ingests: int, pile: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """To the tables of a single ingest; and the last one is as fast as the first."""
    monkeypatch.setattr(compacting, "PILE", pile)
    times = []
    for number in range(ingests):
        began = time.process_time()
        runs.ingest(store, [_written(tmp_path, number)])
        times.append(time.process_time() - began)
        if compacting.is_piled_up(store):
            compact(store, piled_up=True)
        if number % (ingests // 3) == 7:
            runs.build(store)
    assert 0 < files(store)["events"] <= 2 * pile
    assert files(store)["ingests"] <= pile
    large = Store(str(tmp_path / "large"))
    ingest_text(large, tmp_path, dump(*LINES[: 2 * ingests]))
    compact(store)
    for each in (store, large):
        runs.build(each)
    assert files(store)["events"] == files(large)["events"] == 1
    assert differences(large, store, ["events", *PROJECTIONS], ("source_id", "source_line")) == {}
    assert verify(store).problems == []
    assert runs.ingest(store, [str(tmp_path / "7.csv")]).ingest_id is None
    for number in range(ingests, ingests + pile):
        runs.ingest(store, [_written(tmp_path, number)])
    monkeypatch.setattr(compacting, "PILED_BYTES", 0)  # files of large ingests do not pile up
    assert not compacting.is_piled_up(store)
    if ingests > 1000:
        first, last = (sorted(some)[25] for some in (times[20:70], times[-50:]))
        report(f"2,000 ingests of 2 hands: the last took {last / first:.2f} times the CPU time of the first")


def _written(folder: Path, number: int) -> str:
    path = folder / f"{number}.csv"
    path.write_bytes(dump(*LINES[2 * number : 2 * number + 2]))
    return str(path)
