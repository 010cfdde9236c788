"""The forms of a query's answer, where its text comes from, and what a narrow terminal is shown."""

import csv
import io
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support import commands
from tests.support.commands import Cardlog, Ran
from tests.support.shared import small_store

SQL = "select dealer, count(*) as hands, min(hand_id) as first from hands group by dealer order by dealer"


Query = Callable[..., Ran]


@pytest.fixture
def query(cardlog: Cardlog, monkeypatch: pytest.MonkeyPatch) -> Query:
    """Runs `cardlog query` over a store of 324 hands."""
    monkeypatch.setenv("CARDLOG_STORE", small_store().root)
    return partial(cardlog, "query")


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, width: int, *arguments: str) -> tuple[str, str]:
    """What a terminal of that width is shown, without colours, and the messages on one line."""
    line = "query", *arguments, "--store", small_store().root
    found = commands.on_a_terminal(monkeypatch, *line, COLUMNS=str(width), NO_COLOR="1")
    out, err = (re.sub(r"\x1b\[\d*m", "", text) for text in found)
    return out, err


# ---------------------------------------------------------------- where the text comes from


@pytest.mark.parametrize("form", ["argument", "-", "--input", "--input -"])
def test_the_query_comes_from_the_line_a_file_or_standard_input(
    form: str, query: Query, tmp_path: Path
) -> None:
    text = "/* how many */\nselect count(*) as n\nfrom hands;\n"
    (tmp_path / "q.sql").write_bytes(b"\xef\xbb\xbf" + text.encode())
    line = {"argument": [text], "-": ["-"], "--input": ["--input", "q.sql"]}.get(form, ["--input", "-"])
    assert query(*line, "--output", "csv", stdin=text) == (0, "n\n324\n", "")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ([], "Missing argument 'SQL': a query, '-' to read it from standard input, or --input FILE"),
        (["select 1", "--input", "q.sql"], "give one query: as an argument, or with --input FILE"),
        (["--input", "nowhere.sql"], "nowhere.sql can't be read: No such file"),
        (["--input", "."], ". can't be read: Is a directory"),
        (["--input", "latin.sql"], "latin.sql is not valid UTF-8: byte 9 can't be decoded"),
        (["--input", "empty.sql"], "there is no query in empty.sql"),
        (["-"], "there is no query in standard input"),
        (["select 1", "--columns", "a"], "the result has no column 'a'; it has: 1"),
        (["select 1", "--output", "csv", "--columns", ""], "the result has no column ''; it has: 1"),
    ],
)
def test_what_is_wrong_with_it_is_said(line: list[str], says: str, query: Query, tmp_path: Path) -> None:
    (tmp_path / "latin.sql").write_bytes(b"select '\xfc'")
    (tmp_path / "empty.sql").write_bytes(b"\n")
    ran = query(*line, stdin="")
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err


# ---------------------------------------------------------------- columns and lines


@pytest.mark.long
def test_columns_are_chosen_in_every_form(query: Query, tmp_path: Path) -> None:
    how = ["--columns", "HANDS, dealer"]
    found = list(csv.reader(io.StringIO(query(SQL, *how, "--output", "csv").out)))
    assert found[0] == ["hands", "dealer"]
    assert [row[1] for row in found[1:]] == ["0", "1", "2", "3"]
    rows = [{"hands": int(hands), "dealer": int(dealer)} for hands, dealer in found[1:]]
    assert json.loads(query(SQL, *how, "--output", "json").out) == rows
    for form in ("csv", "json", "table"):
        assert query(SQL, *how, "--output", form, "--file", f"rows.{form}").out == ""
        assert (tmp_path / f"rows.{form}").read_text() == query(SQL, *how, "--output", form).out
    assert query(SQL, *how, "--output", "parquet", "--file", "x.parquet").code == 0
    assert pq.read_table(tmp_path / "x.parquet").to_pylist() == rows
    assert [line.split() for line in query(SQL, *how).out.splitlines()] == found
    first = query(SQL, *how, "--output", "line").out.split("\n\n")[0]
    assert first == f" hands = {found[1][0]}\ndealer = 0"


