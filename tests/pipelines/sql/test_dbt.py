"""The dbt project as a whole: its unit tests, its docs, and what it says twice of our schemas."""

import json
import os
from pathlib import Path

import duckdb
import pytest
import yaml
from dbt.adapters.duckdb.connections import DuckDBConnectionManager
from dbt.cli.main import dbtRunner

from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.schemas.reasons import Reason

MODELS = warehouse.DBT_PROJECT / "models"


def _dbt(database: Path, *arguments: str) -> "tuple[bool, list[str]]":
    os.environ["CARDLOG_WAREHOUSE"] = str(database)
    os.environ["CARDLOG_SOURCES"] = str(database.with_name("tables.duckdb"))
    work = str(database.parent / "dbt")
    places = ["--project-dir", str(warehouse.DBT_PROJECT), "--profiles-dir", str(warehouse.DBT_PROJECT)]
    try:
        result = dbtRunner().invoke(
            ["--quiet", "--log-path", work, *arguments, *places, "--target-path", work]
        )
    finally:
        DuckDBConnectionManager.close_all_connections()
    bad = [f"{n.node.name}: {n.message}" for n in getattr(result.result, "results", []) if n.status != "pass"]
    return result.success, bad


@pytest.fixture
def database(edge: Store, tmp_path: Path) -> Path:
    with duckdb.connect() as connection:
        connection.execute(f"attach '{tmp_path / 'tables.duckdb'}' as {warehouse.SOURCES}")
        warehouse.attach_tables(connection, edge, warehouse.SOURCE_SCHEMA)
    return tmp_path / "warehouse.duckdb"


def test_all_tests_pass_and_docs_are_made_without_a_network(database: Path) -> None:
    done, bad = _dbt(database, "build")
    assert done, bad
    done, _ = _dbt(database, "docs", "generate")
    assert done
    catalog = json.loads((database.parent / "dbt" / "catalog.json").read_text())
    assert "model.cardlog.kaiser_bid_success" in catalog["nodes"]


def test_every_model_and_column_is_described() -> None:
    for path in MODELS.rglob("*.sql"):
        described = yaml.safe_load(path.with_suffix(".yml").read_text())["models"]
        assert [model["name"] for model in described] == [path.stem]
        assert described[0]["description"].startswith("One row per "), path.stem
        for column in described[0]["columns"]:
            assert column["description"], f"{path.stem}.{column['name']}"


def test_sources_say_what_the_schemas_say() -> None:
    found = yaml.safe_load((MODELS / "staging" / "sources.yml").read_text())["sources"][0]["tables"]
    columns = {table["name"]: [column["name"] for column in table["columns"]] for table in found}
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
