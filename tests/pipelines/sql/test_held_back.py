"""Builds of a small project: only what is new is added and tested, and a failure of dbt holds back the game
it is of: the marts show it as before, and all others as they are."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import operations, runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import dbt_run, marts, process, query, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.sql.held_back import HeldBack
from cardlog.pipelines.sql.limits import LimitError
from cardlog.pipelines.sql.warehouse import Stale, path_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import compact, status, vacuum
from tests.support.analysed import analyse_some
from tests.support.commands import Cardlog
from tests.support.csv_rows import dump, dump_lines
from tests.support.files import files_of
from tests.support.small_project import KAISER, MODELS, UNTESTED, assert_as_rebuilt, base_of, write
from tests.support.stores import ask, copied, ingest, ingest_text

pytestmark = pytest.mark.long

GUARD = "kaiser/kaiser_guard"
OF_KAISER = {GUARD: UNTESTED.format("hand_id, status", "game = 'kaiser'")}
"""A test that no hand of Kaiser passes."""


def add_hands(store: Store, folder: Path, number: int) -> None:
    """Three hands of Kaiser and three of Belote, in all tables."""
    ingest_text(store, folder, dump(*dump_lines()[3 * number : 3 * number + 3]), f"{number}.csv")
    simulate("belote", 3, number, str(folder / f"{number}.jsonl"))
    ingest(store, folder / f"{number}.jsonl")
    runs.build(store)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Six hands, built, without marts. Not to be changed."""
    folder = tmp_path_factory.mktemp("filled")
    store = Store(str(folder / "store"))
    add_hands(store, folder, 0)
    return store


@pytest.fixture
def copy(filled: Store, tmp_path: Path) -> Store:
    return copied(filled, tmp_path / "copy")


@pytest.fixture
def project(filled: Store, monkeypatch: pytest.MonkeyPatch) -> Path:
    """In one folder for all tests, since dbt parses it anew in another one."""
    folder = Path(filled.root).with_name("project")
    monkeypatch.setattr(warehouse, "DBT_PROJECT", folder)
    return write(folder)


def shown(store: Store) -> dict[str, list[Any]]:
    """The hands of each game in the marts."""
    with query.connect(store) as connection:
        own = {game: f"select hand_id from {game}_hands order by all" for game in ("kaiser", "belote")}
        found = {game: connection.execute(sql).fetchall() for game, sql in own.items()}
        listed = connection.execute("select hand_id from hands order by all").fetchall()
    assert listed == sorted(found["kaiser"] + found["belote"])
    return found


def hands_of(store: Store, game: str) -> list[tuple[Any, ...]]:
    return sorted(ask(store, f"select hand_id from playedhand where game = '{game}'"))


def test_a_failed_test_names_the_hands_and_holds_back_its_game(
    copy: Store, project: Path, cardlog: Cardlog
) -> None:
    """There never were any marts: of that game they show nothing."""
    write(project, OF_KAISER)
    ran = cardlog("build", "--store", copy.root)
    assert ran.code == 1
    assert "kaiser_guard: 3 rows: hand_id=" in ran.err
    assert all(f"hand_id={hand_id}, status=complete" in ran.err for (hand_id,) in hands_of(copy, "kaiser"))
    assert "Of kaiser the marts show nothing" in ran.err
    assert "the marts of all other games, are up to date." in ran.err
    assert shown(copy) == {"kaiser": [], "belote": hands_of(copy, "belote")}
    assert warehouse.stale_games(copy) == {"kaiser": Stale(None, ("kaiser_guard",))}
    found = status.status(copy)
    assert found["stale"] == {"kaiser": {"events": None, "because": ("kaiser_guard",)}}

    write(project)
    assert cardlog("build", "--store", copy.root).code == 0
    assert shown(copy) == {game: hands_of(copy, game) for game in ("kaiser", "belote")}
    assert warehouse.is_current(copy)
    assert status.status(copy)["marts"] == "up to date"


NEW_ONES_FAIL = {GUARD: UNTESTED.format("hand_id", "game = 'kaiser' qualify count(*) over () > 3")}
"""A test that three new hands of Kaiser pass, and six do not."""


