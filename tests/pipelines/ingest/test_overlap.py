"""Hands that come again: duplicates, contradictions and what is said of them, and overlapping dumps."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.pipelines.ingest.commit import CONFLICT_MESSAGE, REPLACE
from cardlog.pipelines.ingest.overlap import CONFLICT, DUPLICATE, KEEP, against, by_bucket, earliest
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import changed, dump, dump_lines, field
from tests.support.jsonl_logs import DEALT, hand, text_of
from tests.support.stores import ask, dicts, ingest_text

ROWS = dump_lines()[:40]

HANDS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 2)), max_size=40)


def arrays(hands: list[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
    ids = np.array([f"{number * 0x1357_9BDF:032x}".encode() for number, _ in hands], "S32")
    return ids, np.array([content for _, content in hands], np.uint64)


@settings(deadline=None)
@given(HANDS)
def test_the_earliest_of_hands_with_one_id(hands: list[tuple[int, int]]) -> None:
    numbers = [number for number, _ in hands]
    assert earliest(arrays(hands)[0]).tolist() == [numbers.index(number) for number in numbers]


@settings(deadline=None)
@given(HANDS, st.dictionaries(st.integers(0, 12), st.integers(0, 2)))
def test_stored_hands_are_duplicates_or_contradicted(
    hands: list[tuple[int, int]], stored: dict[int, int]
) -> None:
    expected = [
        KEEP if number not in stored else DUPLICATE if stored[number] == content else CONFLICT
        for number, content in hands
    ]
    assert against(*arrays(hands), *arrays(list(stored.items()))).tolist() == expected


@given(st.lists(st.text("0123456789abcdef", min_size=32, max_size=32), max_size=20), st.integers(1, 2))
def test_buckets_are_the_first_digits(ids: list[str], digits: int) -> None:
    found = {
        bucket.decode(): indices.tolist()
        for bucket, indices in by_bucket(np.array([name.encode() for name in ids], "S32"), digits)
    }
    begun = {name[:digits] for name in ids}
    assert found == {
        begin: [index for index, name in enumerate(ids) if name.startswith(begin)] for begin in begun
    }


CHANGES = {
    "added_date": "2016-03-01 21:10:28.016002+00",
    "setting_min_bid": "5",
    "setting_pass_cards": "f",
    "setting_no_trump_bid_out": "62",
    "setting_game_over_at_minus_52": "f",
    "player_0_ai": "t",
    "player_3_ai": "",
    "played_cards": field(ROWS[0], "played_cards")[:-2],  # the beginning of the hand: a duplicate
    "player_0_hand": field(ROWS[0], "player_0_hand")[2:] + field(ROWS[0], "player_0_hand")[:2],
}


def test_every_column_is_content(store: Store, tmp_path: Path) -> None:
    rows = [changed(ROWS[0], id=str(number)) for number in range(len(CHANGES) + 1)]
    otherwise_told = [changed(row, **{name: CHANGES[name]}) for row, name in zip(rows, CHANGES, strict=False)]
    assert not set(rows) & set(otherwise_told)
    ingest_text(store, tmp_path, dump(*rows), "a.csv")
    counts = ingest_text(store, tmp_path, dump(*otherwise_told, rows[-1]), "b.csv").counts
    conflicts = len(CHANGES) - 1
    assert (counts.duplicates, counts.quarantined) == (2, conflicts)
    assert ask(store, "select reason, count(*) from quarantine group by all") == [("conflict", conflicts)]


def test_of_versions_in_one_block_the_most_complete_one_is_stored(store: Store, tmp_path: Path) -> None:
    """And one that contradicts it is a conflict."""
    row = ROWS[0]
    parts = [changed(row, played_cards=field(row, "played_cards")[:length]) for length in (20, 40, 20)]
    other = changed(parts[0], player_0_ai="t" if field(row, "player_0_ai") == "f" else "f")
    counts = ingest_text(store, tmp_path, dump(*parts, other, row, parts[1]), "a.csv").counts
    assert (counts.hands_stored, counts.hands_aborted, counts.duplicates, counts.quarantined) == (1, 0, 4, 1)
    assert {kept["raw"].encode() for kept in dicts(store, "from quarantine")} == {other}


@pytest.mark.parametrize(
    ("place", "value", "says"),
    [
        ((0, "match_id"), "another", "match_id is m~"),
        ((0, "hand_no"), 7, "hand_no is 0 in the stored hand, 7 in this one."),
        ((0, "hand_no"), None, "hand_no is 0 in the stored hand, nothing in this one."),
        ((0, "detail", "players", 2, "name"), "Zo\x1b[31m" + "e" * 100, '"name":"Zo\\u001b[31meeee'),
        ((0, "detail", "players", 1, "kind"), "computer", '"kind":"human"'),
        (
            (3, "occurred_at"),
            16 * 10**14 + 5,
            "is nothing in the stored hand, 2020-09-13 12:26:40.000005+00:00",
        ),
        # In an order that the rules allow as well: that of the cards dealt.
        ((1, "cards"), DEALT[0][2:] + DEALT[0][:2], "Event 1, seat 0 "),
    ],
)
def test_a_conflict_says_what_differs(
    place: tuple[Any, ...], value: Any, says: str, store: Store, tmp_path: Path
) -> None:
    events = hand(match_id="m", hand_no=0)
    ingest_text(store, tmp_path, text_of(events), "a.jsonl", final=True)
    other: Any = deepcopy(events)
    changing = other
    for step in place[:-1]:
        changing = changing[step]
    changing[place[-1]] = value
    if place[0] == 0:  # what all events of a hand have
        other = [event | {name: other[0][name] for name in ("match_id", "hand_no")} for event in other]
    assert ingest_text(store, tmp_path, text_of(other), "b.jsonl", final=True).counts.quarantined == 1
    [row] = dicts(store, "from quarantine")
    assert (row["reason"], says in row["message"]) == ("conflict", True), row["message"]
    assert row["message"].startswith(CONFLICT_MESSAGE + " ")
    assert row["message"].endswith(f"in this one. {REPLACE}")
    assert len(row["message"]) < 300
