"""The fields of the lines of a dump, as columns.

Arrow's CSV reader splits the lines. Those that it might split otherwise than Postgres meant, such as lines
with quotes, go through Python's, one by one.
"""

import csv
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv as arrow_csv

from cardlog.pipelines.readers.arrays import Offsets
from cardlog.pipelines.readers.playedhand_csv.lines import COLUMNS, field_order, is_no_hand


class Rows(NamedTuple):
    """The rows of a text.

    lines
        Indices of the lines with as many fields as there are columns: shape (rows,).
    columns
        The fields of each of `COLUMNS`, each of shape (rows,).
    uneven
        Indices of the lines with more fields, or fewer.
    """

    lines: Offsets
    columns: list[pa.BinaryArray]
    uneven: list[int]


def rows_of(text: bytes, starts: Offsets, ends: Offsets, header: bytes) -> Rows:
    """The rows of a text, whose lines have these offsets."""
    if not text:  # which Arrow refuses
        return Rows(np.zeros(0, np.int64), [pa.array([], pa.binary())] * len(COLUMNS), [])
    names = [COLUMNS[column] for column in field_order(header)]
    table, slow = _table(_without_odd_lines(text, starts, ends), names)
    lines = np.delete(np.arange(len(starts)), slow)
    is_row = (ends > starts)[lines]
    for row in np.flatnonzero(pc.equal(table.column("id"), b"id")).tolist():
        is_row[row] &= not is_no_hand(text[starts[lines[row]] : ends[lines[row]]], header)
    uneven: list[int] = []
    others: dict[int, list[bytes]] = {}
    for line in slow:
        raw = text[starts[line] : ends[line]]
        if not is_no_hand(raw, header):
            others[line] = _fields(raw)
            if len(others[line]) != len(COLUMNS):
                del others[line]
                uneven.append(line)
    if not is_row[:1].all():  # the header, without a copy
        table, lines, is_row = table.slice(1), lines[1:], is_row[1:]
    if not is_row.all():
        table, lines = table.filter(pa.array(is_row)), lines[is_row]
    if others:
        columns = [pa.array(column, pa.binary()) for column in zip(*others.values(), strict=True)]
        lines = np.append(lines, [*others])
        order = np.argsort(lines)
        table, lines = pa.concat_tables([table, pa.table(columns, names)]).take(order), lines[order]
    return Rows(lines, [table.column(name).combine_chunks() for name in COLUMNS], uneven)


def _without_odd_lines(text: bytes, starts: Offsets, ends: Offsets) -> bytes:
    """A text with ``-`` in place of lines that Arrow's reader would not split at each comma, or can't."""
    has_returns = b"\r" in text and text.count(b"\r") != text.count(b"\r\n") + text.endswith(b"\r")
    if text.isascii() and b'"' not in text and not has_returns:
        return text
    lines = [text[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
    is_odd = (b'"' in line or b"\r" in line or not line.isascii() for line in lines)
    return b"\n".join([b"-" if odd else line for line, odd in zip(lines, is_odd, strict=True)]) + b"\n"


def _table(text: bytes, names: list[str]) -> tuple[pa.Table, list[int]]:
    """The lines with as many fields as there are columns, and blank ones; and the indices of all others."""
    uneven: list[int] = []

    def skip(row: Any) -> str:
        uneven.append(row.number - 1)
        return "skip"

    table = arrow_csv.read_csv(
        pa.BufferReader(text),
        arrow_csv.ReadOptions(use_threads=False, block_size=len(text) + 1, column_names=names),
        arrow_csv.ParseOptions(quote_char=False, ignore_empty_lines=False, invalid_row_handler=skip),
        arrow_csv.ConvertOptions(column_types=dict.fromkeys(names, pa.binary())),
    )
    return table, uneven


def _fields(line: bytes) -> list[bytes]:
    """The fields of a line, without quotes, which none of these columns needs."""
    if b'"' in line:
        try:
            fields = next(csv.reader([line.decode("latin-1")], strict=True))
        except (csv.Error, StopIteration):
            fields = [","]
        if not any("," in field for field in fields):
            return [field.encode("latin-1") for field in fields]
    return line.split(b",")
