"""Splits the lines of a dump into columns, with Arrow's CSV reader."""

import csv
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from cardlog.pipelines.readers.arrays import Offsets
from cardlog.pipelines.readers.playedhand_csv.layout import COLUMNS, Layout
from cardlog.pipelines.readers.playedhand_csv.lines import is_no_hand


class Rows(NamedTuple):
    """The rows of a text.

    lines
        Indices of the lines with as many fields as there are columns: shape (rows,).
    columns
        The fields of each of `COLUMNS`, each of shape (rows,).
    uneven
        Indices of the lines with more or fewer fields.
    """

    lines: Offsets
    columns: list[pa.BinaryArray]
    uneven: list[int]


def rows_of(text: bytes, starts: Offsets, ends: Offsets, layout: Layout) -> Rows:
    """The rows of a text whose lines begin and end at these offsets."""
    if not text:  # Arrow refuses it
        return Rows(np.zeros(0, np.int64), [pa.array([], pa.binary())] * len(COLUMNS), [])
    uneven: list[int] = []

    def skip(row: Any) -> str:
        uneven.append(row.number - 1)
        return "skip"

    plain = _plain(text, starts, ends, layout)
    names = [*layout.columns]
    table = arrow_csv.read_csv(
        pa.BufferReader(plain),
        arrow_csv.ReadOptions(use_threads=False, block_size=len(plain) + 1, column_names=names),
        arrow_csv.ParseOptions(
            delimiter=layout.separator.decode(),
            quote_char=False,
            ignore_empty_lines=False,
            invalid_row_handler=skip,
        ),
        arrow_csv.ConvertOptions(column_types=dict.fromkeys(COLUMNS, pa.binary()), include_columns=COLUMNS),
    )
    lines = np.delete(np.arange(len(starts)), uneven)
    is_row = (ends > starts)[lines]
    for row in np.flatnonzero(pc.ends_with(table.column("id"), "id")).tolist():
        is_row[row] &= not is_no_hand(text[starts[lines[row]] : ends[lines[row]]], layout)
    if not is_row[:1].all():  # the header, without a copy
        table, lines, is_row = table.slice(1), lines[1:], is_row[1:]
    if not is_row.all():
        table, lines = table.filter(pa.array(is_row)), lines[is_row]
    uneven = [line for line in uneven if not is_no_hand(text[starts[line] : ends[line]], layout)]
    return Rows(lines, [table.column(name).combine_chunks() for name in COLUMNS], uneven)


_NO_VALUE: Final = bytes(byte if byte < 128 and byte != ord("\r") else 0 for byte in range(256))
"""Translates to 0 bytes that are in no value, and that Arrow's reader refuses or takes for a line end."""


def _plain(text: bytes, starts: Offsets, ends: Offsets, layout: Layout) -> bytes:
    """The text without quotes, which no value of these columns needs, so that Arrow's reader splits it at
    every separator and line end."""
    has_returns = b"\r" in text and text.count(b"\r") != text.count(b"\r\n") + text.endswith(b"\r")
    if text.isascii() and (b'"' not in text or layout.is_copied) and not has_returns:
        return text
    lines = (text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True))
    return b"\n".join([_without_quotes(line, layout).translate(_NO_VALUE) for line in lines]) + b"\n"


def _without_quotes(line: bytes, layout: Layout) -> bytes:
    if b'"' in line and not layout.is_copied:
        separator = layout.separator.decode()
        try:
            fields = next(csv.reader([line.decode("latin-1")], delimiter=separator, strict=True))
        except (csv.Error, StopIteration):
            return line
        if len(fields) == len(layout.columns):  # ignored columns may have any text
            known = zip(layout.columns, fields, strict=True)
            fields = [field if name in COLUMNS else "" for name, field in known]
        if not any(separator in field for field in fields):
            return separator.join(fields).encode("latin-1")
    return line
