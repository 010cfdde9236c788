"""Rates and means of the marts, with counts and intervals, recomputed in Python from hands and seats."""

from collections import defaultdict
from math import sqrt
from statistics import stdev
from typing import Any

import duckdb
import jinja2
import pytest
import yaml

from cardlog.pipelines.sql import warehouse
from tests.support import intervals
from tests.support.intervals import Interval
from tests.support.summaries import DECK, JUDGED, SUMMARIES, Marts, check, check_groups, figure_of, rows_of

FUNCTIONS = (warehouse.DBT_PROJECT / "macros" / "functions.sql").read_text()
MARTS = warehouse.DBT_PROJECT / "models" / "marts"


ELSEWHERE = {
    "kaiser_dealer_bids": "made_rate_over_ordinary, mean_points_over_ordinary, mean_score_over_ordinary",
    "kaiser_special_cards": "points_swing, made_swing",
    "ruter_sju_winner_cards": "lift",
    "ruter_sju_place_estimates": "estimated_place, estimated_win_rate",
    "match_wins": "win_rate, last_win_rate",
}
"""Columns that other tests recompute, of this file or `test_recomputed_marts.py`."""
EXACT = {
    *("total_cost", "rating", "uncertainty", "value", "best_value", "second_value", "gap", "cost_open"),
    *("cost_known", "median_raise_of_pot", "fair_win_rate", "least_part", "aggression_factor"),
    *("expected_net", "adjusted_net", "big_blinds", "adjusted_big_blinds", "total_rounds_with_block_prop"),
    *("most_rounds_with_block_prop", "turn_with_first_block_prop", "true_turns_with_block_prop"),
    *("true_most_turns_with_block_prop", "true_first_block_lap_prop"),
}
"""Figures without an interval: they follow from the mix, or describe one hand or session, or are medians or
ratios; `test_recomputed_marts.py` and `test_hold_em_marts.py` recompute them."""


def figures_of(mart: str) -> set[str]:
    """The rates and means of a mart, each with both ends of its interval."""
    [path] = MARTS.rglob(f"{mart}.yml")
    columns = yaml.safe_load(path.read_text())["models"][0]["columns"]
    names = {column["name"] for column in columns if column["data_type"] == "double"} - EXACT
    figures = {name for name in names if not name.endswith(("_low", "_high"))}
    assert names == figures | {name + end for name in figures for end in ("_low", "_high")}
    return figures


@pytest.mark.long
@pytest.mark.parametrize("mart", SUMMARIES)
def test_rates_and_means_have_counts_and_intervals(mart: str, request: pytest.FixtureRequest) -> None:
    """Of poker also in simulated hands, whose cards are all known."""
    marts: Marts = request.getfixturevalue("played" if mart.startswith("five_card_draw_") else "logged")
    left = figures_of(mart) - {*ELSEWHERE.get(mart, "").split(", ")}
    for sql in SUMMARIES[mart].split(";"):
        rows = rows_of(marts, sql)
        check_groups(rows, rows_of(marts, f"from {mart}"), names := left & rows[0].keys())
        left -= names
    assert not left, "these figures are recomputed nowhere"


def test_every_mart_with_figures_is_recomputed() -> None:
    marts = {path.stem for path in MARTS.rglob("*.yml") if figures_of(path.stem)}
    assert marts == SUMMARIES.keys() | ELSEWHERE.keys()


# ---------------------------------------------------------------- figures of other forms


def test_quantiles_of_students_t_are_exact_to_five_decimals() -> None:
    module: Any = jinja2.Environment().from_string(FUNCTIONS).module
    with duckdb.connect() as connection:
        connection.execute(module.create_functions())
        found = connection.execute(
            "select freedom, t_quantile(freedom) from range(1, 400) as rows(freedom) "
            "union all select 20000, t_quantile(20000)"
        ).fetchall()
    assert len(found) == 400
    for freedom, quantile in found:
        assert quantile == pytest.approx(intervals.t_quantile(freedom), abs=5e-6), freedom


def test_interval_of_is_that_of_means_and_rates_with_bounds_or_without() -> None:
    """Nulls are left out."""
    module: Any = jinja2.Environment().from_string(FUNCTIONS).module
    with duckdb.connect() as connection:
        connection.execute(module.create_functions())
        connection.execute(
            "create table rows as select (i % 7 + i % 3) / 2.0 as v, i // 4 as unit from range(80) as r(i) "
            "union all select null, 1"
        )
        rows = connection.execute("select hash(unit) % 1000, v from rows where v is not null").fetchall()
        [[*found, of_none]] = connection.execute(
            "select interval_of(v, unit, lowest := 0, highest := 4), interval_of(v, unit), "
            "interval_of(v > 2, unit), interval_of(case when v > 9 then v end, unit) from rows"
        ).fetchall()
    for one, values, bounds in zip(
        found, (rows, rows, [(unit, v > 2) for unit, v in rows]), ((0, 4), None, (0, 1)), strict=True
    ):
        assert tuple(one.values()) == pytest.approx(intervals.clustered(values, bounds))
    assert of_none == {"mean": None, "low": None, "high": None}


