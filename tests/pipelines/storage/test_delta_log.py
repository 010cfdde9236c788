"""The logs of the tables: a flipped bit, an empty or missing entry is an error that names it."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage import delta_log
from cardlog.pipelines.storage.errors import Damaged
from cardlog.pipelines.storage.store import RECORDS, SCHEMAS, Store, StoreError
from tests.support.csv_rows import dump, dump_lines
from tests.support.flips import flipped, some_bits
from tests.support.soak import soak
from tests.support.stores import ingest_text


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of two ingests. Not to be changed."""
    folder = tmp_path_factory.mktemp("good")
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*dump_lines()[:10], b"no row"))
    ingest_text(store, folder, dump(*dump_lines()[10:20]), "more.csv")
    runs.build(store)
    return store


@pytest.fixture
def store(good: Store, tmp_path: Path) -> Store:
    """A copy of it to be damaged."""
    shutil.copytree(good.root, tmp_path / "store")
    return Store(str(tmp_path / "store"))


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is remembered of logs that were read before."""
    monkeypatch.setattr(delta_log, "_replays", {})


def entry(store: Store, name: str, version: int) -> Path:
    return Path(store.uri(name)) / "_delta_log" / delta_log.entry_name(version)


def what_is_seen(store: Store, name: str) -> Any:
    """What readers take from a log, read anew."""
    delta_log._replays.clear()
    table = store.table(name)
    attempts = store.attempts() if name in RECORDS else None
    return table.version(), store.sizes(name), store.built_from(name), attempts


@pytest.mark.parametrize("name", SCHEMAS)
@pytest.mark.parametrize("bits", [15, *soak(60)])
def test_a_flipped_bit_is_found_or_changes_nothing(bits: int, name: str, store: Store) -> None:
    """Some bits say nothing, as those of the columns' descriptions."""
    expected = what_is_seen(store, name)
    found = 0
    for version in range(expected[0] + 1):
        path = entry(store, name, version)
        for bit in some_bits(path, bits, version):
            with flipped(path, bit):
                try:
                    assert what_is_seen(store, name) == expected
                except StoreError:
                    found += 1
    assert found > bits / 2
    assert what_is_seen(store, name) == expected


def test_a_file_that_a_flipped_bit_hides_is_missed(store: Store) -> None:
    """Delta's own reader passes over actions that it doesn't know."""
    path = entry(store, "events", 2)
    bit = 8 * path.read_bytes().index(b'"add"') + 8
    with flipped(path, bit), pytest.raises(Damaged, match=rf"{path.name} is damaged"):
        store.sizes("events")


@pytest.mark.parametrize("version", [0, 1, 2])
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: b"",
        lambda text: b"\n",
        lambda text: text[:100],
        lambda text: b"no json",
        lambda text: b"[]",
        lambda text: b'{"add": 1}',
        lambda text: text[: text.index(b"\n") + 1],
        lambda text: text.replace(b'numRecords\\": ', b'numRecords\\": 1'),
    ],
)
def test_no_damaged_entry_of_events_is_built_from(
    damage: Callable[[bytes], bytes], version: int, store: Store
) -> None:
    path = entry(store, "events", version)
    text = path.read_bytes()
    if damage(text) in (text, text[: text.rindex(b"\n") + 1]):
        pytest.skip("nothing is lost by that")
    path.write_bytes(damage(text))
    with pytest.raises(StoreError, match="events"):
        runs.build(store, afresh=True)
    path.write_bytes(text)
    assert store.rows("playedhand") == 20


def test_a_missing_entry_is_found(store: Store) -> None:
    entry(store, "events", 1).unlink()
    with pytest.raises(StoreError, match="events"):
        store.table("events")


def test_a_log_that_has_lost_its_end_is_not_built_from(store: Store) -> None:
    """What is left is a sound log, of an earlier moment."""
    entry(store, "events", 2).unlink()
    for afresh in (False, True):
        with pytest.raises(StoreError, match=r"events .* version 1.* version 2.*backup"):
            runs.build(store, afresh=afresh)


@pytest.mark.parametrize("bits", [30, *soak(150)])
def test_a_checkpoint_that_says_something_else_is_found(bits: int, store: Store) -> None:
    for name in ("events", "playedhand"):
        store.table(name).create_checkpoint()
        (path,) = (Path(store.uri(name)) / "_delta_log").glob("*.checkpoint.parquet")
        expected = what_is_seen(store, name)
        found = 0
        for bit in some_bits(path, bits, 3):
            with flipped(path, bit):
                try:
                    assert what_is_seen(store, name) == expected
                except StoreError:
                    found += 1
        assert found > bits / 5
        assert what_is_seen(store, name) == expected


def test_commits_without_digests_go_on_working(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """As cardlog wrote them once, and as other programs do."""
    for name in SCHEMAS:
        expected = what_is_seen(store, name)
        for version in range(1, expected[0] + 1):
            path = entry(store, name, version)
            path.write_text(path.read_text().replace(delta_log.DIGEST, "some-other-note"))
        assert what_is_seen(store, name) == expected


def test_a_store_put_back_to_how_it_was_once_is_no_damage(store: Store, tmp_path: Path) -> None:
    shutil.copytree(store.root, tmp_path / "backup")
    for text in (dump(*dump_lines()[20:25]), dump(*dump_lines()[25:30])):
        ingest_text(store, tmp_path, text, "then.csv")
        assert store.rows("events") > 0
        shutil.rmtree(store.root)
        shutil.copytree(tmp_path / "backup", store.root)
    ingest_text(store, tmp_path, dump(*dump_lines()[30:31]), "now.csv")
    assert runs.build(store)["playedhand"] == 21
