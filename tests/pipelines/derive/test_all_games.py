"""All games in one store: every data test of dbt passes on all logs, and marts over all games agree
with what the oracles know of matches."""

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import duckdb
import pytest

from cardlog.pipelines.sql import process, query, warehouse
from cardlog.pipelines.sql.tables import quoted
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep import status
from tests.support.belote_logs import completed
from tests.support.shared import logged_games
from tests.support.stores import ingest, own_name

FIXTURES = Path(__file__).parents[2] / "fixtures"


def ask(sql: str) -> list[tuple[Any, ...]]:
    return process.ask(logged_games(), sql).fetchall()


def oracles(pattern: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(FIXTURES.glob(pattern))
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]


def test_belotes_matches_are_won_by_whom_the_oracle_says() -> None:
    wanted = {}
    for game in map(completed, oracles("belote/*_oracle.jsonl.gz")):
        last = game["hands"][-1]["totals"]
        wanted[game["gid"]] = (True, game["winner"], len(game["hands"]), *last)
    found = ask(
        "select match_id, is_over, winner_team, hands, team_0_points, team_1_points "
        "from matches where game = 'belote'"
    )
    assert {own_name(match): tuple(row) for match, *row in found} == wanted


def test_pinochles_matches_end_as_the_oracle_says() -> None:
    wanted: dict[str, tuple[Any, ...]] = {}
    for hand in oracles("pinochle/*_oracle.jsonl.gz"):
        if "session" in hand:
            wanted[f"{hand['session']}/{hand['game']}"] = (*hand["score"], bool(hand["game_over"]))
    found = ask("select match_id, team_0_points, team_1_points, is_over from matches where game = 'pinochle'")
    assert {own_name(match): tuple(row) for match, *row in found} == wanted


def test_ruter_sjus_winners_are_those_of_the_original() -> None:
    known = oracles("ruter_sju/games.jsonl.gz") + oracles("ruter_sju/variants_games.jsonl.gz")
    wanted = {game["gid"]: int(game["winOrder"][0]) for game in known}
    assert len(wanted) == 220
    rows = ask("select match_id, winner_seat from matches where game = 'ruter_sju' and is_over")
    assert wanted.items() <= {own_name(match): seat for match, seat in rows}.items()


def test_poker_is_over_when_one_player_has_all_chips_or_the_human_none() -> None:
    found = ask("select match_id, is_over, winner_seat from matches where game = 'five_card_draw'")
    assert sum(is_over for _, is_over, _ in found) > 40
    chips = ask(
        """
        select match_id, count(*) filter (where chips_after > 0), bool_or(not is_computer and chips_after = 0)
        from (from five_card_draw_players qualify hand_no = max(hand_no) over (partition by match_id))
        group by all
        """
    )
    ended = {match: left == 1 or human_is_out for match, left, human_is_out in chips}
    assert {match: is_over for match, is_over, _ in found} == ended
    assert {match for match, _, winner in found if winner is not None} == {m for m, n, _ in chips if n == 1}


def answers(store: Store) -> dict[str, tuple[Any, ...]]:
    """How many rows every table and mart has, and a digest of them all."""
    connection = query.connect(store)
    names = [name for (name,) in connection.execute("show tables").fetchall()]
    steps = (
        "select table_name from information_schema.tables "
        "where table_catalog = 'marts' and table_schema = 'steps'"
    )
    names += [f"steps.{name}" for (name,) in connection.execute(steps).fetchall()]
    return {name: digest(connection, name) for name in names}


def digest(connection: Any, name: str) -> tuple[Any, ...]:
    """How many rows a table has, and a digest of them. Sums of fractions may differ in the last digits."""
    columns = connection.execute(f"describe {name}").fetchall()
    chosen = [f'round("{column}", 9)' if kind == "DOUBLE" else f'"{column}"' for column, kind, *_ in columns]
    found: tuple[Any, ...] = connection.execute(
        f"select count(*), bit_xor(hash({', '.join(chosen)})) from {name}"
    ).fetchall()[0]
    return found


@pytest.mark.long
def test_a_copied_and_a_moved_store_answer_as_the_original_did(tmp_path: Path) -> None:
    """Every table and mart, while the original has gone and another store is in its place."""
    games = logged_games()
    expected = answers(games)
    assert expected.keys() >= {"events", "hands", "steps.stg_events", "steps.int_kaiser_auctions"}
    original = Path(shutil.copytree(games.root, tmp_path / "original"))
    moved = tmp_path / "moved, it's elsewhere"
    copied = Path(shutil.copytree(original, tmp_path / "copied"))
    original.rename(moved)
    try:
        ingest(Store(str(original)), FIXTURES / "kaiser" / "playedhand_edge.csv")
        for folder in (copied, moved):
            there = Store(str(folder))
            assert answers(there) == expected, folder
            assert status.status(there)["marts"] == "up to date"
            assert warehouse.is_current(there)
    finally:
        shutil.rmtree(original)
        moved.rename(original)
    for file in ("warehouse.duckdb", "warehouse.json"):
        assert str(original.parent).encode() not in (copied / file).read_bytes()
    check_alone(Path(games.root) / "warehouse.duckdb", None, expected)
    check_alone(copied / "warehouse.duckdb", copied, expected)
    with duckdb.connect(str(copied / "warehouse.duckdb"), read_only=True) as connection:
        connection.execute("set variable store = '/nowhere'")
        with pytest.raises(duckdb.Error, match="/nowhere"):
            connection.execute("from hands")


def check_alone(path: Path, root: Path | None, expected: dict[str, tuple[Any, ...]]) -> None:
    """Opened without cardlog, a warehouse answers all its marts where it was built, and elsewhere once it is
    told where the store is."""
    with duckdb.connect(str(path), read_only=True) as connection:
        if root:
            connection.execute(f"set variable store = {quoted(str(root))}")
        found = connection.execute(
            "select if(table_schema = 'main', '', table_schema || '.') || table_name "
            "from information_schema.tables where table_schema in ('main', 'steps')"
        ).fetchall()
        assert len(found) > 80
        for (name,) in found:
            if name in SCHEMAS:  # a mart that has the name of a table, which `expected` has in its place
                continue
            assert digest(connection, name) == expected[name], name
