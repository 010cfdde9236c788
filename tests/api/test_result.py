"""Rows of a query: each form has the same rows, and a query can't do more from Python than elsewhere."""

import builtins
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import cardlog
from cardlog import result as results

SQL = "select hand_id, contract, made, added_date from hands order by hand_id limit 30"


@pytest.mark.long
def test_every_form_has_the_same_rows(small: cardlog.Store) -> None:
    found = small.sql(SQL)
    assert found.columns == ["hand_id", "contract", "made", "added_date"]
    assert found.types == ["VARCHAR", "INTEGER", "BOOLEAN", "TIMESTAMP WITH TIME ZONE"]
    rows = found.fetchall()
    assert len(rows) == 30
    assert found.fetchall() == rows
    assert found.fetchone() == rows[0]
    table = found.arrow()
    assert isinstance(table, pa.Table)
    assert table.column("hand_id").to_pylist() == [row[0] for row in rows]
    frame = found.df()
    assert frame["contract"].tolist() == [row[1] for row in rows]
    assert list(frame.columns) == found.columns


def test_it_is_of_the_moment_it_was_asked(tmp_path: Path) -> None:
    store = cardlog.open(tmp_path / "store")
    store.ingest(cardlog.simulate("kaiser", 3, tmp_path / "a.csv", seed=1))
    found = store.sql("select count(*) from events where seq = 0")
    store.ingest(cardlog.simulate("kaiser", 3, tmp_path / "b.csv", seed=2))
    assert found.fetchone() == (3,)
    assert store.sql("select count(*) from events where seq = 0").fetchone() == (6,)


@pytest.mark.long
def test_it_is_shown_as_a_table(small: cardlog.Store, capsys: pytest.CaptureFixture[str]) -> None:
    found = small.sql("select hand_id, contract from hands where contract is not null order by all")
    found.show(2)
    shown = capsys.readouterr().out.split("\n")
    assert shown == [
        "hand_id                           contract",
        "02ad14058eac6936cff7852dc5e73e6f         6",
        "0312938e5dfe2a78a83c29de284f0f46         8",
        f"… {len(found.fetchall())} rows; these are the first 2",
        "",
    ]
    assert repr(found).split("\n")[:3] == shown[:3]
    assert len(repr(found).split("\n")) == 22
    assert repr(small.sql("explain select 1")).startswith("explain_key    explain_value\nphysical_plan")


def test_cells_can_do_nothing_to_a_terminal_or_a_page(small: cardlog.Store) -> None:
    found = small.sql("""select '<script>alert(1)</script>' || chr(27) || '[2J' as "<b>" """)
    assert "\x1b" not in repr(found)
    page = found._repr_html_()
    assert "<script" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\\x1b[2J" in page
    assert found.fetchall() == [("<script>alert(1)</script>\x1b[2J",)]


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("drop table events", "only queries are allowed"),
        ("select nope from hands", 'column "nope" not found'),
    ],
)
def test_a_query_that_does_more_than_read_is_refused_when_it_is_asked(
    small: cardlog.Store, sql: str, says: str
) -> None:
    with pytest.raises(cardlog.QueryError, match=says):
        small.sql(sql)


@pytest.mark.long
def test_a_query_that_takes_too_long_is_stopped(small: cardlog.Store) -> None:
    found = small.sql("select count(*) from range(1000000) a, range(1000000) b", timeout=0.3)
    for rows in (found.fetchall, found.arrow, found.df):
        began = time.monotonic()
        with pytest.raises(cardlog.QueryError, match=r"took longer than 0\.3 s and was stopped"):
            rows()
        assert time.monotonic() - began < 30


@pytest.mark.parametrize(("package", "method"), [("pandas", "df"), ("polars", "pl")])
def test_a_package_that_is_missing_is_named(
    small: cardlog.Store, monkeypatch: pytest.MonkeyPatch, package: str, method: str
) -> None:
    monkeypatch.setattr(results, "find_spec", lambda name: None)
    with pytest.raises(cardlog.MissingPackage, match=rf"\.{method}\(\) needs {package}") as missing:
        getattr(small.sql("select 1"), method)()
    assert isinstance(missing.value, builtins.ImportError)


def test_polars_has_them_too(small: cardlog.Store) -> None:
    polars: Any = pytest.importorskip("polars")
    assert isinstance(small.sql(SQL).pl(), polars.DataFrame)


def test_one_process_answers_query_after_query_of_the_same_state(tmp_path: Path) -> None:
    store = cardlog.open(tmp_path / "store")
    store.ingest(cardlog.simulate("kaiser", 3, tmp_path / "a.csv", seed=1))

    def asked(sql: str = "select count(*) from events where seq = 0", **limits: Any) -> tuple[int, Any]:
        found = store.sql(sql, **limits)
        assert found._bound is not None
        return found._bound._process, found.fetchone()

    first = asked()
    assert first[1] == (3,)
    assert [asked() for _ in range(3)] == [first] * 3
    assert asked(memory="1GB")[0] != first[0]
    first = asked()
    with pytest.raises(cardlog.QueryError, match="no longer"):
        asked("select error('no longer')")
    assert asked()[0] != first[0]
    store.ingest(cardlog.simulate("kaiser", 3, tmp_path / "b.csv", seed=2))
    assert asked()[1] == (6,)
