"""Charts of a query's rows in characters, without colours: bars by rich, lines by plotext.

The first column holds labels or x; every other column of numbers is a series. Labels and names are untrusted,
so they are escaped first.
"""

import datetime
import decimal
import io
import math
from enum import StrEnum
from typing import IO, Any, Final, NamedTuple

from rich.bar import Bar
from rich.table import Table
from rich.text import Text

from cardlog.pipelines.screen import SafeConsole, console_for
from cardlog.pipelines.visible import encodable, one_line
from cardlog.schemas.errors import CardlogError

WIDTH: Final = 80
"""Characters of a chart where there is no terminal."""
HEIGHT: Final = 18
MARKS: Final = "*o+x#@%&"
"""A character for each series of a line chart."""
NARROWEST: Final = 40
LONGEST_NUMBER: Final = 14
LABEL_SHARE: Final = 3
"""Labels take at most 1/3 of the width."""


class Chart(StrEnum):
    """Kinds of charts."""

    bar = "bar"
    line = "line"


class ChartError(CardlogError):
    """A result can't be drawn; the text is for the user."""


class Series(NamedTuple):
    """A column of numbers; None and values that are not finite are gaps."""

    name: str
    values: list[float | None]
    texts: list[str]


def drawn(
    kind: Chart, names: list[str], rows: list[tuple[Any, ...]], texts: list[list[str]], out: IO[str]
) -> tuple[str, list[str]]:
    """A chart of some rows as wide as an output, and the names of columns that have no numbers.

    texts
        The values as a table shows them.

    Raises ChartError if there is nothing to draw, or too much.
    """
    encoding = getattr(out, "encoding", None)
    width = max(console_for(out).width if out.isatty() else WIDTH, NARROWEST)
    [names, *texts] = [[encodable(one_line(text), encoding) for text in row] for row in [names, *texts]]
    series, left_out = [], []
    for index, name in enumerate(names[1:], 1):
        values = [row[index] for row in rows]
        if all(value is None or _is_number(value) for value in values) and any(map(_is_number, values)):
            series.append(Series(name, list(map(_finite, values)), [row[index] for row in texts]))
        else:
            left_out.append(name)
    if not any(value is not None for column in series for value in column.values):
        has = ", ".join(names) if len(names) > 1 else f"only {names[0]}"
        raise ChartError(
            "a chart needs a first column of labels and at least one more column of numbers; "
            f"this result has {has}"
        )
    labels = [row[0] for row in texts]
    if kind is Chart.bar:
        return _bars(labels, series, width), left_out
    return _lines(labels, [_position(row[0]) for row in rows], series, width), left_out


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, decimal.Decimal)) and not isinstance(value, bool)


def _finite(value: Any) -> float | None:
    try:
        found = math.nan if value is None else float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _position(value: Any) -> float | None:
    """Where a value of the first column is on an axis; None if it is a label."""
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.replace(tzinfo=datetime.UTC)).timestamp()
    if isinstance(value, datetime.date):
        return float(value.toordinal())
    return _finite(value) if _is_number(value) else None


def _extent(series: list[Series]) -> tuple[float, float]:
    values = [value for column in series for value in column.values if value is not None]
    return min(values), max(values)


def _bars(labels: list[str], series: list[Series], width: int) -> str:
    """A bar for each row and series, all from one zero line."""
    low, high = _extent(series)
    unit = max(abs(low), abs(high)) or 1.0  # so that differences of huge numbers are finite
    low, high = min(low, 0.0) / unit, max(high, 0.0) / unit
    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    for _ in ("label", "series")[: len(series)]:
        table.add_column(no_wrap=True, overflow="crop", max_width=width // LABEL_SHARE // min(len(series), 2))
    table.add_column(no_wrap=True, overflow="crop", justify="right")
    table.add_column(ratio=1)
    for row, label in enumerate(labels):
        for order, column in enumerate(series):
            value, text = column.values[row], column.texts[row]
            if value is not None and len(text) > LONGEST_NUMBER:
                text = f"{value:.4g}"
            length = (value or 0.0) / unit
            bar = Bar(high - low, min(length, 0.0) - low, max(length, 0.0) - low)
            titles = [Text("" if order else label), Text(column.name)][: len(series)]
            table.add_row(*titles, Text(text), bar)
    out = io.StringIO()
    SafeConsole(file=out, width=width, color_system=None, emoji=False).print(table)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _lines(labels: list[str], positions: list[float | None], series: list[Series], width: int) -> str:
    """The series as lines over one x-axis, in proportion if x is numbers or times."""
    import plotext

    if len(series) > len(MARKS):
        raise ChartError(
            f"{len(series)} lines can't be told apart, only {len(MARKS)}; --columns chooses some"
        )
    low, high = _extent(series)
    if not math.isfinite(high - low):
        raise ChartError("the numbers are too far apart for a chart")
    x = [float(row) if None in positions else position or 0.0 for row, position in enumerate(positions)]
    order = sorted(range(len(x)), key=x.__getitem__)
    figure = plotext.figure
    figure.clear()
    figure.theme("colorless").plot_size(width, HEIGHT)
    figure.axes(False, axis="x", side="upper").axes(False, axis="y", side="right")
    for mark, column in zip(MARKS, series, strict=False):
        points = [(x[row], value) for row in order if (value := column.values[row]) is not None]
        if points:
            figure.draw(figure.signal(*map(list, zip(*points, strict=True)), marker=mark).lines(True))
    ends = [order[0], order[-1]][: len(labels)]
    short = [labels[row][: width // LABEL_SHARE] or "-" for row in ends]
    figure.ruler("x").ticks([x[row] for row in ends], short)
    named = "   ".join(f"{mark} {column.name}" for mark, column in zip(MARKS, series, strict=False))
    text = figure.build().string(colorless=True).splitlines() + ([named[:width]] if len(series) > 1 else [])
    return "".join(f"{line.rstrip()}\n" for line in text if line.strip())
