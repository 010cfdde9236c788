"""Charts: what is drawn of a result, in UTF-8 and in ASCII, within the width of the terminal."""

import datetime
import decimal
import math
import random
import re
from typing import Any

import pytest
from rich.cells import cell_len

from cardlog.pipelines.sql.results import cell_text
from cardlog.pipelines.terminal import charts
from cardlog.pipelines.terminal.charts import ChartError

Rows = list[tuple[Any, ...]]


def chart(kind: str, names: str, rows: Rows, width: int = 40, encoding: str = "utf-8") -> list[str]:
    texts = [[cell_text(value) for value in row] for row in rows]
    found = charts.drawn(names.split(), rows, texts, encoding)
    return {"bar": charts.bars, "line": charts.lines}[kind](found, width, encoding)


def test_bars_are_as_long_as_their_values() -> None:
    rows = [("hearts", 8), ("clubs", 4), ("none", 0), ("some", 0.01), (None, 1)]
    assert chart("bar", "suit n", rows, 30) == [
        "hearts     8  ████████████████",
        "clubs      4  ████████",
        "none       0",
        "some    0.01  ▏",
        "           1  ██",
    ]
    assert chart("bar", "suit n", rows, 30, "ascii") == [
        "hearts     8  ################",
        "clubs      4  ########",
        "none       0",
        "some    0.01  #",
        "           1  ##",
    ]


def test_bars_of_negative_values_go_to_the_left_of_one_line() -> None:
    rows = [("a", 20), ("b", -10), ("c", None), ("d", float("nan")), ("e", -0.001)]
    assert chart("bar", "x n", rows, 38) == [
        "a      20           ██████████████████",
        "b     -10  █████████",
        "c",
        "d     nan",
        "e  -0.001          █",
    ]


def test_several_series_are_grouped_by_label() -> None:
    assert chart("bar", "game made lost", [("kaiser", 6, 2), ("belote", 3, 4)], 32) == [
        "kaiser  made  6  ███████████████",
        "        lost  2  █████",
        "belote  made  3  ███████▌",
        "        lost  4  ██████████",
    ]


def test_a_line_goes_from_point_to_point() -> None:
    rows = [(0, 0), (5, 30), (20, 15)]
    assert chart("line", "x n", rows, 26, "ascii") == [
        "30 +     **",
        "   |     * **",
        "   |    *    **",
        "   |    *      ***",
        "   |    *         **",
        "20 +   *            **",
        "   |   *              **",
        "   |   *                **",
        "   |  *",
        "   |  *",
        "10 +  *",
        "   | *",
        "   | *",
        "   | *",
        "   |*",
        " 0 +*",
        "   +----------------------",
        "    0                   20",
    ]


def test_points_are_in_proportion_if_x_is_numbers_or_times() -> None:
    day = datetime.date(2020, 1, 1)
    days = [(day + datetime.timedelta(days), 1) for days in (10, 0, 1)]
    for rows in (
        days,
        [(datetime.datetime.combine(date, datetime.time()), n) for date, n in days],
        [(decimal.Decimal(date.toordinal()), n) for date, n in days],
    ):
        texts = [[cell_text(value) for value in row] for row in rows]
        assert charts._columns(charts.drawn(["x", "n"], rows, texts, "utf-8"), 101) == [100, 0, 10]
    words: Rows = [("b", 1), ("a", 1), ("c", 1)]
    found = charts.drawn(["x", "n"], words, [["b", "1"], ["a", "1"], ["c", "1"]], "utf-8")
    assert charts._columns(found, 101) == [0, 50, 100]
    assert chart("line", "x n", days)[-1].split() == ["2020-01-01", "2020-01-11"]


def test_lines_are_told_apart_by_their_marks() -> None:
    text = chart("line", "x up down", [(0, 0, 9), (9, 9, 0)], 40)
    assert text[-1].split() == ["*", "up", "o", "down"]
    assert text[0].endswith("*")
    assert re.match(r" *9.* ┤o", text[0])
    many = " ".join(f"c{n}" for n in range(10))
    with pytest.raises(ChartError, match="9 lines can't be told apart, only 8; --columns chooses some"):
        chart("line", many, [tuple(range(10))])


@pytest.mark.parametrize(
    ("names", "row", "has"),
    [
        ("a b", ("x", "y"), "this result has a, b"),
        ("a", (1,), "this result has only a"),
        ("a b", ("x", None), "this result has a, b"),
        ("a b", ("x", True), "this result has a, b"),
        ("a b", ("x", float("inf")), "this result has a, b"),
        ("a\x1b[31m b", ("x", "y"), r"this result has a\\x1b\[31m, b"),
    ],
)
def test_what_can_not_be_drawn_is_said(names: str, row: tuple[Any, ...], has: str) -> None:
    with pytest.raises(ChartError, match=f"a chart needs a first column of labels .*; {has}$"):
        chart("bar", names, [row])


def test_columns_without_numbers_are_left_out() -> None:
    found = charts.drawn(["a", "b", "c", "d"], [(1, "x", 2, None)], [["1", "x", "2", ""]], "utf-8")
    assert ([column.name for column in found.series], found.left_out) == (["c"], ["b", "d"])


def random_rows(rng: random.Random, columns: int) -> Rows:
    sizes = (0, 1, -1, 1e-9, 1e308, -1e308, 12345.678, 10**30)
    labels = ("", "x", "long label " * 9, "漢字" * 20, "\x1b[31m\n\u202e" * 5, None)
    kinds: list[Any] = [lambda n: rng.choice(labels), lambda n: n, lambda n: rng.random()]
    label = rng.choice(kinds)
    return [
        (
            label(n),
            *(rng.choice([None, math.inf, rng.gauss(0, 1), rng.choice(sizes)]) for _ in range(columns)),
        )
        for n in range(rng.randrange(1, 30))
    ]


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("kind", ["bar", "line"])
def test_no_line_is_wider_than_the_terminal(kind: str, encoding: str) -> None:
    rng = random.Random(7)
    for _ in range(60):
        width, columns = rng.randrange(40, 200), rng.randrange(1, 5)
        names = " ".join(
            ["x", *(rng.choice(["n", "a_long_name_of_a_column"]) + str(n) for n in range(columns))]
        )
        try:
            text = chart(kind, names, random_rows(rng, columns), width, encoding)
        except ChartError:
            continue
        for line in text:
            assert cell_len(line) <= width
            assert "\x1b" not in line
            line.encode(encoding)
