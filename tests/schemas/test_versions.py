"""Old events are read as new ones, and what can't be is refused."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from cardlog.schemas import versions
from cardlog.schemas.events import SCHEMA, SCHEMA_VERSION

KEPT = Path(__file__).parents[1] / "fixtures" / "events"


def version_1() -> pa.Table:
    return pq.read_table(KEPT / "v1.parquet")


def version_2() -> pa.Table:
    return pq.read_table(KEPT / "v2.parquet")


def version_3() -> pa.Table:
    return pq.read_table(KEPT / "v3.parquet")


def golden() -> list[dict[str, Any]]:
    """The events of `version_1` as version 2 has them, from the readable golden beside it."""
    rows = [json.loads(line) for line in (KEPT / "v1_as_v2.jsonl").read_text(encoding="utf-8").splitlines()]
    for row in rows:
        row["occurred_at"] = row["occurred_at"] and datetime.fromisoformat(row["occurred_at"])
    return rows


ORIGINS = {golden()[0]["source_id"]: ("playedhand-csv", "club")}
NAMES = {"table-7": "table-7~65405604b0ca162c", None: None}
"""What version 3 calls the matches of the data set club."""


def key_of(row: dict[str, Any]) -> str | None:
    """What version 4 calls the hand of an opening."""
    if row["seq"] != 0:
        return None
    return (
        f"table-7/{row['hand_no']}" if row["match_id"] and row["hand_no"] is not None else str(row["amount"])
    )


def as_version_4() -> pa.Table:
    """The same events as version 4 has them."""
    new = {"dataset": "club", "schema_version": 4}
    rows = [row | new | {"match_id": NAMES[row["match_id"]], "source_key": key_of(row)} for row in golden()]
    return pa.Table.from_pylist(rows, SCHEMA)


def of_version(*numbers: int | None) -> pa.Table:
    rows: list[dict[str, Any]] = as_version_4().slice(0, len(numbers)).to_pylist()
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


def test_the_kept_file_of_version_2_is_the_golden() -> None:
    assert version_2().to_pylist() == golden()


OLD = pytest.mark.parametrize("old", [version_1, version_2, version_3])


@OLD
def test_older_versions_are_read_as_version_4(old: Callable[[], pa.Table]) -> None:
    assert SCHEMA_VERSION == 4, "a newer version needs a golden of its own here"
    same(versions.upcast(old(), ORIGINS), as_version_4())


@OLD
def test_older_versions_are_read_in_chunks_and_with_columns_left_out(old: Callable[[], pa.Table]) -> None:
    table = old()
    parts = pa.concat_tables([table.slice(0, 40), table.slice(40, 1), table.slice(41)])
    same(versions.upcast(parts, ORIGINS), as_version_4())
    for names in (["game"], ["match_id", "source_key"], ["source_id", "dataset", "match_id", "source_key"]):
        given = table.drop_columns([name for name in names if name in table.column_names])
        same(versions.upcast(given, ORIGINS), as_version_4().drop_columns(names))


@OLD
def test_the_columns_order_does_not_matter(old: Callable[[], pa.Table]) -> None:
    table = old()
    same(versions.upcast(table.select(table.column_names[::-1]), ORIGINS), as_version_4())


def test_a_match_of_two_data_sets_has_two_names() -> None:
    other = versions.upcast(version_2(), dict.fromkeys(ORIGINS, ("playedhand-csv", "den")))
    names = set(other.column("match_id").to_pylist())
    assert names == {"table-7~50b12c255270bccb", None}


def test_a_source_of_unknown_origin_is_refused_if_it_has_matches() -> None:
    with pytest.raises(ValueError, match="no ingest names"):
        versions.upcast(version_2())
    alone = version_2().filter(pc.is_null(version_2().column("match_id")))
    assert len(versions.upcast(alone)) == len(alone) > 0


def test_the_newest_version_stays_as_it_is() -> None:
    table = as_version_4()
    assert versions.upcast(table) is table
    empty = table.slice(0, 0)
    assert versions.upcast(empty) is empty


def test_upcasting_leaves_the_old_table_alone() -> None:
    table = version_1()
    versions.upcast(table, ORIGINS)
    assert table.equals(version_1())


@pytest.mark.parametrize("number", [SCHEMA_VERSION + 1, 99])
def test_a_version_from_the_future_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"version {number} were written by a newer cardlog"):
        versions.upcast(of_version(number, number))


@pytest.mark.parametrize("number", [0, -1])
def test_a_version_before_the_first_is_refused(number: int) -> None:
    with pytest.raises(ValueError, match=f"there is no version {number}"):
        versions.upcast(of_version(number, number))


@pytest.mark.parametrize("numbers", [(1, 2), (2, 1), (3, 4), (1, 4)])
def test_mixed_versions_are_refused(numbers: tuple[int, int]) -> None:
    with pytest.raises(ValueError, match=f"versions {min(numbers)} and {max(numbers)}"):
        versions.upcast(of_version(*numbers))


def step(table: pa.Table, origins: versions.Origins) -> pa.Table:
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
