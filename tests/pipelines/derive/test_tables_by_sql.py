"""`tricks`, `plays`, `seats` and `bids` of all logs, against SQL that computes them from the events; and what
decisions brought, against these."""

from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from cardlog.pipelines.storage.store import Store
from tests.support.shared import edge_store, logged_games, played_games, whole_store
from tests.support.soak import long
from tests.support.stores import ask, connect, one
from tests.support.tables_by_sql import TABLES, differences_from_sql


def tables_of(store: Store) -> duckdb.DuckDBPyConnection:
    """The tables of a store, in a schema of their own."""
    schema = Path(store.root).parent.name
    connection = connect(("events", "playedhand", *TABLES), **{schema: store})
    connection.execute(f"set schema = '{schema}'")
    return connection


@pytest.mark.parametrize("made", [logged_games, *long(played_games, whole_store)])
def test_rows_are_those_that_sql_finds(made: Callable[[], Store]) -> None:
    assert differences_from_sql(tables_of(made())) == {}


@pytest.mark.long
def test_the_fixtures_have_what_is_odd() -> None:
    """Otherwise the comparison would say less than it seems to."""
    sql = "select count(distinct game), count(distinct dataset) > 5 from seats"
    assert ask(logged_games(), sql) == [(6, True)]
    sql = """
        select
            bool_or(hand_status = 'aborted' and cards is null),
            bool_or(hand_status = 'aborted' and clubs > 0),
            bool_or(contains(cards, '?')) and bool_or(poker_category is not null),
            count(score_before) > 0 and count(score_after) > 0 and count(reported_place) > 0
        from seats
    """
    assert ask(played_games(), sql) == [(True,) * 4]
    sql = """
        select
            bool_or(won is null and trick_no > 0),
            bool_or(game = 'ruter_sju' and cards_left_in_suit is null),
            bool_or(trumped) and bool_or(not followed and not trumped)
        from plays
    """
    assert ask(played_games(), sql) == [(True,) * 3]  # test_projections has a hand cut in its first trick


@pytest.mark.long
def test_scores_that_sources_report_are_counted() -> None:
    sql = """
        select count(*), sum(scores_reported), sum(n)
        from playedhand
        full join (select hand_id, count(*) filter (where kind = 'score') as n from events group by all)
            using (hand_id)
        where scores_reported = n
    """
    [(hands, reported, counted)] = ask(played_games(), sql)
    assert hands == one(played_games(), "select count(*) from playedhand")
    assert reported == counted > 10_000


@pytest.mark.parametrize("made", [edge_store, logged_games, *long(whole_store)])
def test_reward_and_return_are_those_of_the_tables(made: Callable[[], Store]) -> None:
    store = made()
    of_teams = "game in ('kaiser', 'belote', 'pinochle')"
    sql = f"""
        select count(*), count(*) filter (kind = 'play' and reward is not null), count("return")
        from (
            select *, case when kind = 'play' then
                (row_number() over (partition by hand_id, kind order by step) - 1) // 4 end as trick_no
            from decisions
            where {of_teams}
        ) as d
        left join tricks using (hand_id, trick_no)
        join playedhand as p using (hand_id)
        where d.reward is not distinct from
                  case when kind = 'bid' then 0 when d.seat % 2 = winner_team then points else -points end
          and d."return" is not distinct from (team_0_score - team_1_score) * (1 - 2 * (d.seat % 2))
          and d.status = p.status
    """
    ((rows, rewarded, returned),) = ask(store, sql)
    assert rows == one(store, f"select count(*) from decisions where {of_teams}")
    assert rewarded == 4 * one(store, "select count(*) from tricks")
    complete = "hand_id in (select hand_id from playedhand where status = 'complete')"
    assert returned == one(store, f"select count(*) from decisions where {of_teams} and {complete}")
