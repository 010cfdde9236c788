"""Vacuum: beside other vacuums and runs, and what killed processes left beside the tables."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep.vacuum import SAFE_SECONDS, vacuum
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ingest_text

LINES = dump_lines()


@pytest.fixture
def littered(store: Store, tmp_path: Path) -> Store:
    """A store with a hundred files that no table refers to, an hour old."""
    ingest_text(store, tmp_path, dump(*LINES[:3]))
    for number in range(100):
        name = list(SCHEMAS)[number % len(SCHEMAS)]
        path = Path(store.uri(name)) / "game=kaiser" / f"{number:040x}.parquet"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"PAR1")
        age(path, 3600)
    return store


def age(path: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(path, (then, then), follow_symlinks=False)


def test_beside_a_run_young_files_are_spared(littered: Store) -> None:
    """They may be those that the run is about to commit."""
    with at_work(littered):
        with at_work(littered):
            assert vacuum(littered, 0, dry_run=False) == []
        assert vacuum(littered, 0, dry_run=False) == []
        old = next(Path(littered.root).rglob("0" * 20 + "*.parquet"))
        age(old, 2 * SAFE_SECONDS)
        assert [path.rpartition("/")[2] for path, _ in vacuum(littered, 0, dry_run=False)] == [old.name]
    assert len(vacuum(littered, 0, dry_run=False)) == 99


def test_temporary_files_of_processes_that_are_gone_are_removed(store: Store, tmp_path: Path) -> None:
    ingest_text(store, tmp_path, dump(*LINES[:3]))
    root = Path(store.root)
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    alive = os.getpid()
    removed = [f".warehouse-{gone.pid}.duckdb", "draft.tmp"]
    kept = ["warehouse.duckdb", ".dbt", "notes.txt"]
    for name in removed + kept:
        (root / name).write_bytes(b"abc")
    folders = [f".warehouse-{gone.pid}", f".warehouse-{alive}"]
    for name in folders:
        (root / name).mkdir()
        (root / name / "spilled").write_bytes(b"abcdef")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_bytes(b"abc")
    (root / "link.tmp").symlink_to(tmp_path / "elsewhere")
    for path in root.glob("*"):
        age(path, 10_000)
    (root / "young.tmp").write_bytes(b"abc")
    dry = dict(vacuum(store, 5000, dry_run=True))
    assert set(dry) == {*removed, *folders[:1], "link.tmp"}
    assert dry[folders[0]] == 6
    assert dict(vacuum(store, 5000, dry_run=False)) == dry
    assert not any((root / name).exists() for name in dry)
    assert all((root / name).exists() for name in [*kept, *folders[1:], "young.tmp"])
    assert (tmp_path / "elsewhere" / "file").exists()
