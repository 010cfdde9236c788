"""A dbt project of a few models, over the tables of a real store, with tests that can be made to fail.

`hands` is a view of the hands of all games, `kaiser_hands` and `belote_hands` are incremental models.
"""

import shutil
from pathlib import Path
from typing import Any

import duckdb

from cardlog.pipelines.sql import marts, warehouse
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store

OURS = warehouse.DBT_PROJECT

PROJECT = """\
name: cardlog
version: "1.0.0"
profile: cardlog
models:
  cardlog:
    staging: {+materialized: view, +schema: steps}
    marts:
      +materialized: view
      core: {+group: core}
      kaiser: {+group: kaiser}
      belote: {+group: belote}
"""
COPIED = (
    "profiles.yml",
    "macros",
    "models/docs",
    "models/groups.yml",
    "models/staging/sources.yml",
    "models/staging/stg_playedhand.sql",
)
OF_A_GAME = """
    {{{{ config(materialized='incremental') }}}}
    select hand_id, ingest_no from {{{{ new_rows(ref('stg_playedhand')) }}}} where game = '{}'
"""
KAISER = "marts/kaiser/kaiser_hands.sql"
MODELS = {
    "marts/core/hands.sql": "select game, hand_id, status, ingest_no from {{ ref('stg_playedhand') }}",
    KAISER: OF_A_GAME.format("kaiser"),
    "marts/belote/belote_hands.sql": OF_A_GAME.format("belote"),
}
UNTESTED = "select {} from {{{{ untested(ref('hands')) }}}} where {}"
"""A guard of new hands, with its columns and what makes it fail."""


def write(folder: Path, tests: dict[str, str] | None = None, **models: str) -> Path:
    """Write the project.

    tests, models
        The queries of tests, and those of models that are other ones than `MODELS`, by their paths.
    """
    for path in COPIED:
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if (OURS / path).is_dir():
            shutil.copytree(OURS / path, target, dirs_exist_ok=True)
        else:
            shutil.copy(OURS / path, target)
    (folder / "dbt_project.yml").write_text(PROJECT)
    shutil.rmtree(folder / "tests", ignore_errors=True)
    written = {f"models/{path}": sql for path, sql in (MODELS | models).items()}
    written |= {f"tests/{path}.sql": sql for path, sql in (tests or {}).items()}
    for path, sql in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(sql)
    (folder / "tests").mkdir(exist_ok=True)
    return folder


def warehouse_rows(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each mart, seed and table of a warehouse, in order, but for sums, which have rows of each
    build. Sums of fractions may differ in the last digits; the factor keeps means of halves
    from lying between two roundings."""
    with duckdb.connect(str(path), read_only=True) as connection:
        columns = connection.execute(
            """
            select
                if(schema_name = 'main', '', schema_name || '.') || table_name,
                list(if(data_type = 'DOUBLE', format($rounded, column_name), column_name))
            from duckdb_columns()
            where not internal and (schema_name = 'main' or table_name in (
                select table_name from duckdb_tables()
                where schema_name = 'steps' and not ends_with(table_name, '_sums')
            ))
            group by all
        """,
            {"rounded": "printf('%.9e', {} * (1 + 1.7e-11))"},
        ).fetchall()
        return {
            name: connection.execute(f"select {', '.join(chosen)} from {name} order by all").fetchall()
            for name, chosen in columns
        }


def assert_as_rebuilt(store: Store) -> None:
    """That the marts are those that a rebuild makes."""
    before = warehouse_rows(warehouse.path_of(store))
    marts.build(store, afresh=True)
    found = warehouse_rows(warehouse.path_of(store))
    assert found.keys() == before.keys()
    for name, rows in before.items():
        assert found[name] == rows, name


def base_of(store: Store) -> Path | None:
    """The warehouse that a build would add to."""
    return marts._Build(pinned(store, as_built=True), Path(store.root), afresh=False)._base
