"""Matches of several data sets are apart, and a match has one hand at each place."""

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.pipelines import runs
from cardlog.pipelines.ingest import ingest as ingesting
from cardlog.pipelines.ingest.compare import compare_bucket
from cardlog.pipelines.ingest.elements import IngestRun, NewNames, StoredNames
from cardlog.pipelines.ingest.match_positions import name_matches
from cardlog.pipelines.ingest.overlap import CONFLICT
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.readers.base import Source, hand_name
from cardlog.pipelines.readers.cardlog_jsonl import reader as cardlog_jsonl
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.names import match_id
from tests.support.jsonl_logs import Events, hand, text_of
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


# ---------------------------------------------------------------- names


def test_two_spellings_of_one_match_are_one() -> None:
    made = match_id("m", "cardlog-jsonl", "club")
    text = text_of([*match("m", 0), *match(made, 1), *match("other", 0)])
    (read,) = cardlog_jsonl.read(text, Source("0" * 64, "-", "club"))
    batch = read.batch
    name_matches(batch, "cardlog-jsonl", "club")
    assert [batch.matches[which] for which in batch.match_of] == [
        made,
        made,
        match_id("other", "cardlog-jsonl", "club"),
    ]
    assert len(set(batch.matches)) == len(batch.matches) == 2


# ---------------------------------------------------------------- logs


def test_two_data_sets_may_have_the_same_matches(store: Store, tmp_path: Path) -> None:
    for dataset in ("club", "den"):
        text = text_of(match("m", 0, 1, keys=dataset))
        counts = ingest_text(store, tmp_path, text, f"{dataset}.jsonl", dataset=dataset, final=True).counts
        assert (counts.hands_stored, counts.quarantined) == (2, 0)
    assert len(set(places(store))) == 2
    assert ask(store, "select count(distinct match_id) from events") == [(2,)]


def test_a_log_that_repeats_a_number_keeps_the_first_hand(store: Store, tmp_path: Path) -> None:
    text = text_of([*match("m", 0, 1, 1), *match("n", 1), *match("m", 0, keys="x")])
    counts = ingest_text(store, tmp_path, text, "log.jsonl", final=True).counts
    assert (counts.hands_read, counts.hands_stored, counts.quarantined) == (5, 3, 2)
    ids = {key: hand_id(key) for key in ("m/0", "m/1")}
    name = match_id("m", "cardlog-jsonl", "cardlog-jsonl")
    assert conflicts(store) == [
        ("m/2", f"Hand 1 of match {name} is another hand already: {ids['m/1']}."),
        ("mx/0", f"Hand 0 of match {name} is another hand already: {ids['m/0']}."),
    ]
    assert places(store) == [("m", 0), ("m", 1), ("n", 1)]


def hand_id(key: str, dataset: str = "cardlog-jsonl") -> str:
    digest = hand_name("cardlog-jsonl", dataset)
    digest.update(key.encode())
    return digest.hexdigest()


def test_a_number_that_a_stored_hand_has_is_a_conflict(store: Store, tmp_path: Path) -> None:
    ingest_text(store, tmp_path, text_of(match("m", 0, 1)), "a.jsonl", final=True)
    counts = ingest_text(store, tmp_path, text_of(match("m", 1, 2, keys="x")), "b.jsonl", final=True).counts
    assert (counts.hands_stored, counts.quarantined) == (1, 1)
    [(key, message)] = conflicts(store)
    assert key == "mx/0"
    assert message.endswith(f"is another hand already: {hand_id('m/1')}.")


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


# ---------------------------------------------------------------- whole arrays

CLAIMS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 12)), max_size=25)
"""Places and ids of hands."""
PLACES = 100
"""From here on numbers stand for places."""


def names(numbers: list[int]) -> np.ndarray:
    return np.array([f"{number:032x}".encode() for number in numbers], "S32")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> IngestRun:
    """An ingest into nothing."""
    return IngestRun(str(tmp_path_factory.mktemp("nothing") / "store"), "", 0)


@settings(deadline=None)
@given(st.lists(CLAIMS, max_size=3), st.lists(CLAIMS, max_size=3))
def test_the_first_claim_on_a_place_counts(
    run: IngestRun, new: list[list[tuple[int, int]]], stored: list[list[tuple[int, int]]]
) -> None:
    first: dict[int, int] = {}
    taken = {}
    for number, draft in enumerate(new):
        for index, (place, name) in enumerate(draft):
            holders = {held for file in stored for at, held in file if at == place} | {
                first.setdefault(place, name)
            }
            if holders - {name}:
                taken[f"{number}", index] = holders - {name}
    found_in = [
        NewNames(
            f"{number}",
            "",
            np.arange(len(draft)),
            names([place + PLACES for place, _ in draft]),
            names([name for _, name in draft]),
            np.zeros(len(draft), np.uint64),
        )
        for number, draft in enumerate(new)
    ]
    random.Random(0).shuffle(found_in)
    files = [
        StoredNames(
            f"{number}", names([place + PLACES for place, _ in file]), names([name for _, name in file])
        )
        for number, file in enumerate(stored)
    ]
    found = {}
    for key, verdict in compare_bucket(run, [*found_in, *files]):
        assert set(verdict.values.tolist()) == {CONFLICT}
        for index, other in zip(verdict.indices, verdict.others, strict=True):
            found[key, int(index)] = int(other, 16)
    # Of several stored hands at a place, which the stores of old may have, any may be named. A file that
    # has two of them is looked up once.
    assert set(found) <= set(taken)
    assert all(found[claim] in taken[claim] for claim in found)
    sure = {
        claim
        for claim in taken
        if len({held for file in stored for at, held in file if at == new[int(claim[0])][claim[1]][0]}) <= 1
    }
    assert sure <= set(found)