def test_two_columns_of_one_name_can_be_told_apart_by_choosing(query: Query) -> None:
    assert query("select 1 as a, 2 as b, 3 as a", "--columns", "b,a", "--output", "json").out == (
        '[\n{"b": 2, "a": 1}\n]\n'
    )


# ---------------------------------------------------------------- a narrow terminal


@pytest.mark.long
def test_columns_that_do_not_fit_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = on_a_terminal(monkeypatch, 60, "from hands limit 2")
    assert max(map(len, out.splitlines())) <= 60
    assert out.split()[:4] == ["game", "hand_id", "match_id", "hand_no"]
    assert re.match(
        r"The terminal is too narrow for 29 of 34 columns: added_date, .* and 17 more\. "
        r"--output line shows all columns, --columns NAME,NAME those that you name\.$",
        err.strip(),
    )
    out, err = on_a_terminal(monkeypatch, 60, "from hands limit 2", "--columns", "dealer,contract")
    assert (out.split()[:2], err) == (["dealer", "contract"], "")
    out, err = on_a_terminal(monkeypatch, 1000, "from hands limit 2")
    assert (len(out.splitlines()[0].split()), err) == (34, "")


def test_a_single_row_that_does_not_fit_is_shown_in_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    out, err = on_a_terminal(monkeypatch, 60, "from hands order by hand_id limit 1")
    assert (len(out.splitlines()), err) == (34, "")
    assert "\n              hand_id = 02ad14058eac6936cff7852dc5e73e6f\n" in out


@pytest.mark.long
def test_no_rows_are_said_to_be_none(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "select 1 as a where false"
    assert query(sql) == (0, "a\n", "0 rows")
    assert query(sql, "--output", "line") == (0, "", "0 rows")
    assert query(sql, "--output", "csv") == (0, "a\n", "")
    assert query(sql, "--output", "json") == (0, "[]\n", "")
    assert on_a_terminal(monkeypatch, 60, sql)[1] == "0 rows\n"


# ---------------------------------------------------------------- charts


@pytest.mark.long
def test_a_chart_is_drawn_as_wide_as_the_terminal(query: Query, monkeypatch: pytest.MonkeyPatch) -> None:
    """Eighty characters wide elsewhere."""
    for width in (60, 120):
        out, err = on_a_terminal(monkeypatch, width, SQL, "--columns", "dealer,hands", "--chart", "bar")
        assert max(map(len, out.splitlines())) == width
        assert [line.split()[0] for line in out.splitlines()] == ["0", "1", "2", "3"]
        assert err == ""
    ran = query(SQL, "--chart", "bar")
    assert max(map(len, ran.out.splitlines())) == 80
    assert ran.err == "Without the columns that have no numbers: first."
    assert len(query(SQL, "--chart", "line").out.splitlines()) == 18


@pytest.mark.long
def test_charts_of_nothing_of_much_and_of_text(query: Query, tmp_path: Path) -> None:
    assert query("select 1, 2 where false", "--chart", "line") == (0, "", "0 rows")
    ran = query("select range, range as n from range(101)", "--chart", "bar")
    assert (len(ran.out.splitlines()), ran.err) == (100, "… and more; these are the first 100 rows.")
    ran = query("select 'a', 'b'", "--chart", "bar")
    assert ran.code == 2
    assert "cardlog: a chart needs a first column of labels" in ran.err
    ran = query("select 1", "--chart", "bar", "--output", "csv")
    assert "--chart draws instead of --output csv; leave one of them out" in ran.err
    assert "'pie' is not one of 'bar', 'line'" in query("select 1", "--chart", "pie").err
    assert query("select 'ü', 1", "--chart", "bar", "--file", "chart.txt").code == 0
    assert (tmp_path / "chart.txt").read_text().startswith("ü  1  ████")
