"""Forget a name: what was called differently is so afterwards, and builds go on."""

import json
import re
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import marts
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.verify import verify
from cardlog.schemas.names import own_match
from tests.support.persons import forget, log, saying
from tests.support.stores import ask, ingest

pytestmark = pytest.mark.long

OF_MATCHES = ("events", "playedhand", "seats", "decisions")
"""Tables that say of which match a hand is."""


def groups(store: Store, table: str, column: str) -> set[frozenset[str]]:
    """The hands that have the same value in a column."""
    found: dict[Any, set[str]] = defaultdict(set)
    sql = f"select distinct {column}, hand_id from {table} where {column} is not null"
    for value, hand in ask(store, sql):
        found[value].add(hand)
    return {frozenset(hands) for hands in found.values()}


def test_matches_with_names_stay_matches(store: Store, tmp_path: Path) -> None:
    """Two people forgotten one after the other, and names that differ in capitals alone."""
    for number, match in enumerate(("match of Anna", "match of Ben", "match of ANNA"), 2):
        ingest(store, log(tmp_path, "kaiser", number, match=match), dataset=f"set of {match}")
    runs.build(store)
    asked = [(name, "match_id") for name in OF_MATCHES] + [("events", "dataset"), ("plays", "dataset")]
    asked += [("events", "source_key"), ("playedhand", "source_key")]
    before = [groups(store, *each) for each in asked]
    assert all(len(found) >= 3 for found in before)
    for name in ("Anna", "Ben"):
        forget(store, player=name)
        assert saying(store.root, (name,)) == set()
    assert [groups(store, *each) for each in asked] == before
    for table in OF_MATCHES[1:]:
        differing = f"select 1 from {table} t join events e using (hand_id) where t.match_id != e.match_id"
        assert ask(store, differing) == []
    runs.build(store)
    later = log(tmp_path, "kaiser", 9)
    ingest(store, later)
    runs.build(store)
    marts.build(store)
    assert verify(store).problems == []


def test_a_match_has_the_same_word_in_the_keys_of_its_hands(store: Store, tmp_path: Path) -> None:
    path = log(tmp_path, "kaiser", 2)
    lines, number = [], -1
    for event in map(json.loads, path.read_text().splitlines()):
        number += event["action"] == "open"
        event |= {"match_id": "Anna/2", "hand_no": number, "hand_id": f"Anna/2/{number}"}
        lines.append(json.dumps(event))
    path.write_text("\n".join(lines) + "\n")
    ingest(store, path)
    forget(store, player="Anna")
    found = ask(store, "select match_id, source_key, hand_no from events where seq = 0")
    assert len(found) == 6
    assert [key for _, key, _ in found] == [f"{own_match(match)}/{number}" for match, _, number in found]
    assert re.fullmatch(r"player-[0-9a-f]{16}/2/\d", found[0][1])


def test_texts_in_quarantine_that_differ_are_still_two_hands(store: Store, tmp_path: Path) -> None:
    """Conflicts with one hand are told apart by their texts, which are erased."""
    path = log(tmp_path, "five_card_draw", 1)
    text = path.read_text()
    ingest(store, path)
    for number, other in enumerate(("Anna Ida", "Anna Eva", "Anna Eva")):
        path.write_text(text.replace('"Bo"', f'"{other}"') + "\n" * number)
        ingest(store, path)
    before = quarantine.counts(store)
    assert [found["hands"] for found in before] == [12]
    assert forget(store, player="Anna").quarantined == 18
    assert saying(store.root, ("Anna",)) == set()
    assert quarantine.counts(store) == before
