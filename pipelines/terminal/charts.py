"""Charts of a query's rows in characters: bars and lines, without colours.

The first column holds labels or x; every other column of numbers is a series. Labels and names are untrusted,
so they are escaped first.
"""

import datetime
import decimal
import math
from enum import StrEnum
from typing import Any, Final, NamedTuple

from rich.cells import cell_len, set_cell_size

from cardlog.pipelines.visible import encodable, one_line
from cardlog.schemas.errors import CardlogError

MARKS: Final = "*o+x#@%&"
"""A character for each series of a line chart."""
LINE_HEIGHT: Final = 16
"""Rows of the area in which lines are drawn."""
NARROWEST: Final = 10
"""Characters left for bars or lines, however narrow the terminal."""
LONGEST_NUMBER: Final = 14
LABEL_SHARE: Final = 3
"""Labels take at most 1/3 of the width."""
SHORTEST_LABEL: Final = 4
_EIGHTHS: Final = " ▏▎▍▌▋▊▉█"


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


class Drawn(NamedTuple):
    """What is drawn.

    labels
        The first column as text.
    x
        The first column as numbers, if it has numbers or times; otherwise None.
    left_out
        Columns that have no numbers.
    """

    labels: list[str]
    x: list[float] | None
    series: list[Series]
    left_out: list[str]


def drawn(names: list[str], rows: list[tuple[Any, ...]], texts: list[list[str]], encoding: str) -> Drawn:
    """What of some rows can be drawn. Raises ChartError if it is nothing.

    texts
        The values as a table shows them.
    """
    shown = [[encodable(one_line(text), encoding) for text in row] for row in [names, *texts]]
    series, left_out = [], []
    for index, name in enumerate(shown[0][1:], 1):
        values = [row[index] for row in rows]
        if any(map(_is_number, values)) and all(value is None or _is_number(value) for value in values):
            numbers = list(map(_finite, values))
            short = [
                f"{value:.4g}" if value is not None and len(row[index]) > LONGEST_NUMBER else row[index]
                for row, value in zip(shown[1:], numbers, strict=True)
            ]
            series.append(Series(name, numbers, short))
        else:
            left_out.append(name)
    if not any(value is not None for column in series for value in column.values):
        has = ", ".join(shown[0]) if len(names) > 1 else f"only {shown[0][0]}"
        raise ChartError(
            "a chart needs a first column of labels and at least one more column of numbers; "
            f"this result has {has}"
        )
    first = [_position(row[0]) for row in rows]
    x = None if None in first else [value for value in first if value is not None]
    return Drawn([row[0] for row in shown[1:]], x, series, left_out)


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


def _is_ascii(encoding: str) -> bool:
    return not "█".encode(encoding, "ignore")


