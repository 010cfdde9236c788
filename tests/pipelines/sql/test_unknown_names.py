"""A query that names no table of the store: which one may be meant, and what to do if it is not built."""

import re
import shutil
from pathlib import Path

import duckdb
import pytest

from cardlog.pipelines.sql import query, warehouse
from cardlog.pipelines.sql.query import QueryError
from cardlog.pipelines.storage.store import Store
from tests.support.shared import edge_store, small_store

NOT_BUILT = "is a mart that this store does not have: run 'cardlog build'."


def said(store: Store, sql: str) -> str:
    """The error of a query."""
    with query.connect(store) as connection, pytest.raises(QueryError) as found:
        connection.run(sql)
    return str(found.value)


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("hand", "hands"),
        ("handz", "hands"),
        ("trick", "tricks"),
        ("main.evnts", "events"),
        ("marts.main.bidz", "bids"),
        ("int_kaiser_seats", "steps.int_kaiser_seats"),
        ("steps.int_kaiser_seat", "int_kaiser_seats"),
        ("kaiser_bid_succes", "kaiser_bid_success"),
    ],
)
def test_a_typo_is_met_with_a_table_of_the_store(name: str, suggested: str) -> None:
    text = said(small_store(), f"select * from {name}")
    assert re.search(rf'Did you mean "([\w.]+\.)?{suggested}"', text)
    assert NOT_BUILT not in text


@pytest.mark.parametrize("sql", ["from hands", "from Marts.main.Hands", "pivot hands on dealer"])
def test_without_marts_it_says_how_to_build_them(sql: str) -> None:
    store = edge_store()
    assert not warehouse.path_of(store).exists()
    assert said(store, sql).splitlines()[-1].lower() == f"hands {NOT_BUILT}".lower()


def test_a_mart_that_the_warehouse_lacks_is_to_be_built(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    shutil.copytree(small_store().root, store.root)
    with duckdb.connect(str(warehouse.path_of(store))) as marts:
        marts.execute("drop view kaiser_bid_success")
    lines = said(store, "from kaiser_bid_success").splitlines()
    assert lines[-1] == f"kaiser_bid_success {NOT_BUILT}"


def test_other_errors_stay_as_they_are() -> None:
    assert said(small_store(), "select dealr from hands").startswith(
        'Binder Error: Referenced column "dealr"'
    )
    assert said(small_store(), "select error('Table with name ' || 'x')").startswith(
        "Invalid Input Error: Table with name x"
    )
