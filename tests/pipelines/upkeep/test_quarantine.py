"""Quarantine: what is in it, and that hands come out when a reader or a rule is mended."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.ingest import read
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.quarantine import NoSuchEntry
from cardlog.schemas.reasons import MEANING, Reason
from tests.support.csv_rows import EDGE, changed, dump, dump_lines
from tests.support.disturbed import rule_with_a_slip
from tests.support.stores import ask, check_books, dicts, ingest_text, one

ROWS = dump_lines()[:6]


def test_hands_without_a_known_id_are_stored_once(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of such an entry only the lines tell that it has been stored since."""
    write = read.write_rejects

    def unnamed(run: Any, place: Any, file: Any, rejects: list[Reject]) -> Any:
        return write(run, place, file, [replace(reject, hand_id=None) for reject in rejects])

    with monkeypatch.context() as patch, rule_with_a_slip():
        patch.setattr(read, "write_rejects", unnamed)
        counts = ingest_text(store, tmp_path, dump(*dump_lines()[:40])).counts
    assert ask(store, "select distinct hand_id, message from quarantine") == [(None, "Seat 2 can't deal.")]
    assert quarantine.retry(store).counts.hands_stored == counts.quarantined > 0
    assert quarantine.retry(store).sources == []
    assert quarantine.waiting(store) == 0
    check_books(store)


def test_a_mended_hand_that_conflicts_goes_back(store: Store, tmp_path: Path) -> None:
    """The same id twice in quarantine, with two contents: the first is stored, the other conflicts."""
    line = dump_lines()[2]
    with rule_with_a_slip():
        ingest_text(store, tmp_path, dump(line, changed(line, player_0_ai="t", player_1_ai="t")))
    assert one(store, "select count(*) from quarantine") == 2
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
    real = playedhand_csv.read

    def note(text: bytes, *arguments: Any) -> list[Read]:
        seen.append(text)
        return real(text, *arguments)

    monkeypatch.setattr(playedhand_csv, "read", note)
    quarantine.retry(store)
    assert [text.rstrip(b"\r\n") for text in seen] == [latin]


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


def test_what_is_unknown_is_told(edge: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name of fewer digits than an id's shortest beginning is nobody's."""
    reasons = r"there is no reason .*; there are: unparsable, .*, conflict"
    for name in ("rain", "ok", "", "must follow"):
        with pytest.raises(NoSuchEntry, match=reasons):
            quarantine.counts(edge, name)
        with pytest.raises(NoSuchEntry, match=reasons):
            quarantine.entries(edge, name, 1)
    digits = Counter(entry["quarantine_id"][0] for entry in quarantine.entries(edge, None, 1000))
    [(digit, _)] = digits.most_common(1)
    monkeypatch.setattr(hand_lookup, "SHORTEST_PREFIX", 1)
    for name, says in (("zz", "no entry has"), ("", "no entry has"), (digit, "several entries have")):
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
