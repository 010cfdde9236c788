"""A dbt failure holds back the marts that depend on it, and no others."""

import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import dbt_run, marts, query, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError, Node
from cardlog.pipelines.sql.held_back import HeldBack, Stale, held_back
from cardlog.pipelines.sql.warehouse import path_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal import cli
from cardlog.pipelines.upkeep import status
from tests.support import small_project
from tests.support.child import _CONTEXT
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ingest_text

# ---------------------------------------------------------------- which


def nodes(*failed: str) -> list[Node]:
    """source → step → a → b → c, and step → d; a test of each but the step, and some of two models."""
    models = {"step": ("source",), "a": ("step",), "b": ("a",), "c": ("b",), "d": ("step",)}
    tests = {
        "test_source": ("source",), "test_a": ("a",), "test_b": ("b",), "test_d": ("d",),
        "b_with_step": ("b", "step"), "b_with_d": ("b", "d"), "of_nothing": (),
    }  # fmt: skip
    found = [Node(name, name, "model", "success", parents=parents) for name, parents in models.items()]
    found += [Node(name, name, "test", "pass", parents=parents) for name, parents in tests.items()]
    words = {"model": "error", "test": "fail"}
    return [
        Node(node.id, node.name, node.kind, words[node.kind], parents=node.parents)
        if node.id in failed
        else node
        for node in found
    ]


@pytest.mark.parametrize(
    ("failed", "held"),
    [
        ((), ""),
        (("c",), "c"),
        (("a",), "abc"),
        (("test_a",), "abc"),
        (("test_b",), "bc"),
        (("test_d",), "d"),
        (("test_b", "test_d"), "bcd"),
        (("b_with_step",), "bc"),
        (("b_with_d",), "bcd"),
        (("of_nothing",), ""),
    ],
)
def test_what_depends_on_a_failure_is_held_back(failed: tuple[str, ...], held: str) -> None:
    """If a test compares two models and one depends on the other, the dependent one is blamed."""
    assert "".join(sorted(held_back(nodes(*failed)))) == held


def test_a_step_or_source_that_is_wrong_holds_back_all_that_comes_of_it() -> None:
    for failed in ("step", "test_source"):
        assert sorted(held_back(nodes(failed))) == ["a", "b", "c", "d", "step"]


def test_it_is_known_because_of_what() -> None:
    because = held_back(nodes("test_a", "test_b"))
    assert because["a"] == ["test_a"]
    assert because["c"] == ["test_a", "test_b"]


# ---------------------------------------------------------------- and what becomes of it


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Three hands, built, without marts. Not to be changed."""
    folder = tmp_path_factory.mktemp("filled")
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*dump_lines()[:3]))
    runs.build(store)
    return store


@pytest.fixture
def copy(filled: Store, tmp_path: Path) -> Store:
    shutil.copytree(filled.root, tmp_path / "copy")
    return Store(str(tmp_path / "copy"))


@pytest.fixture
def project(filled: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In one folder for all tests, since dbt parses it anew in another one."""
    folder = Path(filled.root).with_name("project")
    monkeypatch.setattr(warehouse, "DBT_PROJECT", folder)
    return small_project.write(folder)


def rows_of_marts(store: Store) -> dict[str, list[tuple[object, ...]]]:
    """The rows of each existing mart."""
    connection = query.connect(store)
    existing = {name for (name,) in connection.execute("show tables").fetchall()}
    wanted = existing & {"counted", "picked", "below", "seen"}
    return {name: sorted(connection.execute(f"from {name}").fetchall()) for name in sorted(wanted)}


def build(store: Store, capfd: pytest.CaptureFixture[str], *more: str) -> tuple[object, str, str]:
    """``cardlog build``: how it ended, and its output."""
    with pytest.raises(SystemExit) as end:
        cli.main(["build", "--store", store.root, *more])
    captured = capfd.readouterr()
    assert "Traceback" not in captured.err
    return end.value.code, captured.out, captured.err


