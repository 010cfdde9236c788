"""Verify: a sound store has no problem, and each kind of damage is a line that names it."""

import re
import shutil
from contextlib import ExitStack
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from cardlog.pipelines import runs
from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage import opening
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.opening import entry_of
from cardlog.pipelines.storage.store import BUILT_FROM, Store, StoreError
from cardlog.pipelines.upkeep.status import status
from cardlog.pipelines.upkeep.verify import Problem, verify
from cardlog.schemas.tables import INGESTS
from tests.support.csv_rows import dump, dump_lines
from tests.support.files import files_of
from tests.support.flips import flipped, some_bits
from tests.support.shared import small_store
from tests.support.stores import ALL, PROJECTIONS, RECORDS, copied, ingest_text

LINES = dump_lines()


@pytest.fixture
def store(good: Store, tmp_path: Path) -> Store:
    """A copy of it to be damaged."""
    return copied(good, tmp_path / "store")


def only_problem(store: Store) -> Problem:
    (problem,) = verify(store).problems
    return problem


def some_file(store: Store, name: str) -> Path:
    return Path(store.uri(name)) / store.paths(name)[0]


def test_a_sound_store_has_no_problem(store: Store, edge: Store, tmp_path: Path) -> None:
    empty = Store(str(tmp_path / "empty"))
    empty.create()
    for each in (store, edge, empty):
        report = verify(each)
        assert report.problems == []
        assert report.files == sum(len(each.paths(name)) for name in ALL)
    assert verify(store).orphans == 1  # of the second ingest, with the ten hands that came twice


def problems_of(store: Store) -> dict[str, Problem]:
    """The only problem of each table."""
    found = verify(store).problems
    by_table = {problem.place.split("/")[0]: problem for problem in found}
    assert len(found) == len(by_table)
    return by_table


@pytest.mark.parametrize("bits", [2, pytest.param(8, marks=pytest.mark.soak)])
def test_a_flipped_bit_in_a_data_file_is_named(bits: int, store: Store) -> None:
    files = {name: some_file(store, name) for name in RECORDS + PROJECTIONS}
    for chosen in zip(*(some_bits(path, bits, 5) for path in files.values()), strict=True):
        with ExitStack() as damage:
            for path, bit in zip(files.values(), chosen, strict=True):
                damage.enter_context(flipped(path, bit))
            found = problems_of(store)
        assert found.keys() == files.keys()
        for name, problem in found.items():
            assert problem.place == f"{name}/{files[name].relative_to(store.uri(name))}"
            assert "digest" in problem.what
            assert ("rebuild" if name in PROJECTIONS else "backup") in problem.advice
    assert verify(store).problems == []


def test_files_that_are_cut_or_missing_are_named(store: Store) -> None:
    files = {name: some_file(store, name) for name in RECORDS + PROJECTIONS}
    for path in files.values():
        path.write_bytes(path.read_bytes()[:-1])
    assert all("the log says" in problem.what for problem in problems_of(store).values())
    for path in files.values():
        path.unlink()
    found = problems_of(store)
    assert {problem.what for problem in found.values()} == {"the file is missing"}
    assert {name: Path(problem.place).name for name, problem in found.items()} == {
        name: path.name for name, path in files.items()
    }


