"""How often the intervals of the marts have the true figure, where that is known."""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import duckdb
import jinja2
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from cardlog.pipelines.sql import warehouse
from tests.support.summaries import SUMMARIES, UNBOUNDED, Marts, Summary, names_of, rows_of

pytestmark = pytest.mark.soak

MACROS = warehouse.DBT_PROJECT / "macros"
SIZES = (5, 10, 20, 50)
"""How many matches, or hands of no match, a sample has."""
SAMPLES = 500
FEWEST_UNITS = 5
MOST_GROUPS = 4
UNIT = "coalesce(match_id, hand_id) as unit"

OTHERS = [
    Summary(
        "players",
        "game, dataset, player_name, player_kind",
        f"""select {UNIT}, game, dataset, player_name, player_kind, won as share_won,
        team_score - other_score as mean_score_difference, place as mean_place
        from seats where hand_status = 'complete'""",
        {"complete_hands": "share_won, mean_score_difference, mean_place"},
    ),
    Summary(
        "match_wins",
        "game, dataset, is_pair, player_name, player_kind, partner_name, partner_kind",
        """select match_id as unit, game, dataset, is_pair, player_name, player_kind, partner_name,
        partner_kind, is_won as win_rate from steps.int_match_sides where is_over""",
        {"matches": "win_rate"},
    ),
    Summary(
        "bids_by_strength",
        "game, dataset, strength, longest_suit",
        f"""select {UNIT}, game, dataset, strength, longest_suit, has_bid as bid_rate, made as made_rate,
        if(is_declarer, lead, null) as mean_lead_declaring, if(has_bid, null, lead) as mean_lead_passing
        from steps.int_bidding_hands""",
        {"hands": "bid_rate, made_rate, mean_lead_declaring, mean_lead_passing"},
    ),
    Summary(
        "five_card_draw_betting",
        "dataset, player_name",
        f"""select {UNIT}, dataset, player_name, action = 'raise' as raise_rate, raised_by as mean_raise,
        if(raises_before > 0, action = 'fold', null) as fold_to_raise_rate,
        if(action = 'raise' and is_after_draw and known_from_deal, category = 'high card', null) as bluff_rate
        from five_card_draw_bets where hand_status = 'complete'""",
        {"acts": "raise_rate, mean_raise, fold_to_raise_rate, bluff_rate"},
    ),
    Summary(
        "five_card_draw_bets_by_strength",
        "dataset, is_after_draw, is_raised, category",
        f"""select {UNIT}, dataset, is_after_draw, raises_before > 0 as is_raised, category,
        action = 'fold' as fold_rate, action = 'raise' as raise_rate, raised_by as mean_raise
        from five_card_draw_bets
        where hand_status = 'complete' and known_from_deal and category is not null""",
        {"acts": "fold_rate, raise_rate, mean_raise"},
    ),
    Summary(
        "five_card_draw_categories",
        "dataset, category",
        f"""select {UNIT}, dataset, category_after as category, net > 0 as win_rate, net as mean_net
        from five_card_draw_players
        where hand_status = 'complete' and known_from_deal and category_after is not null""",
        {"hands_known": "win_rate, mean_net"},
    ),
    Summary(
        "five_card_draw_starting_hands",
        "dataset, category",
        f"""select {UNIT}, dataset, category_before as category, raises > 0 as raise_rate,
        folded as fold_rate, net > 0 as win_rate, net as mean_net
        from five_card_draw_players where hand_status = 'complete' and category_before is not null""",
        {"hands": "raise_rate, fold_rate, win_rate, mean_net"},
    ),
    Summary(
        "pinochle_melds_by_kind",
        "dataset, meld",
        f"""with shown as (
            select {UNIT}, hand_id, dataset, unnest(range(seats_shown)) as seat
            from steps.int_pinochle_hands where status = 'complete'
        ), kinds as (select distinct meld from steps.int_pinochle_melds),
        found as (select hand_id, meld, count(*) as seats from steps.int_pinochle_melds group by all)
        select unit, dataset, meld, seat < coalesce(seats, 0) as seats_rate
        from shown cross join kinds left join found using (hand_id, meld)""",
        {"seats_shown": "seats_rate"},
    ),
]


class Population(NamedTuple):
    """A group of a mart and one of its figures: the rows and sums of each unit, and the least and most."""

    figure: str
    counts: NDArray[np.int64]
    totals: NDArray[np.float64]
    bounds: tuple[float, float]


