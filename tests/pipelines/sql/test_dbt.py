"""The dbt project as a whole: unit tests, docs, and agreement with the schemas."""

import json
import os
import re
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

from cardlog import models
from cardlog.pipelines.sql import dbt_cache, dbt_docs, query, tables, warehouse
from cardlog.pipelines.sql.marts import Plan
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.schemas.reasons import Reason
from tests.support.files import files_of
from tests.support.shared import small_store

MODELS = warehouse.DBT_PROJECT / "models"
REPO = Path(__file__).parents[3]
USERS = [
    REPO,
    *(
        path
        for name in ("docs", "examples", "pipelines")
        for path in (REPO / name, *(REPO / name).rglob("*/"))
    ),
]
"""Folders of code that reads marts."""


def _dbt(database: Path, *arguments: str) -> Any:
    """The result of a dbt command, with the manifest that builds have cached."""
    os.environ["CARDLOG_WAREHOUSE"] = str(database)
    os.environ["CARDLOG_SOURCES"] = str(database.with_name("tables.duckdb"))
    work = str(database.parent / "dbt")
    places = ["--project-dir", str(warehouse.DBT_PROJECT), "--profiles-dir", str(warehouse.DBT_PROJECT)]
    try:
        result = dbtRunner(manifest=dbt_cache.manifest(warehouse.DBT_PROJECT)).invoke(
            ["--quiet", "--log-path", work, *arguments, *places, "--target-path", work]
        )
    finally:
        DuckDBConnectionManager.close_all_connections()
    assert result.success, _bad(result)
    return result.result


def _bad(result: Any) -> list[str]:
    nodes = getattr(result.result, "results", [])
    return [f"{node.node.name}: {node.message}" for node in nodes if node.status != "pass"]


@pytest.mark.soak
def test_all_tests_pass(edge: Store, tmp_path: Path) -> None:
    tables.write_sources(pinned(edge, as_built=True), tmp_path / "tables.duckdb")
    _dbt(tmp_path / "warehouse.duckdb", "build")


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The warehouse of the small store, which has the damaged rows of `edge`."""
    tables.write_sources(pinned(small_store(), as_built=True), tmp_path / "tables.duckdb")
    return Path(shutil.copy(warehouse.path_of(small_store()), tmp_path / "warehouse.duckdb"))


OF_SEEDS = ("--indirect-selection", "cautious", "--select", "resource_type:seed")
"""Selects the data tests that read nothing but seeds."""


def test_all_unit_tests_and_tests_of_seeds_pass(database: Path) -> None:
    described = [yaml.safe_load(path.read_text()) for path in MODELS.rglob("*.yml")]
    expected = {test["name"] for file in described for test in file.get("unit_tests", [])}
    ran = {test.node.name for test in _dbt(database, "test", *OF_SEEDS, "test_type:unit").results}
    assert expected < ran
    assert len(ran) > len(expected) + 40


def test_builds_run_all_other_data_tests(database: Path) -> None:
    """The shared store of all games has passed them."""
    folders = Plan(pinned(small_store(), as_built=True), tuple(models.GAMES), None).folders
    every, of_seeds, of_build = (
        set(_dbt(database, "ls", "--resource-type", "test", "--exclude", "test_type:unit", *selected))
        for selected in ((), OF_SEEDS, ("--indirect-selection", "buildable", "--select", *folders))
    )
    assert of_build | of_seeds == every
    assert len(of_build) > 150


@pytest.fixture(scope="module")
def page() -> dict[str, dict[str, Any]]:
    """dbt's manifest and catalog, from the documentation page of the small store."""
    store = small_store()
    before = files_of(store.root)
    text = dbt_docs.page(store).decode()
    assert files_of(store.root) == before
    assert not re.findall(r"""(?:src|href)="?https?://[a-z]""", text), "it needs a network"
    decoder = json.JSONDecoder()
    starts = {name: text.index(f'{name}:{{"metadata"') + len(name) + 1 for name in ("manifest", "catalog")}
    return {name: decoder.raw_decode(text, start)[0] for name, start in starts.items()}


def test_the_page_describes_every_model_and_its_columns(page: dict[str, dict[str, Any]]) -> None:
    described = page["manifest"]["nodes"]
    stems = {path.stem for path in MODELS.rglob("*.sql")}
    assert {name.removeprefix("model.cardlog.") for name in described if name.startswith("model.")} == stems
    for stem in stems:
        columns = page["catalog"]["nodes"][f"model.cardlog.{stem}"]["columns"]
        texts = {
            name: column["description"]
            for name, column in described[f"model.cardlog.{stem}"]["columns"].items()
        }
        assert {name.lower() for name in columns} == set(texts)
        assert all(text.strip().endswith(".") for text in texts.values()), texts


def test_marts_have_their_descriptions_as_comments(page: dict[str, dict[str, Any]]) -> None:
    asked = """
        select table_name, column_name, comment from duckdb_columns() where database_name = 'marts'
        union all select table_name, '', comment from duckdb_tables() where database_name = 'marts'
        union all select view_name, '', comment from duckdb_views() where database_name = 'marts'
    """
    found = {
        (table, column): text
        for table, column, text in query.connect(small_store()).execute(asked).fetchall()
    }
    for path in (MODELS / "marts").rglob("*.sql"):
        node = page["manifest"]["nodes"][f"model.cardlog.{path.stem}"]
        assert found[path.stem, ""] == node["description"]
        for name, column in node["columns"].items():
            assert found[path.stem, name] == column["description"]


