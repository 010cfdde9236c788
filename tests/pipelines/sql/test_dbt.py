"""The dbt project as a whole: its tests, docs, and agreement with the schemas."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from cardlog import models
from cardlog.pipelines.sql import dbt_cache, dbt_run, marts, query, warehouse
from cardlog.pipelines.terminal.precompile import ANALYSED
from tests.support.files import files_of
from tests.support.shared import logged_games, small_store
from tests.support.small_project import warehouse_rows
from tests.support.soak import soak
from tests.support.stores import ALL as TABLES
from tests.support.stores import copied

MODELS = warehouse.DBT_PROJECT / "models"
MODEL_FILES = [path for kind in ("sql", "py") for path in MODELS.rglob(f"*.{kind}")]
MARTS = {path.stem for path in MODEL_FILES if "marts" in path.parts}
SEEDS = {path.stem for path in (warehouse.DBT_PROJECT / "seeds").glob("*.csv")}
REPO = Path(__file__).parents[3]
USED_IN = [REPO / name for name in ("docs", "examples", "pipelines")]
USERS = [REPO, *USED_IN, *(path for folder in USED_IN for path in folder.rglob("*/"))]
"""Folders of code that reads marts."""


DBT = Path(sys.executable).with_name("dbt")
ALL = ("--full-refresh",)
NOTHING_NEW = ()
"""Builds by hand: of everything, and with nothing new."""


@pytest.mark.long
@pytest.mark.parametrize("arguments", [ALL, *soak((NOTHING_NEW,))])
def test_dbt_by_hand_makes_the_same_marts_and_passes_every_test(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    """``dbt build`` as its documentation has it, in the project, on the warehouse of a store."""
    database = Path(shutil.copy(warehouse.path_of(logged_games()), tmp_path / "warehouse.duckdb"))
    before = warehouse_rows(database)
    described = [yaml.safe_load(path.read_text()) for path in MODELS.rglob("*.yml")]
    names = {test["name"] for file in described for test in file.get("unit_tests", [])}
    names |= {path.stem for path in (warehouse.DBT_PROJECT / "tests").glob("*/*.sql")} - GENERIC
    names |= {"players_count_every_seat"}  # of a model's YAML
    ran = built_by_hand(database, tmp_path, *arguments, CARDLOG_DBT_STORE=logged_games().root)
    assert set(ran.values()) <= {"success", "pass", "no-op"}
    assert names <= {part for name in ran for part in name.split(".")} or arguments != ALL
    assert sum(name.startswith("test.") for name in ran) > 100
    after = warehouse_rows(database)
    assert after.keys() == before.keys()
    for name, rows in before.items():
        assert after[name] == rows, name


def built_by_hand(database: Path, tmp_path: Path, *arguments: str, **environment: str) -> dict[str, str]:
    """The status of each node of ``dbt build`` on a warehouse; a warning is an error."""
    by_hand(tmp_path, "build", "--target", "warehouse", *arguments, CARDLOG_WAREHOUSE=database, **environment)
    results = json.loads((tmp_path / "target" / "run_results.json").read_text())["results"]
    return {result["unique_id"]: result["status"] for result in results}


def by_hand(tmp_path: Path, *arguments: str, **environment: Any) -> None:
    """Run dbt in the project."""
    found = {name: value for name, value in os.environ.items() if name != "CARDLOG_WAREHOUSE"}
    found |= {"DO_NOT_TRACK": "1", **{name: str(value) for name, value in environment.items()}}
    folders = ["--target-path", tmp_path / "target", "--log-path", tmp_path / "logs"]
    command = [DBT, "--no-use-colors", "--no-partial-parse", *arguments, *folders]
    done = subprocess.run(command, cwd=warehouse.DBT_PROJECT, env=found, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]


@pytest.mark.long
def test_dbt_by_hand_works_on_a_copy_unless_told_otherwise(tmp_path: Path) -> None:
    """And reads the store where its warehouse is, not where it was built; a warehouse opens in DuckDB 1."""
    built = copied(small_store(), tmp_path / "built")
    marts.build(built, afresh=True)
    moved = Path(built.root).rename(tmp_path / "mo[v]ed")
    database = moved / "warehouse.duckdb"
    with duckdb.connect(str(database)) as connection:
        assert connection.execute("select tags from duckdb_databases() limit 1").fetchall() == [
            ({"storage_version": f"{marts.STORAGE}+"},)
        ]
    before = database.read_bytes()
    for command in (["source", "freshness"], ["build", *ALL, "--select", "hands"]):
        by_hand(tmp_path, *command, CARDLOG_STORE=moved)
    assert database.read_bytes() == before
    assert (moved / ".dbt" / "by_hand" / "warehouse.duckdb").exists()
    ran = built_by_hand(database, tmp_path, *ALL, "--select", "match_hands", "hands")
    assert set(ran.values()) <= {"success", "pass"}
    assert database.read_bytes() != before


GENERIC = {path.stem for path in (warehouse.DBT_PROJECT / "tests" / "generic").glob("*.sql")}


# ---------------------------------------------------------------- guards of new hands


BROKEN = {
    "playedhand": "team_0_score = coalesce(team_0_score, 0) + 1, team_0_points = team_0_points + 1, "
    "player_0_place = 3",
    "plays": "points = points + 1",
    "seats": "clubs = clubs + 1, aces = aces + 1, reported_place = 1",
    "bids": "is_winning = not is_winning",
    "tricks": "points = points + 1",
    "decisions": "action_mask = 0",
    "events": "amount = amount + 1",
    "pars": "par = par + 2",
    "analysis": "cost_open = cost_open + 1, card = '2C'",
}
"""What is changed in the store's tables, so that no identity holds."""
BROKEN_MARTS = {
    "belote_recomputed_points": "hand_value = hand_value + 1",
    "belote_matches": "team_0_total = team_0_total + 1",
    "five_card_draw_players": "chips_won = chips_won + 1, hand_before = '2C3C4C5C6C'",
    "five_card_draw_bets": "chips = chips + 1",
    "five_card_draw_pots": "pot_no = pot_no + 1",
    "hold_em_players": "net = net + 1, raises = raises + 1",
    "pinochle_recomputed_points": "team_0_points = team_0_points + 1",
    "ruter_sju_games": "cards_placed = cards_placed - 1",
    "ruter_sju_player_stats": "final_position = 0",
}
"""The same of incremental marts."""


