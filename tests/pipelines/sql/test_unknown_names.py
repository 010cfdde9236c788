"""A query that names no table of the store: which one may be meant, and what to do if it is not built."""

import re
import shutil
from pathlib import Path

import pytest

from cardlog.pipelines.sql import query, warehouse
from cardlog.pipelines.sql.query import QueryError
from cardlog.pipelines.storage.store import SCHEMAS, Store
from tests.support.shared import edge_store, small_store

NOT_BUILT = "is a mart, and the marts of this store are not built yet: run 'cardlog build'."


def said(store: Store, sql: str) -> list[str]:
    """The lines of the error of a query."""
    with pytest.raises(QueryError) as found:
        query.ask(store, sql)
    return str(found.value).splitlines()


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("hand", "hands"),
        ("HANDZ", "hands"),
        ("trick", "tricks"),
        ("main.evnts", "events"),
        ("marts.main.bidz", "bids"),
        ("int_seats", "steps.int_seats"),
        ("steps.int_seat", "steps.int_seats"),
        ("kaiser_bid_succes", "kaiser_bid_success"),
    ],
)
def test_a_typo_is_met_with_a_table_of_the_store(name: str, suggested: str) -> None:
    lines = said(small_store(), f"select * from {name}")
    if "schema" not in lines[0]:
        assert lines[0].startswith("Catalog Error: Table with name ")
    assert re.match(rf'Did you mean "{suggested}"(, "[\w.]+")*\?$', lines[1])
    assert lines[2:4] == ["", f"LINE 1: select * from {name}"]
    tables = {found for found, _ in query.ask(small_store(), "show tables").fetchall()}
    assert set(re.findall(r'"(\w+)"', lines[1])) <= tables


@pytest.mark.parametrize("name", ["duckdb_table", "pg_indx", "nothing_like_it"])
def test_tables_of_duckdb_are_not_suggested(name: str) -> None:
    assert said(small_store(), f"from {name}")[1] == "'show tables' lists the tables and marts."


@pytest.mark.parametrize(
    "sql",
    [
        "from hands",
        "describe hands",
        "from Marts.main.hands",
        "from playedhand, hands",
        "pivot hands on dealer",
    ],
)
def test_without_marts_it_says_how_to_build_them(sql: str) -> None:
    store = edge_store()
    assert not warehouse.path_of(store).exists()
    assert said(store, sql)[1] == f'"hands" {NOT_BUILT}'


def test_without_marts_a_typo_may_be_a_table_or_a_mart() -> None:
    assert said(edge_store(), "from handz")[1] == f'Did you mean "hands"? "hands" {NOT_BUILT}'
    assert said(edge_store(), "from trickz")[1].startswith('Did you mean "tricks"')
    assert set(re.findall(r'"(\w+)"', said(edge_store(), "from stg_event")[1])) <= set(SCHEMAS)


def test_a_mart_that_the_warehouse_lacks_is_to_be_built(tmp_path: Path) -> None:
    import duckdb

    store = Store(str(tmp_path / "store"))
    shutil.copytree(small_store().root, store.root)
    with duckdb.connect(str(warehouse.path_of(store))) as marts:
        marts.execute("drop table kaiser_bid_success")
    lines = said(store, "from kaiser_bid_success")
    assert lines[1] == "\"kaiser_bid_success\" is not among the marts of this store: run 'cardlog build'."


def test_other_errors_stay_as_they_are() -> None:
    assert said(small_store(), "select dealr from hands")[0].startswith(
        'Binder Error: Referenced column "dealr"'
    )
    assert said(small_store(), "select error('Table with name ' || 'x')") == [
        "Invalid Input Error: Table with name x"
    ]
