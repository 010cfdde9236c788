"""Quarantine: what is in it, and that hands come out when a reader or a rule is mended."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.quarantine import NoSuchEntry
from cardlog.schemas.reasons import MEANING, Reason
from tests.support.csv_rows import EDGE, changed, dump, dump_lines
from tests.support.disturbed import rule_with_a_slip
from tests.support.stores import (
    ask,
    assert_same,
    check_books,
    check_numbers,
    dicts,
    ingest,
    ingest_text,
    numbers,
    one,
)

ROWS = dump_lines()[:6]
SLIP = "a slip in the reader"


@pytest.fixture
def slip(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], None]]:
    """The reader takes no bid of 7 in suit; calling it mends that."""
    read = playedhand_csv.read

    def worse(*arguments: Any) -> list[Read]:
        return [_without_sevens(found) for found in read(*arguments)]

    with monkeypatch.context() as patch:
        patch.setattr(playedhand_csv, "read", worse)
        yield patch.undo


def _without_sevens(read: Read) -> Read:
    """The read with every hand rejected whose raw text has a bid of 7 and a suit."""
    bad = [n for n in range(len(read.batch)) if any(b",7%c," % s in read.raw_of(n) for s in b"CDHS")]
    keep = np.setdiff1d(np.arange(len(read.batch)), bad)
    rejects = [
        Reject(
            Reason.UNPARSABLE,
            SLIP,
            read.raw_of(n),
            int(read.first_lines[n]),
            int(read.last_lines[n]),
            read.batch.hand_ids[n].decode(),
            read.batch.game,
        )
        for n in bad
    ]
    return replace(
        read,
        batch=read.batch.take(keep),
        rejects=[*read.rejects, *rejects],
        raw_of=lambda n: read.raw_of(int(keep[n])),
        first_lines=read.first_lines[keep],
        last_lines=read.last_lines[keep],
    )


def sevens(lines: tuple[bytes, ...]) -> list[int]:
    """The lines of a dump of these rows that the slip is about."""
    return [n for n, line in enumerate(lines, 2) if any(b",7%c," % suit in line for suit in b"CDHS")]


# ---------------------------------------------------------------- retry


def test_hands_are_stored_when_the_reader_is_mended(
    slip: Callable[[], None], store: Store, tmp_path: Path
) -> None:
    """With the source, the lines and the ids that they would have had, and so the same tables; once."""
    lines = dump_lines()[:40]
    first = ingest_text(store, tmp_path, dump(*lines), dataset="club")
    rejected = sevens(lines)
    assert first.counts.quarantined == len(rejected) > 5
    assert quarantine.retry(store).sources == []
    assert quarantine.waiting(store) == len(rejected)
    slip()
    result = quarantine.retry(store)
    check_books(store)
    counts = result.counts
    assert (counts.hands_read, counts.hands_stored, counts.quarantined) == (len(rejected),) * 2 + (0,)
    [row] = result.sources
    assert (row["source_id"], row["dataset"]) == (first.sources[0]["source_id"], "club")
    assert row["source_path"] == str(tmp_path / "dump.csv")
    assert Counter(numbers(store).values()) == {1: 40 - len(rejected), 2: len(rejected)}
    check_numbers(store)
    versions = {name: store.table(name).version() for name in ("events", "ingests", "quarantine")}
    again = quarantine.retry(store)
    assert (again.ingest_id, again.sources, quarantine.waiting(store)) == (None, [], 0)
    assert versions == {name: store.table(name).version() for name in versions}
    right = Store(str(tmp_path / "right"))
    ingest(right, tmp_path / "dump.csv", dataset="club")
    runs.build(store)
    runs.build(right)
    assert_same(right, store, ("events", "playedhand", "tricks", "decisions"))
    assert [line for (line,) in ask(store, "select first_line from quarantine order by 1")] == rejected


def test_a_mended_rule_lets_hands_in_too(store: Store, tmp_path: Path) -> None:
    with rule_with_a_slip():
        counts = ingest_text(store, tmp_path, dump(*dump_lines()[:40])).counts
    assert counts.quarantined > 0
    assert {message for (message,) in ask(store, "select message from quarantine")} == {"Seat 2 can't deal."}
    assert quarantine.retry(store).counts.hands_stored == counts.quarantined
    check_books(store)
    assert one(store, "select count(*) from events where seq = 0") == 40


def test_hands_that_another_source_brought_are_not_tried(
    slip: Callable[[], None], store: Store, tmp_path: Path
) -> None:
    """The next dump was read by a mended reader; its hands are those in quarantine."""
    lines = dump_lines()[:40]
    ingest_text(store, tmp_path, dump(*lines))
    slip()
    ingest_text(store, tmp_path, dump(*lines, dump_lines()[40]), "next.csv")
    assert [row["stored_since"] for row in quarantine.counts(store)] == [len(sevens(lines))]
    assert quarantine.retry(store).sources == []


def test_hands_without_a_known_id_are_stored_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of such an entry only the lines tell that it has been stored since."""
    read = playedhand_csv.read

    def unnamed(*arguments: Any) -> list[Read]:
        return [
            replace(found, rejects=[replace(reject, hand_id=None) for reject in found.rejects])
            for found in map(_without_sevens, read(*arguments))
        ]

    with monkeypatch.context() as patch:
        patch.setattr(playedhand_csv, "read", unnamed)
        counts = ingest_text(store, tmp_path, dump(*dump_lines()[:40])).counts
    assert ask(store, "select distinct hand_id from quarantine") == [(None,)]
    assert quarantine.retry(store).counts.hands_stored == counts.quarantined > 0
    assert quarantine.retry(store).sources == []
    assert quarantine.waiting(store) == 0
    check_books(store)