@pytest.mark.long
def test_every_guard_fails_when_its_identity_is_broken(tmp_path: Path) -> None:
    """And says which hand or match it is; the build of the store was held back by none."""
    database = Path(shutil.copy(warehouse.path_of(logged_games()), tmp_path / "warehouse.duckdb"))
    guards = {path.stem: path.parent.name for path in (warehouse.DBT_PROJECT / "tests").glob("*/*.sql")}
    guards = {name: folder for name, folder in guards.items() if folder != "generic"}
    assert set(guards.values()) == {*models.GAMES, "core", "analysis"}
    run = dbt_run.Run(database, tmp_path / "dbt", logged_games().root)
    with duckdb.connect(str(database)) as connection:
        for table in BROKEN:
            connection.execute(f"alter view store.{table} rename to whole_{table}")
            connection.execute(f"create table store.{table} as from store.whole_{table}")
        changes = {f"store.{table}": sql for table, sql in BROKEN.items()} | BROKEN_MARTS
        for table, sql in changes.items():
            connection.execute(f"update {table} set {sql}")
    found = {one.node.name: one for one in dbt_run.results(run, "test", "--select", "path:tests")}
    assert {name: one.status for name, one in found.items()} == dict.fromkeys(guards, "fail")
    for name, one in found.items():
        assert one.node.fqn[-2] == guards[name]
        assert re.search(r"\b(hand|match)_id\b", one.node.compiled_code), name


@pytest.fixture(scope="module")
def page() -> dict[str, dict[str, Any]]:
    """dbt's manifest and catalog, from the documentation page of the small store."""
    store = small_store()
    before = files_of(store.root)
    text = marts.page(store).decode()
    assert files_of(store.root) == before
    assert not re.findall(r"""(?:src|href)="?https?://[a-z]""", text), "it needs a network"
    decoder = json.JSONDecoder()
    starts = {name: text.index(f'{name}:{{"metadata"') + len(name) + 1 for name in ("manifest", "catalog")}
    return {name: decoder.raw_decode(text, start)[0] for name, start in starts.items()}


