"""Several processes that write to one store at the same time: nothing is lost, nothing is there twice."""

import os
import random
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier
from typing import Any

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.vacuum import vacuum
from tests.support.child import Child, step_of
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.figures import report
from tests.support.stores import (
    ask,
    assert_same,
    check_books,
    check_numbers,
    committed,
    data_files,
    ingest,
    numbers,
    one,
)

pytestmark = pytest.mark.long


def race(store: Store, *works: list[str]) -> list[list[dict[str, object]]]:
    """Let a process do each of these lists of steps, all at once; what they said of each step."""
    children = [Child(store.root, *steps) for steps in works]
    for child in children:
        child.go()
    found = [child.finished() for child in children]
    assert [len(results) for results in found] == list(map(len, works))
    check_books(store)
    check_numbers(store)
    return found


def slices(folder: Path, count: int, rows: int, overlap: int, seed: int = 0) -> list[Path]:
    """So many files of so many rows, each with some rows of the next and some damaged ones."""
    rng = random.Random(seed)
    lines, bad = dump_lines(), edge_lines()
    paths = []
    for number in range(count):
        start = number * (rows - overlap)
        mine = [*lines[start : start + rows], *bad[number::count]]
        paths.append(folder / f"{seed}-{number}.csv")
        paths[-1].write_bytes(dump(*rng.sample(mine, len(mine))))
    return paths


def test_a_table_is_made_once(tmp_path: Path) -> None:
    """However many make it at the same moment: made twice, it would seem to hold something already."""
    for number in range(5):
        stores = [Store(str(tmp_path / str(number))) for _ in range(6)]
        start = Barrier(len(stores))
        with ThreadPoolExecutor(len(stores)) as pool:
            list(pool.map(lambda store, start=start: (start.wait(), store.create()), stores))
        assert {name: stores[0].table(name).version() for name in SCHEMAS} == dict.fromkeys(SCHEMAS, 0)


