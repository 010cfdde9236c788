"""dbt's data tests, run without dbt: the same tests on the same settings, each with its result."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
import yaml

from cardlog.pipelines.sql import data_tests, dbt_cache, dbt_run, marts, warehouse
from cardlog.pipelines.sql.dbt_run import TEST, Node, Run
from cardlog.pipelines.sql.tables import write_empty_sources
from tests.support import small_project


def run_in(folder: Path) -> Run:
    """The empty warehouse."""
    draft, sources = folder / dbt_run.WAREHOUSE, folder / "sources.duckdb"
    shutil.copyfile(marts._empty(folder), draft)
    write_empty_sources(sources)
    return Run(warehouse.DBT_PROJECT, draft, sources, folder / "dbt")


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setattr(warehouse, "DBT_PROJECT", small_project.write(tmp_path / "project"))
    return run_in(tmp_path)


FOLDERS = marts.Plan(None, ("kaiser", "five_card_draw"), None).folders  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "select", [FOLDERS, ("+hands",), ("marts.quality",)], ids=["folders", "above", "few"]
)
def test_the_tests_of_a_build_are_those_that_dbt_selects(tmp_path: Path, select: tuple[str, ...]) -> None:
    run = run_in(tmp_path)
    models = dbt_run._selected(("ls", "--resource-type", "model"), run, select, False)
    named = {name.rpartition(".")[2] for name in models}
    built = [
        Node(id, id.rpartition(".")[2], "model", "success")
        for id in data_tests.described(run).models
        if id.startswith("model.") and id.rpartition(".")[2] in named
    ]
    listed = dbt_run._selected(
        ("ls", "--resource-type", "test", "--indirect-selection", "buildable"), run, select, False
    )
    found = [test.name for test in data_tests.compiled(run, built, False)]
    assert sorted(found) == sorted(name.rpartition(".")[2] for name in listed)


def test_no_test_has_settings_of_its_own(tmp_path: Path) -> None:
    """A severity, limit or threshold would not be heeded."""
    for node in dbt_run.parsed(run_in(tmp_path)).nodes.values():
        if node.resource_type == TEST:
            config = node.config
            found = (config.severity, config.fail_calc, config.warn_if, config.error_if, config.limit)
            assert found == ("ERROR", "count(*)", "!= 0", "!= 0", None), node.name


def test_the_settings_are_those_of_the_profile(tmp_path: Path) -> None:
    output = yaml.safe_load((warehouse.DBT_PROJECT / "profiles.yml").read_text())["cardlog"]["outputs"]
    with data_tests._connected(run_in(tmp_path)) as connection:
        found = dict(connection.execute("select name, value from duckdb_settings()").fetchall())
        for name, value in output["warehouse"]["settings"].items():
            assert found[name].lower() == str(value).lower(), name
        assert connection.execute("from sources.store.events").fetchall() == []
        with pytest.raises(duckdb.Error, match="read-only"):
            connection.execute("create table sources.store.new as select 1")


def test_each_test_has_a_result(small: Run) -> None:
    built = dbt_run.build(small, full_refresh=True)
    tests = data_tests.run(small, built, full_refresh=True)
    assert {test.status for test in tests} == {"pass"}
    wrong = next(test for test in tests if test.parents[0].startswith("model."))
    with data_tests._connected(small) as connection:
        found = data_tests._result(connection, replace(wrong, sql="select unnest([1, 2])"))
        assert (found.status, found.failures) == ("fail", 2)
        found = data_tests._result(connection, replace(wrong, sql="from no_such_table"))
        assert (found.status, "no_such_table" in found.message) == ("error", True)


def test_only_the_test_that_dbt_can_not_compile_fails(small: Run) -> None:
    raises = "{% if execute %}{{ exceptions.raise_compiler_error('no such macro') }}{% endif %}"
    small_project.write(small.project, broken=f"{raises} from {{{{ ref('picked') }}}}")
    built = dbt_run.build(small, full_refresh=True)
    for _ in range(2):  # the second time with what the first has cached
        found = {test.name: test for test in data_tests.run(small, built, full_refresh=True)}
        assert {name: test.status for name, test in found.items()} == {
            small_project.TEST: "pass",
            "broken": "error",
        }
        assert "no such macro" in found["broken"].message


def test_tests_of_a_model_that_failed_are_skipped(small: Run) -> None:
    built = dbt_run.build(small, full_refresh=True)
    built = [replace(node, status="error") if node.name == "picked" else node for node in built]
    found = {test.name: test.status for test in data_tests.run(small, built, full_refresh=True)}
    assert found == {small_project.TEST: "skipped"}


def test_queries_are_compiled_once_and_again_if_the_file_is_broken(
    small: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = dbt_run.build(small, full_refresh=True)
    tests = data_tests.compiled(small, built, True)
    kept = dbt_cache.path_of(small.project, "tests-all.json")
    with monkeypatch.context() as patch:
        patch.setattr(dbt_run, "compile_tests", None)
        assert [test.sql for test in data_tests.compiled(small, built, True)] == [test.sql for test in tests]
    for broken in (b"", b"[]", json.dumps({"tests": [[1]], "models": {}}).encode()):
        kept.write_bytes(broken)
        assert [test.sql for test in data_tests.compiled(small, built, True)] == [test.sql for test in tests]
