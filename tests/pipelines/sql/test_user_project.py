"""A user's own dbt project, as docs/dbt.md has it: built after ours, held back if it fails, and removed."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cardlog.pipelines.sql import process, warehouse
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal import cli
from tests.support.csv_rows import SAMPLE
from tests.support.stores import ingest

pytestmark = pytest.mark.long
PAGE = (Path(__file__).parents[3] / "docs" / "dbt.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```\w*\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def build(store: Store, capfd: pytest.CaptureFixture[str], *more: str) -> tuple[object, str]:
    """How ``cardlog build`` ended, and all it said."""
    with pytest.raises(SystemExit) as end:
        cli.main(["build", "--store", store.root, *more])
    captured = capfd.readouterr()
    return end.value.code, " ".join((captured.out + captured.err).split())


def rows(store: Store, sql: str) -> list[tuple[object, ...]]:
    return process.ask(store, sql).fetchall()


def exists(store: Store, name: str) -> bool:
    return (name,) in rows(store, "select table_name from duckdb_tables() where schema_name = 'main'")


def test_the_pages_example_and_all_that_can_go_wrong_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    store = Store(str(tmp_path / "store"))
    ingest(store, SAMPLE)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    for folder, what in (("nowhere", "is no folder"), ("empty", "has no dbt_project.yml")):
        code, said = build(store, capfd, "--project", folder)
        assert (code, what in said) == (2, True)
    code, said = build(store, capfd, "--project", "empty", "--no-project")
    assert (code, "not both" in said) == (2, True)
    subprocess.run(["bash", "-c", BLOCKS[0].partition("cardlog build")[0]], check=True)
    project = tmp_path / "marts"
    two_steps = next(block for block in BLOCKS if block.startswith("with by_cluster"))
    (project / "models" / "two_steps.sql").write_text(two_steps)
    code, said = build(store, capfd, "--project", "marts")
    assert code == 0, said
    printed = next(block for block in BLOCKS if block.startswith("trump "))
    shown = [[str(round(v, 4)) if isinstance(v, float) else str(v) for v in row] for row in rows(store, ALL)]
    assert shown == [line.split() for line in printed.splitlines()[1:]]
    assert rows(store, "select trump from two_steps order by 1") == [(row[0],) for row in rows(store, ALL)]

    (project / "models" / "two_steps.sql").rename(project / "models" / "renamed.sql")
    (project / "tests").mkdir()
    guard = project / "tests" / "guard.sql"
    guard.write_text("{{ config(severity='warn') }} select * from {{ ref('trumps') }} where trump = 'N'")
    code, said = build(store, capfd)  # remembered
    assert (code, "warning guard: " in said) == (0, True)
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
        guard.write_text(
            guard.read_text().replace("'warn'", f"'{severity}'").replace("'error'", f"'{severity}'")
        )
        code, said = build(store, capfd)
        assert (code, problem in said) == (1, True), said
        assert f"Of the dbt project {project} the marts show the state of events" in said
        assert (rows(store, ALL), rows(store, "from hands order by all")) == (before, hands)
        assert list(warehouse.stale_games(store)) == [f"the dbt project {project}"]
    code, said = build(store, capfd, "--no-project")
    assert (code, exists(store, "trumps"), exists(store, "renamed")) == (0, False, False)
    assert rows(store, "from hands order by all") == hands


ALL = "from trumps order by trump"


def test_dbt_by_hand_works_on_a_copy_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    store = Store(str(tmp_path / "store"))
    ingest(store, SAMPLE)
    assert build(store, capfd)[0] == 0
    monkeypatch.setenv("CARDLOG_STORE", store.root)
    monkeypatch.delenv("CARDLOG_WAREHOUSE", raising=False)
    before = warehouse.path_of(store).read_bytes()
    dbt = [Path(sys.executable).with_name("dbt"), "--no-send-anonymous-usage-stats"]
    folders = ["--target-path", tmp_path / "target", "--log-path", tmp_path / "logs"]
    for command in (["source", "freshness"], ["build", "--full-refresh", "--select", "hands"]):
        subprocess.run([*dbt, *command, *folders], cwd=warehouse.DBT_PROJECT, check=True)
    assert warehouse.path_of(store).read_bytes() == before
    assert (tmp_path / "store" / ".dbt" / "by_hand" / "warehouse.duckdb").exists()
    here = ["build", "--full-refresh", "--select", "hands", "--target", "warehouse"]
    subprocess.run([*dbt, *here, *folders], cwd=warehouse.DBT_PROJECT, check=True)
    assert warehouse.path_of(store).read_bytes() != before