def _fit(text: str, width: int, encoding: str) -> str:
    """A text of exactly that width, cut if it is longer."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    mark = encodable("…", encoding)
    return set_cell_size(text, width - len(mark)) + mark


# ---------------------------------------------------------------- bars


def bars(found: Drawn, width: int, encoding: str) -> list[str]:
    """A bar for each row and series, all from one zero line. Returns the lines."""
    values = [value for column in found.series for value in column.values if value is not None]
    low, high = min(0.0, *values), max(0.0, *values)
    several = len(found.series) > 1
    most = width // LABEL_SHARE
    name = min(most // 2, max(cell_len(column.name) for column in found.series)) + 2 if several else 0
    number = max(cell_len(text) for column in found.series for text in column.texts)
    most = max(SHORTEST_LABEL, min(most, width - name - number - 4 - NARROWEST))
    label = min(most, max(map(cell_len, found.labels)))
    room = max(NARROWEST, width - label - name - number - 4)
    lines = []
    for index, text in enumerate(found.labels):
        for order, column in enumerate(found.series):
            parts = [_fit(text if not order else "", label, encoding)]
            if several:
                parts.append(_fit(column.name, name - 2, encoding))
            value = column.values[index]
            bar = " " * room if value is None else _bar(value, (low, high), room, _is_ascii(encoding))
            shown = column.texts[index]
            parts += [" " * (number - cell_len(shown)) + shown, bar]
            lines.append("  ".join(parts).rstrip())
    return lines


def _bar(value: float, scale: tuple[float, float], room: int, ascii_only: bool) -> str:
    """A bar from the zero line to a value: to the right, or to the left if it is negative."""
    low, high = scale
    zero = min(max(round(_share(0.0, low, high) * room), low < 0), room - (high > 0))
    if value < 0:
        length = min(zero, max(1, round(_share(value, 0.0, low) * zero)))
        return " " * (zero - length) + ("#" if ascii_only else "█") * length
    eighths = round(_share(value, 0.0, high) * (room - zero) * 8)
    if value > 0:
        eighths = max(1, eighths)
    if ascii_only:
        return " " * zero + "#" * max(round(eighths / 8), value > 0)
    return " " * zero + "█" * (eighths // 8) + _EIGHTHS[eighths % 8].strip()


def _share(value: float, low: float, high: float) -> float:
    """Where a value is between two others, 0 to 1. The halves keep the difference of huge ones finite."""
    return (value / 2 - low / 2) / (high / 2 - low / 2) if high != low else 0.0


# ---------------------------------------------------------------- lines


def lines(found: Drawn, width: int, encoding: str) -> list[str]:
    """The series as lines over one x-axis, in proportion if x is numbers or times. Raises ChartError if there
    are too many to tell apart. Returns the lines of text."""
    if len(found.series) > len(MARKS):
        raise ChartError(
            f"{len(found.series)} lines can't be told apart, only {len(MARKS)}; --columns chooses some"
        )
    values = [value for column in found.series for value in column.values if value is not None]
    low, high = min(values), max(values)
    if low == high:
        low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
    scale = [_tick(low + (high - low) * step / (LINE_HEIGHT - 1), high - low) for step in range(LINE_HEIGHT)]
    axis = max(map(len, scale[::5]))
    room = max(NARROWEST, width - axis - 2)
    grid = [[" "] * room for _ in range(LINE_HEIGHT)]
    at = _columns(found, room)
    for mark, column in zip(MARKS, found.series, strict=False):
        points = sorted((x, value) for x, value in zip(at, column.values, strict=True) if value is not None)
        heights = [(x, round(_share(value, low, high) * (LINE_HEIGHT - 1))) for x, value in points]
        _draw(grid, heights, mark)
    ascii_only = _is_ascii(encoding)
    side, tick, corner, floor = ("|", "+", "+", "-") if ascii_only else ("│", "┤", "└", "─")
    text = []
    for row in reversed(range(LINE_HEIGHT)):
        number = scale[row] if row % 5 == 0 else ""
        text.append(f"{number:>{axis}} {tick if number else side}{''.join(grid[row])}".rstrip())
    text.append(f"{'':{axis}} {corner}{floor * room}")
    text.append(" " * (axis + 2) + _ends(found, room, encoding))
    if len(found.series) > 1:
        named = (f"{mark} {column.name}" for mark, column in zip(MARKS, found.series, strict=False))
        text.append(_fit(" " * (axis + 2) + "   ".join(named), width, encoding))
    return [line.rstrip() for line in text]


def _tick(value: float, extent: float) -> str:
    """A number beside the axis, with as many digits as tell neighbours apart."""
    digits = max(0, 1 - math.floor(math.log10(extent))) if 0 < extent < 1e9 else 0
    return f"{value:,.{digits}f}" if abs(value) < 1e9 and digits < 7 else f"{value:.4g}"


def _columns(found: Drawn, room: int) -> list[int]:
    """The column of the grid of each row."""
    x = found.x if found.x is not None else list(map(float, range(len(found.labels))))
    low, high = min(x), max(x)
    return [round(_share(value, low, high) * (room - 1)) for value in x]


def _draw(grid: list[list[str]], points: list[tuple[int, int]], mark: str) -> None:
    """Draw straight lines from point to point into a grid of rows."""
    for (x, y), (next_x, next_y) in zip(points, [*points[1:], points[-1]] if points else [], strict=True):
        steps = max(next_x - x, abs(next_y - y), 1)
        for step in range(steps + 1):
            share = step / steps
            grid[round(y + (next_y - y) * share)][round(x + (next_x - x) * share)] = mark


def _ends(found: Drawn, room: int, encoding: str) -> str:
    """The first and the last label of the x-axis."""
    order = (
        range(len(found.labels)) if found.x is None else sorted(range(len(found.x)), key=found.x.__getitem__)
    )
    first, last = (found.labels[order[end]] for end in (0, -1))
    most = room // 2 - 1
    first, last = (_fit(text, min(most, cell_len(text)), encoding) for text in (first, last))
    if len(found.labels) == 1:
        return first
    return first + " " * (room - cell_len(first) - cell_len(last)) + last
