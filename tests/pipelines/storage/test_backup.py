"""A copy that is made while ingests go on, as docs/operations.md says, is a sound store."""

import shutil
import threading
from pathlib import Path

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import verify
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import one

LINES = dump_lines()


def back_up(store: Path, copy: Path) -> None:
    for table in ("events", "ingests", "quarantine"):
        shutil.copytree(store / table / "_delta_log", copy / table / "_delta_log")
        shutil.copytree(
            store / table, copy / table, dirs_exist_ok=True, ignore=shutil.ignore_patterns("_delta_log")
        )


def test_a_backup_beside_ingests_is_sound(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    stop = threading.Event()
    done = []

    def ingest_one_by_one() -> None:
        for number, line in enumerate(LINES[:200]):
            path = tmp_path / f"{number}.csv"
            path.write_bytes(dump(line))
            runs.ingest(store, [str(path)])
            done.append(number)
            if stop.is_set():
                break

    thread = threading.Thread(target=ingest_one_by_one)
    thread.start()
    hands = []
    try:
        for number in range(3):
            while len(done) < 3 * (number + 1) and thread.is_alive():
                stop.wait(0.01)
            copy = tmp_path / f"copy-{number}"
            back_up(Path(store.root), copy)
            restored = Store(str(copy))
            runs.build(restored)
            assert verify.verify(restored).problems == []
            hands.append(one(restored, "select count(*) from events where seq = 0"))
    finally:
        stop.set()
        thread.join()
    assert hands == sorted(hands)
    assert 3 <= hands[0] < hands[-1]
    assert restored.rows("playedhand") == hands[-1]
    path = tmp_path / "again.csv"
    path.write_bytes(dump(*LINES[: len(done)]))
    assert runs.ingest(restored, [str(path)]).counts.hands_stored == len(done) - hands[-1]
