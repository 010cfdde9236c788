"""Compact: no row changes, whatever goes on beside it and wherever it is cut."""

import os
import shutil
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardlog import models
from cardlog.pipelines import runs
from cardlog.pipelines.derive import derive
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage import opening
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.opening import entry_of
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep import compact as compacting
from cardlog.pipelines.upkeep import rewrite
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.status import status
from cardlog.pipelines.upkeep.vacuum import vacuum
from cardlog.pipelines.upkeep.verify import verify
from cardlog.schemas.tables import ANALYSES
from tests.support.csv_rows import dump, dump_lines
from tests.support.figures import report
from tests.support.stores import (
    ALL,
    PROJECTIONS,
    RECORDS,
    assert_same,
    copied,
    differences,
    ingest,
    ingest_text,
    numbers,
)

pytestmark = pytest.mark.long

LINES = dump_lines()


def some(start: int, stop: int) -> bytes:
    return dump(*LINES[start:stop], b"no row %d" % start)


def files(store: Store) -> dict[str, int]:
    return {name: len(store.paths(name)) for name in SCHEMAS}


@pytest.fixture(scope="module")
def piled(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of five ingests, the first three of them built. Not to be changed."""
    folder = tmp_path_factory.mktemp("piled")
    store = Store(str(folder / "store"))
    for number in range(5):
        ingest_text(store, folder, some(10 * number, 10 * number + 10), f"{number}.csv")
        if number < 3:
            runs.build(store)
    return store


@pytest.fixture
def store(piled: Store, tmp_path: Path) -> Store:
    return copied(piled, tmp_path / "store")


def test_no_row_changes(store: Store, piled: Store, tmp_path: Path) -> None:
    before = files(store)
    said = compact(store, dry_run=True)
    assert files(store) == before == {table.table: table.before for table in said}
    assert compact(store) == said
    assert files(store) == {table.table: table.after for table in said}
    assert files(store) == dict.fromkeys(RECORDS + PROJECTIONS, 1) | dict.fromkeys(ANALYSES, 0)
    assert_same(piled, store, ALL)
    for name in ("events", *PROJECTIONS):
        assert numbers(store, name) == numbers(piled, name)
    assert sorted(Counter(numbers(store).values()).items()) == [(version, 10) for version in range(1, 6)]
    assert verify(store).problems == []
    assert all(table["files"] == files(store)[name] for name, table in status(store)["tables"].items())
    assert [table.bytes for table in compact(store)] == [0] * len(SCHEMAS)
    again = ingest_text(store, tmp_path, dump(*LINES[5:55]), "again.csv")
    assert (again.counts.hands_stored, again.counts.duplicates) == (5, 45)


def test_no_row_of_any_game_changes(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    for number in range(2):
        logs = [tmp_path / f"{game}-{number}.jsonl" for game in models.GAMES]
        for game, log in zip(models.GAMES, logs, strict=True):
            simulate(game, 8, number, str(log))
        ingest(store, *logs)
    runs.build(store)
    other = copied(store, tmp_path / "other")
    assert max(files(store).values()) == 2 * len(models.GAMES)
    compact(store)
    assert files(store)["events"] == len(models.GAMES)
    assert_same(other, store, ALL)
    assert verify(store).problems == []


def test_a_build_afterwards_adds_what_is_new_alone(store: Store, piled: Store) -> None:
    expected = copied(piled, Path(store.root).with_name("expected"))
    runs.build(expected)
    compact(store)
    plan = derive.plan(store, derive.ALL, afresh=False)
    assert (set(plan.since.values()), len(plan.items)) == ({3}, 1)
    runs.build(store)
    assert_same(expected, store, ALL)
    compact(store)
    assert derive.plan(store, derive.ALL, afresh=False).since == {}
    assert status(store)["tables"]["tricks"]["state"] == "up to date"


def test_a_build_that_a_compact_passed(
    store: Store, piled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The build sees the fourth ingest; the fifth comes meanwhile, and is put together with the fourth."""
    deeds: list[Callable[[], object]] = [
        lambda: ingest_text(store, tmp_path, some(50, 60), "5.csv"),
        lambda: compact(store),
    ]
    real_commit = derive.commit

    def late(*arguments: Any) -> Any:
        while deeds:
            deeds.pop(0)()
        return real_commit(*arguments)

    monkeypatch.setattr(derive, "commit", late)
    runs.build(store)
    vacuum(store, 0, dry_run=False)
    assert runs.build(store)["playedhand"] == 60
    expected = copied(piled, tmp_path / "expected")
    ingest(expected, tmp_path / "5.csv")
    runs.build(expected)
    assert_same(expected, store, ALL)


# ---------------------------------------------------------------- beside others


def test_what_is_added_meanwhile_stays(
    store: Store, piled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deeds: list[Callable[[], object]] = [
        lambda: ingest_text(store, tmp_path, some(50, 60), "5.csv"),
        lambda: runs.build(store),
        lambda: ingest_text(store, tmp_path, some(60, 70), "6.csv"),
        lambda: runs.build(store, afresh=True),
    ]
    real = compacting.rewritten

    def late(*arguments: Any) -> Any:
        part = real(*arguments)
        if deeds:
            deeds.pop(0)()
        return part

    monkeypatch.setattr(compacting, "rewritten", late)
    compact(store)
    assert not deeds
    runs.build(store)
    expected = copied(piled, tmp_path / "expected")
    for number in (5, 6):
        ingest_text(expected, tmp_path, some(10 * number, 10 * number + 10), f"{number}.csv")
    runs.build(expected)
    assert_same(expected, store, ["events", *PROJECTIONS])
    assert differences(expected, store, ["quarantine"], ("source_path",)) == {}
    assert verify(store).problems == []


def test_of_two_compacts_at_once_one_is_planned_again(
    store: Store, piled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Delta would let the second one pass, and every row be there twice."""
    compact(once := copied(piled, Path(store.root).with_name("expected")))
    expected = files(once)
    real = compacting.rewritten

    def late(*arguments: Any) -> Any:
        part = real(*arguments)
        monkeypatch.setattr(compacting, "rewritten", real)
        compact(store)
        return part

    monkeypatch.setattr(compacting, "rewritten", late)
    compact(store)
    assert files(store) == expected
    assert_same(piled, store, ALL)


@pytest.mark.parametrize("first", ["compact", "rebuild"])
def test_a_rebuild_and_a_compact_at_once(first: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither leaves the rows of the other beside its own."""
    runs.build(store)
    where = (derive, "commit") if first == "compact" else (compacting, "rewritten")
    real = getattr(*where)

    def late(*arguments: Any) -> Any:
        found = real(*arguments) if first == "rebuild" and arguments[1] == "tricks" else None
        if first == "compact" or found is not None:
            monkeypatch.setattr(*where, real)
            if first == "compact":
                compact(store)
            else:
                runs.build(store, afresh=True)
        return found or real(*arguments)

    monkeypatch.setattr(*where, late)
    if first == "compact":
        runs.build(store, afresh=True)
    else:
        compact(store)
    assert getattr(*where) is real
    assert verify(store).problems == []
    assert {name: store.rows(name) for name in PROJECTIONS} == runs.build(store, afresh=True)


def test_a_compact_that_loses_a_row_is_refused(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    real = rewrite._in_order
    monkeypatch.setattr(rewrite, "_in_order", lambda store, name, paths: real(store, name, paths[1:]))
    before = files(store)
    with pytest.raises(compacting.StoreError, match="some rows would be lost or repeated"):
        compact(store)
    assert files(store) == before


def test_what_was_replaced_stays_for_a_day(store: Store, piled: Store) -> None:
    built = piled.built_from("playedhand")
    compact(store)
    then = time.time() - 3600
    for path in Path(store.root).rglob("*"):
        os.utime(path, (then, then))
    replaced = set(piled.paths("events", built))
    gone = {path for path, _ in vacuum(store, 0, dry_run=True)}
    # The events that the projections are of may be exported.
    assert not {f"events/{path}" for path in replaced} & gone
    vacuum(store, 0, dry_run=False)
    assert sum(map(len, pinned(store, as_built=True).read("events"))) == sum(
        piled.sizes("events", built).values()
    )
    assert verify(store).problems == []


# ---------------------------------------------------------------- cut


class Cut(BaseException):
    """What ends a process at some moment, for the test."""


@pytest.mark.parametrize("stride", [9, pytest.param(1, marks=pytest.mark.soak)])
def test_cut_at_any_step_no_row_changes(
    stride: int, piled: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before and after the files that are written, and the commits: all of them, or every ninth."""
    steps = 0
    limit = -1

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*arguments: Any, **named: Any) -> Any:
            nonlocal steps
            for deed in (lambda: None, lambda: real(*arguments, **named)):
                deed()
                if steps == limit:
                    raise Cut
                steps += 1

        return step

    monkeypatch.setattr(Folder, "put", counted(Folder.put))
    monkeypatch.setattr(Store, "commit", counted(Store.commit))
    compact(copy := copied(piled, tmp_path / "whole"))
    every, expected = steps, files(copy)
    assert every > 30
    for number in range(0, every, stride):
        store = copied(piled, tmp_path / str(number))
        steps, limit = 0, number
        with pytest.raises(Cut):
            compact(store)
        limit = -1
        opening._opened.cache_clear()
        if stride > 1 or number % 5 == 0:
            assert verify(store).problems == []
            assert_same(piled, store, ALL)
        compact(store)
        assert files(store) == expected
        if stride > 1 or number % 5 == 0:
            assert_same(piled, store, ALL)
        shutil.rmtree(store.root)


# ---------------------------------------------------------------- by itself, and logs


def test_what_piles_up_is_put_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compacting, "PILE", 4)
    store = Store(str(tmp_path / "store"))
    expected = Store(str(tmp_path / "expected"))
    for number in range(24):
        runs.ingest(store, [_written(tmp_path, number)])
        if compacting.is_piled_up(store):
            compact(store, piled_up=True)
        if number % 8 == 7:
            runs.build(store)
    assert 0 < files(store)["events"] <= 2 * 4
    assert files(store)["ingests"] <= 4
    path = tmp_path / "all.csv"
    path.write_bytes(dump(*LINES[:48]))
    ingest(expected, path)
    runs.build(expected)
    lineage = ("source_id", "source_line")
    assert differences(expected, store, ["events", *PROJECTIONS], lineage) == {}
    assert verify(store).problems == []
    assert runs.ingest(store, [str(tmp_path / "7.csv")]).ingest_id is None


def test_files_of_large_ingests_do_not_pile_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compacting, "PILE", 4)
    assert compacting.is_piled_up(store)
    monkeypatch.setattr(compacting, "PILED_BYTES", min(store.bytes_of("events").values()))
    compact(store, piled_up=True)
    assert files(store)["events"] == 5
    compact(store)
    assert files(store)["events"] == 1


def _written(folder: Path, number: int) -> str:
    path = folder / f"{number}.csv"
    path.write_bytes(dump(*LINES[2 * number : 2 * number + 2]))
    return str(path)


def test_old_entries_of_logs_are_removed_unless_they_are_needed(store: Store, tmp_path: Path) -> None:
    runs.build(store)
    for number in range(5, 20):
        runs.ingest(store, [_written(tmp_path, 20 + number)])
    for is_needed in (True, False):  # the projections are of an early version, then of a late one
        then = time.time() - 40 * 86_400
        for path in Path(store.root).rglob("_delta_log/*"):
            os.utime(path, (then, then))
        compact(store)
        assert store.folder.has(f"events/{entry_of(0)}") == is_needed
        assert not store.folder.has(f"ingests/{entry_of(0)}")
        runs.build(store)
    opening._opened.cache_clear()
    assert verify(store).problems == []
    assert runs.ingest(store, [str(tmp_path / "30.csv")]).ingest_id is None
    assert runs.ingest(store, [_written(tmp_path, 5)]).counts.duplicates == 2


@pytest.mark.soak
def test_after_two_thousand_ingests_and_a_compact_all_is_fast(tmp_path: Path) -> None:
    store, large = Store(str(tmp_path / "store")), Store(str(tmp_path / "large"))
    lines = LINES[:4000]
    times = []
    for number in range(2000):
        path = tmp_path / "in.csv"
        path.write_bytes(dump(*lines[2 * number : 2 * number + 2]))
        began = time.process_time()
        runs.ingest(store, [str(path)])
        times.append(time.process_time() - began)
        if compacting.is_piled_up(store):
            compact(store, piled_up=True)
    compact(store)
    path.write_bytes(dump(*lines))
    runs.ingest(large, [str(path)])
    for each in (store, large):
        runs.build(each)
    assert files(store) == files(large) | {"quarantine": 0}
    assert differences(large, store, ["events", *PROJECTIONS], ("source_id", "source_line")) == {}
    first, last = (sorted(some)[25] for some in (times[20:70], times[-50:]))
    report(f"2,000 ingests of 2 hands: the last took {last / first:.2f} times the CPU time of the first")
