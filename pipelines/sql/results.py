"""The rows of a query as CSV, JSON, Parquet or text for a person."""

import csv
import datetime
import decimal
import json
import math
from pathlib import Path
from typing import IO, Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

from cardlog.pipelines.sql.query import Answer, QueryError
from cardlog.pipelines.text.visible import visible_json

GROUP_ROWS: Final = 50_000
"""Rows per row group in a Parquet file."""


def write_csv(bound: Answer, out: IO[str], most: int | None = None) -> None:
    """Write the rows of a bound query, or the first of them, as CSV with a header, as in RFC 4180 but with
    plain line feeds; NULL is empty. Raises QueryError."""
    csv.writer(out, lineterminator="\n").writerow(bound.names)
    for text in bound.lines("csv", most):
        out.write(text)


def write_json(bound: Answer, out: IO[str]) -> None:
    """Write the rows of a bound query as one JSON array of objects. Raises QueryError, also if two columns
    have the same name."""
    _check_distinct(bound.names)
    start = "["
    for text in bound.lines("json"):
        out.write(start + visible_json(text[1:] if start else text))
        start = ""
    out.write("[]\n" if start else "\n]\n")


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


def _plain(value: Any) -> Any:
    """A value for a table: times in ISO 8601, NaN as null, a decimal as a number, or as text if a float would
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


def cell_text(value: Any) -> str:
    """A value as text for a table."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.1f}"
    plain = _plain(value)
    return json.dumps(plain) if isinstance(plain, (bool, dict, list)) else str(plain)
