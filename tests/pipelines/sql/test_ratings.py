"""The mart `ratings`, against openskill asked here match by match, and for odd tables."""

from collections import Counter
from runpy import run_path
from typing import Any

import duckdb
import pytest
from openskill.models import PlackettLuce

from cardlog.pipelines.sql import warehouse

MODEL = PlackettLuce()


def test_every_player_and_pair_is_rated_match_by_match(logged: duckdb.DuckDBPyConnection) -> None:
    matches = logged.execute("""
        select match_id, winner_team, list([player_name, player_kind] order by seat)
        from matches join (
            select match_id, seat, any_value(player_name) as player_name,
            any_value(player_kind) as player_kind from seats group by all
        ) using (match_id)
        where game = 'belote' and is_over group by all order by match_id
    """).fetchall()
    assert len(matches) > 30
    for pairs in (False, True):
        known: dict[tuple[str, ...], Any] = {}
        count = Counter[tuple[str, ...]]()
        expected = {}
        for match_id, winner, seats in matches:
            teams = [[(*who,) for who in seats[team::2]] for team in range(2)]
            if pairs:
                teams = [[sum(sorted(team), ())] for team in teams]
            before = [[known.get(one, MODEL.rating()) for one in team] for team in teams]
            ranks = [float(team != winner) for team in range(2)] if winner is not None else [1.0, 1.0]
            for team, after in zip(teams, MODEL.rate(before, ranks=ranks), strict=True):
                known |= dict(zip(team, after, strict=True))
            for one in (one for team in teams for one in team):
                count[one] += 1
                expected[match_id, *one] = count[one], known[one].mu, known[one].sigma
        names_of = "player_name, player_kind" + ", partner_name, partner_kind" * pairs
        found = logged.execute(
            f"select match_no, rating, uncertainty, match_id, {names_of} from ratings "
            f"where game = 'belote' and is_pair = {pairs}"
        ).fetchall()
        assert {row[3:]: row[:3] for row in found} == {
            key: pytest.approx(value, rel=1e-12) for key, value in expected.items()
        }
        assert len(found) == len(expected)


def rated(known: dict[Any, Any], seats: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What the model makes of one match."""
    path = warehouse.DBT_PROJECT / "models" / "marts" / "core" / "ratings.py"
    return list(run_path(str(path))["rated"](known, "belote", None, False, "m", None, 7, seats))


def seat(number: int, name: str | None, is_won: bool) -> dict[str, Any]:
    who = [name, "human", None, None]
    return {"side": number % 2, "is_won": is_won, "who": who, "is_named": name is not None}


def test_who_has_no_name_is_a_beginner_without_a_row() -> None:
    known = {("belote", None, False, "Ann", "human", None, None): (30.0, 4.0, 5)}
    [(*_, match_no, is_won, rating, uncertainty, ingest_no)] = rated(
        known, [seat(0, "Ann", True), seat(1, None, False)]
    )
    [[expected], _] = MODEL.rate([[MODEL.rating(30, 4)], [MODEL.rating()]])
    assert (match_no, is_won, ingest_no) == (6, True, 7)
    assert (rating, uncertainty) == pytest.approx((expected.mu, expected.sigma))
    assert rated({}, [seat(0, None, True), seat(1, None, False)]) == []


def test_who_sits_in_two_seats_has_the_mean_of_both() -> None:
    """Against one another nothing changes but what is known of the player."""
    [row] = rated({}, [seat(0, "Ann", True), seat(1, "Ann", False)])
    assert row[3:5] == ("Ann", "human")
    assert row[10] is False
    assert row[11] == pytest.approx(25)
    assert row[12] < 25 / 3


def test_a_match_that_nobody_won_makes_equals_of_all() -> None:
    rows = rated({}, [seat(number, name, False) for number, name in enumerate("abcd")])
    assert [row[11] for row in rows] == pytest.approx([25] * 4)
