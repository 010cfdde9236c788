"""Queries: allowed ones are answered, in every output format; everything else is refused."""

import csv
import datetime
import decimal
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from cardlog.pipelines.sql import process, query, results, warehouse
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.storage.commits import Change
from cardlog.pipelines.storage.store import SCHEMAS, Store
from tests.support.csv_rows import dump, dump_lines
from tests.support.shared import edge_store, small_store
from tests.support.stores import ingest_text


@pytest.fixture(scope="module")
def connection() -> query.Connection:
    return query.connect(small_store())


def ask(connection: query.Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.run(sql).fetchall()


# ---------------------------------------------------------------- what is a query

TYPOS = {
    "hand": "hands", "handz": "hands", "trick": "tricks", "main.evnts": "events", "marts.main.bidz": "bids",
    "int_kaiser_seats": "steps.int_kaiser_seats", "steps.int_kaiser_seat": "int_kaiser_seats",
    "kaiser_bid_succes": "kaiser_bid_success",
}  # fmt: skip
REFUSED = {
    "select * from nowhere.events": "does not exist",
    "select 1; select 2": "give one query; this is 2",
    "select 1; drop view events": "give one query; this is 2",
    "copy (select 1) to 'rows.csv'": "only queries are allowed",
    ";": "give one query; this is 0",
    "-- nothing": "give one query; this is 0",
    **{f"from {name}": rf'Did you mean "([\w.]+\.)?{meant}"' for name, meant in TYPOS.items()},
}
NOT_BUILT = "This store has no marts: run 'cardlog build'."


@pytest.mark.parametrize("sql", REFUSED)
def test_what_is_not_one_query_or_names_nothing_is_refused(sql: str, connection: query.Connection) -> None:
    """`test_query_writes.py` has all that writes or reads other files."""
    for ask_so in (connection.run, connection.bind):
        with pytest.raises(QueryError, match=REFUSED[sql]) as refused:
            ask_so(sql)
        assert NOT_BUILT not in str(refused.value)


def test_without_marts_it_says_how_to_build_them() -> None:
    assert not warehouse.path_of(edge_store()).exists()
    with query.connect(edge_store()) as connection:
        for sql in ("from hands", "from Marts.main.Hands", "pivot hands on dealer"):
            with pytest.raises(QueryError, match=f"\n{NOT_BUILT}$"):
                connection.run(sql)


QUERIES = """
select 1 as one;
select 1 as one -- with a remark
from events
table ingests
values (1, 'a')
with recursive a as (select 1 as n union all select n + 1 from a where n < 5) select * from a
describe hands
describe select * from hands
show tables
show all tables
summarize tricks
explain analyze select count(*) from events
EXPLAIN\tANALYZE\tselect 1
select * from (describe events)
select hand_id, list(points order by trick_no) from tricks group by all
select * from marts.main.hands
unpivot (select 1 as a, 2 as b) on a, b into name k value v
pivot hands on dealer in (0, 1) using count(*) group by contract
select * from duckdb_settings()
select current_setting('secret_directory')
select getvariable('store')
select * from query('select 1')
with t as (from force_checkpoint()) select 1
"""


@pytest.mark.parametrize("sql", QUERIES.strip().split("\n"))
def test_questions_are_answered(sql: str, connection: query.Connection) -> None:
    """And tell nothing of the machine."""
    found = ask(connection, sql)
    assert found
    assert str(Path.home()) not in str(found)


def test_tables_and_marts_are_listed_in_the_order_of_use_and_can_be_read(
    connection: query.Connection,
) -> None:
    """The steps are in a schema of their own."""
    listed = dict(ask(connection, "  SHOW tables;"))
    names = list(listed)
    assert names[:6] == ["hands", "seats", "plays", "bids", "matches", "players"]
    assert names[6:] == sorted(names[6:])
    assert {*SCHEMAS, "kaiser_bid_success"} <= {*names}
    assert {*names} == {name for (name,) in connection.execute("show tables").fetchall()}
    assert not [name for name in names if name.startswith(("stg_", "int_"))]
    assert listed["hands"] == "One row per stored hand, of every game"
    assert all(len(text) > 20 and "\n" not in text for text in listed.values())
    sql = "from information_schema.tables select table_name where table_schema = 'steps'"
    steps = {f"steps.{name}" for (name,) in ask(connection, sql)}
    assert {"steps.stg_events", "steps.stg_seats"} <= steps
    for name in {*names} | steps:
        assert len(ask(connection, f"select count(*) from {name}")) == 1


def test_columns_are_described_and_those_of_the_schema_whoever_has_made_it(
    connection: query.Connection,
) -> None:
    """Some names are those of a mart, too."""
    for table in (*SCHEMAS, "hands", "marts.main.seats", "belote_ranks"):
        described, again = ask(connection, f"describe {table}"), ask(connection, f"from (describe {table})")
        assert [row[:2] for row in again] == [row[:2] for row in described]
        assert all(len(text) > 5 for _, _, text in described)
        if table in SCHEMAS:
            assert sorted(column for column, *_ in described) == sorted(SCHEMAS[table].names)


def test_only_attempts_that_count_are_seen(tmp_path: Path, store: Store) -> None:
    """Rows of `quarantine` and `ingests` left by a run that was cut before its commit to `events`."""
    ingest_text(store, tmp_path, dump(*dump_lines()[:3]))
    left = next(store.read("ingests")).set_column(0, store.empty("ingests").schema.field(0), [["f" * 32]])
    store.commit("ingests", Change([store.write("ingests", None, [left])], {"f" * 32: 0}))
    assert store.rows("ingests") == 2
    assert ask(query.connect(store), "select count(*) from ingests") == [(1,)]


def test_a_store_without_marts_or_rows_can_be_asked(store: Store) -> None:
    """Every table has its columns, of the types that a store with rows has."""
    store.create()
    empty, full = query.connect(store), query.connect(small_store())
    for name in SCHEMAS:
        assert ask(empty, f"from {name}") == []
        if name in ("plays", "seats", "bids"):  # in a store with marts these are marts
            continue
        describe = f"select column_name, column_type from (describe {name})"
        assert ask(empty, describe) == ask(full, describe)


# ---------------------------------------------------------------- forms

VALUES = {
    "timestamptz '2024-02-29 23:15:00.25+01'": "2024-02-29T22:15:00.250000+00:00",
    "timestamp '2024-02-29 22:15:00'": "2024-02-29T22:15:00",
    "date '2024-02-29'": "2024-02-29",
    "1.50::decimal(5, 2)": 1.5,
    "12345678901234567890123456789.5::decimal(38, 1)": "12345678901234567890123456789.5",
    "170141183460469231731687303715884105727::hugeint": 170141183460469231731687303715884105727,
    "'nan'::double": None,
    "'inf'::double": None,
    "0.1::double": 0.1,
    "true": True,
    "null": None,
    "''": "",
    "'a,\"b\"' || chr(10) || 'ü'": 'a,"b"\nü',
    "[1, null]": [1, None],
    "{'a': 1.5, 'b': [date '2024-02-29']}": {"a": 1.5, "b": ["2024-02-29"]},
    "map {'a\"': 1.0::double, 'b': null}": {'a"': 1.0, "b": None},
    "union_value(k := 1)": 1,
    "[{'a': [1, null], 'b \"': date 'infinity'}, null]": [{"a": [1, None], 'b "': "infinity"}, None],
    "row(1, 'x,')": [1, "x,"],
    "{}": {},
    "null::int[]": None,
    "['nan'::double]": [None],
    "array_value('a', null)": ["a", None],
    "'\\xAA'::blob": "aa",
    "time '01:02:03.5'": "01:02:03.500000",
    "timestamptz '-infinity'": "-infinity",
    "timestamp '20000-01-01'": "20000-01-01 00:00:00",
    "timestamp '0999-12-31 00:00:00.000001'": "0999-12-31T00:00:00.000001",
    "0.00001::decimal(9, 5)": 1e-05,
    "'1'::json": "1",
    "chr(13)": "\r",
    "interval 1 day": "1 day",
}


def written(connection: query.Connection, sql: str, form: str) -> str:
    out = io.StringIO()
    {"csv": results.write_csv, "json": results.write_json}[form](connection.bind(sql), out)
    return out.getvalue()


def test_values_are_the_same_in_csv_and_json(connection: query.Connection) -> None:
    """JSON is one array of objects; in CSV lists and the like are JSON."""
    sql = "select " + ", ".join(f'{value} as "{number}é""\\"' for number, value in enumerate(VALUES))
    [found] = json.loads(written(connection, sql, "json"))
    assert list(found.values()) == list(VALUES.values())
    rows = list(csv.reader(io.StringIO(written(connection, sql, "csv"), newline="")))
    texts = [json.dumps(one) if isinstance(one, dict | list | bool) else one for one in VALUES.values()]
    assert rows == [list(found), ["" if text is None else str(text) for text in texts]]
    assert written(connection, "select '' as a", "csv") == 'a\n""\n'


def test_infinite_times_are_no_days(connection: query.Connection) -> None:
    """DuckDB's Python package gives them as the last and the first day that Python has."""
    late, last = "timestamptz 'infinity'", "date '9999-12-31'"
    sql = (
        f"select {late} as a, date '-infinity' as a, timestamp '2020-01-01' as b, {last} as c, "
        f"null::date as d, [{late}] as e, {{'f': {last}}} as f, timestamp_ns 'infinity' as g; -- and no more"
    )
    found = connection.run(sql)
    assert found.description[:2] == [("a", "TIMESTAMP WITH TIME ZONE"), ("a", "DATE")]
    [row] = found.fetchall()
    day = datetime.date(9999, 12, 31)
    assert row[:2] == ("infinity", "-infinity")
    assert row[2:] == (datetime.datetime(2020, 1, 1), day, None, "[infinity]", {"f": day}, "infinity")
    ordered = "select hash(range) as h, date '2020-01-01' as d from range(9999) order by h"
    hashes = [h for h, _ in connection.run(ordered).fetchall()]
    assert hashes == sorted(hashes)
    pivot = "pivot (values (1, date 'infinity')) t(k, v) on k using max(v)"
    assert connection.run(pivot).fetchall() == [("infinity",)]


def test_parquet_keeps_types(connection: query.Connection, tmp_path: Path) -> None:
    zoned, *_, exact = [*VALUES][:5]
    sql = (
        f"select {zoned} as zoned, date '2024-02-29' as day, {exact} as exact, true as yes, [1, null] as list"
    )
    results.write_parquet(connection.bind(sql), tmp_path / "rows.parquet")
    table = pq.read_table(tmp_path / "rows.parquet")
    assert [str(field.type) for field in table.schema][:4] == [
        "timestamp[us, tz=UTC]", "date32[day]", "decimal128(38, 1)", "bool",
    ]  # fmt: skip
    [row] = table.to_pylist()
    assert row["zoned"] == datetime.datetime(2024, 2, 29, 22, 15, 0, 250_000, datetime.UTC)
    assert (row["exact"], row["list"]) == (decimal.Decimal(VALUES[exact]), [1, None])


def test_a_table_is_texts_for_a_person(connection: query.Connection) -> None:
    sql = "select 1234567.891::double as a, 0.123456::double as b, null as c, true as d, [1] as e, 'x' as f"
    found = connection.run(sql)
    [row] = [list(map(results.cell_text, row)) for row in found.rows()]
    assert found.names == ["a", "b", "c", "d", "e", "f"]
    assert row == ["1,234,567.9", "0.1235", "", "true", "[1]", "x"]


def test_many_rows_come_whole(
    connection: query.Connection, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(results, "GROUP_ROWS", 7)
    sql = "select n from range(20) as r (n)"
    numbers = list(range(20))
    assert list(connection.run(sql).rows(7)) == [(n,) for n in numbers]
    assert [row["n"] for row in json.loads(written(connection, sql, "json"))] == numbers
    assert written(connection, sql, "csv").split()[1:] == [str(n) for n in numbers]
    results.write_parquet(connection.bind(sql), tmp_path / "rows.parquet")
    assert pq.read_table(tmp_path / "rows.parquet").column("n").to_pylist() == numbers


def test_two_columns_of_one_name_are_not_lost(tmp_path: Path) -> None:
    """Not over a connection that others use: DuckDB refuses queries while rows are left."""
    sql = "select 1 as a, 2 as a"
    with query.connect(small_store()) as connection:
        assert written(connection, sql, "csv") == "a,a\n1,2\n"
        for write in (
            lambda: written(connection, sql, "json"),
            lambda: results.write_parquet(connection.bind(sql), tmp_path / "rows.parquet"),
        ):
            with pytest.raises(QueryError, match="two columns are named a; name one of them with 'as'"):
                write()


# ---------------------------------------------------------------- in a process of its own


@pytest.mark.long
def test_a_query_finds_the_same_in_a_process_of_its_own(connection: query.Connection) -> None:
    for sql in (
        "select hand_name('AhKhQhJhTh2c3d'), odds('AA', 'KK')",
        'select count(*) from Playedhand join main."HANDS" using (hand_id)',
        "show tables",
        "describe hands",
        "select count(*) from query_table('ha' || 'nds'), tricks",
        "pivot hands on dealer using count(*) group by game",
    ):
        asked = process.ask(small_store(), sql)
        assert asked.description == connection.run(sql).description
        assert asked.fetchall() == connection.fetchall()


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open files here")
def test_queries_leave_no_file_open() -> None:
    """DuckDB drops handles without closing them, and a program may ask for days."""
    sql = "select (select count(*) from events), (select count(*) from hands), (select count(*) from tricks)"
    open_files = []
    for _ in range(4):
        process.ask(small_store(), sql).fetchall()
        open_files.append(len(list(Path("/proc/self/fd").iterdir())))
    assert open_files[1:] == open_files[1:2] * 3


@pytest.mark.parametrize("rows", [0, 3])
def test_a_workbook_has_numbers_texts_and_times_as_excel_takes_them(rows: int, tmp_path: Path) -> None:
    sql = (
        "select 1.5 as n, '=1+1' as t, timestamptz '2016-03-01 12:00:00+01' as at, date '2016-03-01' as day, "
        f"9007199254740993 as big, [1] as l, null as nothing, 'nan'::double as nan from range({rows})"
    )
    with query.connect(small_store()) as connection, (tmp_path / "a.xlsx").open("wb") as out:
        results.write_xlsx(connection.bind(sql), out)
    with zipfile.ZipFile(tmp_path / "a.xlsx") as book:
        sheet = book.read("xl/worksheets/sheet1.xml").decode()
    lines = re.findall(r"<row r=\"\d+\"[^>]*>(.*?)</row>", sheet)
    assert len(lines) == 1 + rows
    for line in lines[1:]:
        values = re.findall(r"<(?:v|t)>(.*?)</(?:v|t)>", line)
        assert values == ["1.5", "=1+1", "42430.45833333334", "42430", "9007199254740993", "[1]"]
        assert "<f>" not in line


def test_what_no_workbook_holds_and_a_disk_that_does_not_hold_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python would report a broken archive that is closed too late."""
    monkeypatch.setattr(results, "SHEET_ROWS", 4)
    with query.connect(small_store()) as connection, pytest.raises(QueryError, match="a sheet has 4 rows"):
        results.write_xlsx(connection.bind("from range(4)"), io.BytesIO())
    full_disk = pytest.raises(OSError, match="No space left")
    with query.connect(small_store()) as connection, full_disk, Path("/dev/full").open("wb", 0) as full:
        results.write_xlsx(connection.bind("from range(2)"), full)
