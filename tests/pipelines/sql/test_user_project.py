"""A user's own dbt project, as docs/dbt.md has it: built after ours, held back if it fails, and removed."""

import re
import subprocess
from functools import partial
from pathlib import Path

import pytest

from cardlog.pipelines.sql import process, warehouse
from cardlog.pipelines.storage.store import Store
from tests.support.commands import Cardlog
from tests.support.csv_rows import SAMPLE
from tests.support.stores import ingest

pytestmark = pytest.mark.long
PAGE = (Path(__file__).parents[3] / "docs" / "dbt.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


ALL = "from trumps order by trump"
GUARD = "{{{{ config(severity='{}') }}}} select * from {{{{ ref('trumps') }}}} where trump = 'N'"


def rows(store: Store, sql: str) -> list[tuple[object, ...]]:
    return process.ask(store, sql).fetchall()


def exists(store: Store, name: str) -> bool:
    return (name,) in rows(store, "select table_name from duckdb_tables() where schema_name = 'main'")


def test_the_pages_example_and_all_that_can_go_wrong_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cardlog: Cardlog
) -> None:
    store = Store(str(tmp_path / "store"))
    ingest(store, SAMPLE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    build = partial(cardlog, "build", "--store", store.root)
    for wrong, what in (
        (["nowhere"], "is no folder"),
        (["empty"], "has no dbt_project.yml"),
        (["empty", "--no-project"], "not both"),
    ):
        ran = build("--project", *wrong)
        assert (ran.code, what in ran.err) == (2, True)
    subprocess.run(["bash", "-c", BLOCKS[0].partition("cardlog build")[0]], check=True)
    project = tmp_path / "marts"
    two_steps = next(block for block in BLOCKS if block.startswith("with by_cluster"))
    (project / "models" / "two_steps.sql").write_text(two_steps)
    ran = build("--project", "marts")
    assert ran.code == 0, ran.err
    printed = next(block for block in BLOCKS if block.startswith("trump "))
    shown = [[str(round(v, 4)) if isinstance(v, float) else str(v) for v in row] for row in rows(store, ALL)]
    assert shown == [line.split() for line in printed.splitlines()[1:]]
    assert rows(store, "select trump from two_steps order by 1") == [(row[0],) for row in rows(store, ALL)]

    (project / "models" / "two_steps.sql").rename(project / "models" / "renamed.sql")
    (project / "tests").mkdir()
    guard = project / "tests" / "guard.sql"
    guard.write_text(GUARD.format("warn"))
    ran = build()  # remembered
    assert (ran.code, "warning guard: " in ran.err) == (0, True)
    assert (exists(store, "renamed"), exists(store, "two_steps")) == (True, False)

    before, hands = rows(store, ALL), rows(store, "from hands order by all")
    bad = project / "models" / "bad.sql"
    for sql, severity, problem in (
        ("select 1 as n from nowhere", "warn", "bad: "),
        ("select 1 as n", "error", "guard: 1 row: trump=N"),
        ("{{ config(alias='Hands') }} select 1 as n", "warn", "Hands is a table of cardlog"),
        ("{{ config(alias='events') }} select 1 as n", "warn", "events is a table of cardlog"),
        ("{{ config(alias='hands') }} select 1 as n", "warn", "two resources"),
    ):
        bad.write_text(sql)
        guard.write_text(GUARD.format(severity))
        ran = build()
        assert (ran.code, problem in ran.err) == (1, True), ran.err
        assert f"Of the dbt project {project} the marts show the state of events" in ran.err
        assert (rows(store, ALL), rows(store, "from hands order by all")) == (before, hands)
        assert list(warehouse.stale_games(store)) == [f"the dbt project {project}"]
    ran = build("--no-project")
    assert (ran.code, exists(store, "trumps"), exists(store, "renamed")) == (0, False, False)
    assert rows(store, "from hands order by all") == hands