@pytest.mark.long
def test_models_are_described_in_the_marts_too_and_those_of_steps_are_private(
    page: dict[str, dict[str, Any]],
) -> None:
    asked = """
        select table_name, column_name, comment from duckdb_columns() where (database_name, schema_name) = {0}
        union all select table_name, '', comment from duckdb_tables() where (database_name, schema_name) = {0}
        union all select view_name, '', comment from duckdb_views() where (database_name, schema_name) = {0}
    """.format(("marts", "main"))
    found = {tuple(row[:2]): row[2] for row in query.connect(small_store()).execute(asked).fetchall()}
    groups = {group["name"] for group in page["manifest"]["groups"].values()}
    assert groups == {*models.GAMES, "core", "analysis", "quality"}
    for path in MODEL_FILES:
        node = page["manifest"]["nodes"][f"model.cardlog.{path.stem}"]
        layer = path.relative_to(MODELS).parts[0]
        access = {"staging": "protected", "intermediate": "private", "marts": "public"}[layer]
        if path.stem == "int_player_month_costs":
            access = "protected"  # a mart of another group has its columns
        assert (node["access"], node["group"]) == (access, None if layer == "staging" else path.parent.name)
        described = {"": node["description"]} | {
            name: c["description"] for name, c in node["columns"].items()
        }
        assert described[""].startswith("One row per "), path.stem
        assert all(described.values()), path.stem
        if layer == "marts":
            assert {name: found[path.stem, name] for name in described} == described


def test_the_overview_names_all_games_marts_and_seeds() -> None:
    text = (MODELS / "overview.md").read_text()
    for name in models.GAMES:
        assert f"| {name} |" in text
    assert set(re.findall(r"`(\w+)`", text)) - {"store", "stg_", "int_"} == MARTS | SEEDS


def test_exposures_name_the_marts_that_their_files_use() -> None:
    for exposure in yaml.safe_load((MODELS / "exposures.yml").read_text())["exposures"]:
        named = {ref.removeprefix("ref('").removesuffix("')") for ref in exposure["depends_on"]}
        file = exposure["config"]["meta"]["file"]
        path = next(found for folder in USERS for found in folder.glob(file))
        text = path.read_text().replace("{ANALYSED}", ANALYSED)
        used = {mart for mart in MARTS if re.search(rf"\b(from|join) {mart}\b", text)}
        used -= set(re.findall(r"\b(\w+) as \(", text))  # steps of a query may have such names
        assert used <= named, file
        assert all(mart in text for mart in named), file


def test_every_model_has_a_file_of_its_own() -> None:
    for path in MODEL_FILES:
        described = yaml.safe_load(path.with_suffix(".yml").read_text())["models"]
        assert [model["name"] for model in described] == [path.stem]


def test_sources_say_what_the_schemas_say() -> None:
    found = yaml.safe_load((MODELS / "staging" / "sources.yml").read_text())["sources"][0]["tables"]
    assert {table["name"] for table in found} == {*TABLES, "quarantined_hands", "tested"}


SQL = {path.stem: path.read_text() for path in MODELS.rglob("*.sql")}
INCREMENTAL = {name for name, text in SQL.items() if "materialized='incremental'" in text}
REFERENCE = re.compile(r"(\w+\()?ref\('(\w+)'\)")
READ_WHOLE = {"stg_ingests", "int_ruter_sju_seats", "ruter_sju_acts"}
"""What incremental models read whole, in joins with new hands."""


def test_incremental_models_read_new_rows_and_others_all_of_them() -> None:
    for name, text in SQL.items():
        for macro, ref in REFERENCE.findall(text):
            if name not in INCREMENTAL or ref in SEEDS:
                assert not macro.startswith("new_"), (name, ref)
            elif ref not in READ_WHOLE:
                assert macro.startswith("new_"), (name, ref)


# ---------------------------------------------------------------- the cache


def test_what_is_unused_for_longest_is_removed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "cardlog-dbt").mkdir()
    for age in range(20):
        path = tmp_path / "cardlog-dbt" / f"{age}"
        path.write_bytes(b"")
        os.utime(path, (1000 - age, 1000 - age))
    made = [dbt_cache.kept("new", content, tmp_path / "project") for content in (lambda: b"1", lambda: b"2")]
    assert made == [b"1", b"1"]
    names = {path.name for path in (tmp_path / "cardlog-dbt").iterdir()}
    assert {name for name in names if not name.endswith(".new")} == {*map(str, range(15))}
