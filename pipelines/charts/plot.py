"""What is drawn: points with their intervals, the sentence that they prove, and the Altair chart of them."""

import datetime
import itertools
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final

from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.text.visible import shown

if TYPE_CHECKING:
    import altair as alt

MOST_POINTS: Final = 2_000
MOST_LABEL: Final = 24
MOST_LABELS: Final = 20
MOST_MARKED: Final = 60
"""Points on a line; with more of them it is only a line."""
LOW: Final = "_low"
HIGH: Final = "_high"
"""Endings of the columns that hold the interval of another one."""
WIDTH: Final = 420
HEIGHT: Final = 250
_Z: Final = NormalDist().inv_cdf(0.975)

Table = tuple[list[str], list[tuple[Any, ...]]]
"""Names of columns, and rows."""


class NoPlot(QueryError):
    """A result that can't be drawn; the text is for the user."""


@dataclass(frozen=True)
class Plot:
    """A chart.

    kind
        ``line``, ``bars`` or ``dots``.
    x
        Numbers, days and times in ISO 8601 if `is_time`, or labels; labels are all different.
    series
        The values of each, None where there is none.
    intervals
        The low and the high ends for the values of some series.
    percent
        Whether values are shares.
    """

    title: str
    kind: str
    x: list[Any]
    series: dict[str, list[Any]]
    x_label: str
    y_label: str = ""
    intervals: dict[str, tuple[list[Any], list[Any]]] = field(default_factory=dict)
    percent: bool = False
    says: str = ""
    is_time: bool = False

    @property
    def is_labelled(self) -> bool:
        """Whether x are labels, in their order, instead of numbers or times to scale."""
        return self.kind == "bars" or (not self.is_time and any(isinstance(value, str) for value in self.x))

    def columns(self, name: str) -> list[list[Any]]:
        """The values of a series, and the ends of their intervals if they have any."""
        return [self.series[name], *self.intervals.get(name, ())]

    def number(self, value: float | None) -> str:
        """A value as text."""
        if value is None:
            return ""
        if self.percent:
            return f"{100 * value:.1f} %"
        return f"{value:,d}" if isinstance(value, int) else f"{value:.4g}"

    def sentence(self) -> str:
        """What the chart proves of its first series."""
        name, values = next(iter(self.series.items()))
        known = [row for row, value in enumerate(values) if value is not None]
        high, low = (most(known, key=values.__getitem__) for most in (max, min))
        if values[high] == values[low]:
            return f"{name} is {self.number(values[high])} throughout."
        ends = [f"{self.number(values[row])} at {self.x_label} {self.x[row]}" for row in (high, low)]
        said = f"{name}: the most is {ends[0]}, the least {ends[1]}"
        lows, highs = self.intervals.get(name, (values, values))
        if name not in self.intervals or lows[high] is None or highs[low] is None:
            return f"{said}."
        differ = "don't overlap" if lows[high] > highs[low] else "overlap, so the order may be chance"
        return f"{said}; their intervals of 95 % {differ}."

    def points(self) -> list[dict[str, Any]]:
        """A row for each value: `x`, `series`, `value`, its interval from `low` to `high`, and `text`."""
        found = []
        nothing = [None] * len(self.x)
        for name, values in self.series.items():
            lows, highs = self.intervals.get(name, (nothing, nothing))
            for x, value, low, high in zip(self.x, values, lows, highs, strict=True):
                text = f"{name}, {self.x_label} {x}: {self.number(value)}"
                if low is not None:
                    text += f", from {self.number(low)} to {self.number(high)}"
                point = {"x": x, "series": name, "value": value, "low": low, "high": high, "text": text}
                found.append(point)
        return found

    def altair(self) -> "alt.LayerChart":
        """The chart for Altair, with the title and the sentence."""
        import altair as alt

        from cardlog.pipelines.charts.shown import ShownChart

        bars, several = self.kind == "bars", len(self.series) > 1
        legend = alt.Legend(orient="top", title=None) if several else None
        encoded: dict[str, Any] = {"x": self._x_axis(), "detail": "series:N"}
        colour = alt.Color("series:N", scale=alt.Scale(domain=list(self.series)), legend=legend)
        if bars and several:
            encoded["xOffset"] = alt.XOffset("series:N", scale=alt.Scale(domain=list(self.series)))
        title = self.y_label or ("" if several else next(iter(self.series)))
        axis = alt.Axis(format=".0%") if self.percent else alt.Axis()
        value = alt.Y("value:Q", title=title, axis=axis, scale=alt.Scale(zero=bars))
        data: Any = {"values": self.points()}
        base = alt.Chart(data)
        marks = {
            "line": base.mark_line(point={"size": 60} if len(self.x) <= MOST_MARKED else False),
            "bars": base.mark_bar(),
            "dots": base.mark_point(filled=True, size=60),
        }[self.kind]
        layers = [marks.encode(y=value, color=colour, description="text:N", tooltip="text:N", **encoded)]
        if self.intervals:
            ends = base.transform_filter("datum.low != null").mark_errorbar(ticks=alt.MarkConfig(size=8))
            encoded |= {"y": alt.Y("low:Q", title=title), "y2": "high:Q"}
            layers.append(ends.encode(**encoded) if bars else ends.encode(color=colour, **encoded))
        texts = alt.Title(self.title, subtitle=[text for text in (self.says, self.sentence()) if text])
        return ShownChart(layer=layers, title=texts, width=WIDTH, height=HEIGHT)

    def _x_axis(self) -> "alt.X":
        import altair as alt

        title = self.x_label or None
        if self.is_labelled:
            few = sum(len(str(value)) + 1 for value in self.x) < WIDTH // 8
            shown = self.x[:: math.ceil(len(self.x) / MOST_LABELS)]
            axis = alt.Axis(values=shown, labelAngle=0 if few else -40, labelLimit=110, grid=False)
            return alt.X("x:N", title=title, axis=axis, scale=alt.Scale(domain=self.x))
        if self.is_time:
            return alt.X("x:T", title=title, scale=alt.Scale(type="utc"))
        few = len(self.x) <= MOST_LABELS and all(isinstance(value, int) for value in self.x)
        axis = alt.Axis(values=self.x, format=",d", labelOverlap=True) if few else alt.Axis()
        return alt.X("x:Q", title=title, axis=axis, scale=alt.Scale(zero=False, nice=False, padding=12))


