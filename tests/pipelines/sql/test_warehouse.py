"""The warehouse: it is replaced atomically, and reports whether it is current."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import dbt_run, marts, query, warehouse
from cardlog.pipelines.sql.warehouse import is_current, path_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.vacuum import vacuum
from tests.support.csv_rows import dump, dump_lines
from tests.support.shared import small_store
from tests.support.stores import PROJECTIONS, copied, ingest_text


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A copy of the small store with its marts; files keep their times."""
    return copied(small_store(), tmp_path / "store")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the dbt project that may be changed; files keep their times."""
    shutil.copytree(warehouse.DBT_PROJECT, tmp_path / "dbt_project")
    monkeypatch.setattr(warehouse, "DBT_PROJECT", tmp_path / "dbt_project")
    return tmp_path / "dbt_project"


MART = "models/marts/core/bids.sql"


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
def test_marts_stay_as_they_were_for_those_who_read_them_until_a_build(store: Store, tmp_path: Path) -> None:
    """With the current tables beside them, also after a rebuild of these and a vacuum."""
    with query.connect(store) as reader:
        ingest_text(store, tmp_path, dump(*dump_lines()[500:502]))
        runs.build(store)
        runs.build(store, afresh=True)
        vacuum(store, 0, dry_run=False)
        assert counts(store) == (324, 326)
        assert marts.build(store) > 0
        assert reader.execute("select count(*) from hands").fetchone() == (324,)
    assert counts(store) == (326, 326)


def counts(store: Store) -> tuple[Any, ...] | None:
    """The hands of the marts and of the tables."""
    with query.connect(store) as connection:
        sql = "select (select count(*) from hands), (select count(*) from playedhand)"
        return connection.execute(sql).fetchone()


def test_it_is_current_until_the_store_the_project_or_the_version_changes(
    store: Store, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_current(small_store())
    model = project / MART
    os.utime(model, (0, 0))
    assert is_current(store), "a copy of the project may be of another time"
    text = model.read_text()
    model.write_text(text + "\n-- changed")
    assert not is_current(store)
    model.write_text(text)
    (project / "target").mkdir()
    (project / "target" / "run.sql").touch()
    assert is_current(store), "what dbt makes is no part of the project"
    for file, rest, is_still in (
        (path_of(store), None, False),
        (path_of(store).with_suffix(".json"), None, True),  # a build was killed before it wrote it
        (path_of(store).with_suffix(".json"), 10, True),
    ):
        whole = file.read_bytes()
        file.unlink()
        if rest:
            file.write_bytes(whole[:rest])
        assert is_current(store) is is_still
        file.write_bytes(whole)
        assert is_current(store)
    with monkeypatch.context() as patch:
        patch.setattr(warehouse, "VERSION", "0.0.0")
        assert not is_current(store)
    assert is_current(store)
    ingest_text(store, tmp_path, dump(*dump_lines()[500:502]))
    assert not is_current(store)


@pytest.mark.long
def test_the_marts_of_an_empty_store_are_empty(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "empty"))
    store.create()
    assert runs.build(store) == dict.fromkeys(PROJECTIONS, 0)
    assert marts.build(store) == 0
    assert is_current(store)
    connection = query.connect(store)
    names, full = (
        {name for (name,) in one.execute("show tables").fetchall()}
        for one in (connection, query.connect(small_store()))
    )
    assert names == full
    seeds = {path.stem for path in warehouse.DBT_PROJECT.glob("seeds/*.csv")}
    for name in names - seeds:
        assert connection.execute(f"select count(*) from {name}").fetchone() == (0,), name
