"""The store: its tables, their data files and versions, and its lock. What becomes of them whatever happens
is `test_store_machine`'s."""

import fcntl
import logging
import threading
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction
from deltalake.exceptions import DeltaError

from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.layout import EVENTS_VERSION, delta_schema
from cardlog.pipelines.storage.lock import at_work, locked
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.schemas.events import PLAIN_COLUMNS, ROW_GROUP_ROWS, SCHEMA_VERSION
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ALL, PARTITIONED, RECORDS, data_files, ingest_text, one

ROWS = dump_lines()[:30]


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


def test_a_file_that_is_written_twice_is_in_a_table_once(store: Store, tmp_path: Path) -> None:
    """It has the same name; and its rows are in the table after the commit."""
    ingest_text(store, tmp_path, dump(b"no row"))
    rows = list(store.read("quarantine"))
    part, same = (store.write("quarantine", None, rows * 2) for _ in range(2))
    assert part == same
    assert len(list(store.read("quarantine"))) == 1
    store.commit("quarantine", Change([part, same], {}))
    assert sum(map(len, store.read("quarantine"))) == store.rows("quarantine") == 3


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
