"""The store: files nobody sees before a commit, commits that conflict, and what vacuum removes."""

import os
import shutil
import threading
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from cardlog.pipelines import runs
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.known_keys import path_of
from cardlog.pipelines.storage.store import (
    BUILT_FROM,
    SCHEMAS,
    Conflict,
    Part,
    Store,
    StoreError,
)
from cardlog.pipelines.upkeep.vacuum import vacuum
from cardlog.schemas.events import PLAIN_COLUMNS, ROW_GROUP_ROWS
from cardlog.schemas.tables import QUARANTINE
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import (
    ALL,
    PARTITIONED,
    PROJECTIONS,
    RECORDS,
    assert_same,
    data_files,
    ingest,
    ingest_text,
    one,
)

ROWS = dump_lines()[:30]


def rows_of_quarantine(*messages: str) -> pa.Table:
    """Rows of the simplest table, for tests of files and commits."""
    fill = {field.name: 1 if pa.types.is_integer(field.type) else "x" for field in QUARANTINE}
    return pa.Table.from_pylist([fill | {"message": message} for message in messages], QUARANTINE)


def messages(store: Store) -> list[str]:
    return sorted(text for table in store.read("quarantine") for text in table.column("message").to_pylist())


# ---------------------------------------------------------------- tables


def test_all_tables_are_made_and_made_once(store: Store) -> None:
    assert not store.exists
    store.create()
    assert store.exists
    assert sorted(path.name for path in Path(store.root).iterdir()) == sorted(ALL)
    store.create()
    assert [store.table(name).version() for name in SCHEMAS] == [0] * len(SCHEMAS)


def test_a_store_half_made_is_made_whole(store: Store, tmp_path: Path) -> None:
    whole = Store(str(tmp_path / "other"))
    whole.create()
    Path(store.root).mkdir()
    os.rename(whole.uri("events"), store.uri("events"))  # noqa: PTH104
    store.create()
    assert [store.table(name).version() for name in SCHEMAS] == [0] * len(SCHEMAS)


def test_where_there_is_no_store_one_is_told_so(store: Store) -> None:
    with pytest.raises(StoreError, match=r"there is no store at .*; cardlog ingest makes one"):
        store.table("events")


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


@pytest.mark.parametrize("folder", ["Ünïcode 牌 100% #1? & +é", 'it\'s a "b"', "game=x"])
def test_any_folder_will_do(folder: str, tmp_path: Path) -> None:
    """Ingest, build and read again, wherever the store and the log are."""
    home = tmp_path / folder
    home.mkdir()
    store = Store(str(home / "store"))
    ingest_text(store, home, dump(*ROWS[:3], b"no row"), f"{folder}.csv")
    assert ingest(store, home / f"{folder}.csv").rows == []
    assert runs.build(store) == {
        "playedhand": 3,
        "tricks": 24,
        "plays": 96,
        "seats": 12,
        "bids": 12,
        "decisions": one(store, "select count(*) from decisions"),
    }
    assert one(store, "select source_path from quarantine") == str(home / f"{folder}.csv")
    assert vacuum(store, 0, dry_run=False) == []
    assert one(store, "select count(*) from playedhand") == 3


def test_where_no_store_can_be_made_one_is_told_so(tmp_path: Path) -> None:
    """Delta's own library takes the percent signs of a folder's name for its own."""
    with pytest.raises(StoreError, match=r"no store can be made at .*%20"):
        Store(str(tmp_path / "%20")).create()


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


