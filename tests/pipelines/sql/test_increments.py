"""Incremental builds give the same marts as a rebuild."""

import gzip
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import data_tests, dbt_run, marts, warehouse
from cardlog.pipelines.sql.held_back import HeldBack
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import compact, quarantine
from tests.support import small_project
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.marts import only_marts, without_data_tests
from tests.support.shared import FIXTURES
from tests.support.stores import ingest, ingest_text

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
    """The rows of each table of the warehouse, in order, but for sums, which have rows of each build. Sums of
    fractions may differ in the last digits."""
    with duckdb.connect(str(warehouse.path_of(store)), read_only=True) as connection:
        names = connection.execute(
            "select schema_name || '.' || table_name, list(column_name || if(data_type = 'DOUBLE', '!', '')) "
            "from duckdb_columns() where schema_name in ('main', 'steps') and table_name in "
            "(select table_name from duckdb_tables()) and table_name <> 'int_players_matches' "
            "and not ends_with(table_name, '_sums') group by all"
        ).fetchall()
        return {
            table.removeprefix("main."): sorted(
                connection.execute(
                    "select "
                    + ", ".join(f"round({name[:-1]}, 9)" if name[-1] == "!" else name for name in columns)
                    + f" from {table}"
                ).fetchall(),
                key=repr,
            )
            for table, columns in names
        }


def base_of(store: Store) -> Path | None:
    return marts.plan_of(pinned(store, as_built=True), afresh=False).base


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
    rebuilt = rows_of(store)
    assert grown_rows.keys() == rebuilt.keys()
    for name, rows in rebuilt.items():
        assert grown_rows[name] == rows, name
    assert len(rebuilt["matches"]) > 5
    assert len(rebuilt["hands"]) > 100


def test_increments_come_to_what_a_rebuild_makes(store: Store, tmp_path: Path) -> None:
    """The first build, an increment of all games, and a rebuild."""
    with without_data_tests():
        check_increments(store, tmp_path, 2, 1)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(10))
def test_many_increments_come_to_what_a_rebuild_makes(seed: int, store: Store, tmp_path: Path) -> None:
    check_increments(store, tmp_path, 12, seed)


# ---------------------------------------------------------------- what is added to: a project of one mart


