"""A copy that is made while ingests go on, as docs/operations.md says, is a sound store."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.upkeep.status import status
from cardlog.pipelines.upkeep.verify import verify
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ALL, RECORDS, ingest_text, one

pytestmark = pytest.mark.long

LINES = dump_lines()


def back_up(store: Path, copy: Path, meanwhile: Callable[[], None]) -> None:
    """Copy the tables of record; something happens after every step."""
    for table in ("events", "ingests", "quarantine"):
        shutil.copytree(store / table / "_delta_log", copy / table / "_delta_log")
        meanwhile()
        shutil.copytree(
            store / table, copy / table, dirs_exist_ok=True, ignore=shutil.ignore_patterns("_delta_log")
        )
        meanwhile()


def test_a_backup_beside_ingests_is_sound(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    done = []

    def ingest_one() -> None:
        ingest_text(store, tmp_path, dump(LINES[len(done)], b"no row %d" % len(done)))
        done.append(len(done))

    ingest_one()
    back_up(Path(store.root), tmp_path / "copy", ingest_one)
    restored = Store(str(tmp_path / "copy"))
    with pytest.raises(StoreError, match=r"is missing; remove .* 'cardlog build' makes it from the events$"):
        status(restored)
    problems = verify(restored).problems
    assert len(problems) == len(ALL) - len(RECORDS)
    assert {problem.advice for problem in problems} == {
        "remove its folder, if it is there, and 'cardlog build' makes it from the events"
    }
    runs.build(restored)
    assert verify(restored).problems == []
    assert status(restored)["hands"]["hands_stored"] == 1
    assert one(restored, "select count(*) from events where seq = 0") == 1
    assert ingest_text(restored, tmp_path, dump(*LINES[: len(done)])).counts.hands_stored == len(done) - 1
