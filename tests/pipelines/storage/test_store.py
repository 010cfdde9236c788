"""The store: files nobody sees before a commit, commits that conflict, known keys, and its lock."""

import fcntl
import hashlib
import logging
import threading
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import DeltaError
from hypothesis import given
from hypothesis import strategies as st

from cardlog.pipelines.storage import store as store_module
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.known_keys import having_keys, keys_of
from cardlog.pipelines.storage.layout import EVENTS_VERSION, delta_schema
from cardlog.pipelines.storage.lock import at_work, locked
from cardlog.pipelines.storage.opening import open_table
from cardlog.pipelines.storage.store import SCHEMAS, Conflict, Store, StoreError
from cardlog.schemas.events import PLAIN_COLUMNS, ROW_GROUP_ROWS, SCHEMA_VERSION
from cardlog.schemas.tables import QUARANTINE
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ALL, PARTITIONED, RECORDS, data_files, ingest_text, one

ROWS = dump_lines()[:30]


def rows_of_quarantine(*messages: str) -> pa.Table:
    """Rows of the simplest table, for tests of files and commits."""
    fill = {field.name: 1 if pa.types.is_integer(field.type) else "x" for field in QUARANTINE}
    return pa.Table.from_pylist([fill | {"message": message} for message in messages], QUARANTINE)


def messages(store: Store) -> list[str]:
    return sorted(text for table in store.read("quarantine") for text in table.column("message").to_pylist())


# ---------------------------------------------------------------- tables


def test_all_tables_are_made_and_made_once(store: Store, tmp_path: Path) -> None:
    """Also where some are there already."""
    assert not store.exists
    with pytest.raises(StoreError, match=r"there is no store at .*; cardlog ingest makes one"):
        store.table("events")
    whole = Store(str(tmp_path / "other"))
    whole.create()
    Path(store.root).mkdir()
    Path(whole.uri("events")).rename(store.uri("events"))
    for _ in range(2):
        store.create()
        assert store.exists
        assert sorted(path.name for path in Path(store.root).iterdir()) == sorted(ALL)
        assert [store.table(name).version() for name in SCHEMAS] == [0] * len(SCHEMAS)


def test_delta_tables_say_what_their_columns_mean(store: Store) -> None:
    store.create()
    for name, schema in SCHEMAS.items():
        found = DeltaTable(store.uri(name)).schema()
        assert [field.name for field in found.fields] == schema.names
        assert [field.nullable for field in found.fields] == [field.nullable for field in schema]
        assert [field.metadata["comment"] for field in found.fields] == [
            field.metadata[b"doc"].decode() for field in schema
        ]
        partitions = DeltaTable(store.uri(name)).metadata().partition_columns
        assert partitions == (["game"] if name in PARTITIONED else [])


@pytest.mark.parametrize("name", RECORDS)
def test_tables_of_record_can_only_be_added_to(name: str, store: Store, tmp_path: Path) -> None:
    ingest_text(store, tmp_path, dump(*ROWS, b"no row"))
    table = DeltaTable(store.uri(name))
    with pytest.raises(DeltaError, match="append"):
        table.delete()
    with pytest.raises(StoreError, match="could not be written"):
        store.commit(name, Change([], {}, mode="overwrite"))
    assert store.rows(name) > 0


def test_a_relative_root_stays_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = Store("store")
    store.create()
    monkeypatch.chdir("/")
    assert store.table("events").version() == 0
    assert store.root == str(tmp_path / "store")


# ---------------------------------------------------------------- data files


def test_files_are_named_by_what_is_in_them(store: Store) -> None:
    store.create()
    first, same, other = (
        store.write("quarantine", None, [rows_of_quarantine(*texts)])
        for texts in (["a", "b"], ["a", "b"], ["b", "a"])
    )
    assert first == same
    assert first.path != other.path
    assert (first.table, first.rows, first.game) == ("quarantine", 2, None)
    assert (Path(store.uri("quarantine")) / first.path).stat().st_size == first.size
    assert messages(store) == []
    store.commit("quarantine", Change([first, other, first], {}))
    assert messages(store) == ["a", "a", "b", "b"]
    assert store.sizes("quarantine") == {first.path: 2, other.path: 2}
    assert (store.rows("quarantine"), store.rows("events")) == (4, 0)


def test_a_file_is_there_whole_or_not_at_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.create()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        store.write("quarantine", None, [rows_of_quarantine("a")])
    assert not [path for path in Path(store.uri("quarantine")).iterdir() if path.is_file()]


def test_data_files_are_plain_parquet_with_whole_hands_in_order(whole: Store) -> None:
    (path,) = data_files(whole, "events")
    (name,), last = whole.paths("events"), b""
    file = EventsFile(whole, name)
    assert file.metadata.num_rows == whole.rows("events")
    for number in range(file.metadata.num_row_groups):
        group, ids = file.metadata.row_group(number), file.batch(number).hand_ids
        assert ids[0] > last
        assert (np.sort(ids) == ids).all()
        statistics = group.column(0).statistics
        assert (statistics.min.encode(), statistics.max.encode()) == (ids[0], last := ids[-1])
        columns = {group.column(n).path_in_schema: group.column(n) for n in range(group.num_columns)}
        assert all(column.compression == "ZSTD" for column in columns.values())
        assert group.num_rows <= ROW_GROUP_ROWS
        for name, column in columns.items():
            encoded = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"} & set(column.encodings)
            assert bool(encoded) == (name not in PLAIN_COLUMNS), name
    sql = "select count(*), count(distinct hand_id) from read_parquet(?)"
    assert duckdb.connect().execute(sql, [path]).fetchone() == (whole.rows("events"), 20_000)


