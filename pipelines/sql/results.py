"""The rows of a query as CSV, JSON, Parquet or text for a person."""

import csv
import datetime
import decimal
import json
import math
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Final

from cardlog.pipelines.sql.answer import Answer, QueryError
from cardlog.pipelines.text.visible import visible_json

GROUP_ROWS: Final = 50_000
"""Rows per row group in a Parquet file."""
SHEET_ROWS: Final = 2**20
SHEET_YEAR: Final = 1900
"""Excel has rows and times from here on."""


def write_csv(bound: Answer, out: IO[str]) -> None:
    """Write the rows of a bound query as CSV with a header, as in RFC 4180 but with plain line feeds; NULL is
    empty. Raises QueryError."""
    csv.writer(out, lineterminator="\n").writerow(bound.names)
    for text in bound.lines("csv"):
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
    import pyarrow as pa
    import pyarrow.parquet as pq

    schema, batches = bound.batches(GROUP_ROWS)
    _check_distinct(schema.names)
    try:
        with pq.ParquetWriter(out, schema, compression="zstd") as writer:
            for batch in batches:
                writer.write_table(pa.Table.from_batches([batch]))
    except pa.ArrowException as error:
        raise QueryError(str(error)) from error


def write_xlsx(bound: Answer, out: IO[bytes]) -> None:
    """Write the rows of a bound query to a workbook. Texts stay texts, whatever they begin with; times are
    in UTC, without a zone, as Excel has them. Raises QueryError if there are more rows than a sheet has."""
    from xlsxwriter import Workbook

    options = {
        "constant_memory": True, "in_memory": False, "remove_timezone": True, "nan_inf_to_errors": True,
        "strings_to_formulas": False, "strings_to_urls": False,
        "default_date_format": "yyyy-mm-dd hh:mm:ss",
    }  # fmt: skip
    packed = BytesIO()  # a disk that is full while it is packed would leave a broken archive to be closed
    with Workbook(packed, options) as book:
        sheet, day = book.add_worksheet("cardlog"), book.add_format({"num_format": "yyyy-mm-dd"})
        sheet.freeze_panes(1, 0)
        sheet.write_row(0, 0, bound.names, book.add_format({"bold": True}))
        _, batches = bound.batches(GROUP_ROWS)
        rows = (row for batch in batches for row in zip(*(c.to_pylist() for c in batch.columns), strict=True))
        for number, row in enumerate(rows, 1):
            if number >= SHEET_ROWS:
                raise QueryError(f"a sheet has {SHEET_ROWS:,} rows; --output csv or parquet writes more")
            for place, value in enumerate(row):
                is_time = isinstance(value, (datetime.date, datetime.time))
                is_day = is_time and not isinstance(value, (datetime.datetime, datetime.time))
                if is_time and getattr(value, "year", SHEET_YEAR) >= SHEET_YEAR:
                    sheet.write(number, place, value, *([day] if is_day else []))
                elif (plain := _plain(value)) is not None:
                    is_simple = isinstance(plain, (str, int, float, bool)) and not _loses_digits(plain)
                    sheet.write(number, place, plain if is_simple else json.dumps(plain))
    out.write(packed.getbuffer())


def _loses_digits(value: Any) -> bool:
    """Whether a number is an integer that Excel, which has floats only, would round."""
    return isinstance(value, int) and abs(value) > 10**15


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