def populations(marts: Marts, summary: Summary) -> Iterator[Population]:
    """The groups with the most units, of those whose rows are not all equal. Samples are drawn of them as
    from all that could be played."""
    rows = rows_of(marts, summary.rows)
    keys = names_of(summary.keys)
    for name in names_of(", ".join(summary.counts.values())):
        groups: dict[tuple[Any, ...], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            if row[name] is not None:
                groups[tuple(row[key] for key in keys)][row["unit"]].append(float(row[name]))
        differing = [
            units for units in groups.values() if len({one for unit in units.values() for one in unit}) > 1
        ]
        largest = sorted(differing, key=len, reverse=True)[:MOST_GROUPS]
        is_rate = any(isinstance(row[name], bool) for row in rows)
        for units in largest:
            values = [value for unit in units.values() for value in unit]
            if len(units) < FEWEST_UNITS:
                continue
            yield Population(
                name,
                np.array([len(unit) for unit in units.values()]),
                np.array([sum(unit) for unit in units.values()]),
                (0, 1) if is_rate else (min(values), max(values)),
            )


def covered(population: Population, size: int, random: np.random.Generator) -> tuple[int, int]:
    """In how many samples of so many units the interval has the true figure, and how many have one."""
    drawn = random.integers(len(population.counts), size=(SAMPLES, size))
    table = pa.table(
        {
            "sample": np.repeat(np.arange(SAMPLES), size),
            "x_n": population.counts[drawn].ravel(),
            "x_total": population.totals[drawn].ravel(),
            "x_least": np.full(SAMPLES * size, population.bounds[0]),
            "x_most": np.full(SAMPLES * size, population.bounds[1]),
        }
    )
    macros, functions = (
        cast(Any, jinja2.Environment().from_string((MACROS / name).read_text()).module)
        for name in ("intervals.sql", "functions.sql")
    )
    columns = macros.mean("x") if population.figure in UNBOUNDED else macros.bounded_mean("x", "true")
    truth = float(population.totals.sum() / population.counts.sum())
    with duckdb.connect() as connection:
        connection.execute(functions.create_functions())
        connection.register("units", table)
        [found] = connection.execute(
            f"select count(*) filter (where x_low <= {truth!r} and {truth!r} <= x_high), count(x_low) "
            f"from (select sample, {columns} from units group by sample)"
        ).fetchall()
    return found


FALL_SHORT = {
    "costs_by_contract": "of 5, 10, 20, 50 units 86, 91, 95, 95: few hands of a contract were analysed here",
    "player_costs": "91, 94, 94, 95: of 5 units costly_rate has 80",
    "five_card_draw_bets_by_strength": "80, 93, 91, 92 of a hundred: mean_raise has 73, 84, "
    "83, 88, of chips, a few raises being many times the others; its rates have 94 to 100",
    "five_card_draw_categories": "90, 95, 94, 95 of a hundred: of 5 units 67 intervals only",
}
"""Marts whose intervals have the true figure less often, with how often of 5, 10, 20 and 50 units."""


def cases() -> Iterator[Any]:
    for summary in [*SUMMARIES, *OTHERS]:
        reason = FALL_SHORT.get(summary.mart)
        marks = [pytest.mark.xfail(reason=reason, raises=AssertionError, strict=False)] if reason else []
        yield pytest.param(summary, id=summary.mart, marks=marks)


@pytest.mark.parametrize("summary", list(cases()))
def test_intervals_have_the_true_figure_as_often_as_they_say(
    summary: Summary, logged: Marts, played: Marts
) -> None:
    """Of 50 units 93 to 97 of a hundred, taken over the largest groups and all figures of a mart. Of 5, 10 or
    20 at least 93, and up to 100: a rare outcome is hardly ever seen there, and so taken to be possible.
    Samples of effectively fewer than five have no interval and are not counted."""
    random = np.random.default_rng(23)
    hits: dict[int, int] = defaultdict(int)
    samples: dict[int, int] = defaultdict(int)
    for marts in (logged, played):
        if "kaiser" in summary.mart and marts is played:
            continue
        for population in populations(marts, summary):
            for size in SIZES:
                hit, known = covered(population, size, random)
                hits[size] += hit
                samples[size] += known
    assert sum(samples.values()) > 0
    shares = {size: round(100 * hits[size] / samples[size], 1) for size in SIZES if samples[size]}
    assert all(share >= 93 for share in shares.values()), shares
    assert all(share <= 97 for size, share in shares.items() if size >= 50), shares
