"""Filters beside data files: nothing that is there is missed, what is damaged is noticed."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlog.pipelines.storage.known_keys import KeySet, keys_of, packed, path_of, unpacked
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import stored_ids
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.verify import verify
from tests.support.csv_rows import dump, dump_lines
from tests.support.flips import flipped, some_bits
from tests.support.stores import ingest_text

NAMES = st.lists(st.integers(0, 2**128 - 1), max_size=200, unique=True)


def named(numbers: list[int]) -> np.ndarray:
    return np.array([f"{number:032x}".encode() for number in numbers], "S32")


@given(NAMES, st.integers(1, 5), st.data())
def test_the_row_groups_of_all_that_is_held_are_found(
    numbers: list[int], groups: int, data: st.DataObject
) -> None:
    keys = keys_of(named(numbers))
    assert len(np.unique(keys)) == len(numbers)
    group_of = np.array([number % groups for number in numbers], np.uint16)
    [found] = unpacked(packed([KeySet.of(keys, group_of)]))
    some = data.draw(st.lists(st.sampled_from(range(len(numbers))))) if numbers else []
    others = keys_of(
        named(data.draw(st.lists(st.integers(0, 2**128 - 1).filter(lambda n: n not in numbers))))
    )
    looked_for = np.unique(np.concatenate([keys[some], others]).astype(np.uint64))
    assert found.groups_with(looked_for) == sorted({int(group_of[index]) for index in some})


def test_of_many_keys_few_are_found_by_mistake() -> None:
    rng = np.random.default_rng(3)
    held, others = (rng.integers(0, 2**64, 100_000, np.uint64) for _ in range(2))
    found = KeySet.of(held, np.zeros(len(held), np.uint16))
    assert found.groups_with(np.sort(others)) == []
    assert not any(found.groups_with(others[[index]]) for index in range(100))
    assert all(found.groups_with(held[[index]]) == [0] for index in range(100))
    assert len(packed([found])) < 6.6 * len(held)


def test_a_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "some.keys"
    path.write_bytes(packed([KeySet.of(np.arange(50, dtype=np.uint64), np.zeros(50, np.uint16))]))
    for bit in some_bits(path, 100, 1):
        with flipped(path, bit), pytest.raises(ValueError, match="not what was written"):
            unpacked(path.read_bytes())


def test_without_a_sound_filter_the_file_is_read(store: Store, tmp_path: Path) -> None:
    """Nothing is stored twice; verify names it, and compact makes those that are missing."""
    ingest_text(store, tmp_path, dump(*dump_lines()[:9]))
    (data_file,) = store.paths("events")
    path = Path(store.uri("events")) / path_of(data_file)
    with flipped(path, 900):
        [problem] = verify(store).problems
        assert problem.place == f"events/{path_of(data_file)}"
        counts = ingest_text(store, tmp_path, dump(*dump_lines()[:10]), "damaged.csv").counts
        assert (counts.hands_stored, counts.duplicates) == (1, 9)
    content = path.read_bytes()
    path.unlink()
    counts = ingest_text(store, tmp_path, dump(*dump_lines()[:11]), "without.csv").counts
    assert (counts.hands_stored, counts.duplicates) == (1, 10)
    assert verify(store).problems == []
    (tmp_path / "alone").mkdir()
    alone = Store(str(tmp_path / "alone" / "store"))
    ingest_text(alone, tmp_path, dump(*dump_lines()[:9]), "alone.csv")
    (data_file,) = alone.paths("events")
    path = Path(alone.uri("events")) / path_of(data_file)
    expected = path.read_bytes()
    path.unlink()
    compact(alone)
    assert alone.paths("events") == [data_file]
    assert path.read_bytes() == expected
    assert len(content) > 9 * 6


def test_files_without_a_new_hand_are_not_opened(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for start in (0, 10, 20):
        ingest_text(store, tmp_path, dump(*dump_lines()[start : start + 10]), f"{start}.csv")
    opened: list[str] = []
    real_open = Store.open

    def watched(self: Store, table: str, path: str, *arguments: object, **options: object) -> object:
        opened.append(f"{table}/{path}")
        return real_open(self, table, path, *arguments, **options)  # type: ignore[arg-type]

    stored = {f"events/{path}": set(stored_ids(store, path).tolist()) for path in store.paths("events")}
    monkeypatch.setattr(Store, "open", watched)
    counts = ingest_text(store, tmp_path, dump(*dump_lines()[15:16], *dump_lines()[30:33]), "new.csv").counts
    assert (counts.hands_stored, counts.duplicates) == (3, 1)
    assert len({path for path in opened if path in stored}) == 1
