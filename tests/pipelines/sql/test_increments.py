"""Incremental builds give the same marts as a rebuild."""

import gzip
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from cardlog.pipelines import operations, runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import dbt_run, marts, query, warehouse
from cardlog.pipelines.sql.dbt_run import DbtError
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import compact, quarantine
from tests.support import small_project
from tests.support.analysed import analyse_some
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.shared import FIXTURES
from tests.support.small_project import UNTESTED, warehouse_rows
from tests.support.stores import ingest, ingest_text

pytestmark = pytest.mark.long

TRANSCRIPTS = (
    "belote/bornabesic_transcripts.txt.gz",
    "ruter_sju/transcripts.txt.gz",
    "pinochle/head2014_transcripts.txt.gz",
    "five_card_draw/games_transcripts.txt.gz",
)


def grown(text: bytes, steps: int) -> list[bytes]:
    """Growing versions of a log, cut at lines; the last one is complete."""
    ends = [text.rindex(b"\n", 0, len(text) * step // steps) + 1 for step in range(1, steps)]
    return [*(text[:end] for end in ends), text]


def ingests(store: Store, folder: Path, steps: int) -> Iterator[None]:
    """Ingest logs of all games, in turn, each as it grows; between two of them a match goes on, hands are
    damaged and hands are stored late."""
    logs: dict[str, list[bytes]] = {}
    for name in TRANSCRIPTS:
        text = gzip.decompress((FIXTURES / name).read_bytes())
        end = text.rindex(b"\n", 0, min(len(text), 20_000 * steps)) + 1
        logs[Path(name).parent.name] = grown(text[:end], steps)
    rows = dump_lines()
    for step in range(steps):
        for game, texts in logs.items():
            (folder / f"{game}.txt").write_bytes(texts[step])
        # Of its four logs a step takes two, so that no two increments have the same games; the first and
        # the last take all.
        for game in [*logs][step % 2 :: 2] if 0 < step < steps - 1 else logs:
            ingest(store, folder / f"{game}.txt", final=step == steps - 1)
        cut = changed(rows[1000 + step], played_cards="")
        ingest_text(store, folder, dump(*rows[20 * step : 20 * step + 20], edge_lines()[step], cut), "k.csv")
        yield


def rows_of(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of each mart and table of the warehouse."""
    return warehouse_rows(warehouse.path_of(store))


def assert_same_marts(store: Store, other: dict[str, list[tuple[Any, ...]]]) -> None:
    found = rows_of(store)
    assert found.keys() == other.keys()
    for name, rows in other.items():
        assert found[name] == rows, name


def base_of(store: Store) -> Path | None:
    """The warehouse that a build would add to."""
    return marts._Build(pinned(store, as_built=True), Path(store.root), afresh=False)._base


def check_increments(store: Store, folder: Path, steps: int, seed: int) -> None:
    rng = random.Random(seed)
    for step, _ in enumerate(ingests(store, folder, steps)):
        if rng.random() < 0.8 or step == 0:
            runs.build(store)
            assert (base_of(store) is None) is (step == 0)
            marts.build(store)
            assert warehouse.is_current(store)
    quarantine.retry(store)
    runs.build(store)
    marts.build(store)
    grown_rows = rows_of(store)
    marts.build(store, afresh=True)
    assert_same_marts(store, grown_rows)
    rebuilt = rows_of(store)
    assert len(rebuilt["matches"]) > 5
    assert len(rebuilt["hands"]) > 100


def test_increments_come_to_what_a_rebuild_makes(store: Store, tmp_path: Path) -> None:
    """The first build, an increment of all games, and a rebuild."""
    check_increments(store, tmp_path, 2, 1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_many_increments_come_to_what_a_rebuild_makes(seed: int, store: Store, tmp_path: Path) -> None:
    check_increments(store, tmp_path, 12, seed)


def test_a_hand_of_another_log_may_have_the_place_of_one_of_a_match(store: Store) -> None:
    """Two logs have a match of the same name and first deal. All marts are built; that match is broken."""
    for log in ("examples/real_torch.txt.gz", TORCH):
        ingest(store, FIXTURES / "belote" / log)
        runs.build(store)
        marts.build(store)
    assert warehouse.is_current(store)
    with query.connect(store) as connection:
        found = connection.execute("select count(*), count_if(is_unbroken) from belote_matches").fetchall()
    assert [matches - unbroken for matches, unbroken in found] == [1]


TORCH = "torch_cesmak_transcripts.txt.gz"


# ---------------------------------------------------------------- what is added to: a project of one mart


GUARD = UNTESTED.format("hand_id", "true qualify count(*) over () > 9")
"""A test that nine new hands pass, and ten do not."""


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dbt project and a store of five hands with marts."""
    folder = tmp_path_factory.mktemp("first")
    small_project.write(folder / "project", {"kaiser/few_hands": GUARD})
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*dump_lines()[:5]), "a.csv")
    runs.build(store)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(warehouse, "DBT_PROJECT", folder / "project")
        marts.build(store)
    return folder


@pytest.fixture
def built(first: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setattr(warehouse, "DBT_PROJECT", first / "project")
    shutil.copytree(first / "store", tmp_path / "store")
    return Store(str(tmp_path / "store"))


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What dbt has run."""
    found: list[str] = []

    def results(run: dbt_run.Run, *command: str) -> list[Any]:
        nodes = dbt_results(run, *command)
        found.extend(node.node.name for node in nodes)
        return nodes

    dbt_results = dbt_run.results
    monkeypatch.setattr(dbt_run, "results", results)
    return found


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
    for number in range(3):
        ingest_text(built, tmp_path, dump(*dump_lines()[10 + number : 11 + number]), f"{number}.csv")
        runs.build(built)
        if number == 1:
            marts.build(built)
            compact.compact(built)
    assert base_of(built) == warehouse.path_of(built)
    compact.compact(built)
    assert sum(built.sizes("playedhand").values()) == 8
    marts.build(built)
    assert warehouse.is_current(built)
    assert len(rows_of(built)["kaiser_hands"]) == 8
    ingest_text(built, tmp_path, dump(*dump_lines()[30:31]), "more.csv")
    compact.compact(built)
    assert not warehouse.is_current(built)
    grown_rows = rows_of(built)
    assert len(grown_rows["hands"]) == 8, "the views show what was built"
    marts.build(built, afresh=True)
    assert_same_marts(built, grown_rows)


def test_an_analysis_is_new_to_the_marts(
    built: Store, ran: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tests run in the build after it, and when hands came that may be in it, and no other time."""
    small_project.write(
        tmp_path / "project",
        {"analysis/of_two": "select hand_id from {{ source('store', 'pars') }} where false"},
    )
    monkeypatch.setattr(warehouse, "DBT_PROJECT", tmp_path / "project")
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
    ingest_text(built, tmp_path, dump(*dump_lines()[20:21]), "more.csv")
    runs.build(built)
    marts.build(built)
    assert ran == ["of_two", "kaiser_hands", "of_two"]
    operations.analyse(built, "kaiser")
    assert not warehouse.is_current(built)


def test_tests_read_the_hands_that_no_build_has_tested(built: Store, tmp_path: Path) -> None:
    ingest_text(built, tmp_path, dump(*dump_lines()[5:10]), "more.csv")
    runs.build(built)
    assert base_of(built) == warehouse.path_of(built)
    marts.build(built)
    assert len(rows_of(built)["hands"]) == 10
    with pytest.raises(DbtError, match="few_hands: 10 rows"):
        marts.build(built, afresh=True)


def test_increments_read_no_hand_of_an_earlier_build_even_if_it_left_no_row(
    store: Store, tmp_path: Path
) -> None:
    ingest_text(store, tmp_path, dump(*dump_lines()[:20]), "first.csv")
    runs.build(store)
    marts.build(store)
    before = pinned(store).moment.versions["events"]
    path = warehouse.path_of(store)
    with duckdb.connect(str(path)) as connection:
        models = connection.execute(
            "select schema_name || '.' || table_name from duckdb_columns() join duckdb_tables() "
            "using (schema_name, table_name) where column_name = 'ingest_no' and estimated_size > 0"
        ).fetchall()
        for (model,) in models:
            connection.execute(f"delete from {model}")
    ingest_text(store, tmp_path, dump(*dump_lines()[1000:1020]), "more.csv")
    runs.build(store)
    marts.build(store)
    with duckdb.connect(str(path), read_only=True) as connection:
        firsts = {
            model: connection.execute(f"select min(ingest_no) from {model}").fetchall()[0][0]
            for (model,) in models
        }
    assert any(first is not None and first > before for model, first in firsts.items() if "_sums" in model)
    assert {model: first for model, first in firsts.items() if first is not None and first <= before} == {}