@pytest.mark.parametrize(
    ("name", "content"), [("quarantine", b""), ("quarantine", b"{"), ("quarantine", b"{}"), ("events", None)]
)
def test_a_damaged_log_is_named(name: str, content: bytes | None, store: Store) -> None:
    """An entry that has lost all is found because the tables disagree; one that is cut, though it is not the
    last one, also by a process that knows the table."""
    assert verify(store).problems == []
    entry = Path(store.uri(name), entry_of(1))
    entry.write_bytes(entry.read_bytes()[: entry.stat().st_size // 2] if content is None else content)
    problem = verify(store).problems[0]
    assert problem.place == name
    assert "backup" in problem.advice
    assert len(verify(store).problems) == 1 or name == "events"


def test_a_damaged_checkpoint_is_named(store: Store) -> None:
    DeltaTable(store.uri("tricks")).create_checkpoint()
    (path,) = Path(store.uri("tricks"), "_delta_log").glob("*.checkpoint.parquet")
    content = path.read_bytes()
    for damaged in (b"", content[: len(content) // 2], content[:200] + bytes(2000) + content[2200:]):
        opening._opened.cache_clear()
        path.write_bytes(damaged)
        problem = only_problem(store)
        assert (problem.place, "can't be opened" in problem.what) == ("tricks", True)
        assert "'cardlog build' makes it" in problem.advice


def test_a_log_that_has_lost_its_end_is_named(store: Store) -> None:
    (Path(store.uri("events")) / entry_of(2)).unlink()
    problems = verify(store).problems
    assert {problem.place for problem in problems} == {"events"}
    assert any("log ends at version 1, but playedhand was built from version 2" in p.what for p in problems)


def commit_rows(store: Store, name: str, rows: pa.Table, mode: str = "append") -> None:
    """Write rows into a table as cardlog does; they are sound by themselves."""
    game = "kaiser" if name not in ("ingests", "quarantine") else None
    part = store.write(name, game, [rows.drop_columns(["game"]) if game else rows])
    transactions = {BUILT_FROM: store.table("events").version()} if name in PROJECTIONS else {}
    store.commit(name, Change([part], transactions, mode=mode))


def test_hands_that_are_stored_twice_are_named(store: Store) -> None:
    rows = next(iter(store.read("events")))
    ids = rows.column("hand_id").to_pylist()
    commit_rows(store, "events", rows.slice(0, ids.count(ids[0])))
    problems = verify(store).problems
    assert [problem.place for problem in problems] == ["events", "events"]
    assert "holds 61 hands" in problems[0].what
    assert problems[1].what == f"hand {ids[0]} is stored twice"


def test_ingests_that_say_something_else_are_named(store: Store) -> None:
    path = some_file(store, "ingests")
    (row,) = store.open("ingests", path.name).read().to_pylist()
    said = row | {"quarantined": row["quarantined"] + 2, "hands_read": row["hands_read"] + 2}
    part = store.write("ingests", None, [pa.Table.from_pylist([said], INGESTS)])
    put_in_place_of(store, "ingests", path, Path(store.uri("ingests")) / part.path)
    assert only_problem(store).what == "it holds 2 hands, but the ingests put 4 there"


def put_in_place_of(store: Store, name: str, old: Path, new: Path) -> None:
    """Name another data file in a table's log."""
    log = (Path(store.uri(name)) / "_delta_log").glob("*.json")
    (entry,) = (entry for entry in log if old.name in entry.read_text())  # another file may be as large
    text = entry.read_text().replace(old.name, new.name)
    opening._opened.cache_clear()  # of an entry that is not the last one a change is not noticed
    entry.write_text(text.replace(f'"size":{old.stat().st_size}', f'"size":{new.stat().st_size}'))


def test_projections_of_other_hands_are_named(store: Store) -> None:
    for name in PROJECTIONS:
        rows = next(iter(store.read(name)))
        ids = pa.array(["f" * 32, *rows.column("hand_id").to_pylist()[1:]])
        rows = rows.set_column(rows.schema.get_field_index("hand_id"), "hand_id", ids)
        commit_rows(store, name, rows, "overwrite")
    problems = verify(store).problems
    unknown = [problem.place for problem in problems if f"the events have not, {'f' * 32}" in problem.what]
    assert sorted(unknown) == sorted(PROJECTIONS)
    assert [problem.place for problem in problems if "it lacks hand" in problem.what] == ["playedhand"]
    assert len(problems) == len(PROJECTIONS) + 1
    assert all("rebuild" in problem.advice for problem in problems)
    runs.build(store, afresh=True)
    assert verify(store).problems == []


def test_files_of_other_programs_are_read_whole(store: Store) -> None:
    DeltaTable(store.uri("tricks")).optimize.compact()
    path = some_file(store, "playedhand")
    other = path.with_name("part-0.parquet")
    pq.write_table(pq.read_table(path, partitioning=None), other, write_page_checksum=True)
    put_in_place_of(store, "playedhand", path, other)
    assert verify(store).problems == []
    footer = pq.read_metadata(other)
    ids = footer.row_group(0).column(footer.schema.names.index("hand_id"))
    # among the ids themselves: checksums are those of pages' contents, not of their headers
    with flipped(other, 8 * (ids.dictionary_page_offset + ids.total_compressed_size // 2)):
        assert other.name in only_problem(store).place


def test_a_damaged_warehouse_is_named(store: Store) -> None:
    path = warehouse.path_of(store)
    with duckdb.connect(str(path)) as connection:
        connection.execute("create table t as select range as a, hash(range) as b from range(200000)")
    assert verify(store).problems == []
    middle = 8 * (path.stat().st_size // 2)
    with flipped(path, middle):
        problem = only_problem(store)
    assert problem.place == path.name
    assert "remove it, and 'cardlog build'" in problem.advice
    assert verify(store).problems == []


def test_an_older_backup_is_restored_without_the_tables_that_are_newer(store: Store, tmp_path: Path) -> None:
    for name in RECORDS:
        shutil.copytree(store.uri(name), tmp_path / "backup" / name)
    ingest_text(store, tmp_path, dump(*LINES[60:70]), "then.csv")
    runs.build(store)
    for name in RECORDS:
        shutil.rmtree(store.uri(name))
        shutil.copytree(tmp_path / "backup" / name, store.uri(name))
    advice = r"remove the folders of the derived tables, and 'cardlog build' makes them from the events$"
    for problem in verify(store).problems:
        assert re.search(advice, problem.advice)
    tables = status(store)["tables"]
    assert {tables[name]["state"] for name in PROJECTIONS} == {"newer than events: cardlog verify"}
    with pytest.raises(StoreError, match=advice):
        runs.build(store)
    for name in PROJECTIONS:
        shutil.rmtree(store.uri(name))
    runs.build(store)
    assert verify(store).problems == []


@pytest.mark.long
def test_data_tests_of_all_rows_are_run(tmp_path: Path) -> None:
    """Also where the store was moved to; with nothing written to it."""
    moved = Store(str(shutil.copytree(small_store().root, tmp_path / "it's [moved]")))
    before = files_of(moved.root)
    assert verify(moved).problems == []
    assert files_of(moved.root) == before
    with duckdb.connect(str(warehouse.path_of(moved))) as connection:
        connection.execute("update steps.int_kaiser_human_vs_computer_sums set hands = hands + 1")
    problems = verify(moved).problems
    assert {problem.place for problem in problems} == {"warehouse.duckdb"}
    said = "kaiser_human_vs_computer_counts_every_seat: 1 row: total_counted="
    assert any(problem.what.startswith(said) for problem in problems)


def test_what_is_not_about_data_is_not_called_damage(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise duckdb.InvalidInputException("Required module 'ipywidgets' failed to import")

    monkeypatch.setattr("cardlog.pipelines.upkeep.verify.query.connect", broken)
    with pytest.raises(duckdb.Error, match="ipywidgets"):
        verify(store)