def test_a_conflict_waits_for_ever(store: Store, tmp_path: Path) -> None:
    """What is stored under its id is another hand; a retry must not put one in place of the other."""
    ingest_text(store, tmp_path, dump(*ROWS))
    assert quarantine.retry(store).sources == []
    assert quarantine.counts(store) == quarantine.entries(store, None, 9) == []
    ingest_text(store, tmp_path, dump(changed(ROWS[0], player_0_ai="t", player_1_ai="t")), "other.csv")
    [entry] = quarantine.entries(store, "conflict", 5)
    assert entry["status"] == "waiting"
    before = ask(store, "from events order by all")
    assert quarantine.retry(store).sources == []
    assert quarantine.waiting(store) == 1
    assert ask(store, "from events order by all") == before


def test_a_mended_hand_that_conflicts_goes_back(
    slip: Callable[[], None], store: Store, tmp_path: Path
) -> None:
    """The same id twice in quarantine, with two contents: the first is stored, the other conflicts."""
    [line] = [line for line in dump_lines()[:40] if sevens((line,))][:1]
    other = changed(line, player_0_ai="t", player_1_ai="t", player_2_ai="t")
    ingest_text(store, tmp_path, dump(line, other))
    assert one(store, "select count(*) from quarantine") == 2
    slip()
    counts = quarantine.retry(store).counts
    check_books(store)
    assert (counts.hands_stored, counts.quarantined) == (1, 1)
    assert [entry["first_line"] for entry in quarantine.entries(store, "conflict", 5)] == [3]
    assert quarantine.retry(store).sources == []


def test_bytes_that_are_no_utf_8_are_read_again_as_they_were(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bytes] = []
    latin = b"\xc4" + ROWS[0]
    ingest_text(store, tmp_path, dump(latin))
    read = playedhand_csv.read

    def note(text: bytes, *arguments: Any) -> list[Read]:
        seen.append(text)
        return read(text, *arguments)

    monkeypatch.setattr(playedhand_csv, "read", note)
    quarantine.retry(store)
    assert [text.rstrip(b"\r\n") for text in seen] == [latin]


# ---------------------------------------------------------------- looking


def test_counts_are_by_reason_with_its_meaning(edge: Store) -> None:
    found = quarantine.counts(edge)
    expected = dict(ask(edge, "select reason, count(*) from quarantine group by all"))
    assert {row["reason"]: row["hands"] for row in found} == expected
    assert [row["hands"] for row in found] == sorted((row["hands"] for row in found), reverse=True)
    for row in found:
        assert row["meaning"] == MEANING[Reason[row["reason"].upper()]]
        assert row["stored_since"] == 0


def test_entries_are_in_the_order_of_their_lines_and_can_be_narrowed(edge: Store) -> None:
    every = quarantine.entries(edge, None, 1000)
    assert len(every) == 56
    assert [entry["first_line"] for entry in every] == sorted(entry["first_line"] for entry in every)
    assert quarantine.entries(edge, None, 7) == every[:7]
    for name in ("must_follow", "MUST_FOLLOW"):
        some = quarantine.entries(edge, name, 1000)
        assert some == [entry for entry in every if entry["reason"] == "must_follow"]
        assert quarantine.counts(edge, name)[0]["hands"] == len(some) == 4
    for entry in every:
        assert entry["where"] == f"{EDGE}, line {entry['first_line']}"
        assert "raw" not in entry


def test_what_is_unknown_is_told(edge: Store) -> None:
    reasons = r"there is no reason .*; there are: unparsable, .*, conflict"
    for name in ("rain", "ok", "", "must follow"):
        with pytest.raises(NoSuchEntry, match=reasons):
            quarantine.counts(edge, name)
        with pytest.raises(NoSuchEntry, match=reasons):
            quarantine.entries(edge, name, 1)
    for name, says in (("zz", "no entry has"), ("", "several entries have")):
        with pytest.raises(NoSuchEntry, match=f"{says} an id that begins with '{name}'"):
            quarantine.entry(edge, name)


def test_an_entry_has_its_text(edge: Store) -> None:
    lines = EDGE.read_bytes().split(b"\n")
    for known in dicts(edge, "select quarantine_id, first_line from quarantine")[::8]:
        entry = quarantine.entry(edge, known["quarantine_id"][:12].upper())
        assert entry["quarantine_id"] == known["quarantine_id"]
        assert entry["raw"].encode(entry["raw_encoding"]).strip() == lines[known["first_line"] - 1].strip()


def test_an_entry_is_tried_again_only_if_all_its_hands_are_legal() -> None:
    source = {"format": "playedhand-csv", "source_id": "0" * 64, "source_path": "dump.csv", "dataset": "test"}
    legal, illegal = ROWS[0], changed(ROWS[1], dealer="7")
    for lines, expected in (((legal,), True), ((illegal,), False), ((legal, illegal), False), ((), False)):
        raw = b"".join(line + b"\n" for line in lines).decode()
        entry = {"raw": raw, "raw_encoding": "utf-8", "context": "", "first_line": 2}
        assert quarantine._is_legal(source | entry) is expected