def test_steps_are_private_to_their_group_and_marts_are_public(page: dict[str, dict[str, Any]]) -> None:
    groups = {group["name"] for group in page["manifest"]["groups"].values()}
    assert groups == {*models.GAMES, "core", "quality"}
    for path in MODELS.rglob("*.sql"):
        node = page["manifest"]["nodes"][f"model.cardlog.{path.stem}"]
        layer = path.relative_to(MODELS).parts[0]
        access = {"staging": "protected", "intermediate": "private", "marts": "public"}[layer]
        if path.stem == "int_reported_scores":  # matches of several games are made from it
            access = "protected"
        assert (node["access"], node["group"]) == (access, None if layer == "staging" else path.parent.name)


def test_every_source_is_staged(page: dict[str, dict[str, Any]]) -> None:
    nodes = page["manifest"]["nodes"]
    for name in SCHEMAS:
        assert nodes[f"model.cardlog.stg_{name}"]["depends_on"]["nodes"] == [f"source.cardlog.store.{name}"]
        assert nodes[f"model.cardlog.stg_{name}"]["config"]["materialized"] == "view"


def test_the_overview_names_all_games_marts_and_seeds() -> None:
    text = (MODELS / "overview.md").read_text()
    for name in models.GAMES:
        assert f"| {name} |" in text
    marts = {path.stem for path in (MODELS / "marts").rglob("*.sql")}
    seeds = {path.stem for path in (warehouse.DBT_PROJECT / "seeds").glob("*.csv")}
    assert {name for name in re.findall(r"`(\w+)`", text) if "<" not in name} - {
        "store",
        "stg_",
        "int_",
    } == marts | seeds


def test_exposures_name_the_marts_that_their_files_use() -> None:
    marts = {path.stem for path in (MODELS / "marts").rglob("*.sql")}
    for exposure in yaml.safe_load((MODELS / "exposures.yml").read_text())["exposures"]:
        named = {ref.removeprefix("ref('").removesuffix("')") for ref in exposure["depends_on"]}
        file = exposure["config"]["meta"]["file"]
        path = next(found for folder in USERS for found in folder.glob(file))
        text = path.read_text()
        used = {mart for mart in marts if re.search(rf"\b(from|join) {mart}\b", text)}
        used -= set(re.findall(r"\b(\w+) as \(", text))  # steps of a query may have such names
        assert used <= named, file
        assert all(mart in text for mart in named), file


def test_no_table_is_ordered() -> None:
    for path in MODELS.rglob("*.sql"):
        assert not re.search(r"^order by", path.read_text(), re.MULTILINE), path.stem


def test_every_model_and_column_is_described() -> None:
    for path in MODELS.rglob("*.sql"):
        described = yaml.safe_load(path.with_suffix(".yml").read_text())["models"]
        assert [model["name"] for model in described] == [path.stem]
        assert described[0]["description"].startswith("One row per "), path.stem
        for column in described[0]["columns"]:
            assert column["description"], f"{path.stem}.{column['name']}"


def test_what_several_columns_share_is_described_once() -> None:
    described = Counter(
        column["description"].strip()
        for path in MODELS.rglob("*.yml")
        for model in yaml.safe_load(path.read_text()).get("models", [])
        for column in model["columns"]
        if "{{" not in column["description"]
    )
    assert [text for text, times in described.items() if times > 2] == []


def test_sources_say_what_the_schemas_say() -> None:
    found = yaml.safe_load((MODELS / "staging" / "sources.yml").read_text())["sources"][0]["tables"]
    columns = {table["name"]: [column["name"] for column in table["columns"]] for table in found}
    assert columns.pop("new_hands") == ["hand_id", "match_id", "source_id"]
    assert columns == {name: schema.names for name, schema in SCHEMAS.items()}


def test_reasons_are_those_of_the_closed_list() -> None:
    text = (MODELS / "staging" / "stg_quarantine.yml").read_text()
    [values] = [
        test["accepted_values"]["arguments"]["values"]
        for column in yaml.safe_load(text)["models"][0]["columns"]
        if column["name"] == "reason"
        for test in column["data_tests"]
        if isinstance(test, dict) and "accepted_values" in test
    ]
    assert sorted(values) == sorted(reason.code for reason in Reason if reason is not Reason.OK)


SQL = {path.stem: path.read_text() for path in MODELS.rglob("*.sql")}
INCREMENTAL = {name for name, text in SQL.items() if "materialized='incremental'" in text}
REFERENCE = re.compile(r"(\w+\()?ref\('(\w+)'\)")
ALSO_WHOLE = {"int_belote_openings", "int_kaiser_auctions", "int_ruter_sju_seats", "ruter_sju_acts"}
"""Models that incremental models read whole, in joins with new rows."""


def test_incremental_models_read_new_rows_and_others_all_of_them() -> None:
    """In an incremental build staging models contain new rows only, and so does each view of them."""
    new_only = {name for name in SQL if name.startswith("stg_")} - {"stg_ingests", "stg_quarantine"}
    for _ in SQL:
        new_only |= {
            name
            for name, text in SQL.items()
            if name not in INCREMENTAL
            and name.startswith("int_")
            and new_only & {ref for _, ref in REFERENCE.findall(text)}
        }
    for name, text in SQL.items():
        for macro, ref in REFERENCE.findall(text):
            if name in INCREMENTAL:
                assert ref not in INCREMENTAL - ALSO_WHOLE or macro.startswith("of_new_"), (name, ref)
                assert ref in INCREMENTAL or not macro.startswith("of_new_"), (name, ref)
            else:
                assert not macro.startswith("of_new_"), name
                assert ref not in new_only or name in new_only, (name, ref)
