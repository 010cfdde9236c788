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
from cardlog.pipelines.storage.store import Conflict, Store
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import EDGE, SAMPLE, changed, dump, dump_lines, edge_lines
from tests.support.stores import (
    RECORDS,
    ask,
    assert_same,
    check_books,
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


def test_books_are_kept_even_if_nothing_is_stored(store: Store, tmp_path: Path) -> None:
    before_ingest = ingest_text(store, tmp_path, dump(*BAD[4:8]))
    assert before_ingest.counts.hands_stored == 0
    assert committed(store) == {before_ingest.ingest_id: 0}
    assert versions(store) == dict.fromkeys(RECORDS, 1)
    assert ingest(store, tmp_path / "dump.csv").sources == []


def test_books_that_do_not_balance_stop_the_ingest(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "dump.csv").write_bytes(dump(*ROWS))
    finish = ingesting.finish

    def lose_one(*arguments: Any) -> Any:
        block = finish(*arguments)
        return replace(block, counts=replace(block.counts, hands_stored=29))

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


def test_the_same_rows_packed_are_duplicates(store: Store, tmp_path: Path) -> None:
    first = ingest_text(store, tmp_path, dump(*ROWS, *BAD))
    second = ingest_text(store, tmp_path, gzip.compress(dump(*ROWS, *BAD)), "dump.csv.gz")
    assert second.skipped == []
    assert (second.counts.hands_stored, second.counts.duplicates) == (0, first.counts.hands_stored)
    assert second.counts.quarantined == first.counts.quarantined
    assert second.counts.events_stored == 0
    assert len(store.paths("events")) == 1


def test_the_same_content_twice_in_one_ingest(store: Store, tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "c.csv"):
        (tmp_path / name).write_bytes(dump(*ROWS[:20] if name == "c.csv" else ROWS))
    result = ingest(store, *sorted(tmp_path.glob("*.csv")))
    assert [Path(path).name for path, _ in result.skipped] == ["b.csv"]
    assert [Path(row["source_path"]).name for row in result.sources] == ["a.csv", "c.csv"]
    assert (result.counts.hands_stored, result.counts.duplicates) == (30, 20)


def test_known_and_new_files_together(store: Store, tmp_path: Path) -> None:
    ingest_text(store, tmp_path, dump(*ROWS[:20]), "a.csv")
    (tmp_path / "b.csv").write_bytes(dump(*ROWS[10:]))
    result = ingest(store, tmp_path / "a.csv", tmp_path / "b.csv")
    assert [Path(path).name for path, _ in result.skipped] == ["a.csv"]
    assert [Path(row["source_path"]).name for row in result.sources] == ["b.csv"]
    assert (result.counts.hands_stored, result.counts.duplicates) == (10, 10)


def test_data_sets_are_apart(store: Store, tmp_path: Path) -> None:
    text = dump(*ROWS)
    results = [ingest_text(store, tmp_path, text, dataset=name) for name in (None, "club", "club", None)]
    assert [result.counts.hands_stored for result in results] == [30, 30, 0, 0]
    assert [len(result.skipped) for result in results] == [0, 0, 1, 1]
    assert one(store, "select count(distinct hand_id) from events") == 60


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


def test_nothing_is_seen_if_a_step_fails(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest_text(store, tmp_path, dump(*ROWS[:5]), "a.csv")
    before = versions(store)
    (tmp_path / "b.csv").write_bytes(dump(*ROWS))

    def fail(*_: Any) -> Any:
        raise RuntimeError("no more room")

    for step in ("read_item", "compare_bucket", "finish", "commit"):
        with monkeypatch.context() as patch:
            patch.setattr(ingesting, step, fail)
            with pytest.raises(Exception, match="no more room"):
                runs.ingest(store, [str(tmp_path / "b.csv")])
        assert versions(store) == before
        check_books(store)
    assert ingest(store, tmp_path / "b.csv").counts.hands_stored == 25


# ---------------------------------------------------------------- another process in between


class Meanwhile:
    """Something that another process does just before an ingest commits, the first times."""

    def __init__(self, patch: pytest.MonkeyPatch, *deeds: Any) -> None:
        self.deeds = list(deeds)
        self.outcomes: list[str] = []
        commit = ingesting.commit

        def commit_late(*arguments: Any) -> str:
            if self.deeds:
                deed = self.deeds.pop(0)
                with patch.context() as plain:
                    plain.setattr(ingesting, "commit", commit)
                    deed()
            self.outcomes.append(commit(*arguments))
            return self.outcomes[-1]

        patch.setattr(ingesting, "commit", commit_late)


def test_the_same_ingest_meanwhile_is_told(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(dump(*ROWS, *BAD))
    others: list[runs.Ingested] = []
    meanwhile = Meanwhile(monkeypatch, lambda: others.append(ingest(store, path)))
    result = ingest(store, path)
    assert meanwhile.outcomes == ["known"]
    assert (result.ingest_id, result.sources, len(result.skipped)) == (None, [], 1)
    assert others[0].counts.hands_stored == 54
    assert one(store, "select count(*) from ingests") == 1
    assert versions(store) == dict.fromkeys(RECORDS, 1)


def test_an_unrelated_ingest_meanwhile_is_passed_by(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_bytes(dump(*ROWS[:10], *BAD))
    (tmp_path / "b.csv").write_bytes(dump(*ROWS[10:]))
    meanwhile = Meanwhile(monkeypatch, lambda: ingest(store, tmp_path / "b.csv"))
    result = ingest(store, tmp_path / "a.csv")
    assert meanwhile.outcomes == ["done"]
    assert result.counts.hands_stored == 34
    assert one(store, "select count(*) from events where seq = 0") == 54


def test_an_overlapping_ingest_meanwhile_is_compared_with(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.csv").write_bytes(dump(*ROWS[:20], *BAD))
    (tmp_path / "b.csv").write_bytes(dump(*ROWS[10:], changed(ROWS[0], player_0_ai="t", player_1_ai="t")))
    (tmp_path / "c.csv").write_bytes(dump(*ROWS[5:12]))
    meanwhile = Meanwhile(
        monkeypatch, lambda: ingest(store, tmp_path / "b.csv"), lambda: ingest(store, tmp_path / "c.csv")
    )
    result = ingest(store, tmp_path / "a.csv")
    assert meanwhile.outcomes == ["behind", "behind", "done"]
    # 10 to 19 came with b, 5 to 9 with c, and 0 is another in b.
    assert (result.counts.hands_stored, result.counts.duplicates) == (4 + 24, 10 + 5)
    assert result.counts.quarantined == 56 + 1
    assert one(store, "select count(*) from events where seq = 0") == 30 + 24


def test_part_of_an_ingest_meanwhile_is_skipped(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ingests one of two files: its bad hands are not in quarantine twice."""
    (tmp_path / "a.csv").write_bytes(dump(*ROWS[:20], *BAD))
    (tmp_path / "b.csv").write_bytes(dump(*ROWS[20:]))
    meanwhile = Meanwhile(monkeypatch, lambda: ingest(store, tmp_path / "a.csv"))
    result = ingest(store, tmp_path / "a.csv", tmp_path / "b.csv")
    assert meanwhile.outcomes == ["behind", "done"]
    assert [Path(path).name for path, _ in result.skipped] == ["a.csv"]
    assert [Path(row["source_path"]).name for row in result.sources] == ["b.csv"]
    assert one(store, "select count(*) from quarantine") == 56
    assert one(store, "select count(*) from events where seq = 0") == 54


@pytest.mark.parametrize("names", [("a.csv",), ("a.csv", "b.csv")], ids=["alone", "with another"])
def test_a_source_that_came_while_files_were_looked_at_is_skipped(
    names: tuple[str, ...], store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process commits between the look at what is known and the run."""
    (tmp_path / "a.csv").write_bytes(dump(*ROWS[:20], *BAD))
    (tmp_path / "b.csv").write_bytes(dump(*ROWS[20:]))
    fresh = runs._fresh

    def look_then_wait(*arguments: Any) -> Any:
        found = fresh(*arguments)
        monkeypatch.setattr(runs, "_fresh", fresh)
        ingest(store, tmp_path / "a.csv")
        return found

    monkeypatch.setattr(runs, "_fresh", look_then_wait)
    result = ingest(store, *(tmp_path / name for name in names))
    assert [Path(path).name for path, _ in result.skipped] == ["a.csv"]
    assert [Path(row["source_path"]).name for row in result.sources] == list(names[1:])
    assert one(store, "select sum(duplicates) from ingests") == 0
    assert one(store, "select count(*) from quarantine") == 56


def test_conflicts_without_end_are_given_up(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(dump(*ROWS[:2]))
    monkeypatch.setattr(runs, "MOST_TRIES", 3)
    monkeypatch.setattr(ingesting, "commit", lambda *_: "behind")
    with pytest.raises(runs.StoreError, match="try again later"):
        runs.ingest(store, [str(path)])


def test_commits_to_quarantine_and_ingests_are_tried_again(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, refused = Store.commit, []

    def refuse_first(self: Store, name: str, *arguments: Any, **named: Any) -> None:
        if name not in refused:
            refused.append(name)
            raise Conflict("another writer was faster")
        commit(self, name, *arguments, **named)

    monkeypatch.setattr(Store, "commit", refuse_first)
    result = ingest_text(store, tmp_path, dump(*ROWS, *BAD))
    assert refused == ["quarantine", "ingests", "events"]
    assert (result.counts.hands_stored, result.counts.quarantined) == (54, 56)


def test_an_ingest_of_several_files_equals_one_after_the_other(tmp_path: Path) -> None:
    together, apart = (Store(str(tmp_path / name)) for name in ("together", "apart"))
    ingest(together, EDGE, SAMPLE)
    ingest(apart, EDGE)
    ingest(apart, SAMPLE)
    assert_same(together, apart, RECORDS, without=("ingest_id",))


def test_the_name_of_a_data_set_is_text(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(dump(*ROWS))
    with pytest.raises(SourceError, match=r"the data set, a.xff, is not valid UTF-8"):
        runs.ingest(store, [str(tmp_path)], Reading(dataset="a\udcff"))
    assert not store.exists