def test_reading_gives_the_schema_and_every_row(whole: Store) -> None:
    for name in ALL:
        tables = list(whole.read(name))
        assert sum(map(len, tables)) == whole.rows(name) == one(whole, f"select count(*) from {name}")
        for table in tables:
            assert table.schema.remove_metadata() == SCHEMAS[name].remove_metadata()
            if name in PARTITIONED:
                assert table.column("game").unique().to_pylist() == ["kaiser"]


# ---------------------------------------------------------------- commits


def test_a_commit_conflicts_with_any_that_came_first(store: Store) -> None:
    store.create()
    a, b = (store.write("quarantine", None, [rows_of_quarantine(text)]) for text in "ab")
    store.commit("quarantine", Change([a], {"first": 0}), base=0)
    with pytest.raises(Conflict):
        store.commit("quarantine", Change([b], {"second": 0}), base=0)
    assert messages(store) == ["a"]
    store.commit("quarantine", Change([b], {"second": 0}), base=1)
    assert messages(store) == ["a", "b"]
    assert store.table("quarantine").transaction_version("second") == 0


@pytest.mark.parametrize("are_kept", [True, False], ids=["with checkpoints", "without"])
def test_many_transactions_are_those_that_delta_finds(
    are_kept: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.create()
    apps = [str(number % 17) for number in range(24)]
    if not are_kept:
        monkeypatch.setattr(store_module, "CHECKPOINT_EVERY", 100)
    for number, app in enumerate(apps):
        store.commit("quarantine", Change([], {app: number, "all": number}))
    log = Path(store.uri("quarantine"), "_delta_log")
    assert len(list(log.glob("*.checkpoint.parquet"))) == 2 * are_kept
    monkeypatch.setattr(store_module, "_MANY_APPS", 0)
    monkeypatch.setattr(DeltaTable, "transaction_version", None)
    for version in range(25):
        expected = {app: number for number, app in enumerate(apps[:version])}
        expected |= {"all": version - 1} if version else {}
        table = open_table(store.uri("quarantine"), version)
        assert store.committed("quarantine", {*apps, "all", "none"}, table) == expected


@pytest.mark.parametrize("version", [None, 0, SCHEMA_VERSION + 1])
def test_a_store_of_another_version_is_refused(tmp_path: Path, version: int | None) -> None:
    """Development versions noted no version of `events`, or one before the first."""
    store = Store(str(tmp_path / "store"))
    DeltaTable.create(
        store.uri("events"),
        schema=delta_schema(SCHEMAS["events"]),
        partition_by=["game"],
        commit_properties=CommitProperties(
            app_transactions=[] if version is None else [Transaction(EVENTS_VERSION, version)]
        ),
    )
    is_new = version is not None and version > SCHEMA_VERSION
    said = "made by a newer cardlog" if is_new else "ingest the logs again into a new store"
    ingests = partial(ingest_text, store, tmp_path, dump(*ROWS))
    for asked in (store.create, partial(store.rows, "events"), ingests):
        with pytest.raises(StoreError, match=said):
            asked()


# ---------------------------------------------------------------- keys that are known


NAMES = st.lists(st.integers(0, 2**128 - 1), max_size=200, unique=True)


def named(numbers: list[int]) -> np.ndarray:
    """Names as the store has them: digests, of which no two were chosen to have the same key."""
    digests = (hashlib.blake2b(b"%d" % number, digest_size=16) for number in numbers)
    return np.array([digest.hexdigest() for digest in digests], "S32")


@given(NAMES, NAMES)
def test_names_are_found_by_their_keys(held: list[int], others: list[int]) -> None:
    keys = np.sort(keys_of(named(held)))
    assert len(np.unique(keys)) == len(held)
    looked_for = held[::2] + [number for number in others if number not in held]
    expected = [number in held for number in looked_for]
    assert having_keys(named(looked_for), keys).tolist() == expected


# ---------------------------------------------------------------- the lock


@pytest.mark.parametrize("alone", [True, False])
def test_who_must_wait_says_so(alone: bool, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(str(tmp_path))
    order: list[str] = []

    def other() -> None:
        with locked(store, fcntl.LOCK_SH) if alone else locked(store, fcntl.LOCK_EX):
            order.append("other")

    thread = threading.Thread(target=other)
    with caplog.at_level(logging.WARNING):
        with locked(store, fcntl.LOCK_EX) if alone else at_work(store):
            thread.start()
            for _ in range(6000):
                thread.join(0.01)
                assert thread.is_alive()
                if caplog.messages:
                    break
            order.append("first")
        thread.join(60)
    assert order == ["first", "other"]
    who = "another cardlog process, which has this store to itself"
    assert caplog.messages == [
        f"waiting for {who if alone else 'the other cardlog processes that use this store'}"
    ]


def test_nobody_waits_for_runs_beside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = Store(str(tmp_path))
    with at_work(store), at_work(store), locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        assert not alone
    with locked(store, fcntl.LOCK_EX | fcntl.LOCK_NB) as alone:
        assert alone
    assert caplog.messages == []