def test_the_marts_keep_what_they_have_of_the_game_until_all_is_well(
    copy: Store, project: Path, tmp_path: Path, cardlog: Cardlog
) -> None:
    """Also in another place, in builds that follow, and after a vacuum."""
    write(project, NEW_ONES_FAIL)
    marts.build(copy)
    before = shown(copy)["kaiser"]
    assert len(before) == 3
    add_hands(copy, tmp_path, 1)
    add_hands(copy, tmp_path, 2)
    moved = Store(str(Path(copy.root).rename(tmp_path / "moved")))
    for number in (3, 4):
        ran = cardlog("build", "--store", moved.root, "--json")
        found = json.loads(ran.out)
        assert ran.code == 1
        assert found["stale"] == {"kaiser": {"events": 2, "because": ["kaiser_guard"]}}
        assert [failure["name"] for failure in found["failed"]] == ["kaiser_guard"]
        assert "Of kaiser the marts show the state of events 2" in ran.err
        said = "of kaiser the marts show the state of events 2, because of kaiser_guard; run 'cardlog build'"
        assert [remark.startswith(said) for remark in warehouse.remarks(moved)] == [True]
        assert shown(moved) == {"kaiser": before, "belote": hands_of(moved, "belote")}
        assert warehouse.is_of(moved)
        assert not warehouse.is_current(moved)
        vacuum.vacuum(moved, 0, dry_run=False)
        add_hands(moved, tmp_path, number)
    assert not any(Path(moved.root).glob(".warehouse*"))

    write(project)
    marts.build(moved)
    assert shown(moved) == {game: hands_of(moved, game) for game in ("kaiser", "belote")}
    assert len(shown(moved)["kaiser"]) == 15


BOOM = {KAISER: MODELS[KAISER].replace("hand_id,", "error('boom: ' || hand_id) as hand_id,")}


@pytest.mark.parametrize(("columns", "models", "said", "held"), [
    ("game, hand_id", {}, "core_guard: 3 rows", {"belote": "core_guard"}),
    ("hand_id", {}, "core_guard: 3 rows", {"belote": "core_guard", "kaiser": "core_guard"}),
    ("", BOOM, "kaiser_hands: .*boom", {"kaiser": "kaiser_hands"}),
])  # fmt: skip
def test_a_test_of_all_games_or_a_model_holds_back_the_games_that_it_is_of(
    columns: str, models: dict[str, str], said: str, held: dict[str, str], copy: Store, project: Path
) -> None:
    """A test of all games those of its rows; or all that are new, if the rows do not say."""
    tests = {"core/core_guard": UNTESTED.format(columns, "game = 'belote'")} if columns else {}
    write(project, tests, **models)
    with pytest.raises(HeldBack, match=said):
        marts.build(copy)
    assert warehouse.stale_games(copy) == {game: Stale(None, (because,)) for game, because in held.items()}
    hands = {game: hands_of(copy, game) for game in ("kaiser", "belote")}
    assert shown(copy) == hands | {game: [] for game in held}


