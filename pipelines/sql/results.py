"""The rows of a query as CSV, JSON, Parquet or text for a person."""

import csv
import datetime
import decimal
import json
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Final, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.sql.process import Asked
from cardlog.pipelines.sql.query import BATCH_ROWS, Connection, QueryError
from cardlog.pipelines.visible import json_text

GROUP_ROWS: Final = 50_000
"""Rows per row group in a Parquet file."""


class Rows(Protocol):
    """What gives the rows of a query."""

    @property
    def description(self) -> list[tuple[str, str]]:
        """The name and the type of each column."""

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        """The next rows; empty after the last."""


class _Chosen:
    """Some columns of a result."""

    def __init__(self, result: Rows, indices: list[int]) -> None:
        self._result = result
        self._indices = indices

    @property
    def description(self) -> list[tuple[str, str]]:
        columns = self._result.description
        return [columns[index] for index in self._indices]

    def fetchmany(self, size: int) -> list[tuple[Any, ...]]:
        return [tuple(row[index] for index in self._indices) for row in self._result.fetchmany(size)]


def chosen(result: Rows, columns: list[str]) -> Rows:
    """A result with only these columns, in this order; with all if `columns` is empty.

    Raises QueryError if there is no such column.
    """
    return _Chosen(result, indices_of(_names(result), columns)) if columns else result


def indices_of(names: list[str], columns: list[str]) -> list[int]:
    """The indices of some columns, named as in SQL, where case does not matter; the first of several of one
    name. Raises QueryError if there is no such column."""
    found = {name.lower(): index for index, name in reversed(list(enumerate(names)))}
    for column in columns:
        if column.lower() not in found:
            raise QueryError(f"the result has no column {column!r}; it has: {', '.join(names)}")
    return [found[column.lower()] for column in columns]


def write_csv(result: Rows, out: IO[str]) -> None:
    """Write the rows as CSV with a header, as in RFC 4180 but with plain line feeds; NULL is empty."""
    writer = csv.writer(_Lines(out), lineterminator="\r\n")
    writer.writerow(_names(result))
    for rows in _batches(result):
        writer.writerows([_cell(value) for value in row] for row in rows)


class _Lines:
    """Ends lines with a line feed alone. Python's writer quotes cells with a character of its own line
    terminator, so it is given both characters, and this class removes the carriage return."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, line: str) -> None:
        self._out.write(line.removesuffix("\r\n") + "\n")


def write_json(result: Rows, out: IO[str]) -> None:
    """Write the rows as one JSON array of objects. Raises QueryError if two columns have the same name."""
    names = _distinct(_names(result))
    before = "["
    for rows in _batches(result):
        for row in rows:
            text = json_text(dict(zip(names, map(_plain, row), strict=True)))
            out.write(f"{before}\n{text}")
            before = ","
    out.write("\n]\n" if before == "," else "[]\n")


def write_parquet(
    connection: Connection | Asked, sql: str, out: Path | IO[bytes], columns: Sequence[str] = ()
) -> None:
    """Write the rows of a query to a Parquet file, with only some columns if `columns` names them. Raises
    QueryError."""
    schema, batches = connection.bind(sql).batches(GROUP_ROWS)
    if columns:
        indices = indices_of(schema.names, list(columns))
        schema = pa.schema([schema.field(index) for index in indices])
        batches = (batch.select(indices) for batch in batches)
    _distinct(schema.names)
    try:
        with pq.ParquetWriter(out, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_table(pa.Table.from_batches([batch]))
    except pa.ArrowException as error:
        raise QueryError(str(error)) from error


def rows(result: Rows, limit: int) -> tuple[list[str], list[list[str]], bool]:
    """Column names, the first rows as text, and whether there are more."""
    found = result.fetchmany(limit + 1)
    return _names(result), [[cell_text(value) for value in row] for row in found[:limit]], len(found) > limit


def names_and_rows(result: Rows, limit: int) -> tuple[list[str], list[tuple[Any, ...]], list[list[str]]]:
    """Column names, and the first rows as values and as text."""
    found = result.fetchmany(limit)
    return _names(result), found, [[cell_text(value) for value in row] for row in found]


def _names(result: Rows) -> list[str]:
    return [name for name, _ in result.description]


def _distinct(names: list[str]) -> list[str]:
    """The names. Raises QueryError if two are equal."""
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise QueryError(f"two columns are named {duplicates[0]}; name one of them with 'as'")
    return names


def _batches(result: Rows) -> Iterator[list[Any]]:
    while found := result.fetchmany(BATCH_ROWS):
        yield found


def _plain(value: Any) -> Any:
    """A value for JSON: times in ISO 8601, NaN as null, a decimal as a number, or as text if a float would
    lose digits."""
    if isinstance(value, decimal.Decimal):
        if value == value.to_integral_value():
            return int(value)
        return float(value) if decimal.Decimal(repr(float(value))) == value else str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)


def _cell(value: Any) -> Any:
    value = _plain(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return json.dumps(value) if isinstance(value, (dict, list)) else value


def cell_text(value: Any) -> str:
    """A value as text for a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.1f}"
    return str(_cell(value))
