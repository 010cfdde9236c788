"""Charts: what is drawn of a result, in UTF-8 and in ASCII, within the width of the terminal."""

import datetime
import decimal
import io
import math
import random
from typing import Any

import pytest
from rich.cells import cell_len

from cardlog.pipelines.sql.results import cell_text
from cardlog.pipelines.terminal import charts
from cardlog.pipelines.terminal.charts import Chart, ChartError

Rows = list[tuple[Any, ...]]


class Terminal(io.StringIO):
    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


def chart(kind: str, names: str, rows: Rows, encoding: str = "utf-8") -> list[str]:
    texts = [[cell_text(value) for value in row] for row in rows]
    text, _ = charts.drawn(Chart(kind), names.split(), rows, texts, Terminal(encoding))
    return text.encode(encoding, "cardlog-plain").decode(encoding).splitlines()


def test_bars_are_as_long_as_their_values() -> None:
    rows = [("hearts", 8), ("clubs", 4), ("none", 0), ("some", 0.01), (None, 1)]
    assert chart("bar", "suit n", rows) == [
        "hearts     8  ██████████████████████████",
        "clubs      4  █████████████",
        "none       0",
        "some    0.01",
        "           1  ███▎",
    ]
    assert chart("bar", "suit n", rows, "ascii")[0] == "hearts     8  ##########################"


def test_bars_of_negative_values_go_to_the_left_of_one_line() -> None:
    rows = [("a", 20), ("b", -10), ("c", None), ("d", float("nan"))]
    assert chart("bar", "x n", rows) == [
        "a   20            ▐█████████████████████",
        "b  -10  ██████████▋",
        "c",
        "d  nan",
    ]


def test_several_series_are_grouped_by_label() -> None:
    assert chart("bar", "game made lost", [("kaiser", 6, 2), ("belote", 3, 4)]) == [
        "kaiser  made  6  ███████████████████████",
        "        lost  2  ███████▋",
        "belote  made  3  ███████████▌",
        "        lost  4  ███████████████▎",
    ]


def test_points_are_in_proportion_if_x_is_numbers_or_times() -> None:
    day = datetime.date(2020, 1, 1)
    days = [(day + datetime.timedelta(days), n) for days, n in ((10, 1), (0, 0), (1, 1))]
    times = [(datetime.datetime.combine(date, datetime.time()), n) for date, n in days]
    numbers = [(decimal.Decimal(date.toordinal()), n) for date, n in days]
    for rows in (days, times, numbers):
        top = chart("line", "x n", rows)[0]
        assert top.startswith("1.00┤")
        assert 30 < top.count("*") < 36  # from the second day on
    words: Rows = [("b", 0), ("a", 1), ("c", 1)]
    assert 16 < chart("line", "x n", words)[0].count("*") < 20  # from the middle on
    assert chart("line", "x n", days)[-1].split() == ["2020-01-01", "2020-01-11"]
    assert chart("line", "x n", days, "ascii")[-2].startswith("    ++--")


def test_lines_are_told_apart_by_their_marks_and_bridge_gaps() -> None:
    text = chart("line", "x up down", [(0, 0, 9), (4, None, None), (9, 9, 0)])
    assert text[-1].split() == ["*", "up", "o", "down"]
    assert text[0].startswith("9.0┤o")
    assert text[0].endswith("*")
    assert all("*" in line for line in text[:16])
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
    with pytest.raises(ChartError, match="too far apart"):
        chart("line", "x n", [(1, 1.7e308), (2, -1.7e308)])


def random_rows(rng: random.Random, columns: int) -> Rows:
    sizes = (0, 1, -1, 1e-9, 1e308, 12345.678, 10**30)
    labels = ("", "x", "long label " * 9, "漢字" * 20, "\x1b[31m\n\u202e" * 5, None)
    kinds: list[Any] = [lambda n: rng.choice(labels), lambda n: n, lambda n: rng.random()]
    label = rng.choice(kinds)
    values = lambda: rng.choice([None, math.inf, rng.gauss(0, 1), rng.choice(sizes)])  # noqa: E731
    return [(label(n), *(values() for _ in range(columns))) for n in range(rng.randrange(1, 30))]


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1"])
@pytest.mark.parametrize("kind", ["bar", "line"])
def test_no_line_is_wider_than_the_terminal(
    kind: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(7)
    for _ in range(40):
        width, columns = rng.randrange(40, 200), rng.randrange(1, 5)
        monkeypatch.setenv("COLUMNS", str(width))
        names = [rng.choice(["n", "a_long_name_of_a_column"]) + str(n) for n in range(columns)]
        try:
            text = chart(kind, " ".join(["x", *names]), random_rows(rng, columns), encoding)
        except ChartError:
            continue
        for line in text:
            assert cell_len(line) <= width, line
            assert "\x1b" not in line
            line.encode(encoding)
