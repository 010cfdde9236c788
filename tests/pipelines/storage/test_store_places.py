"""Where a store may be, what of it may be missing, and what must not be put into it."""

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.sql import hand_lookup, marts, query, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.storage.errors import Damaged
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.upkeep import quarantine, status
from cardlog.pipelines.upkeep.vacuum import vacuum
from cardlog.pipelines.upkeep.verify import verify
from tests.support.analysed import analyse_some
from tests.support.csv_rows import dump, dump_lines
from tests.support.exports import export
from tests.support.soak import soak
from tests.support.stores import PROJECTIONS, RECORDS, copied, ingest_text

LINES = dump_lines()


@pytest.fixture
def store(good: Store, tmp_path: Path) -> Store:
    """A copy of it."""
    return copied(good, tmp_path / "store")


def count(store: Store, table: str) -> int:
    ((found,),) = query.connect(store, {table}).execute(f"select count(*) from {table}").fetchall()
    return int(found)


@pytest.mark.long
@pytest.mark.parametrize(
    "folder",
    [
        "Ünï 牌 100% #1? & +é",
        "a[0-9]b'\"~",
        *soak("a?b", "a#b", "100%", "~", "~nobody", "a*b", "{a}", "game=x"),
    ],
)
def test_every_command_works_in_any_folder(
    folder: str, good: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some characters mean something in the URIs of Delta's library or in DuckDB's patterns. A folder beside
    it that such a pattern fits holds other rows."""
    monkeypatch.chdir(tmp_path)
    for name in (folder, "axb", "a0b"):
        shutil.copytree(good.root, Path(tmp_path, name, "store"))
    store = Store(f"{tmp_path}/{folder}/store")
    (tmp_path / "more.csv").write_bytes(dump(*LINES[60:63]))
    assert runs.ingest(store, [str(tmp_path / "more.csv")]).counts.hands_stored == 3
    assert runs.build(store)["playedhand"] == 63
    counts = {"events": store.rows("events"), "playedhand": 63, "quarantine": 2, "ingests": 3}
    assert {name: count(store, name) for name in counts} == counts
    assert query.connect(store).execute("select distinct game from tricks").fetchall() == [("kaiser",)]
    out = Path(tmp_path, folder, "out.jsonl")
    assert export(store, "kaiser", "cardlog-jsonl", out) == store.rows("events")
    runs.build(store, afresh=True)
    assert vacuum(store, 1000, dry_run=False) == []  # what the rebuild replaced may still be read
    assert vacuum(store, 0, dry_run=False) != []
    if "?" not in folder:
        with duckdb.connect(str(warehouse.path_of(store))) as connection:
            connection.execute("create table main.of_dbt as select 42 as answer")
        assert query.connect(store).execute("select answer from of_dbt").fetchall() == [(42,)]
    assert verify(store).problems == []


def test_where_duckdb_can_write_no_database_one_is_told_so(tmp_path: Path) -> None:
    store = Store(f"{tmp_path}/a?b")
    store.create()
    with pytest.raises(DbtError, match=r"a\?b, because of the question mark.*--no-marts"):
        marts.build(store)


@pytest.mark.parametrize("folder", ["a%20b", "a\\b", "a\nb"])
def test_a_folder_that_delta_takes_for_another_is_refused(folder: str, tmp_path: Path) -> None:
    (tmp_path / folder).mkdir()
    with pytest.raises(StoreError, match=r"no store can be made at .*choose another"):
        Store(f"{tmp_path}/{folder}/store")
    assert [path.name for path in tmp_path.iterdir()] == [folder]


@pytest.mark.parametrize("name", RECORDS)
def test_a_lost_table_of_record_is_not_made_anew(name: str, store: Store, tmp_path: Path) -> None:
    """Of verify's problem the advice is apart from what is wrong, though a path has a semicolon, too."""
    store = Store(str(Path(store.root).rename(tmp_path / "a; b")))
    shutil.rmtree(store.uri(name))
    assert store.exists
    for act in (
        lambda: ingest_text(store, tmp_path, dump(*LINES[60:63]), "more.csv"),
        lambda: runs.build(store),
        lambda: runs.build(store, afresh=True),
        lambda: status.status(store),
        lambda: query.connect(store),
    ):
        with pytest.raises(Damaged, match=rf"the table .*{name} is missing; restore it from a backup"):
            act()
    [problem] = verify(store).problems
    assert (problem.place, problem.what) == (name, f"the table {store.uri(name)} is missing")
    assert problem.advice.startswith("restore it from a backup")
    assert not Path(store.uri(name)).exists()


def test_a_lost_table_of_an_analysis_is_not_made_anew_beside_the_other(store: Store, tmp_path: Path) -> None:
    analyse_some(store, {"kaiser": 2})
    shutil.rmtree(store.uri("analysis"))
    with pytest.raises(Damaged, match=r"analysis is missing; remove the folders of analysis and pars, and"):
        ingest_text(store, tmp_path, dump(*LINES[60:63]), "more.csv")
    shutil.rmtree(store.uri("pars"))
    assert ingest_text(store, tmp_path, dump(*LINES[60:63]), "more.csv").counts.hands_stored == 3


def test_lost_projections_are_made_again(store: Store) -> None:
    rows = {name: store.rows(name) for name in PROJECTIONS}
    for names in (PROJECTIONS[::2], PROJECTIONS):
        for name in names:
            shutil.rmtree(store.uri(name))
        with pytest.raises(Damaged, match=rf"the table .*{names[0]} is missing; remove .*'cardlog build'"):
            query.connect(store)
        found = {problem.place: problem for problem in verify(store).problems}
        assert found.keys() == {*names}
        for name, problem in found.items():
            assert f"{name} is missing" in problem.what
            assert "'cardlog build'" in problem.advice
        runs.build(store)
        assert {name: store.rows(name) for name in PROJECTIONS} == rows


def test_nothing_is_exported_into_a_store(store: Store, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(Path(store.uri("events")))
    for out in ("out.jsonl", "events/out.jsonl", "tricks/game=kaiser/x.parquet", "../link/out"):
        for form in ("cardlog-jsonl", "npz"):
            with pytest.raises(ExportError, match="is inside the store"):
                export(store, "kaiser", form, Path(store.root) / out)
        assert not (Path(store.root) / out).exists()
    assert export(store, "kaiser", "cardlog-jsonl", tmp_path / "store.jsonl") > 0


def test_a_store_that_can_only_be_read_answers_all_the_same(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The tests may run as root, whom no permission keeps out; so it is the calls that are refused."""
    hand = query.connect(store).execute("select min(hand_id) from playedhand").fetchall()[0][0]
    warehouse.path_of(store).unlink(missing_ok=True)
    (tmp_path / "more.csv").write_bytes(dump(*LINES[60:63]))

    def refuse(path: object) -> None:
        if os.fspath(path).startswith(store.root):
            raise PermissionError(30, "Read-only file system", os.fspath(path))

    for name in ("write_bytes", "write_text", "mkdir", "unlink", "touch"):
        kept = getattr(Path, name)
        monkeypatch.setattr(
            Path, name, lambda self, *a, kept=kept, **b: (refuse(self), kept(self, *a, **b))[1]
        )
    assert count(store, "events") == store.rows("events")
    assert hand_lookup.find(store, hand).hand_ids[0].decode() == hand
    assert status.status(store)["hands"]["hands_stored"] == 60
    assert quarantine.waiting(store) == 2
    assert export(store, "kaiser", "cardlog-jsonl", tmp_path / "out.jsonl") == store.rows("events")
    assert verify(store).problems == []
    for act in (
        lambda: runs.ingest(store, [str(tmp_path / "more.csv")]),
        lambda: runs.build(store, afresh=True),
    ):
        with pytest.raises(StoreError, match=r"Read-only file system: .*/store"):
            act()


def test_a_store_that_another_process_makes_at_this_moment_has_lost_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its last table appears, and an ingest is committed, between two questions."""
    is_there, asked = Store._is_there, []

    def late(self: Store, name: str) -> bool:
        asked.append(name)
        return is_there(self, name) and (name != "quarantine" or asked.count(name) > 1)

    monkeypatch.setattr(Store, "_is_there", late)
    store.create()
    assert asked.count("quarantine") > 1
