"""The rows of a query as CSV, JSON, Parquet or text for a person."""

import csv
import datetime
import decimal
import json
import math
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from types import NoneType
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.sql.query import BATCH_ROWS, Answer, QueryError
from cardlog.pipelines.visible import json_lines

GROUP_ROWS: Final = 50_000
"""Rows per row group in a Parquet file."""
Rows = Iterable[tuple[Any, ...]]
_SAME_IN_CSV: Final[set[type]] = {int, str, NoneType}
_SAME_IN_JSON: Final = _SAME_IN_CSV | {bool}


def write_csv(names: list[str], rows: Rows, out: IO[str]) -> None:
    """Write the rows as CSV with a header, as in RFC 4180 but with plain line feeds; NULL is empty."""
    writer = csv.writer(_Lines(out), lineterminator="\r\n")
    writer.writerow(names)
    writer.writerows(_converted(rows, _cell, _SAME_IN_CSV))


class _Lines:
    """Ends lines with a line feed alone. Python's writer is given both characters as the line terminator, so
    that it quotes cells that contain either."""

    def __init__(self, out: IO[str]) -> None:
        self._out = out

    def write(self, line: str) -> None:
        self._out.write(line.removesuffix("\r\n") + "\n")


def write_json(names: list[str], rows: Rows, out: IO[str]) -> None:
    """Write the rows as one JSON array of objects. Raises QueryError if two columns have the same name."""
    _check_distinct(names)
    plain = _converted(rows, _plain, _SAME_IN_JSON)
    separator = "["
    while batch := [dict(zip(names, row, strict=True)) for row in islice(plain, BATCH_ROWS)]:
        out.write(f"{separator}\n{json_lines(batch)}")
        separator = ","
    out.write("\n]\n" if separator == "," else "[]\n")


def write_parquet(bound: Answer, out: Path | IO[bytes]) -> None:
    """Write the rows of a bound query to a Parquet file. Raises QueryError."""
    schema, batches = bound.batches(GROUP_ROWS)
    _check_distinct(schema.names)
    try:
        with pq.ParquetWriter(out, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_table(pa.Table.from_batches([batch]))
    except pa.ArrowException as error:
        raise QueryError(str(error)) from error


def _check_distinct(names: list[str]) -> None:
    """Raise QueryError if two names are equal."""
    duplicates = sorted({name for name in names if names.count(name) > 1})
    if duplicates:
        raise QueryError(f"two columns are named {duplicates[0]}; name one of them with 'as'")


def _converted(rows: Rows, convert: Callable[[Any], Any], same: set[type]) -> Iterator[tuple[Any, ...]]:
    """The rows with their values converted, but for columns in which all values are of types that stay the
    `same`: most are."""
    remaining = iter(rows)
    while batch := list(islice(remaining, BATCH_ROWS)):
        columns = zip(*batch, strict=True)
        yield from zip(
            *(column if set(map(type, column)) <= same else map(convert, column) for column in columns),
            strict=True,
        )


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
