"""Pivots without values: DuckDB's own answer, and every text that runs has passed the check."""

import duckdb
import pytest

from cardlog.pipelines.sql import pivots, query, results, statements
from cardlog.pipelines.sql.query import QueryError
from tests.support.shared import small_store

ROWS = """
    create table t as select
        range % 12 as n, ['b', 'a', null, 'it''s'][range % 4 + 1] as s, (range % 3) * 1.5 as f,
        date '2020-01-01' + (range % 3)::int as d, range % 2 = 0 as b, range as x
    from range(24)
"""
PIVOTS = (
    "pivot t on n using count(*)",
    "PIVOT t ON s USING sum(x);",
    "pivot_wider t on s",
    "pivot t on f using sum(x) group by s -- a remark",
    "pivot t on d using sum(x)",
    "pivot t on date_trunc('month', d) using count(*) group by b",
    "pivot t on b, s using sum(x)",
    "pivot t on (b, s) using sum(x)",
    "pivot t on b in (true), s using count(*)",
    "pivot t on (b in (true)) using count(*)",
    "pivot t on [n] using count(*)",
    "pivot t on s || 'ü' using sum(x) as t, count(*) as c",
    "pivot t on s -- (\n using count(*)",
    "pivot (select s || 'ü' as s, x from t) on /* , */ s using sum(x)",
    "pivot t on s using sum(x) group by b order by b limit 1",
    "select * from (pivot t on s using count(*) group by b) where b",
    "select s from t union all select a::varchar from (pivot t on s using count(*) group by b)",
    "from (pivot t on s using sum(x)), (pivot t on b using sum(x))",
    "with p as (pivot t on s using count(*) group by b) from p",
    "with p as (from t where s is not null) pivot p on s using count(*) group by b",
    "with p as (pivot t on s using sum(x) group by b) pivot p on b using sum(a)",
    "pivot (pivot t on s using sum(x) group by b, f) on b using sum(a) group by f",
    "describe pivot t on s using count(*)",
    "summarize pivot t on s using count(*)",
    "select 'pivot t on s' as text",
)


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})  # same sums of floats
    connection.execute(ROWS)
    return connection


@pytest.mark.parametrize("sql", PIVOTS)
def test_a_pivot_gives_what_duckdb_gives(sql: str, connection: duckdb.DuckDBPyConnection) -> None:
    found = []
    for text in (sql, pivots.checked(connection, sql)):
        result = connection.execute(text)
        names = [column[0] for column in result.description or []]
        found.append((names, sorted(map(str, result.fetchall()))))
    assert found[0] == found[1]


def test_what_runs_is_what_was_checked(
    connection: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    check = statements.check
    monkeypatch.setattr(
        statements, "check", lambda connection, sql: (seen.append(sql), check(connection, sql))[0]
    )
    ran: list[str] = []

    class Recorded:
        def execute(self, sql: str, *values: object) -> duckdb.DuckDBPyConnection:
            if "json_serialize_sql" not in sql:
                ran.append(sql)
            return connection.execute(sql, *values)

        extract_statements = connection.extract_statements

    for sql in PIVOTS:
        assert pivots.checked(Recorded(), sql) == seen[-1]  # type: ignore[arg-type]
    assert len(ran) > 20
    assert set(ran) <= set(seen)


@pytest.mark.parametrize(
    ("sql", "says"),
    [
        ("pivot (copy (select 1 as a) to '/tmp/x') on a using count(*)", "not run; a pivot must name|syntax"),
        ("pivot (select getenv('HOME') as a) on a using count(*)", "getenv can't be used"),
        ("pivot t on read_text(s) using count(*)", "read_text can't be used"),
        ("pivot t on s using count(*); drop table t", "only queries are allowed|give one query|not run"),
        ("drop table t; pivot t on s using count(*)", "give one query|not run"),
        ("pivot t on s in (select 'a') using count(*)", "a pivot must name its values"),
        ("pivot (from t where false) on s using count(*)", "the pivot on s has no values"),
        ("pivot range(6000) on range using count(*)", "on range has more than 5,000 values"),
        ("from " + ", ".join(["(pivot t on s using count(*))"] * 5), "too many pivots without values"),
        ("pivot t on", "syntax error"),
        ("pivot\u00a0t on s using count(*)", "."),
        ("pivot " * 3000, "syntax error"),
    ],
)
def test_others_are_refused(sql: str, says: str, connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises((statements.Refused, duckdb.ParserException), match=says):
        pivots.checked(connection, sql)
    assert connection.execute("select count(*) from t").fetchall() == [(24,)]


def test_a_query_of_the_store_may_pivot() -> None:
    sql = "pivot hands on dealer using count(*) group by game"
    names, [row], _ = results.rows(query.ask(small_store(), sql), 9)
    assert (names, row) == (["game", "0", "1", "2", "3"], ["kaiser", *map(str, _dealers())])
    with pytest.raises(QueryError, match="Did you mean"):
        query.ask(small_store(), "pivot handz on dealer using count(*)")


def _dealers() -> list[int]:
    sql = "select count(*) from hands group by dealer order by dealer"
    return [count for (count,) in query.ask(small_store(), sql).fetchall()]
