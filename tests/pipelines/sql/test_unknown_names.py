"""A query that names no table of the store: which one may be meant, and what to do if it is not built."""

import re

import pytest

from cardlog.pipelines.sql import query, warehouse
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.storage.store import Store
from tests.support.shared import edge_store, small_store

NOT_BUILT = "This store has no marts: run 'cardlog build'."


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
    assert not warehouse.path_of(edge_store()).exists()
    assert said(edge_store(), sql).splitlines()[-1] == NOT_BUILT
