"""Forget: which files are older than an erasure is known from Delta, and all are read for what is left."""

import json
import os
import shutil
import time
from pathlib import Path

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import marts, warehouse
from cardlog.pipelines.storage import erasures
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.vacuum import vacuum
from cardlog.pipelines.upkeep.verify import verify
from tests.support.persons import FORMS, NAME, forget, log, saying
from tests.support.stores import ask, copied, ingest

pytestmark = pytest.mark.long

TWO_DAYS = 172_800.0


@pytest.fixture
def store(erasable: Store) -> Store:
    return erasable


def problems(store: Store) -> list[tuple[str, str]]:
    return [(problem.place, problem.what) for problem in verify(store).problems]


def set_clock(store: Store, seconds: float) -> None:
    """Let all files be changed that long from now."""
    for path in Path(store.root).rglob("*"):
        os.utime(path, (time.time() + seconds,) * 2)


@pytest.mark.parametrize(("what", "ahead"), [("player", TWO_DAYS), ("dataset", -TWO_DAYS)])
def test_clocks_do_not_matter(store: Store, what: str, ahead: float) -> None:
    """What is no table, or can be made again, is removed whatever its time."""
    gone = FORMS if what == "player" else tuple(h for (h,) in ask(store, _OF_ONE))
    Path(store.root, ".dbt").mkdir()
    for name in (warehouse.FILE, "warehouse.json", "draft.tmp", ".dbt/dbt.log"):
        (Path(store.root) / name).write_text(" ".join(gone))
    set_clock(store, ahead)
    wanted = {what: NAME if what == "player" else "one"}
    assert not forget(store, player="nobody").marts_removed
    assert forget(store, **wanted, dry_run=True).marts_removed
    done = forget(store, **wanted)
    assert saying(store.root, gone) == set()
    assert (done.marts_removed, done.left) == (True, ())
    assert done.searched >= sum(len(store.paths(name)) for name in SCHEMAS)
    assert problems(store) == []


_OF_ONE = "select distinct hand_id from events where dataset = 'one'"


def test_files_that_come_back_are_noticed(store: Store, full: Store) -> None:
    """Those that the erasure took out, restored over the store, with times of now."""
    forget(store, player=NAME)
    back = [f"events/{path}" for path in full.paths("events") if path not in store.paths("events")]
    for path in back:
        shutil.copyfile(Path(full.root, path), Path(store.root, path))
    what = f"an erasure is unfinished: {len(back)} files in the tables' folders may have what was erased"
    assert problems(store) == [("events", what)]
    copy = copied(store, f"{store.root}-copy")
    vacuum(copy, 86_400, dry_run=False)
    assert forget(store, player="nobody").removed == len(back)
    for each in (store, copy):
        assert problems(each) == []
        assert saying(each.root, FORMS) == set()


def test_what_no_log_names_is_searched_too(store: Store, full: Store) -> None:
    """What a run that was killed has written, before an erasure and after it."""
    [path, *_] = [Path(full.uri("events"), path) for path in full.paths("events")]
    stray = Path(store.uri("events"), "game=kaiser", "part-0.parquet")
    shutil.copyfile(path, stray)
    forget(store, player=NAME)
    assert not stray.exists()
    shutil.copyfile(path, stray)
    done = forget(store, player=NAME)
    assert (done.files, done.removed, done.left) == (0, 1, ())
    assert not stray.exists()


def test_what_is_left_is_said(store: Store, full: Store) -> None:
    """A checkpoint has ids, other files the name too."""
    hand = min(h for (h,) in ask(store, _OF_ONE))
    places = ["events/_delta_log/notes.json", "notes.txt", "playedhand/_delta_log/x.checkpoint.parquet"]
    texts = [Path(store.root, place) for place in places[:2]]
    for path in texts:
        path.write_text(f"of {NAME}: {hand}")
    shutil.copyfile(Path(full.uri("playedhand"), full.paths("playedhand")[0]), Path(store.root, places[2]))
    assert forget(store, hand=hand).left == tuple(places)
    assert set(forget(store, player=NAME).left) >= set(places[:2])
    for path in texts:
        path.unlink()
    assert not set(forget(store, player=NAME).left) & set(places[:2])


def test_words_of_our_own_are_no_names(store: Store) -> None:
    for name in ("human", "Kaiser", "five", "dealer", "player", "hands"):
        assert forget(store, player=name).left == ()


def test_marts_with_a_name_are_noticed(store: Store, tmp_path: Path) -> None:
    """Those of before the erasure that come back, and new ones in which the name is all the same."""
    files = ("warehouse.duckdb", "warehouse.json")
    marts.build(store)
    for name in files:
        shutil.copy(Path(store.root, name), tmp_path / name)
    forget(store, player=NAME)
    runs.build(store)
    marts.build(store)
    assert problems(store) == []
    with duckdb.connect(str(warehouse.path_of(store))) as connection:
        connection.execute(f"create table t as select ['x', '{NAME}'] as list from range(3000)")
    done = forget(store, player=NAME)
    assert (done.marts_removed, done.left) == (True, ())
    for name in files:
        shutil.copyfile(tmp_path / name, Path(store.root, name))
    what = "an erasure is unfinished: the marts were built before it, and may have what was erased"
    assert problems(store) == [("warehouse.duckdb", what)]
    assert forget(store, player="nobody").marts_removed
    assert problems(store) == []


def test_a_compact_after_an_erasure_leaves_nothing_to_finish(store: Store, tmp_path: Path) -> None:
    """It takes out files that are older than the commit that erased, but were written by it."""
    for number in (3, 4):
        ingest(store, log(tmp_path, "kaiser", number, match=f"table {number}"))
    runs.build(store)
    forget(store, player=NAME)
    assert any(done.after < done.before for done in compact(store))
    assert problems(store) == []
    assert erasures.leftovers(store) == []
    hand = min(h for (h,) in ask(store, "select hand_id from events"))
    forget(store, hand=hand)
    assert problems(store) == []


BROKEN = {
    "garbled": lambda lines: [lines[0], b"\xff\x00 no json"],
    "order": lambda lines: lines[::-1],
    "twice": lambda lines: [*lines, lines[-1]],
    "cut": lambda lines: [lines[0], lines[1][:-1]],
    "empty line": lambda lines: [lines[0], b"", lines[1]],
    "a line less": lambda lines: lines[:1],
    "empty": lambda lines: [],
}


def test_a_changed_book_is_named(store: Store) -> None:
    forget(store, player=NAME)
    forget(store, dataset="two")
    path = Path(store.root, erasures.BOOK)
    assert problems(store) == []
    lines = path.read_bytes().splitlines()
    assert [json.loads(line)["number"] for line in lines] == [1, 2]
    for how, change in BROKEN.items():
        path.write_bytes(b"".join(line + b"\n" for line in change(lines)))
        fault = erasures.book_fault(store)
        assert fault is not None
        assert ("not what was written" in fault) == (how not in ("a line less", "empty"))
    path.unlink()
    assert problems(store) == [(erasures.BOOK, "it has 0 erasures, but there were 2")]
