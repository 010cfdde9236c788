"""The warehouse: it is replaced atomically, and reports whether it is current."""

import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import dbt_run, marts, query, warehouse
from cardlog.pipelines.sql.warehouse import is_current, path_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal import cli
from tests.support import small_project
from tests.support.csv_rows import dump, dump_lines
from tests.support.files import files_of
from tests.support.shared import small_store
from tests.support.stores import PROJECTIONS, ingest_text


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A copy of the small store with its marts; files keep their times."""
    shutil.copytree(small_store().root, tmp_path / "store")
    return Store(str(tmp_path / "store"))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the dbt project that may be changed; files keep their times."""
    shutil.copytree(warehouse.DBT_PROJECT, tmp_path / "dbt_project")
    monkeypatch.setattr(warehouse, "DBT_PROJECT", tmp_path / "dbt_project")
    return tmp_path / "dbt_project"


# ---------------------------------------------------------------- whole or not at all


MART = "models/marts/core/bids.sql"


@pytest.mark.long
def test_dbt_that_can_t_run_says_so_and_leaves_the_old_marts(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    project = small_project.write(tmp_path / "small")
    monkeypatch.setattr(warehouse, "DBT_PROJECT", project)
    before = path_of(store).read_bytes()
    files = set(files_of(store.root))
    (project / "models/marts/core/hands.sql").write_text("select * from {{ ref('nowhere') }}")
    with pytest.raises(SystemExit) as end:
        cli.main(["build", "--store", store.root])
    captured = capfd.readouterr()
    assert (end.value.code, captured.out) == (2, "")
    assert re.search("cardlog: dbt could not run: .*'nowhere' which was not found", captured.err, re.DOTALL)
    assert "Traceback" not in captured.err
    assert path_of(store).read_bytes() == before
    assert not is_current(store)
    assert query.connect(store).execute("select count(*) from hands").fetchone() == (324,)
    assert all("/.dbt/" in file for file in set(files_of(store.root)) - files)


def test_what_cuts_dbt_short_leaves_the_old_marts(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    before = path_of(store).read_bytes()

    def cut(run: dbt_run.Run, *command: str) -> list[Any]:
        assert run.database.is_relative_to(store.root), "a rename is one step only on one disk"
        assert run.database != path_of(store)
        raise KeyboardInterrupt

    monkeypatch.setattr(dbt_run, "results", cut)
    with pytest.raises(KeyboardInterrupt):
        marts.build(store, afresh=True)
    assert path_of(store).read_bytes() == before
    assert is_current(store)
    files = {path.name for path in Path(store.root).iterdir() if path.is_file()}
    assert files == {"warehouse.duckdb", "warehouse.json"}


@pytest.mark.long
def test_a_reader_of_the_old_marts_goes_on_reading(store: Store, tmp_path: Path) -> None:
    with query.connect(store) as reader:
        ingest_text(store, tmp_path, dump(*dump_lines()[500:502]))
        runs.build(store)
        assert marts.build(store) > 0
        assert reader.execute("select count(*) from hands").fetchall() == [(324,)]
    with query.connect(store) as reader:
        assert reader.execute("select count(*) from hands").fetchall() == [(326,)]


# ---------------------------------------------------------------- current or not


def test_it_is_current_until_the_store_or_the_project_changes(
    store: Store, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_current(small_store())
    assert is_current(store)
    ingest_text(store, tmp_path, dump(*dump_lines()[500:502]))
    assert not is_current(store)
    shutil.rmtree(store.root)
    shutil.copytree(small_store().root, store.root)
    assert is_current(store)
    model = project / MART
    os.utime(model, (0, 0))
    assert is_current(store), "a copy of the project may be of another time"
    text = model.read_text()
    model.write_text(text + "\n-- changed")
    assert not is_current(store)
    model.write_text(text)
    assert is_current(store)
    (project / "target").mkdir()
    (project / "target" / "run.sql").touch()
    assert is_current(store), "what dbt makes is no part of the project"
    monkeypatch.setattr(warehouse, "VERSION", "0.0.0")
    assert not is_current(store)


@pytest.mark.parametrize("damage", ["no marts", "no note", "half a note"])
def test_it_is_not_current_if_marts_or_note_are_gone(damage: str, store: Store) -> None:
    note = path_of(store).with_suffix(".json")
    if damage == "no marts":
        path_of(store).unlink()
    elif damage == "no note":
        note.unlink()
    else:
        note.write_text(note.read_text()[:10])
    assert not is_current(store)


# ---------------------------------------------------------------- an empty store


@pytest.mark.long
def test_the_marts_of_an_empty_store_are_empty(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "empty"))
    store.create()
    assert runs.build(store) == dict.fromkeys(PROJECTIONS, 0)
    assert marts.build(store) == 0
    assert is_current(store)
    connection = query.connect(store)
    names = {name for (name,) in connection.execute("show tables").fetchall()}
    full = {name for (name,) in query.connect(small_store()).execute("show tables").fetchall()}
    assert names == full
    seeds = {path.stem for path in warehouse.DBT_PROJECT.glob("seeds/*.csv")}
    for name in names - seeds:
        assert connection.execute(f"select count(*) from {name}").fetchone() == (0,), name
