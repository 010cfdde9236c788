"""All games in one store: every data test of dbt passes on all logs, and marts over all games agree
with what the oracles know of matches."""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from stores import connect, ingest, own_name

from pipelines import query, runs, warehouse
from pipelines.store import Store

FIXTURES = Path(__file__).parents[1] / "fixtures"
LOGS = (
    "kaiser/playedhand_sample.csv",
    "belote/*_transcripts.txt.gz",
    "ruter_sju/*transcripts.txt.gz",
    "pinochle/*_transcripts.txt.gz",
    "five_card_draw/games_transcripts.txt.gz",
)
"""All logs of all games, but of Kaiser only the sample, whose matches nobody knows."""


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The store, with its marts. Not to be changed."""
    store = Store(str(tmp_path_factory.mktemp("games") / "store"))
    ingest(store, *(path for pattern in LOGS for path in sorted(FIXTURES.glob(pattern))))
    runs.build(store)
    warehouse.run_dbt(store)
    return store


def ask(store: Store, sql: str) -> list[tuple[Any, ...]]:
    return query.ask(store, sql).fetchall()


def oracles(pattern: str) -> list[dict[str, Any]]:
    return [
        json.loads(line)
        for path in sorted(FIXTURES.glob(pattern))
        for line in gzip.decompress(path.read_bytes()).splitlines()
    ]


def test_every_game_is_there(games: Store) -> None:
    found = dict(ask(games, "select game, count(*) from hands group by all"))
    assert set(found) == {"kaiser", "belote", "ruter_sju", "pinochle", "five_card_draw"}
    assert all(count >= 200 for count in found.values())


def test_belotes_matches_are_won_by_whom_the_oracle_says(games: Store) -> None:
    wanted = {}
    for game in oracles("belote/*_oracle.jsonl.gz"):
        last = game["hands"][-1]["totals"]
        wanted[game["gid"]] = (game["winner"], len(game["hands"]), *last)
    found = ask(games, "select * from matches where game = 'belote'")
    names = [column[0] for column in query.ask(games, "select * from matches").description]
    rows = [dict(zip(names, row, strict=True)) for row in found]
    assert {
        own_name(row["match_id"]): (
            row["winner_team"],
            row["hands"],
            row["team_0_points"],
            row["team_1_points"],
        )
        for row in rows
    } == wanted
    assert all(row["is_over"] for row in rows)


def test_pinochles_matches_end_as_the_oracle_says(games: Store) -> None:
    wanted: dict[str, tuple[Any, ...]] = {}
    for hand in oracles("pinochle/*_oracle.jsonl.gz"):
        if "session" in hand:
            wanted[f"{hand['session']}/{hand['game']}"] = (*hand["score"], bool(hand["game_over"]))
    sql = "select match_id, team_0_points, team_1_points, is_over from matches where game = 'pinochle'"
    assert {own_name(row[0]): row[1:] for row in ask(games, sql)} == wanted


def test_ruter_sjus_winners_are_those_of_the_original(games: Store) -> None:
    sql = "select match_id, winner_seat from matches where game = 'ruter_sju' and is_over"
    found = {own_name(match): seat for match, seat in ask(games, sql)}
    known = oracles("ruter_sju/games.jsonl.gz") + oracles("ruter_sju/variants_games.jsonl.gz")
    wanted = {game["gid"]: int(game["winOrder"][0]) for game in known}
    assert len(wanted) == 220
    assert {match: found[match] for match in wanted} == wanted


def test_poker_is_over_when_one_player_has_all_chips(games: Store) -> None:
    found = ask(
        games,
        """
        select match_id, is_over, winner_seat from matches where game = 'five_card_draw'
        """,
    )
    over = Counter(is_over for _, is_over, _ in found)
    assert over[True] > 40
    chips = ask(
        games,
        """
        select match_id, count(*) filter (where chips_after > 0)
        from (from five_card_draw_players qualify hand_no = max(hand_no) over (partition by match_id))
        group by all
        """,
    )
    left = dict(chips)
    assert {match: is_over for match, is_over, _ in found} == {m: n == 1 for m, n in left.items()}


def test_players_have_the_names_of_their_logs(games: Store) -> None:
    names = {
        game: {name for (name,) in ask(games, f"select player_name from players where game = '{game}'")}
        for game in ("belote", "five_card_draw", "kaiser")
    }
    sitting = {name for game in oracles("belote/*_oracle.jsonl.gz") for name in game["sitting"]}
    assert names["belote"] == sitting
    playing = {name for game in oracles("five_card_draw/*_oracle.jsonl.gz") for name in game["players"]}
    assert names["five_card_draw"] <= playing
    assert names["kaiser"] == {None}


def test_what_sources_say_of_scores_is_counted(games: Store) -> None:
    found = dict(ask(games, "select source_path, scores_checked from data_quality"))
    told = connect(main=games).execute("select count(*) from events where kind = 'score'").fetchone()
    assert told is not None
    assert sum(found.values()) == told[0] > 10_000
    assert ask(games, "from score_discrepancies") == []
