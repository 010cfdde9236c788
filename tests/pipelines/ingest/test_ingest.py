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
from cardlog.pipelines.ingest.sources import SourceError, examine
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import dump, dump_lines, edge_lines
from tests.support.stores import (
    RECORDS,
    ask,
    committed,
    dicts,
    ingest,
    ingest_text,
    one,
)

ROWS = dump_lines()[:30]
BAD = edge_lines()


def versions(store: Store) -> dict[str, int]:
    return {name: store.table(name).version() for name in RECORDS}


# ---------------------------------------------------------------- the books


def test_a_row_of_ingests_for_every_source(store: Store, tmp_path: Path) -> None:
    began = datetime.now(UTC)
    (tmp_path / "a.csv").write_bytes(dump(*ROWS[:5], *BAD[:20], b"", ROWS[4]))
    (tmp_path / "b.csv.gz").write_bytes(gzip.compress(dump(*ROWS[3:9])))
    result = ingest(store, tmp_path / "a.csv", tmp_path / "b.csv.gz", dataset="club")
    first, second = sorted(dicts(store, "from ingests"), key=lambda row: row["source_path"])
    assert sorted(result.sources, key=lambda row: row["source_path"]) == [first, second]
    for row in (first, second):
        path = Path(row["source_path"])
        assert (row["source_bytes"], row["source_id"]) == (
            path.stat().st_size,
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        assert (row["format"], row["dataset"], row["ingest_id"]) == (
            "playedhand-csv",
            "club",
            result.ingest_id,
        )
        assert began <= row["ingested_at"] <= datetime.now(UTC)
    counted = (
        "lines_read",
        "other_lines",
        "hands_read",
        "hands_stored",
        "hands_aborted",
        "duplicates",
        "quarantined",
    )
    # Of the first twenty damaged rows, one of each kind, four are stored as aborted and two whole.
    assert [first[name] for name in counted] == [28, 2, 26, 11, 4, 1, 14]
    assert [second[name] for name in counted] == [7, 1, 6, 4, 0, 2, 0]
    events = dict(ask(store, "select source_id, count(*) from events group by all"))
    assert events == {row["source_id"]: row["events_stored"] for row in (first, second)}


def test_a_row_of_quarantine_for_every_bad_hand(store: Store, tmp_path: Path) -> None:
    latin = BAD[0] + "Ä".encode("latin-1")
    result = ingest_text(store, tmp_path, dump(ROWS[0], BAD[4], latin, BAD[5]))
    rows = dicts(store, "from quarantine order by first_line")
    assert [row["raw"].encode(row["raw_encoding"]) for row in rows] == [BAD[4], latin, BAD[5]]
    assert [(row["first_line"], row["last_line"], row["raw_encoding"]) for row in rows] == [
        (3, 3, "utf-8"),
        (4, 4, "latin-1"),
        (5, 5, "utf-8"),
    ]
    assert [row["reason"] for row in rows] == ["must_follow", "unparsable", "duplicate_card"]
    for row in rows:
        assert row["reason"].upper() in Reason.__members__
        assert row["ingest_id"] == result.ingest_id
        assert row["source_path"] == str(tmp_path / "dump.csv")
        assert len(row["quarantine_id"]) == len(row["hand_id"]) == 32
        assert row["message"].endswith((".", "H", "D", "C", "S"))
    ids = {
        line.split(b",", 1)[0]: hand_id
        for line, hand_id in zip([BAD[4], latin, BAD[5]], (r["hand_id"] for r in rows), strict=True)
    }
    for number, hand_id in ids.items():
        assert (
            hand_id
            == hashlib.blake2b(b"playedhand-csv\0playedhand-csv\0" + number, digest_size=16).hexdigest()
        )


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


# ---------------------------------------------------------------- once


def test_the_same_source_again_is_skipped(store: Store, tmp_path: Path) -> None:
    first = ingest_text(store, tmp_path, dump(*ROWS, *BAD))
    before = versions(store)
    again = ingest(store, tmp_path / "dump.csv")
    assert (again.ingest_id, again.sources) == (None, [])
    assert [path for path, _ in again.skipped] == [str(tmp_path / "dump.csv")]
    moved = ingest_text(store, tmp_path, dump(*ROWS, *BAD), "moved.csv")
    assert [path for path, _ in moved.skipped] == [str(tmp_path / "moved.csv")]
    assert versions(store) == before
    assert first.counts.hands_stored == 54


def test_the_same_content_twice_in_one_ingest(store: Store, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "c.csv"):
        (tmp_path / name).write_bytes(dump(*ROWS[:20] if name == "c.csv" else ROWS))
    result = ingest(store, *sorted(tmp_path.glob("*.csv")))
    assert [Path(path).name for path, _ in result.skipped] == ["b.csv"]
    assert [Path(row["source_path"]).name for row in result.sources] == ["a.csv", "c.csv"]
    assert (result.counts.hands_stored, result.counts.duplicates) == (30, 20)


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


def test_ids_of_ingests_depend_on_all_that_tells_them_apart(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(dump(*ROWS[:3]))
    (tmp_path / "b.csv").write_bytes(dump(*ROWS[3:6]))
    a, b = (
        {"path": str(tmp_path / f"{name}.csv"), "format_name": None, "dataset": None, "final": False}
        for name in "ab"
    )
    runs_of = [
        [a],
        [b],
        [a, b],
        [b, a],
        [a | {"dataset": "club"}],
        [a | {"final": True}],
        [a, b | {"dataset": "club"}],
    ]
    ids = [ingesting.ingest_id_of([examine(**file) for file in files]) for files in runs_of]
    assert len(set(ids)) == len(ids)
    (tmp_path / "moved.csv").write_bytes(dump(*ROWS[:3]))
    moved = examine(**(a | {"path": str(tmp_path / "moved.csv")}))
    assert ingesting.ingest_id_of([moved]) == ids[0]


# ---------------------------------------------------------------- whole


def test_nothing_is_seen_if_one_of_the_files_is_wrong(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(dump(*ROWS))
    (tmp_path / "diary.txt").write_text("Dear diary,\n")
    with pytest.raises(SourceError):
        runs.ingest(store, [str(tmp_path / "a.csv"), str(tmp_path / "diary.txt")])
    assert not store.exists


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