def test_what_fails_without_the_new_hands_too_leaves_the_warehouse(
    copy: Store, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fails = "game = 'kaiser' and {{ env_var('OF_THIS_TEST', 'false') }}"
    write(project, {GUARD: UNTESTED.format("hand_id", "") + fails})
    marts.build(copy)
    before = shown(copy)["kaiser"]
    monkeypatch.setenv("OF_THIS_TEST", "true")
    add_hands(copy, tmp_path, 1)
    with pytest.raises(HeldBack, match="kaiser_guard: 3 rows"):
        marts.build(copy)
    assert shown(copy) == {"kaiser": before, "belote": hands_of(copy, "belote")}
    content = path_of(copy).read_bytes()
    with pytest.raises(DbtError, match=r"(?s)kaiser_guard: 6 rows.*The warehouse is as it was") as raised:
        marts.build(copy)
    assert not isinstance(raised.value, HeldBack)
    assert path_of(copy).read_bytes() == content
    assert not any(Path(copy.root).glob(".warehouse*"))


def test_dbt_that_can_t_run_says_so_and_leaves_the_old_marts(
    copy: Store, project: Path, cardlog: Cardlog
) -> None:
    marts.build(copy)
    before, files = path_of(copy).read_bytes(), set(files_of(copy.root))
    write(project, **{"marts/core/hands.sql": "select * from {{ ref('nowhere') }}"})
    ran = cardlog("build", "--store", copy.root)
    assert (ran.code, ran.out) == (2, "")
    assert re.search("cardlog: dbt could not run: .*'nowhere' which was not found", ran.err)
    assert "Traceback" not in ran.err
    assert path_of(copy).read_bytes() == before
    assert not warehouse.is_current(copy)
    assert shown(copy) == {game: hands_of(copy, game) for game in ("kaiser", "belote")}
    assert all("/.dbt/" in file for file in set(files_of(copy.root)) - files)


# ---------------------------------------------------------------- what is added to


@pytest.fixture
def built(copy: Store, project: Path) -> Store:
    """Six hands with marts; more than nine at once fail a test."""
    write(project, {"kaiser/few_hands": UNTESTED.format("hand_id", "true qualify count(*) over () > 9")})
    marts.build(copy)
    return copy


@pytest.fixture
def ran(built: Store, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What dbt has run since."""
    found: list[str] = []
    run_dbt = dbt_run.results

    def results(run: dbt_run.Run, *command: str) -> list[Any]:
        nodes = run_dbt(run, *command)
        found.extend(node.node.name for node in nodes)
        return nodes

    monkeypatch.setattr(dbt_run, "results", results)
    return found


def add(store: Store, folder: Path, first: int, end: int) -> None:
    """Some more hands of Kaiser, in all tables."""
    ingest_text(store, folder, dump(*dump_lines()[first:end]), f"from-{first}.csv")
    runs.build(store)


def test_only_models_and_tests_of_games_with_new_hands_are_run(
    built: Store, ran: list[str], tmp_path: Path
) -> None:
    assert marts.build(built) == 0
    assert ran == [], "nothing is new"
    simulate("belote", 3, 1, str(tmp_path / "belote.jsonl"))
    ingest(built, tmp_path / "belote.jsonl")
    runs.build(built)
    assert marts.build(built) == 1
    assert ran == ["belote_hands"]
    ran.clear()
    marts.build(built, afresh=True)
    assert sorted(ran) == ["belote_hands", "few_hands", "kaiser_hands"]


def test_rows_that_a_compact_has_moved_are_not_new(built: Store, tmp_path: Path) -> None:
    for number in range(10, 13):
        add(built, tmp_path, number, number + 1)
        if number == 11:
            marts.build(built)
            compact.compact(built)
    assert base_of(built) == path_of(built)
    compact.compact(built)
    marts.build(built)
    assert warehouse.is_current(built)
    before = shown(built)
    assert [len(hands) for hands in before.values()] == [6, 3]
    ingest_text(built, tmp_path, dump(*dump_lines()[30:31]), "more.csv")
    compact.compact(built)
    assert not warehouse.is_current(built)
    assert shown(built) == before, "the views show what was built"
    assert_as_rebuilt(built)


def test_an_analysis_is_new_to_the_marts(built: Store, ran: list[str], project: Path, tmp_path: Path) -> None:
    """Its tests run in the build after it, and when hands came that may be in it, and no other time."""
    write(project, {"analysis/of_two": "select hand_id from {{ source('store', 'pars') }} where false"})
    marts.build(built)
    ran.clear()
    assert warehouse.is_current(built)
    analyse_some(built, {"kaiser": 2})
    assert not warehouse.is_current(built)
    marts.build(built)
    assert ran == ["of_two"]
    assert warehouse.is_current(built)
    compact.compact(built)
    assert warehouse.is_current(built)
    add(built, tmp_path, 20, 21)
    marts.build(built)
    assert ran == ["of_two", "kaiser_hands", "of_two"]
    operations.analyse(built, "kaiser")
    assert not warehouse.is_current(built)


def test_tests_read_the_hands_that_no_build_has_tested(built: Store, tmp_path: Path) -> None:
    add(built, tmp_path, 5, 10)
    assert base_of(built) == path_of(built)
    marts.build(built)
    assert len(shown(built)["kaiser"]) == 8
    with pytest.raises(DbtError, match="few_hands: 11 rows"):
        marts.build(built, afresh=True)


# ---------------------------------------------------------------- limits and interruptions


SETTINGS = """
    {{ config(materialized='incremental') }}
    select name, value, {{ is_incremental() }} as in_a_build, 1::bigint as ingest_no from duckdb_settings()
"""


def test_dbt_runs_within_its_limits(copy: Store, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB's settings while dbt runs; the environment is restored afterwards."""
    write(project, **{KAISER: SETTINGS})
    monkeypatch.setenv("CARDLOG_DBT_MEMORY", "300MiB")
    before = dict(os.environ)
    marts.build(copy)
    assert dict(os.environ) == before
    found = dict(process.ask(copy, "select name, value from kaiser_hands where in_a_build").fetchall())
    assert found["memory_limit"] == "300.0 MiB"
    assert found["temp_directory"].startswith(copy.root)
    monkeypatch.setenv("CARDLOG_DBT_MEMORY", "lots")
    with pytest.raises(LimitError, match="'lots' is not a size"):
        marts.build(copy, afresh=True)