def test_a_file_is_there_whole_or_not_at_all(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.create()
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        store.write("quarantine", None, [rows_of_quarantine("a")])
    assert not [path for path in Path(store.uri("quarantine")).iterdir() if path.is_file()]


def test_data_files_are_plain_parquet(whole: Store) -> None:
    (path,) = data_files(whole, "events")
    file = pq.ParquetFile(path)
    assert file.metadata.num_rows == whole.rows("events")
    for number in range(file.num_row_groups):
        group = file.metadata.row_group(number)
        columns = {group.column(n).path_in_schema: group.column(n) for n in range(group.num_columns)}
        assert all(column.compression == "ZSTD" for column in columns.values())
        assert group.num_rows <= ROW_GROUP_ROWS
        for name, column in columns.items():
            encoded = {"PLAIN_DICTIONARY", "RLE_DICTIONARY"} & set(column.encodings)
            assert bool(encoded) == (name not in PLAIN_COLUMNS), name
    found = (
        duckdb.connect()
        .execute("select count(*), count(distinct hand_id) from read_parquet(?)", [path])
        .fetchone()
    )
    assert found == (whole.rows("events"), 20_000)


def test_row_groups_hold_whole_hands_in_order(whole: Store) -> None:
    (path,) = whole.paths("events")
    file = EventsFile(whole, path)
    last = b""
    for number in range(file.metadata.num_row_groups):
        batch = file.batch(number)
        assert batch.hand_ids[0] > last
        assert (np.sort(batch.hand_ids) == batch.hand_ids).all()
        statistics = file.metadata.row_group(number).column(0).statistics
        assert (statistics.min.encode(), statistics.max.encode()) == (batch.hand_ids[0], batch.hand_ids[-1])
        last = batch.hand_ids[-1]


def test_reading_gives_the_schema_and_every_row(whole: Store) -> None:
    for name in ALL:
        tables = list(whole.read(name))
        assert sum(map(len, tables)) == whole.rows(name) == one(whole, f"select count(*) from {name}")
        for table in tables:
            assert table.schema.remove_metadata() == SCHEMAS[name].remove_metadata()
            if name in PARTITIONED:
                assert table.column("game").unique().to_pylist() == ["kaiser"]


# ---------------------------------------------------------------- commits


def test_an_append_that_must_be_next_conflicts_with_any_other(store: Store) -> None:
    store.create()
    a, b = (store.write("quarantine", None, [rows_of_quarantine(text)]) for text in "ab")
    store.commit("quarantine", Change([a], {"first": 0}), base=0)
    with pytest.raises(Conflict):
        store.commit("quarantine", Change([b], {"second": 0}, is_next=True), base=0)
    assert messages(store) == ["a"]
    store.commit("quarantine", Change([b], {"second": 0}, is_next=True), base=1)
    assert messages(store) == ["a", "b"]
    assert store.table("quarantine").transaction_version("second") == 0


def test_appends_that_share_nothing_pass_each_other(store: Store) -> None:
    store.create()
    for text in "ab":
        store.commit(
            "quarantine",
            Change([store.write("quarantine", None, [rows_of_quarantine(text)])], {text: 0}),
            base=0,
        )
    assert messages(store) == ["a", "b"]
    assert store.table("quarantine").version() == 2


def test_an_overwrite_conflicts_with_what_was_built_meanwhile(store: Store) -> None:
    store.create()
    store.commit("tricks", Change([], {BUILT_FROM: 1}), base=0)
    with pytest.raises(Conflict):
        store.commit("tricks", Change([], {BUILT_FROM: 2}, mode="overwrite"), base=0)
    assert store.committed("tricks", [BUILT_FROM]) == {BUILT_FROM: 1}


def test_what_events_was_is_known_for_ever(store: Store) -> None:
    """A build asks what `events` was at the build before; Delta would forget after thirty days,
    at each hundredth commit."""
    store.create()
    log = Path(store.uri("events")) / "_delta_log"
    old = time.time() - 40 * 86_400
    for number in range(101):
        for path in log.iterdir():
            os.utime(path, (old, old))
        store.commit("events", Change([], {"a": number}), base=number)
    assert (log / "_last_checkpoint").exists()
    assert [store.table("events", version).version() for version in (0, 1, 50, 101)] == [0, 1, 50, 101]
    assert store.table("events").transaction_version("a") == 100


def test_transactions_outlive_checkpoints(store: Store, tmp_path: Path) -> None:
    ingest_text(store, tmp_path, dump(*ROWS[:3]))
    for name in RECORDS:
        store.table(name).create_checkpoint()
    assert ingest(store, tmp_path / "dump.csv").rows == []
    assert ingest_text(store, tmp_path, dump(*ROWS), "more.csv").counts.duplicates == 3
    runs.build(store)
    for name in PROJECTIONS:
        store.table(name).create_checkpoint()
    assert runs.build(store)["playedhand"] == 30


# ---------------------------------------------------------------- vacuum


def files_of(store: Store) -> dict[str, int]:
    """All files but those of the logs, and their sizes."""
    root = Path(store.root)
    found = {str(path.relative_to(root)): path.stat().st_size for path in root.rglob("*") if path.is_file()}
    return {path: size for path, size in found.items() if "/_delta_log/" not in path}


def in_use(store: Store) -> set[str]:
    """The data files that tables refer to, and their filters."""
    files = {f"{name}/{path}" for name in ALL for path in store.paths(name)}
    return files | {path_of(file) for file in files if file.startswith(("events/", "ingests/"))}


@pytest.fixture(scope="module")
def litter(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with files of runs that were cut, and of a build that was done again."""
    folder = tmp_path_factory.mktemp("litter")
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*ROWS[:20], b"no row"), "a.csv")
    runs.build(store)
    ingest_text(store, folder, dump(*ROWS[:25]), "b.csv")
    runs.build(store, afresh=True)
    ingest_text(store, folder, dump(*ROWS), "c.csv")
    (folder / "d.csv").write_bytes(dump(*dump_lines()[30:60], b"no"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Store, "commit", lambda *_, **__: (_ for _ in ()).throw(OSError("no more room")))
        for act in (lambda: runs.ingest(store, [str(folder / "d.csv")]), lambda: runs.build(store)):
            with pytest.raises(Exception, match="no more room"):
                act()
    (Path(store.uri("quarantine")) / "half.parquet.123.tmp").write_bytes(b"PAR1")
    return store


@pytest.fixture
def littered(litter: Store, tmp_path: Path) -> Store:
    """A copy of it, to be cleared up: a store can be moved."""
    shutil.copytree(litter.root, tmp_path / "store")
    return Store(str(tmp_path / "store"))


def age(store: Store, seconds: float, *paths: str) -> None:
    then = time.time() - seconds
    for path in paths or files_of(store):
        os.utime(Path(store.root) / path, (then, then))


def test_vacuum_removes_what_no_table_refers_to(littered: Store) -> None:
    before, used = files_of(littered), in_use(littered)
    orphans = {path: size for path, size in before.items() if path not in used}
    assert len(orphans) >= 7
    assert {path.split("/")[0] for path in orphans} == {
        "events",
        "quarantine",
        *PROJECTIONS,
    }
    assert dict(vacuum(littered, 0, dry_run=True)) == orphans
    assert files_of(littered) == before
    assert dict(vacuum(littered, 0, dry_run=False)) == orphans
    assert set(files_of(littered)) == used
    assert vacuum(littered, 0, dry_run=False) == []
    assert one(littered, "select count(*) from playedhand") == 25
    assert one(littered, "select count(*) from events where seq = 0") == 30
    assert runs.build(littered)["playedhand"] == 30


def test_vacuum_leaves_what_is_younger_than_asked(littered: Store) -> None:
    orphans = sorted(set(files_of(littered)) - in_use(littered))
    age(littered, 1000)
    assert vacuum(littered, 2000, dry_run=False) == []
    young, old = orphans[::2], orphans[1::2]
    age(littered, 3000, *old)
    age(littered, 0, *young)
    # Those the second build took out of the tables were taken out just now.
    replaced = {f"{name}/{path}" for name in PROJECTIONS for path in littered.paths(name, 1)}
    assert {path for path, _ in vacuum(littered, 2000, dry_run=False)} == set(old) - replaced
    assert set(files_of(littered)) == in_use(littered) | set(young) | replaced


def test_vacuum_leaves_what_someone_may_still_be_reading(store: Store, tmp_path: Path) -> None:
    """A reader that listed a table's files before a rebuild can still open them, however old they are."""
    ingest_text(store, tmp_path, dump(*ROWS[:20]), "a.csv")
    runs.build(store)
    age(store, 10_000)
    listed = [Path(path) for name in PROJECTIONS for path in data_files(store, name)]
    ingest_text(store, tmp_path, dump(*ROWS), "b.csv")
    runs.build(store, afresh=True)
    vacuum(store, 5000, dry_run=False)
    assert all(path.exists() for path in listed)
    assert sum(pq.read_metadata(path).num_rows for path in listed) > 0
    vacuum(store, 0, dry_run=False)
    assert not any(path.exists() for path in listed)


def test_vacuum_never_removes_what_is_referred_to(store: Store, tmp_path: Path) -> None:
    """Ingests and builds go on while another thread vacuums files of any age but the last minute's."""
    twin = Store(str(tmp_path / "twin"))
    stop = threading.Event()
    failed: list[BaseException] = []

    def vacuum_on() -> None:
        while not stop.is_set():
            try:
                vacuum(store, 60, dry_run=False)
            except BaseException as error:
                failed.append(error)

    store.create()
    thread = threading.Thread(target=vacuum_on)
    thread.start()
    try:
        for number in range(3):
            text = dump(*ROWS[: 8 * number + 1])
            for each in (store, twin):
                ingest_text(each, tmp_path, text, f"{number}.csv")
                runs.build(each, afresh=number == 2)
            age(store, 10_000)
    finally:
        stop.set()
        thread.join()
    assert failed == []
    assert_same(twin, store)


def test_vacuum_of_logs_left_alone(littered: Store) -> None:
    logs = sorted(path for path in Path(littered.root).rglob("_delta_log/*"))
    vacuum(littered, 0, dry_run=False)
    assert sorted(path for path in Path(littered.root).rglob("_delta_log/*")) == logs


def test_parts_say_how_many_rows_they_have(store: Store) -> None:
    store.create()
    part = store.write("quarantine", None, [rows_of_quarantine("a", "b"), rows_of_quarantine("c")])
    assert isinstance(part, Part)
    store.commit("quarantine", Change([part], {}))
    assert store.sizes("quarantine") == {part.path: 3}
    assert (store.rows("quarantine"), store.rows("events")) == (3, 0)