def test_a_test_that_fails_names_the_rows_and_holds_back_what_depends_on_it(
    copy: Store, project: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    # There never were any marts: those that are held back are absent.
    small_project.write(project, small_project.REPEATS)
    code, _, messages = build(copy, capfd)
    assert code == 1
    assert f"{small_project.TEST}: 1 row: unique_field=same, n_records=3" in messages
    assert "missing, because no build of them has succeeded: " in messages
    assert rows_of_marts(copy) == {"counted": [("complete", 3)]}
    ours = (small_project.TEST,)
    assert warehouse.stale_marts(copy) == {name: Stale(None, ours) for name in ("picked", "below", "seen")}
    found = status.status(copy)
    assert found["marts"] == "up to date; stale: below, picked, seen"
    assert found["stale"]["below"] == {"events": None, "because": ours}
    command = f"cardlog query 'from failed_tests.{small_project.TEST}'"
    assert command in messages
    sql = command.split("'")[1]
    assert query.ask(copy, sql).fetchall() == [("same", 3)]

    # Once they come out well they are there.
    small_project.write(project)
    assert build(copy, capfd)[0] == 0
    good = rows_of_marts(copy)
    assert {name: len(rows) for name, rows in good.items()} == {
        "below": 1,
        "counted": 1,
        "picked": 3,
        "seen": 3,
    }
    assert warehouse.is_current(copy)
    assert status.status(copy)["marts"] == "up to date"

    # Then they keep what they had, also a view, while the others go on; in the store's new place as well.
    ingest_text(copy, tmp_path, dump(*dump_lines()[3:5]), "more.csv")
    runs.build(copy)
    small_project.write(project, small_project.REPEATS)
    moved = Store(str(Path(copy.root).rename(tmp_path / "moved")))
    code, out, messages = build(moved, capfd, "--json")
    assert code == 1
    assert "stale, with their previous content: " in messages
    assert rows_of_marts(moved) == good | {"counted": [("complete", 5)]}
    found = json.loads(out)
    assert found["stale"]["seen"] == {"events": 1, "because": [small_project.TEST]}
    assert [failure["rows"] for failure in found["failed"]] == [1]
    assert not warehouse.is_current(moved)
    assert (warehouse.is_of(moved, "counted"), warehouse.is_of(moved, "below")) == (True, False)
    assert query.remarks(moved, "from Counted join BELOW on true") == [
        f"below is stale, of events 1, because of {small_project.TEST}; run 'cardlog build' for details"
    ]

    # A model that can't be built is held back the same way, and what is stale already keeps its age.
    (project / "models" / "marts" / "core" / "counted.sql").write_text(
        "select nothing from {{ ref('step_hands') }}"
    )
    with pytest.raises(HeldBack, match=r"counted: .*nothing"):
        marts.build(moved)
    assert rows_of_marts(moved) == good | {"counted": [("complete", 5)]}
    stale = warehouse.stale_marts(moved)
    assert {name: mart.events for name, mart in stale.items()} == {
        "below": 1, "counted": 2, "picked": 1, "seen": 1
    }  # fmt: skip
    assert not any(Path(moved.root).glob(".warehouse*"))


def build_in(project: Path, root: str, messages: Path) -> None:
    """``cardlog build`` in a process of its own."""
    warehouse.DBT_PROJECT = project  # type: ignore[misc]
    with messages.open("w") as sys.stderr:
        cli.main(["build", "--store", root])


ENDLESS = """
    select count(*) as rows from {{ ref('step_hands') }}, range(1_000_000) a, range(1_000_000) b
    where a.range + b.range < 0
"""


def test_ctrl_c_ends_dbt_in_the_middle_of_a_query(copy: Store, project: Path, tmp_path: Path) -> None:
    """A query of hours ends at once with the right exit code, and the old marts remain."""
    marts.build(copy)
    before = path_of(copy).read_bytes()
    (project / "models" / "marts" / "core" / "counted.sql").write_text(ENDLESS)
    began = Path(copy.root) / ".dbt" / "run" / "small" / "models" / "marts" / "core" / "counted.sql"
    began.unlink()
    process = _CONTEXT.Process(target=build_in, args=(project, copy.root, tmp_path / "messages"), daemon=True)
    process.start()
    try:
        while not (began.exists() and began.read_text().strip()):
            assert process.is_alive()
            time.sleep(0.1)
        time.sleep(1)  # so that the query is under way
        assert process.pid
        os.kill(process.pid, signal.SIGINT)
        process.join(120)
    finally:
        process.kill()
        process.join()
    messages = (tmp_path / "messages").read_text()
    assert process.exitcode == 130
    assert "interrupted" in messages
    assert "Traceback" not in messages
    assert path_of(copy).read_bytes() == before
    assert not any(Path(copy.root).glob(".warehouse*"))


def test_the_limits_of_dbt_are_those_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARDLOG_DBT_MEMORY", "512MiB")
    found = dbt_run.settings(tmp_path / "w.duckdb", tmp_path / "s.duckdb")
    assert found["CARDLOG_DBT_MEMORY"] == "512MiB"
    assert found["CARDLOG_DBT_SPILL"] == str(tmp_path / "w.tmp")
    with duckdb.connect(config={"max_temp_directory_size": found["CARDLOG_DBT_SPILL_LIMIT"]}) as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    monkeypatch.setenv("CARDLOG_DBT_MEMORY", "lots")
    with pytest.raises(DbtError, match="CARDLOG_DBT_MEMORY: 'lots' is not a size"):
        dbt_run.settings(tmp_path / "w.duckdb", tmp_path / "s.duckdb")


def test_dbt_runs_within_its_limits(copy: Store, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB's settings while dbt runs; the environment is restored afterwards."""
    model = (
        "select name, value from duckdb_settings() where name like '%memory_limit' or name like '%temp_dir%'"
    )
    (project / "models" / "marts" / "core" / "counted.sql").write_text(model)
    monkeypatch.setenv("CARDLOG_DBT_MEMORY", "300MiB")
    before = dict(os.environ)
    marts.build(copy)
    assert dict(os.environ) == before
    found = dict(query.ask(copy, "from counted").fetchall())
    assert found["memory_limit"] == "300.0 MiB"
    assert found["max_temp_directory_size"] == "1.1 GiB"
    assert found["temp_directory"].startswith(copy.root)