def combined(one: dict[str, Any], other: Interval, name: str) -> Interval:
    """The difference of a row's figure and another one, with the interval by Newcombe's method."""
    figure, low, high = (one[name + end] for end in ("", "_low", "_high"))
    difference = figure - other[0]
    if low is None or high is None or other[1] is None or other[2] is None:
        return difference, None, None
    below = sqrt((figure - low) ** 2 + (other[2] - other[0]) ** 2)
    above = sqrt((high - figure) ** 2 + (other[0] - other[1]) ** 2)
    return difference, difference - below, difference + above


def test_dealers_bids_are_compared_with_ordinary_ones(logged: Marts) -> None:
    rows = rows_of(logged, "from kaiser_dealer_bids")
    ordinary = {(row["dataset"], row["contract"]): row for row in rows if row["won_by"] == "ordinary"}
    compared = 0
    for row in rows:
        for name in ("made_rate", "mean_points", "mean_score"):
            over = f"{name}_over_ordinary"
            if row["won_by"] == "ordinary":
                check(row, over, (0, None, None))
            elif other := ordinary.get((row["dataset"], row["contract"])):
                interval = (other[name], other[f"{name}_low"], other[f"{name}_high"])
                check(row, over, combined(row, interval, name))
                compared += 1
            else:
                assert row[over] is row[f"{over}_low"] is None
    assert compared > 10


def test_swings_compare_with_hands_in_which_the_other_side_took_the_card(logged: Marts) -> None:
    cards = rows_of(logged, "from steps.int_kaiser_special_cards")
    rows = rows_of(logged, "from kaiser_special_cards")
    assert len(rows) > 10
    for row in rows:
        alike = [other for other in cards if all(other[name] == row[name] for name in ("dataset", "card"))]
        others = [other for other in alike if other["taken_by_bidders"] != row["taken_by_bidders"]]
        ends = [other["declarer_points"] for other in cards if other["dataset"] == row["dataset"]]
        points = [(other["hand_id"], other["declarer_points"]) for other in others]
        made = figure_of([(other["hand_id"], other["made"]) for other in others])
        bounded = figure_of(points, (min(ends), max(ends)))
        check(row, "points_swing", combined(row, bounded, "mean_bidder_points"))
        check(row, "made_swing", combined(row, made, "made_rate"))
        assert row["hands_of_card"] == len(alike)


def test_lift_is_the_rate_of_winning_over_a_fair_one(logged: Marts) -> None:
    rows = rows_of(logged, "from ruter_sju_winner_cards")
    assert rows
    for row in rows:
        ends = [row[f"win_rate{end}"] for end in ("", "_low", "_high")]
        check(row, "lift", [end and end * row["num_players"] for end in ends])


DEALT = ("dataset", "num_suits", "cards_per_suit", "num_players", "kind")
CARDS = ("num_extremes", "num_center", "num_opener")
PRIOR = 20
"""As how many hands the prior of an estimate counts."""


def by(hands: list[dict[str, Any]], names: tuple[str, ...]) -> dict[tuple[Any, ...], list[int]]:
    """The places of hands that are alike in these columns."""
    groups = defaultdict(list)
    for hand in hands:
        groups[tuple(hand[name] for name in names)].append(hand["place"])
    return groups


def drawn(places: list[int], prior: tuple[float, float]) -> tuple[float, float]:
    """Mean place and rate of winning of these hands and twenty that are like the prior."""
    rows = len(places) + PRIOR
    return (sum(places) + PRIOR * prior[0]) / rows, (places.count(1) + PRIOR * prior[1]) / rows


def test_estimates_are_drawn_towards_those_of_like_hands(logged: Marts) -> None:
    hands = [
        hand
        for hand in rows_of(logged, "from steps.int_ruter_sju_dealt_hands")
        if hand["hand_id"][0] in "0123456789a"
    ]
    tables, ends = by(hands, DEALT), by(hands, (*DEALT, CARDS[0]))
    alike = by(hands, (*DEALT, *CARDS))
    found = rows_of(logged, "from ruter_sju_place_estimates")
    assert len(found) == len(alike) > 400
    for row in found:
        key = tuple(row[name] for name in (*DEALT, *CARDS))
        at_tables = tables[key[:5]]
        whole = sum(at_tables) / len(at_tables), at_tables.count(1) / len(at_tables)
        place, rate = drawn(alike[key], drawn(ends[key[:6]], whole))
        rows = len(alike[key]) + PRIOR
        assert row["hands"] == len(alike[key])
        check(row, "estimated_win_rate", intervals.rate(rate * rows, rows))
        if len(at_tables) == 1:
            check(row, "estimated_place", (place, None, None))
        else:
            error = intervals.t_quantile(len(at_tables) - 1) * stdev(at_tables) / sqrt(rows)
            low, high = max(place - error, 1), min(place + error, row["num_players"])
            check(row, "estimated_place", (place, low, high))


def test_estimates_are_judged_by_tenths_of_the_other_hands(logged: Marts) -> None:
    """Also by those whose like no estimate was made of; the figures are compared above."""
    keys = f"dataset, {DECK}, tenth"
    sql = f"select {keys}, count(*), count_if(is_new) from {JUDGED} group by all"
    expected = logged.execute(sql).fetchall()
    found = logged.execute(f"select {keys}, hands, new_hands from ruter_sju_place_calibration").fetchall()
    assert sorted(found) == sorted(expected)
    assert len(found) > 50
