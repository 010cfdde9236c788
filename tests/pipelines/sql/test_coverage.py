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
}
"""Marts whose intervals have the true figure less often, with how often of 5, 10, 20 and 50 units."""


def cases() -> Iterator[Any]:
    for summary in SUMMARIES:
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
