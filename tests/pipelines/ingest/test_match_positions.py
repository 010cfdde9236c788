"""Matches of several data sets are apart, and a match has one hand at each place."""

from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.ingest import ingest as ingesting
from cardlog.pipelines.ingest.match_positions import name_matches
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.cardlog_jsonl import reader as cardlog_jsonl
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.names import match_id
from tests.support.jsonl_logs import Events, hand, hashed, text_of
from tests.support.stores import ask, dicts, ingest, ingest_text, own_name


def match(name: str, *places: int | None, keys: str = "") -> Events:
    """Whole hands of a match at these places."""
    found = (
        hand(f"{name}{keys}/{index}", match_id=name, hand_no=number) for index, number in enumerate(places)
    )
    return [event for one in found for event in one]


def conflicts(store: Store) -> list[tuple[str, str]]:
    """Own key and sentence of the hands in quarantine, which all are conflicts."""
    rows = dicts(store, "from quarantine order by source_path, first_line")
    assert {row["reason"] for row in rows} <= {"conflict"}
    return [(row["raw"].split('"hand_id": "')[1].split('"')[0], row["message"]) for row in rows]


def places(store: Store) -> list[tuple[str, int]]:
    rows = ask(
        store, "select match_id, hand_no from events where seq = 0 and match_id is not null order by all"
    )
    return [(own_name(name), number) for name, number in rows]


def test_two_spellings_of_one_match_are_one() -> None:
    made = match_id("m", "cardlog-jsonl", "club")
    text = text_of([*match("m", 0), *match(made, 1), *match("other", 0)])
    (read,) = cardlog_jsonl.read(text, Source("0" * 64, "-", "club"))
    batch = read.batch
    name_matches(batch, "cardlog-jsonl", "club")
    others = match_id("other", "cardlog-jsonl", "club")
    assert [batch.matches[which] for which in batch.match_of] == [made, made, others]
    assert len(set(batch.matches)) == len(batch.matches) == 2


def test_a_log_that_repeats_a_number_keeps_the_first_hand(store: Store, tmp_path: Path) -> None:
    text = text_of([*match("m", 0, 1, 1), *match("n", 1), *match("m", 0, keys="x")])
    counts = ingest_text(store, tmp_path, text, "log.jsonl", final=True).counts
    assert (counts.hands_read, counts.hands_stored, counts.quarantined) == (5, 3, 2)
    ids = {key: hashed(key) for key in ("m/0", "m/1")}
    name = match_id("m", "cardlog-jsonl", "cardlog-jsonl")
    assert conflicts(store) == [
        ("m/2", f"Hand 1 of match {name} is another hand already: {ids['m/1']}."),
        ("mx/0", f"Hand 0 of match {name} is another hand already: {ids['m/0']}."),
    ]
    assert places(store) == [("m", 0), ("m", 1), ("n", 1)]
    later = ingest_text(store, tmp_path, text_of(match("m", 1, 2, keys="y")), "z.jsonl", final=True).counts
    assert (later.hands_stored, later.quarantined) == (1, 1)
    assert conflicts(store)[2:] == [
        ("my/0", f"Hand 1 of match {name} is another hand already: {ids['m/1']}.")
    ]


def test_hands_whose_place_is_not_known_take_none(store: Store, tmp_path: Path) -> None:
    text = text_of([*match("m", None, None), *hand("a", hand_no=1), *hand("b", hand_no=1)])
    counts = ingest_text(store, tmp_path, text, "log.jsonl", final=True).counts
    assert (counts.hands_stored, counts.quarantined) == (4, 0)


def test_a_place_that_is_taken_meanwhile_is_compared_with(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process stores a hand of the same place, with another id, just before the commit."""
    (tmp_path / "other.jsonl").write_bytes(text_of(match("m", 1, 2, keys="x")))
    (tmp_path / "mine.jsonl").write_bytes(text_of(match("m", 0, 1)))
    original = ingesting.commit
    outcomes = []

    def slow(*given: Any) -> str:
        if not outcomes:
            outcomes.append("other")
            runs.ingest(store, [str(tmp_path / "other.jsonl")], Reading(final=True))
        outcomes.append(original(*given))
        return outcomes[-1]

    monkeypatch.setattr(ingesting, "commit", slow)
    ingest(store, tmp_path / "mine.jsonl", final=True)
    assert outcomes == ["other", "done", "behind", "done"]
    assert [key for key, _ in conflicts(store)] == ["m/1"]
    assert places(store) == [("m", 0), ("m", 1), ("m", 2)]
