"""Hands that come again: duplicates, contradictions, and overlapping dumps."""

from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.pipelines.ingest.overlap import CONFLICT, DUPLICATE, KEEP, against, by_bucket, earliest
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import changed, dump, dump_lines, field
from tests.support.stores import ask, ingest_text

ROWS = dump_lines()[:40]


# ---------------------------------------------------------------- whole arrays

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


# ---------------------------------------------------------------- dumps


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
