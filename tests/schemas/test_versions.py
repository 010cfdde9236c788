"""Events of older versions are upcast when read, and unknown versions are refused."""

from typing import Any

import pyarrow as pa
import pytest

from cardlog.schemas import versions
from cardlog.schemas.events import SCHEMA, SCHEMA_VERSION


def of_version(*numbers: int) -> pa.Table:
    """A row of each of these versions."""
    kinds: dict[Any, Any] = {pa.int8(): 0, pa.int16(): 0, pa.int32(): 0, pa.int64(): 0}
    row = {field.name: kinds.get(field.type, "x") for field in SCHEMA} | {"occurred_at": None}
    rows = [row | {"seq": seq, "schema_version": number} for seq, number in enumerate(numbers)]
    return pa.Table.from_pylist(rows, SCHEMA)


def test_the_newest_version_stays_as_it_is() -> None:
    table = of_version(SCHEMA_VERSION, SCHEMA_VERSION)
    assert versions.upcast(table) is table
    empty = table.slice(0, 0)
    assert versions.upcast(empty) is empty


def test_older_rows_go_step_by_step_to_the_newest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Version 1 calls `cards` by another name, version 2 lacks `hand_no`, and has other columns first."""

    def from_1(table: pa.Table) -> pa.Table:
        return table.rename_columns({"shown": "cards"})

    def from_2(table: pa.Table) -> pa.Table:
        return table.append_column("hand_no", pa.array([7] * len(table), pa.int64()))

    monkeypatch.setattr(versions, "SCHEMA_VERSION", 3)
    monkeypatch.setattr(versions, "UPCASTERS", {1: from_1, 2: from_2})
    second = of_version(2, 2).drop_columns(["hand_no", "suit"])
    first = of_version(1, 1).drop_columns(["hand_no", "suit"]).rename_columns({"cards": "shown"})
    for old in (second, first.select(first.column_names[::-1])):
        table = versions.upcast(old)
        fields = [field for field in SCHEMA if field.name != "suit"]
        assert table.schema.equals(pa.schema(fields), check_metadata=True)
        assert table.column("schema_version").to_pylist() == [3, 3]
        assert table.column("hand_no").to_pylist() == [7, 7]
        assert table.column("cards").to_pylist() == ["x", "x"]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ((SCHEMA_VERSION + 1,) * 2, f"version {SCHEMA_VERSION + 1} were written by a newer cardlog"),
        ((0,), "there is no version 0"),
        ((1, 2), "versions 1 and 2"),
        ((2, 1), "versions 1 and 2"),
    ],
)
def test_versions_that_can_not_be_read_are_refused(numbers: tuple[int, ...], message: str) -> None:
    is_newer = "newer" in message
    with pytest.raises(versions.NewerVersion if is_newer else ValueError, match=message):
        versions.upcast(of_version(*numbers))


def test_there_is_one_step_from_each_older_version() -> None:
    assert [*versions.UPCASTERS] == [*range(versions.FIRST_VERSION, SCHEMA_VERSION)]
