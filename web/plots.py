"""Charts as plain values: a page's script draws them with uPlot, and a table beside each has the numbers."""

import datetime
import math
from decimal import Decimal
from statistics import NormalDist
from typing import Any, Final

from cardlog.web.names import shown

MOST_POINTS: Final = 2_000
LOW: Final = "_low"
HIGH: Final = "_high"
"""Endings of the columns that hold the interval of another one."""
_Z: Final = NormalDist().inv_cdf(0.975)

Table = tuple[list[str], list[tuple[Any, ...]]]
"""Names of columns, and rows."""


class NoPlot(Exception):
    """A result that can't be drawn; the text is for the user."""


def plot(title: str, kind: str, x: list[Any], series: dict[str, list[Any]], **more: Any) -> dict[str, Any]:
    """A chart.

    kind
        ``line``, ``bars`` or ``dots``.
    x
        Numbers, or labels.
    series
        The values of each, None where there is none.
    more
        ``x_label``, ``y_label``; ``percent``, whether values are shares; ``intervals``, the low and high end
        of the values of a series.
    """
    labels = None if all(isinstance(value, (int, float)) for value in x) else [shown(v, 24) for v in x]
    return {
        "title": shown(title, 100),
        "kind": kind,
        "x": list(range(len(x))) if labels else x,
        "labels": labels,
        "series": [{"name": shown(name), "values": values} for name, values in series.items()],
        "intervals": {shown(name): ends for name, ends in more.pop("intervals", {}).items()},
        "percent": False,
        "x_label": "",
        "y_label": "",
        **more,
    }


def of_rows(names: list[str], rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    """A chart of a result: labels or x in its first column, numbers in the others; columns named ``…_low``
    and ``…_high`` are the interval of another one. Raises NoPlot."""
    rows = rows[:MOST_POINTS]
    columns = {name: [_number(row[index]) for row in rows] for index, name in enumerate(names) if index}
    numeric = {name: values for name, values in columns.items() if _is_numeric(values)}
    ends = {
        name: (numeric[name + LOW], numeric[name + HIGH])
        for name in numeric
        if name + LOW in numeric and name + HIGH in numeric
    }
    inner = {name + end for name in ends for end in (LOW, HIGH)}
    series = {
        name: [None if value is _NOT else value for value in values]
        for name, values in numeric.items()
        if name not in inner
    }
    if not rows or not series:
        raise NoPlot("A chart needs a first column of labels and at least one more column of numbers.")
    x = [_number(row[0]) for row in rows]
    if _NOT in x or None in x:
        x = ["" if row[0] is None else _label(row[0]) for row in rows]
        kind = (
            "line" if all(isinstance(row[0], (datetime.date, datetime.datetime)) for row in rows) else "bars"
        )
    else:
        kind = "line" if len(set(x)) == len(x) and x == sorted(x) else "dots"
    kept = {name: ([*low], [*high]) for name, (low, high) in ends.items()}
    return plot(names[0], kind, x, series, x_label=shown(names[0]), intervals=kept)


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


def _is_numeric(values: list[Any]) -> bool:
    return _NOT not in values and any(value is not None for value in values)


def _label(value: Any) -> str:
    return value.isoformat()[:19] if isinstance(value, (datetime.date, datetime.datetime)) else str(value)
