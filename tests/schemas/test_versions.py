"""Old events are read as new ones, and what can't be is refused."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from schemas import versions
from schemas.events import SCHEMA, SCHEMA_VERSION

KEPT = Path(__file__).parents[1] / "fixtures" / "events"


def version_1() -> pa.Table:
    return pq.read_table(KEPT / "v1.parquet")


def as_version_2() -> pa.Table:
    """The events of `version_1` as version 2 has them, from the readable golden beside it."""
    rows = [json.loads(line) for line in (KEPT / "v1_as_v2.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["occurred_at"] = row["occurred_at"] and datetime.fromisoformat(row["occurred_at"])
    return pa.Table.from_pylist(rows, SCHEMA)


def of_version(*numbers: int | None) -> pa.Table:
    rows: list[dict[str, Any]] = as_version_2().slice(0, len(numbers)).to_pylist()
    for row, number in zip(rows, numbers, strict=True):
        row["schema_version"] = number
    return pa.Table.from_pylist(rows, pa.schema([field.with_nullable(True) for field in SCHEMA]))


def same(left: pa.Table, right: pa.Table) -> None:
    assert left.schema.equals(right.schema, check_metadata=True)
    assert left.to_pylist() == right.to_pylist()
    left.validate(full=True)


def test_the_kept_file_is_of_version_1() -> None:
    table = version_1()
    assert set(table.column("schema_version").to_pylist()) == {1}
    assert "hand_no" not in table.column_names
    assert table.column("cards")[1].as_py() == "KH TC JS 3S 7D AH 8S 8D"
    assert len(table) == 125


def test_version_1_is_read_as_version_2() -> None:
    assert SCHEMA_VERSION == 2, "a newer version needs a golden of its own here"
    same(versions.upcast(version_1()), as_version_2())


def test_version_1_is_read_as_version_2_in_chunks_and_with_columns_left_out() -> None:
    table = version_1()
    parts = pa.concat_tables([table.slice(0, 40), table.slice(40, 1), table.slice(41)])
    same(versions.upcast(parts), as_version_2())
    same(versions.upcast(table.drop_columns(["game"])), as_version_2().drop_columns(["game"]))


def test_the_columns_order_does_not_matter() -> None:
    table = version_1()
    same(versions.upcast(table.select(table.column_names[::-1])), as_version_2())


def test_the_newest_version_stays_as_it_is() -> None:
    table = as_version_2()
    assert versions.upcast(table) is table
    empty = table.slice(0, 0)
    assert versions.upcast(empty) is empty


def test_upcasting_leaves_the_old_table_alone() -> None:
    table = version_1()
    versions.upcast(table)
    assert table.equals(version_1())


@pytest.mark.parametrize("number", [SCHEMA_VERSION + 1, 99])
def test_a_version_from_the_future_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"version {number} were written by a newer cardlog"):
        versions.upcast(of_version(number, number))


@pytest.mark.parametrize("number", [0, -1])
def test_a_version_before_the_first_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"there is no version {number}"):
        versions.upcast(of_version(number, number))


@pytest.mark.parametrize("numbers", [(1, 2), (2, 1), (2, 3), (1, 3)])
def test_mixed_versions_are_refused(numbers: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"versions {min(numbers)} and {max(numbers)}"):
        versions.upcast(of_version(*numbers))


def step(table: pa.Table) -> pa.Table:
    return table


@pytest.mark.parametrize(
    ("steps", "newest"),
    [([], 2), ([2], 3), ([1, 3], 4), ([1, 2], 2), ([0, 1], 2), ([1], 3), ([2, 3], 4)],
)
def test_a_chain_with_a_gap_or_a_step_too_many_is_refused(steps: list[int], newest: int) -> None:
    with pytest.raises(ValueError, match="upcasters exist for versions"):
        versions.check_chain(dict.fromkeys(steps, step), newest)


@pytest.mark.parametrize(("steps", "newest"), [([], 1), ([1], 2), ([1, 2], 3), ([3, 1, 2], 4)])
def test_a_whole_chain_is_taken(steps: list[int], newest: int) -> None:
    versions.check_chain(dict.fromkeys(steps, step), newest)


def test_the_chain_is_whole_and_every_older_version_has_its_file() -> None:
    versions.check_chain(versions.UPCASTERS, SCHEMA_VERSION)
    kept = {path.name for path in KEPT.glob("v*.parquet")}
    assert kept == {f"v{number}.parquet" for number in range(versions.FIRST_VERSION, SCHEMA_VERSION)}
    for upcaster in versions.UPCASTERS.values():
        assert upcaster.__doc__
