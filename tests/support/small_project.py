"""A dbt project of a few models, over the tables of a real store, with tests that can be made to fail.

`picked` has a test that fails if its rows are made to repeat; `below` is made from it, `seen` is a view
of it; `counted` has nothing to do with it.
"""

import shutil
from pathlib import Path

from cardlog.pipelines.sql import warehouse

OURS = warehouse.DBT_PROJECT

PROJECT = """\
name: small
version: "1.0.0"
profile: cardlog
models:
  small:
    intermediate: {+materialized: view}
    marts: {+materialized: table}
"""
MODELS = {
    "intermediate/core/step_hands.sql": "select * from {{ source('store', 'playedhand') }}",
    "marts/core/counted.sql": "select status, count(*) as hands from {{ ref('step_hands') }} group by all",
    "marts/core/picked.sql": "select hand_id, %s as pick from {{ ref('step_hands') }}",
    "marts/core/below.sql": "select count(*) as picks from {{ ref('picked') }}",
    "marts/core/seen.sql": """
        {{ config(materialized='view') }}
        select pick, hand_id, step_hands.status
        from {{ ref('picked') }} inner join {{ ref('step_hands') }} using (hand_id)
    """,
    "marts/core/picked.yml": "models: [{name: picked, columns: [{name: pick, data_tests: [unique]}]}]",
}
GOOD = "hand_id"
REPEATS = "left(hand_id, 0) || 'same'"
"""The source of `pick`."""
TEST = "unique_picked_pick"


def write(folder: Path, pick: str = GOOD, models: dict[str, str] = MODELS, **tests: str) -> Path:
    """Write the project; tests are queries by name, which fail if they find a row."""
    (folder / "models" / "staging").mkdir(parents=True, exist_ok=True)
    (folder / "dbt_project.yml").write_text(PROJECT)
    for name in ("profiles.yml", "models/staging/sources.yml"):
        shutil.copy(OURS / name, folder / name)
    shutil.copytree(OURS / "models" / "docs", folder / "models" / "docs", dirs_exist_ok=True)
    for name, sql in models.items():
        path = folder / "models" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(sql % pick if name.endswith("picked.sql") else sql)
    shutil.rmtree(folder / "tests", ignore_errors=True)
    (folder / "tests").mkdir()
    for name, sql in tests.items():
        (folder / "tests" / f"{name}.sql").write_text(sql)
    return folder