def test_rows_have_the_number_of_their_commit_whoever_commits_meanwhile(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Just before an ingest commits, others do: an ingest without a hand in common, then another one and a
    compact, of which Delta would let the latter pass; so its files are written again twice."""
    lines = dump_lines()
    for name in range(4):
        (tmp_path / f"{name}.csv").write_bytes(dump(*lines[10 * name : 10 * name + 10]))
    ingest(store, tmp_path / "0.csv")
    deeds = [
        lambda: ingest(store, tmp_path / "1.csv"),
        lambda: (ingest(store, tmp_path / "2.csv"), compact(store)),
    ]
    commit = Store.commit

    def late(self: Store, name: str, *arguments: Any, **how: Any) -> None:
        if name == "events" and deeds:
            monkeypatch.setattr(Store, "commit", commit)
            deeds.pop(0)()
            monkeypatch.setattr(Store, "commit", late)
        commit(self, name, *arguments, **how)

    monkeypatch.setattr(Store, "commit", late)
    assert ingest(store, tmp_path / "3.csv").counts.hands_stored == 10
    assert sorted(Counter(numbers(store).values()).items()) == [(1, 10), (2, 10), (3, 10), (5, 10)]
    check_numbers(store)
    check_books(store)
    monkeypatch.undo()
    assert ingest(store, *(tmp_path / f"{name}.csv" for name in range(4))).skipped


def test_equal_files(store: Store, tmp_path: Path) -> None:
    """Four processes ingest the same: one does it, the others are told that it is known."""
    (path,) = slices(tmp_path, 1, 300, 0)
    copy = tmp_path / "copy.csv"
    copy.write_bytes(path.read_bytes())
    found = [said for (said,) in race(store, *([step_of(each)] for each in (path, path, copy, copy)))]
    stored = [said for said in found if said["hands_read"]]
    assert [said["hands_stored"] for said in stored] == [324]
    assert sorted(len(said["skipped"]) for said in found) == [0, 1, 1, 1]  # type: ignore[arg-type]
    assert one(store, "select count(*) from ingests") == 1
    assert len(committed(store)) == 1
    assert one(store, "select count(*) from quarantine") == 56


def test_overlapping_files_and_builds(store: Store, tmp_path: Path) -> None:
    """Dumps that have half of their rows in common, one of them twice, and builds in between."""
    paths = slices(tmp_path, 3, 200, 100)
    works = [["build", step_of(path), "build"] for path in paths]
    found = race(store, *works, [step_of(paths[0], paths[1]), "rebuild"])
    said = [result for results in found for result in results if "hands_read" in result]
    read, stored = (sum(each[name] for each in said) for name in ("hands_read", "hands_stored"))  # type: ignore[misc]
    assert stored == one(store, "select count(*) from events where seq = 0") == 400 + 24
    assert read == one(store, "select sum(hands_read) from ingests")
    # No source was read twice, and no bad row is in quarantine twice.
    assert ask(store, "select source_id from ingests group by source_id having count(*) > 1") == []
    assert one(store, "select count(*) from quarantine") == 56
    runs.build(store)
    alone = Store(str(tmp_path / "alone"))
    for path in paths:
        ingest(alone, path)
    runs.build(alone)
    assert_same(alone, store, ["events", "playedhand"], without=("source_id", "source_line"))
    assert_same(alone, store, ["tricks", "decisions"])


def test_different_versions_of_the_same_hands(store: Store, tmp_path: Path) -> None:
    """Every hand comes in two versions: one is stored, the other is in quarantine."""
    lines = dump_lines()[:150]
    versions = [lines, [changed(line, setting_no_trump_bid_out="62", added_date="") for line in lines]]
    paths = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, rows in zip(paths, versions, strict=True):
        path.write_bytes(dump(*rows))
    found = [said for (said,) in race(store, *([step_of(path)] for path in paths))]
    assert sorted((said["hands_stored"], said["quarantined"]) for said in found) == [(0, 150), (150, 0)]
    assert ask(store, "select distinct reason from quarantine") == [("conflict",)]


def test_a_source_whose_hands_are_all_known_is_read_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ingests the same file and another one just before the commit. Neither adds a hand,
    so their data files have nothing in common."""
    lines = dump_lines()
    texts = {"all": lines[:20], "some": (*lines[:10], b"no row"), "other": lines[20:22]}
    for name, rows in texts.items():
        (tmp_path / name).write_bytes(dump(*rows))
    ingest(store, tmp_path / "all")
    commit = Store.commit

    def late(self: Store, name: str, *arguments: Any, **how: Any) -> None:
        if name == "events":
            monkeypatch.setattr(Store, "commit", commit)
            ingest(store, tmp_path / "some", tmp_path / "other")
        commit(self, name, *arguments, **how)

    monkeypatch.setattr(Store, "commit", late)
    result = ingest(store, tmp_path / "some")
    assert [path for path, _ in result.skipped] == [str(tmp_path / "some")]
    assert ask(store, "select source_id from ingests group by source_id having count(*) > 1") == []
    assert one(store, "select count(*) from quarantine") == 1


# ---------------------------------------------------------------- for a while

SECONDS = float(os.environ.get("CARDLOG_SOAK_SECONDS", "600"))
"""How long the long form goes on."""
VACUUM_SECONDS = 300.0
"""What is younger than that may belong to a writer that is still going."""


def look(store: Store, least: int) -> int:
    """Read events and playedhand as anyone may at any time: every hand is there once, and none that was
    there before is missing. Gives how many hands there are."""
    connection = duckdb.connect()
    count = "select count(*), count(distinct hand_id) from read_parquet(?)"
    built = data_files(store, "playedhand")
    events = data_files(store, "events")
    hands = 0
    if events:
        [(hands, distinct)] = connection.execute(f"{count} where seq = 0", [events]).fetchall()
        assert hands == distinct
    if built:
        [(rows, distinct)] = connection.execute(count, [built]).fetchall()
        assert rows == distinct <= hands
    assert hands >= least
    return int(hands)


def write_for(
    store: Store, paths: list[Path], writers: int, seconds: float, rng: random.Random
) -> Counter[str]:
    """Let so many processes ingest and build one thing after the other, reading and vacuuming meanwhile.
    What was done how often."""
    done: Counter[str] = Counter()
    store.create()
    fresh = list(paths)
    children: list[Child] = []
    end, vacuumed, hands = time.monotonic() + seconds, time.monotonic(), 0
    while children or time.monotonic() < end:
        for child in [child for child in children if child.ended]:
            done["steps"] += len(child.finished())
            children.remove(child)
        while len(children) < writers and time.monotonic() < end:
            files = [fresh.pop() if fresh else rng.choice(paths), rng.choice(paths)]
            steps = [step_of(*files), rng.choice(("build", "build", "rebuild"))]
            children.append(Child(store.root, *steps).go())
        hands = look(store, hands)
        done["looks"] += 1
        if time.monotonic() > vacuumed + min(seconds / 10, 30):
            done["removed"] += len(vacuum(store, VACUUM_SECONDS, dry_run=False))
            done["vacuums"] += 1
            vacuumed = time.monotonic()
    for path in fresh:
        ingest(store, path)
    done["hands"] = hands
    return done


def check_against_one_writer(store: Store, paths: list[Path], alone: Store) -> None:
    """The tables hold what one process makes of the same files; no source and no bad row is there twice."""
    assert ask(store, "select source_id from ingests group by source_id having count(*) > 1") == []
    runs.build(store)
    check_books(store)
    check_numbers(store)
    ingest(alone, *paths)
    assert one(store, "select count(*) from quarantine") == one(alone, "select count(*) from quarantine")
    runs.build(alone)
    assert_same(alone, store, ["events", "playedhand"], without=("source_id", "source_line"))
    assert_same(alone, store, ["tricks", "decisions"])


def test_writers_readers_and_a_vacuum(store: Store, tmp_path: Path) -> None:
    paths = slices(tmp_path, 6, 60, 20)
    done = write_for(store, paths, 3, 2.0, random.Random(1))
    assert min(done["steps"], done["looks"], done["vacuums"]) > 0
    check_against_one_writer(store, paths, Store(str(tmp_path / "alone")))


@pytest.mark.soak
def test_eight_writers_for_ten_minutes(store: Store, tmp_path: Path) -> None:
    paths = slices(tmp_path, 190, 150, 50)
    done = write_for(store, paths, 8, SECONDS, random.Random(2))
    check_against_one_writer(store, paths, Store(str(tmp_path / "alone")))
    report(
        f"writers: 8 at once for {SECONDS:,.0f} s: {done['steps']:,} ingests and builds, "
        f"{done['looks']:,} looks by a reader, {done['vacuums']:,} vacuums that removed "
        f"{done['removed']:,} files, {done['hands']:,} hands; 0 lost, 0 twice, the tables those of one writer"
    )