def of_rows(names: list[str], rows: list[tuple[Any, ...]]) -> Plot:
    """A chart of a result: labels or x in its first column, numbers in the others; columns named ``…_low``
    and ``…_high`` are the interval of another one. If the second column has labels, each of them is a series
    of the third. Raises NoPlot."""
    rows = rows[:MOST_POINTS]
    if len(names) > 2 and rows and all(isinstance(row[1], str) for row in rows):
        names, rows = _spread(names, rows)
    columns = {name: [_number(row[index]) for row in rows] for index, name in enumerate(names) if index}
    numeric = {
        name: values for name, values in columns.items() if _NOT not in values and set(values) != {None}
    }
    ends = {
        name: (numeric[name + LOW], numeric[name + HIGH])
        for name in numeric
        if name + LOW in numeric and name + HIGH in numeric
    }
    inner = {name + end for name in ends for end in (LOW, HIGH)}
    named = [name for name in numeric if name not in inner]
    titles = dict(zip(named, _different(map(shown, named)), strict=True))
    series = {title: numeric[name] for name, title in titles.items()}
    if not rows or not series:
        raise NoPlot("A chart needs a first column of labels and at least one more column of numbers.")
    x = [_number(row[0]) for row in rows]
    is_time = all(isinstance(row[0], datetime.date) for row in rows)
    if is_time:
        x, kind = [row[0].isoformat() for row in rows], "line"
    elif _NOT in x or None in x:
        x = _different("" if row[0] is None else shown(str(row[0]), MOST_LABEL) for row in rows)
        kind = "bars"
    else:
        kind = "line" if len(set(x)) == len(x) and x == sorted(x) else "dots"
    title = shown(names[0])
    intervals = {titles[name]: ends[name] for name in ends}
    return Plot(title, kind, x, series, title, intervals=intervals, is_time=is_time)


def _spread(names: list[str], rows: list[tuple[Any, ...]]) -> Table:
    """A table with a row for each value of the first column, and a column for each label of the second, with
    the values of the third and the ends of their intervals. Raises NoPlot if a pair of labels is there
    twice."""
    parts = {"": 2} | {end: names.index(names[2] + end) for end in (LOW, HIGH) if names[2] + end in names}
    cells = {(row[0], row[1], end): row[column] for row in rows for end, column in parts.items()}
    if len(cells) < len(rows) * len(parts):
        raise NoPlot(f"A chart needs one row for each {names[0]} and {names[1]}; there are several.")
    firsts, labels = dict.fromkeys(row[0] for row in rows), dict.fromkeys(row[1] for row in rows)
    columns = [(label, end) for label in labels for end in parts]
    spread = [(first, *(cells.get((first, *column)) for column in columns)) for first in firsts]
    return [names[0], *map("".join, columns)], spread


def with_share(names: list[str], rows: list[tuple[Any, ...]]) -> Table:
    """A table of labels, counts and how many there were, as one of labels, shares and their 95 % intervals by
    Wilson's formula, of independent rows."""
    label, name, _ = names
    shares = [(row[0], *_wilson(float(row[1]), float(row[2]))) for row in rows]
    return [label, name, name + LOW, name + HIGH], shares


def _wilson(hits: float, rows: float) -> tuple[float, float, float] | tuple[None, None, None]:
    """A share and its interval; nothing of no rows."""
    if not rows:
        return None, None, None
    half = _Z * math.sqrt(hits * (rows - hits) / rows + _Z**2 / 4)
    middle, whole = hits + _Z**2 / 2, rows + _Z**2
    return hits / rows, max((middle - half) / whole, 0), min((middle + half) / whole, 1)


_NOT: Final = object()


def _number(value: Any) -> Any:
    """A number as JSON has it, None for null, or a mark that it is none."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        return _NOT
    number = float(value)
    if not math.isfinite(number):
        return None
    return int(value) if number.is_integer() and abs(number) < 2**53 else number


def _different(labels: Iterable[str]) -> list[str]:
    """The labels, with a number where one comes again."""
    found: list[str] = []
    for label in labels:
        names = itertools.chain([label], (f"{label} ({count})" for count in itertools.count(2)))
        found.append(next(name for name in names if name not in found))
    return found
