"""Pinochle's tables and marts: against the oracles, and against each other."""

from functools import cache
from typing import Any

import pyarrow.csv
import pytest

# isort: split
from cardlog.models.pinochle import cards as model
from cardlog.models.pinochle.cards import COUNTERS, RANKS
from cardlog.models.pinochle.dialects import RULES
from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.sql import query, warehouse
from cardlog.schemas import cards
from tests.support.pinochle_logs import LOGS, log
from tests.support.shared import played_games


@cache
def projected(name: str) -> dict[str, list[dict[str, Any]]]:
    return {
        table: rows.to_pylist() for table, rows in project(log(name).read.batch, ("playedhand", "tricks"))
    }


@pytest.mark.parametrize("name", LOGS)
def test_playedhand_says_what_the_oracle_says(name: str) -> None:
    previous: str | None = None
    for row, hand in zip(projected(name)["playedhand"], log(name).oracle, strict=True):
        ended = hand["throwin"] and hand["dialect"] == "head2014"
        assert row["status"] == "complete"
        assert row["dealer"] == hand["dealer"]
        assert (row["declarer"], row["contract"]) == (hand["high_player"], hand["high_bid"])
        bids = {seat: "pass" if bid == 0 else str(bid) for seat, bid in hand["bids"]}
        assert [row[f"player_{seat}_bid"] for seat in range(4)] == [bids.get(seat) for seat in range(4)]
        held = ["".join(cards_held) for cards_held in hand["hands"]]
        assert [row[f"player_{seat}_hand"] for seat in range(4)] == (
            [held[0], *["??" * 12] * 3] if ended else held
        )
        played = "".join(card for _, card, _, taken in hand["plays"] if taken)
        assert (row["played_cards"] or "") == played
        assert row["trick_winners"] == "".join(str(winner) for winner, _, _ in hand["tricks"])
        assert [row["team_0_points"], row["team_1_points"]] == (hand["counters"] or [None, None])
        if hand["hand_no"] == 0:
            score, previous = [0, 0], None
        after = [score[team] + row[f"team_{team}_score"] for team in range(2)]
        assert after == hand["score"]
        score = after
        expected = None if ended else previous if hand["throwin"] else hand["trump"]
        assert row["trump"] == expected
        previous = row["trump"]
        assert [row["player_0_ai"], row["player_1_ai"]] == [False, True]


@pytest.mark.long
def test_rule_tables_of_dbt_are_those_of_the_model() -> None:
    connection = query.connect(played_games())
    flags = ("throw_in_ends_hand", "bidders_need_a_trick", "opponents_need_a_trick")
    rows = connection.execute(f"select dialect, {', '.join(flags)} from pinochle_dialects").fetchall()
    assert {row[0]: row[1:] for row in rows} == {
        name: tuple(getattr(rules, flag) for flag in flags) for name, rules in RULES.items()
    }
    sql = "select rank from pinochle_cards group by rank, strength order by strength desc"
    assert "".join(rank for (rank,) in connection.execute(sql).fetchall()) == RANKS
    counting = connection.execute("select card from pinochle_cards where counters = 1").fetchall()
    assert cards.mask("".join(card for (card,) in counting)) == COUNTERS


def test_tables_from_csv_agree_with_the_seeds_on_disk() -> None:
    """The worth of melds, as dbt joins it."""
    table = pyarrow.csv.read_csv(warehouse.DBT_PROJECT / "seeds" / "pinochle_melds.csv").to_pylist()
    worth = {row["meld"]: row["points"] for row in table}
    arounds = dict(
        zip(("aces", "kings", "queens", "jacks"), (points for _, points in model.AROUND_POINTS), strict=True)
    )
    assert worth == {
        "nine": model.NINE_POINTS,
        "run": model.RUN_POINTS,
        "run_pair": model.RUN_PAIR_POINTS,
        "double_run": model.DOUBLE_RUN_POINTS,
        "trump_marriage": model.TRUMP_MARRIAGE_POINTS,
        "marriage": model.MARRIAGE_POINTS,
        "pinochle": model.PINOCHLE_POINTS,
        "double_pinochle": model.DOUBLE_PINOCHLE_POINTS,
        **arounds,
        **{f"double_{name}": model.DOUBLE_AROUND_FACTOR * points for name, points in arounds.items()},
    }
