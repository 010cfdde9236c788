"""What a conflict says: the first difference between the stored hand and the new one."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.ingest.commit import CONFLICT_MESSAGE, REPLACE
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import changed, dump, dump_lines, field
from tests.support.stores import dicts, ingest_text

Events = list[dict[str, Any]]


@pytest.fixture(scope="module")
def hand(tmp_path_factory: pytest.TempPathFactory) -> Events:
    path = tmp_path_factory.mktemp("log") / "kaiser.jsonl"
    simulate("kaiser", 1, 1, str(path))
    return [json.loads(line) for line in path.read_text().splitlines()]


def of_match(hand: Events) -> None:
    for event in hand:
        event["match_id"] = "another"


def of_number(hand: Events) -> None:
    for event in hand:
        event["hand_no"] = 7


def without_number(hand: Events) -> None:
    for event in hand:
        del event["hand_no"]


def named(hand: Events) -> None:
    hand[0]["detail"]["players"][2]["name"] = "Zo\x1b[31m" + "e" * 100


def without_kind(hand: Events) -> None:
    del hand[0]["detail"]["players"][1]["kind"]


def at_another_time(hand: Events) -> None:
    hand[3]["occurred_at"] = 1_600_000_000_000_005


def with_other_cards_first(hand: Events) -> None:
    """In an order that the rules allow as well: that of the cards dealt."""
    cards = hand[1]["cards"]
    hand[1]["cards"] = cards[2:] + cards[:2]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (of_match, "match_id is kaiser-"),
        (of_number, "hand_no is 0 in the stored hand, 7 in this one."),
        (without_number, "hand_no is 0 in the stored hand, nothing in this one."),
        (named, '"name":"Zo\\u001b[31meeee'),
        (without_kind, '"kind":"computer"'),
        (at_another_time, "occurred_at is nothing in the stored hand, 2020-09-13 12:26:40.000005+00:00 in"),
        (with_other_cards_first, "Event 1, seat "),
    ],
)
def test_a_conflict_says_what_differs(
    change: Callable[[Events], None], says: str, hand: Events, store: Store, tmp_path: Path
) -> None:
    ingest_text(store, tmp_path, text_of(hand), "a.jsonl")
    changed = json.loads(json.dumps(hand))
    change(changed)
    assert ingest_text(store, tmp_path, text_of(changed), "b.jsonl").counts.quarantined == 1
    [row] = dicts(store, "from quarantine")
    assert row["reason"] == "conflict"
    assert row["message"].startswith(CONFLICT_MESSAGE + " ")
    assert says in row["message"]
    assert row["message"].endswith(f"in this one. {REPLACE}")
    assert len(row["message"]) < 300


def text_of(hand: Events) -> bytes:
    return "".join(json.dumps(event) + "\n" for event in hand).encode()


def test_of_versions_in_one_block_the_most_complete_one_is_stored(store: Store, tmp_path: Path) -> None:
    """And one that contradicts it is a conflict."""
    row = dump_lines()[0]
    parts = [changed(row, played_cards=field(row, "played_cards")[:length]) for length in (20, 40, 20)]
    other = changed(parts[0], player_0_ai="t" if field(row, "player_0_ai") == "f" else "f")
    counts = ingest_text(store, tmp_path, dump(*parts, other, row, parts[1]), "a.csv").counts
    assert (counts.hands_stored, counts.hands_aborted, counts.duplicates, counts.quarantined) == (1, 0, 4, 1)
    assert {kept["raw"].encode() for kept in dicts(store, "from quarantine")} == {other}
