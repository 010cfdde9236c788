"""Ingest: what it writes down about itself, that it happens once and whole, and what it skips."""

import gzip
import hashlib
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.ingest import ingest as ingesting
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.ingest.sources import SourceError
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import dump, dump_lines, edge_lines
from tests.support.stores import ask, committed, dicts, ingest, ingest_text, one

ROWS = dump_lines()[:30]
BAD = edge_lines()


def test_a_row_of_ingests_for_every_source(store: Store, tmp_path: Path) -> None:
    began = datetime.now(UTC)
    (tmp_path / "a.csv").write_bytes(dump(*ROWS[:5], *BAD[:20], b"", ROWS[4]))
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(dump(*ROWS[3:9])))
    result = ingest(store, tmp_path / "a.csv", tmp_path / "b.csv.gz", dataset="club")
    first, second = sorted(dicts(store, "from ingests"), key=lambda row: row["source_path"])
    assert sorted(result.sources, key=lambda row: row["source_path"]) == [first, second]
    for row in (first, second):
        path = Path(row["source_path"])
        content = path.read_bytes()
        assert (row["source_bytes"], row["source_id"]) == (len(content), hashlib.sha256(content).hexdigest())
        named = (row["format"], row["dataset"], row["ingest_id"])
        assert named == ("playedhand-csv", "club", result.ingest_id)
        assert began <= row["ingested_at"] <= datetime.now(UTC)
    counted = ("lines_read", "other_lines", "hands_read", "hands_stored", "hands_aborted")
    counted += ("duplicates", "quarantined")
    # Of the first twenty damaged rows, one of each kind, four are stored as aborted and two whole.
    assert [first[name] for name in counted] == [28, 2, 26, 11, 4, 1, 14]
    assert [second[name] for name in counted] == [7, 1, 6, 4, 0, 2, 0]
    events = dict(ask(store, "select source_id, count(*) from events group by all"))
    assert events == {row["source_id"]: row["events_stored"] for row in (first, second)}


def test_books_that_do_not_balance_stop_the_ingest(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dump.csv").write_bytes(dump(*ROWS))
    finish = ingesting.finish

    def lose_one(*arguments: Any) -> Any:
        block = finish(*arguments)
        return replace(block, counts=[replace(block.counts[0], hands_stored=29)])

    monkeypatch.setattr(ingesting, "finish", lose_one)
    with pytest.raises(Exception, match="don't add up"):
        runs.ingest(store, [str(tmp_path / "dump.csv")])
    monkeypatch.undo()
    assert one(store, "select count(*) from events") == 0
    assert one(store, "select count(*) from ingests") == 0
    assert ingest(store, tmp_path / "dump.csv").counts.hands_stored == 30


def test_a_final_reading_of_a_known_file_happens_once(store: Store, tmp_path: Path) -> None:
    """`--final` reads a file again even if it is known, for the hands that were cut off; and what
    was stored the first time stays in the books."""
    first = ingest_text(store, tmp_path, dump(*ROWS))
    final = ingest(store, tmp_path / "dump.csv", final=True)
    assert (final.counts.hands_stored, final.counts.duplicates) == (0, 30)
    again = ingest(store, tmp_path / "dump.csv", final=True)
    assert (again.sources, len(again.skipped)) == ([], 1)
    assert sorted(committed(store)) == sorted([first.ingest_id, final.ingest_id])
    both = ingest(store, tmp_path / "dump.csv", tmp_path / "dump.csv", final=True)
    assert (both.sources, len(both.skipped)) == ([], 1)


def test_conflicts_without_end_are_given_up(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(dump(*ROWS[:2]))
    monkeypatch.setattr(runs, "MOST_TRIES", 3)
    monkeypatch.setattr(ingesting, "commit", lambda *_: "behind")
    with pytest.raises(runs.StoreError, match="try again later"):
        runs.ingest(store, [str(path)])


def test_the_name_of_a_data_set_is_text(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(dump(*ROWS))
    with pytest.raises(SourceError, match=r"the data set, a.xff, is not valid UTF-8"):
        runs.ingest(store, [str(tmp_path)], Reading(dataset="a\udcff"))
    assert not store.exists
