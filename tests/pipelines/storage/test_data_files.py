"""Data files: a flipped bit anywhere in one is an error that names it, whoever reads it."""

import json
import os
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export import export
from cardlog.pipelines.sql import hand_lookup, query
from cardlog.pipelines.storage import data_files
from cardlog.pipelines.storage.errors import Damaged
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.storage.stored_hands import stored_contents, stored_ids
from tests.support.csv_rows import dump, dump_lines
from tests.support.flips import flipped, some_bits
from tests.support.stores import ALL, ingest_text


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A small store with a row in every table. Not to be changed."""
    folder = tmp_path_factory.mktemp("good")
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*dump_lines()[:30], b"no row"))
    runs.build(store)
    return store


@pytest.fixture
def store(good: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A copy of it to be damaged, and a home of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    shutil.copytree(good.root, tmp_path / "store")
    return Store(str(tmp_path / "store"))


def file_of(store: Store, name: str) -> Path:
    (path,) = store.paths(name)
    return Path(store.uri(name)) / path


def read_events(store: Store) -> None:
    for path in store.paths("events"):
        file = EventsFile(store, path)
        for group in range(file.metadata.num_row_groups):
            file.batch(group)


@pytest.mark.parametrize("name", ALL)
def test_a_flipped_bit_is_found(name: str, store: Store) -> None:
    path = file_of(store, name)
    for bit in some_bits(path, 40, 1):
        with flipped(path, bit), pytest.raises(Damaged, match=path.name):
            list(store.read(name))
    list(store.read(name))


@pytest.mark.parametrize("name", ALL)
def test_a_flipped_bit_is_found_before_duckdb_reads(name: str, store: Store) -> None:
    """DuckDB itself verifies no checksum."""
    path = file_of(store, name)
    query.connect(store, {name})
    for bit in some_bits(path, 10, 2):
        with flipped(path, bit), pytest.raises(StoreError, match=path.name):
            query.connect(store, {name})
    query.connect(store, {name})


def test_whoever_looks_for_a_few_hands_finds_it_too(store: Store, tmp_path: Path) -> None:
    path = file_of(store, "events")
    (relative,) = store.paths("events")
    ids = stored_ids(store, relative)
    looks = [
        lambda: hand_lookup.find(store, ids[0].decode()),
        lambda: stored_contents(store, relative, ids[:1]),
        lambda: stored_ids(store, relative),
        lambda: export.export(store, "kaiser", "cardlog-jsonl", tmp_path / "out.jsonl"),
        lambda: runs.build(store, afresh=True),
        lambda: ingest_text(store, tmp_path, dump(*dump_lines()[29:33]), "more.csv"),  # one is in it
    ]
    for number, look in enumerate(looks):
        (bit,) = some_bits(path, 1, number)[2:]
        with flipped(path, bit), pytest.raises(StoreError, match=path.name):
            look()
    assert not (tmp_path / "out.jsonl").exists()
    assert store.rows("playedhand") == 30


@pytest.mark.parametrize("name", ["events", "tricks"])
def test_pages_carry_checksums(name: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are there for readers of other kinds, and for what is damaged after it was digested."""
    path = file_of(store, name)
    with pq.ParquetFile(path) as file:
        place = file.metadata.row_group(0).column(0)
        bit = 8 * (place.data_page_offset + place.total_compressed_size // 2)
    with flipped(path, bit):
        with pytest.raises(OSError, match="CRC"):
            pq.read_table(path, page_checksum_verification=True)
        monkeypatch.setattr(data_files, "check", lambda *_, **__: None)
        with pytest.raises(Damaged, match=rf"{path.name} is damaged.*CRC"):
            list(store.read(name))


def test_files_without_checksums_go_on_working(store: Store) -> None:
    """As cardlog wrote them once, and as other programs do."""
    path = file_of(store, "events")
    other = path.with_name("part-00000.snappy.parquet")
    pq.write_table(pq.read_table(path, partitioning=None), other)
    data_files.check(store.root, "events", f"game=kaiser/{other.name}")
    with store.open("events", f"game=kaiser/{other.name}") as file:
        assert file.read().num_rows == store.rows("events")


@pytest.mark.parametrize(("name", "advice"), [("events", "backup"), ("tricks", "cardlog rebuild")])
def test_truncated_and_missing_files_are_named(name: str, advice: str, store: Store) -> None:
    path = file_of(store, name)
    content = path.read_bytes()
    for size in (0, 3, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(Damaged, match=rf"{path.name} is damaged.*{advice}"):
            list(store.read(name))
    path.unlink()
    for look in (lambda: list(store.read(name)), lambda: query.connect(store, {name})):
        with pytest.raises(Damaged, match=rf"{path.name} is missing.*{advice}"):
            look()


# ---------------------------------------------------------------- what is remembered


def test_what_was_digested_is_relied_on_until_it_is_touched(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_of(store, "events")
    files = [("events", relative) for relative in store.paths("events")]
    digested: list[str] = []
    digest = data_files._digest
    monkeypatch.setattr(data_files, "_digest", lambda path: digested.append(path) or digest(path))

    def check_as_a_new_process() -> int:
        data_files._verified.clear()
        data_files._remembered.clear()
        digested.clear()
        store.check_files(files)
        return len(digested)

    assert [check_as_a_new_process() for _ in range(3)] == [1, 0, 0]
    stat = path.stat()
    with flipped(path, 1000):
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # as if nothing had happened
        with pytest.raises(Damaged):
            check_as_a_new_process()
    assert [check_as_a_new_process() for _ in range(2)] == [1, 0]


@pytest.mark.parametrize("content", ["", "[]", '{"a": 1}', '{"a": [1]}', "no json"])
def test_a_memory_that_makes_no_sense_is_no_memory(content: str, store: Store) -> None:
    memory = data_files.memory_of(store.root)
    memory.parent.mkdir(parents=True)
    memory.write_text(content)
    data_files._remembered.clear()
    files = [("events", path) for path in store.paths("events")]
    store.check_files(files)
    assert list(json.loads(memory.read_text())) == [f"{table}/{path}" for table, path in files]


def test_a_home_that_cannot_be_written_is_no_obstacle(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    data_files._remembered.clear()
    store.check_files(("events", path) for path in store.paths("events"))
