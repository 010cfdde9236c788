"""A dry run says what an ingest would do, and leaves the store alone."""

import hashlib
import json
import shutil
from pathlib import Path

import pytest

import cardlog as api
from tests.support.commands import Cardlog
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import FIXTURES

COUNTS = ("lines_read", "other_lines", "hands_read", "hands_stored", "duplicates", "quarantined")


def everything_in(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_dry_run_says_what_the_ingest_does(tmp_path: Path) -> None:
    """With a store that is not there, and with one that has some of the hands."""
    root, log, known = tmp_path / "store", FIXTURES / "playedhand_edge.csv", tmp_path / "known.csv"
    store = api.open(root)
    assert store.ingest(log, dry_run=True).hands_stored == 24
    assert not root.exists()
    known.write_bytes(dump(*dump_lines()[:40]))
    store.ingest(known)
    known.write_bytes(dump(*dump_lines()[:60]))
    before = everything_in(root)
    tried = store.ingest([log, known], dry_run=True)
    assert everything_in(root) == before
    done = store.ingest([log, known])
    assert [getattr(tried, name) for name in COUNTS] == [getattr(done, name) for name in COUNTS]
    assert (tried.duplicates, done.rejects) == (40, [])
    columns = ("quarantine_id", "reason", "message", "first_line")
    kept = store.sql(f"select {', '.join(columns)} from quarantine order by first_line").arrow().to_pylist()
    assert [{name: entry[name] for name in columns} for entry in tried.rejects] == kept


def test_what_the_command_says(cardlog: Cardlog, tmp_path: Path) -> None:
    log = tmp_path / "a.csv"
    shutil.copy(FIXTURES / "playedhand_edge.csv", log)
    options = ["ingest", "--dry-run", "--store", "store", "a.csv"]
    report = cardlog(*options)
    assert report.code == 0
    assert "24 stored" in report.err
    assert "a.csv, line 6: must_follow: Event 11" in report.err
    assert "… and 36 more; --json has all of them." in report.err
    assert "cardlog build" not in report.err
    strict = cardlog(*options, "--strict", "--json")
    assert strict.code == 1
    assert len(json.loads(strict.out)["rejects"]) == 56
    assert not Path("store").exists()


def test_a_store_elsewhere_is_refused() -> None:
    with pytest.raises(api.CardlogError, match="a dry run needs a store on this machine"):
        api.open("s3://bucket/store").ingest(FIXTURES / "playedhand_edge.csv", dry_run=True)
