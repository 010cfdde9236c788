"""The charts of the marts, where a chart says it better than a table.

The dbt project, and those of packages, have a file of them for each game in their folder ``charts``: tables
with the fields of `Chart`, by name. Those in ``shared.toml`` are of the games of two sides with a solver,
those in ``every.toml`` of all.

Rows of several data sets are drawn one data set at a time, as in the marts themselves.
"""

import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from cardlog.models import GAMES
from cardlog.pipelines.charts.plot import NoPlot, Plot, Table, of_rows, with_share
from cardlog.pipelines.sql import process
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.sql.dbt_cache import MARTS
from cardlog.pipelines.sql.tables import quoted
from cardlog.pipelines.sql.warehouse import DBT_PROJECT
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import shown

DATASETS: Final = "select game, dataset from hands_per_day group by all order by sum(hands) desc, dataset"
"""The data sets that have hands of a game, those with most first; from the mart `hands_per_day`."""


@dataclass(frozen=True)
class Chart:
    """A chart of a mart.

    name
        What it is called in Python.
    sql
        Labels or x first, then numbers; ``{data}`` is the condition for the data set.
    says
        What the numbers are.
    share
        Whether the numbers are hits and rows; their share is drawn, with its interval.
    kind
        None: what suits the first column.
    made_by
        The command without which its mart has no rows.
    """

    name: str
    game: str
    mart: str
    title: str
    sql: str
    says: str
    percent: bool = False
    kind: str | None = None
    share: bool = False
    made_by: str = ""

    def query(self, dataset: str) -> str:
        """The query that the chart is drawn from."""
        return self.sql.replace("{mart}", self.mart).replace("{data}", f"dataset = {quoted(dataset)}")

    def plot(self, found: Table) -> Plot:
        """What is drawn of the answer to its query. Raises NoPlot."""
        if self.made_by and not found[1]:
            raise NoPlot(f"'cardlog {self.made_by}' and then 'cardlog build' make what it shows.")
        drawn = of_rows(*(with_share(*found) if self.share else found))
        return replace(
            drawn,
            title=self.title,
            says=self.says,
            percent=self.percent,
            kind=self.kind or drawn.kind,
            x_label=drawn.x_label.replace("_", " "),
            series={name.replace("_", " "): values for name, values in drawn.series.items()},
            intervals={name.replace("_", " "): ends for name, ends in drawn.intervals.items()},
        )


@cache
def charts() -> list[Chart]:
    """All charts, game by game."""
    found = []
    for name, game in GAMES.items():
        for folder in (DBT_PROJECT, *MARTS.values()):
            found += _read(folder / "charts" / f"{name}.toml", name)
        found += _read(DBT_PROJECT / "charts" / "every.toml", name, f"{name}_")
        if game.solvable and game.has_teams:
            found += _read(DBT_PROJECT / "charts" / "shared.toml", name, f"{name}_")
    return found


def _read(file: Path, game: str, prefix: str = "") -> list[Chart]:
    if not file.is_file():
        return []
    tables = tomllib.loads(file.read_text("utf-8"))
    for name, fields in tables.items():
        for text in ("sql", "says"):
            fields[text] = " ".join(fields[text].replace("{game}", game).split())
        fields.setdefault("mart", name)
    return [Chart(prefix + name, game, **fields) for name, fields in tables.items()]


def plot_of(store: Store, name: str, dataset: str | None = None) -> Plot:
    """The chart of this name, of a data set (default: the one with the most hands). Raises QueryError."""
    chart = next((chart for chart in charts() if chart.name == name), None)
    if chart is None:
        raise QueryError(f"there is no chart {shown(name)}; there are: {', '.join(c.name for c in charts())}")
    with process.connect(store, {chart.mart, "hands_per_day"}) as connection:
        datasets = [found for game, found in connection.run(DATASETS).fetchall() if game == chart.game]
        if dataset not in (None, *datasets):
            raise QueryError(
                f"there are no hands of {chart.game} in a data set {shown(dataset)}; "
                f"there are: {', '.join(map(shown, datasets))}"
            )
        answer = connection.run(chart.query(dataset or next(iter(datasets), "")))
        return chart.plot((answer.names, answer.fetchall()))
