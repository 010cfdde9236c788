"""The forms of a query's answer, and where its text comes from."""

import csv
import io
import json
import re
from functools import partial
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.support.commands import Cardlog, on_a_terminal
from tests.support.shared import small_store

SQL = "select dealer, count(*) as hands from hands group by dealer order by dealer"


@pytest.fixture
def query(cardlog: Cardlog, monkeypatch: pytest.MonkeyPatch) -> Cardlog:
    """Runs `cardlog query` over a store of 324 hands."""
    monkeypatch.setenv("CARDLOG_STORE", small_store().root)
    return partial(cardlog, "query")


def test_the_query_comes_from_the_line_or_standard_input(query: Cardlog) -> None:
    text = "/* how many */\nselect count(*) as n\nfrom hands;\n"
    assert query(text, "--output", "csv") == (0, "n\n324\n", "")
    assert query("-", "--output", "csv", stdin=b"\xef\xbb\xbf" + text.encode()) == (0, "n\n324\n", "")

    for wrong, says in (
        (b"select '\xfc'", "standard input is not valid UTF-8, at byte 9"),
        (b"\n", "give one query; this is 0"),
    ):
        ran = query("-", stdin=wrong)
        assert (ran.code, ran.out, says in ran.err) == (2, "", True)


@pytest.mark.long
def test_every_form_says_the_same(query: Cardlog, tmp_path: Path) -> None:
    found = list(csv.reader(io.StringIO(query(SQL, "--output", "csv").out)))
    assert found[0] == ["dealer", "hands"]
    assert [row[0] for row in found[1:]] == ["0", "1", "2", "3"]
    rows = [{"dealer": int(dealer), "hands": int(hands)} for dealer, hands in found[1:]]
    assert json.loads(query(SQL, "--output", "json").out) == rows
    for form in ("csv", "json", "table"):
        assert query(SQL, "--output", form, "--file", f"rows.{form}").out == ""
        assert (tmp_path / f"rows.{form}").read_text() == query(SQL, "--output", form).out
    assert query(SQL, "--output", "parquet", "--file", "x.parquet").code == 0
    assert pq.read_table(tmp_path / "x.parquet").to_pylist() == rows
    assert [line.split() for line in query(SQL).out.splitlines()] == found
    first = query(SQL, "--output", "line").out.split("\n\n")[0]
    assert first == f"dealer = 0\n hands = {found[1][1]}"


@pytest.mark.long
def test_no_rows_are_said_to_be_none(query: Cardlog) -> None:
    sql = "select 1 as a where false"
    assert query(sql) == (0, "a\n", "0 rows")
    assert query(sql, "--output", "line") == (0, "", "0 rows")
    assert query(sql, "--output", "csv") == (0, "a\n", "")
    assert query(sql, "--output", "json") == (0, "[]\n", "")


def test_a_terminal_too_narrow_for_the_names_is_shown_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    line = ["query", "select hand_id, game from events limit 1", "--store", small_store().root]
    wide, _ = on_a_terminal(monkeypatch, *line, COLUMNS="15", NO_COLOR="1")
    assert "hand_id" in wide.splitlines()[0]
    assert "=" not in wide
    narrow, _ = on_a_terminal(monkeypatch, *line, COLUMNS="14", NO_COLOR="1")
    assert re.fullmatch(r"hand_id = [0-9a-f]{32}\n   game = kaiser\n", narrow)