HANDS = {
    "intermediate/core/step_hands.sql": "select hand_id, status from {{ source('store', 'playedhand') }}",
    "marts/core/hands.sql": """
        {{ config(materialized='incremental', incremental_strategy='append') }}
        select * from {{ ref('step_hands') }}
    """,
}
FEW_HANDS = "select * from {{ ref('hands') }} qualify count(*) over () > 9"


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a dbt project and a store of five hands with marts."""
    folder = tmp_path_factory.mktemp("first")
    small_project.write(folder / "project", models=HANDS, few_hands=FEW_HANDS)
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


def test_only_models_of_games_with_new_hands_are_run(built: Store, tmp_path: Path) -> None:
    ingest(built, FIXTURES / "kaiser" / "playedhand_sample.csv")
    runs.build(built)
    plan = marts.plan_of(pinned(built, as_built=True), afresh=False)
    assert plan.games == ("kaiser",)
    assert len(plan.source.paths("playedhand")) == 1 < len(built.paths("playedhand"))
    assert plan.source.paths("ingests") == built.paths("ingests")
    assert marts.plan_of(pinned(built, as_built=True), afresh=True).base is None


def test_rows_that_a_compact_has_moved_are_not_new(built: Store, tmp_path: Path) -> None:
    for number in range(3):
        ingest_text(built, tmp_path, dump(*dump_lines()[10 + number : 11 + number]), f"{number}.csv")
        runs.build(built)
        if number == 1:
            marts.build(built)
            compact.compact(built)
    plan = marts.plan_of(pinned(built, as_built=True), afresh=False)
    assert plan.base == warehouse.path_of(built)
    assert [len(plan.source.paths(name)) for name in ("events", "playedhand", "tricks")] == [1, 1, 1]
    compact.compact(built)
    assert sum(built.sizes("playedhand").values()) == 8
    marts.build(built)
    assert warehouse.is_current(built)
    ingest_text(built, tmp_path, dump(*dump_lines()[30:31]), "more.csv")
    compact.compact(built)
    assert not warehouse.is_current(built)
    grown_rows = rows_of(built)["hands"]
    assert len(grown_rows) == 8
    marts.build(built, afresh=True)
    assert rows_of(built)["hands"] == grown_rows


@pytest.mark.parametrize("what", ["version", "project", "no file", "damaged", "rewritten"])
def test_what_can_not_be_added_to_is_made_from_nothing(
    what: str, built: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = warehouse.path_of(built)
    assert base_of(built) == path
    if what == "version":
        monkeypatch.setattr(warehouse, "VERSION", "0.0.0")
    elif what == "project":
        shutil.copytree(warehouse.DBT_PROJECT, tmp_path / "project")
        (tmp_path / "project" / "models" / "new.sql").write_text("select 1 as one")
        monkeypatch.setattr(warehouse, "DBT_PROJECT", tmp_path / "project")
    elif what == "no file":
        path.unlink()
    elif what == "damaged":
        path.write_bytes(path.read_bytes()[:5000])
    else:
        runs.build(built, afresh=True)
    assert base_of(built) is None


def test_after_a_failed_test_the_marts_are_made_from_nothing(built: Store, tmp_path: Path) -> None:
    ingest_text(built, tmp_path, dump(*dump_lines()[5:10]), "more.csv")
    runs.build(built)
    assert base_of(built) == warehouse.path_of(built)
    with pytest.raises(HeldBack, match="few_hands"):
        marts.build(built)
    assert base_of(built) is None


def test_data_tests_check_the_rows_that_an_increment_adds(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are in `new_rows` while the marts are built, and only then."""
    added: list[Any] = []

    def one_bid_twice_and_a_hand_less(
        where: dbt_run.Run, built: list[dbt_run.Node], full_refresh: bool
    ) -> list[dbt_run.Node]:
        with duckdb.connect(str(where.database)) as draft:
            added.extend(
                draft.execute("select count(*), count(distinct hand_id) from new_rows.bids").fetchall()
            )
            draft.execute("insert into new_rows.bids from new_rows.bids limit 1")
            draft.execute(
                "delete from new_rows.hands where hand_id = (select max(hand_id) from new_rows.bids)"
            )
        return run(where, built, full_refresh)

    run = data_tests.run
    with only_marts("bids"):
        ingest_text(store, tmp_path, dump(*dump_lines()[:5]), "a.csv")
        runs.build(store)
        marts.build(store)
        ingest_text(store, tmp_path, dump(*dump_lines()[5:8]), "b.csv")
        runs.build(store)
        monkeypatch.setattr(data_tests, "run", one_bid_twice_and_a_hand_less)
        with pytest.raises(HeldBack, match="kaiser_auction_is_one_round_with_one_winner") as raised:
            marts.build(store)
    assert added == [(12, 3)]
    assert "relationships_bids_hand_id" in str(raised.value)
    with duckdb.connect(str(warehouse.path_of(store)), read_only=True) as connection:
        schemas = {
            name for (name,) in connection.execute("select schema_name from duckdb_schemas()").fetchall()
        }
        assert dbt_run.NEW_ROWS not in schemas
        assert "failed_tests" in schemas


def test_a_large_warehouse_is_not_copied(
    built: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file that a build replaces is added to by the next build, unless somebody still reads it."""
    monkeypatch.setattr(marts, "SPARE_BYTES", 0)
    spare, target = marts.spare_of(built), warehouse.path_of(built)
    assert not spare.exists()
    used = []
    for step in range(4):
        ingest_text(built, tmp_path, dump(*dump_lines()[5 + step : 6 + step]), f"{step}.csv")
        runs.build(built)
        inode = target.stat().st_ino
        reader = _reader(spare) if step == 3 else None
        used.append(base_of(built))
        marts.build(built)
        assert spare.stat().st_ino == inode
        if reader:
            assert reader.communicate("\n") == ("7\n", None)
        with duckdb.connect(str(target), read_only=True) as connection:
            assert connection.execute("select count(*) from hands").fetchone() == (6 + step,)
    assert used == [target, spare, spare, target]
    assert base_of(built) == spare
    with monkeypatch.context() as patch:
        patch.setattr(marts, "HAND_BYTES", 2**40)  # then the hands of two builds take longer than a copy
        assert base_of(built) == target
    monkeypatch.setattr(marts, "SPARE_BYTES", 2**40)
    grown_rows = rows_of(built)
    marts.build(built, afresh=True)
    assert not spare.exists()
    assert rows_of(built)["hands"] == grown_rows["hands"]


READER = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1], read_only=True)
print(flush=True)
input()
print(connection.execute("select count(*) from hands").fetchone()[0])
"""


def _reader(path: Path) -> "subprocess.Popen[str]":
    """Another process with a warehouse open; for each input line it prints the number of hands."""
    process = subprocess.Popen(
        [sys.executable, "-c", READER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    process.stdout.readline()
    return process
