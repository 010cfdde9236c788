"""Training rows as Parquet files that `datasets.load_dataset` opens, named as on the Hub."""

from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from cardlog.pipelines.export.output import OutputError

GROUP_ROWS: Final = 25_000
"""Rows of a row group, which is what a reader takes at a time."""
FILE_ROWS: Final = 4_000_000
"""Rows that a file has at most."""
FILES: Final = 20
"""Files that a split is parted into, so that as many processes can read it side by side …"""
LEAST_ROWS: Final = 1_000
"""… if each has as many rows."""


def files_for(rows: int) -> int:
    """How many files so many rows make: at least one."""
    return max(min(FILES, rows // LEAST_ROWS), -(-rows // FILE_ROWS), 1)


class ParquetFiles:
    """The files of one kind and split: ``train-00000-of-00020.parquet``, all of about one size."""

    def __init__(self, folder: Path, split: str, rows: int) -> None:
        count = files_for(rows)
        self._paths = [folder / f"{split}-{n:05d}-of-{count:05d}.parquet" for n in range(count)]
        self._ends = [rows * (n + 1) // count for n in range(count)]
        self._writer: pq.ParquetWriter | None = None
        self._waiting: list[pa.Table] = []
        self._held = self._written = self._file = 0
        folder.mkdir(exist_ok=True)

    def add(self, rows: pa.Table) -> None:
        """Add training rows."""
        while len(rows):
            room = min(GROUP_ROWS, self._ends[self._file] - self._written) - self._held
            self._waiting.append(fixed(rows[:room]))
            self._held += len(rows[:room])
            rows = rows[room:]
            if self._held == min(GROUP_ROWS, self._ends[self._file] - self._written):
                self._flush()

    def _flush(self) -> None:
        rows = pa.concat_tables(self._waiting).combine_chunks()
        self._waiting.clear()
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._paths[self._file], rows.schema, compression="zstd")
        self._writer.write_table(rows, len(rows))
        self._written += len(rows)
        self._held = 0
        if self._written == self._ends[self._file]:
            self._writer.close()
            self._writer = None
            self._file += 1

    def close(self) -> None:
        """Nothing is left to do: the last row has closed the last file."""
        if self._file != len(self._paths):
            raise AssertionError(f"{self._written} rows of {self._ends[-1]} were written")


def fixed(rows: pa.Table) -> pa.Table:
    """The rows with their lists' one length as their type."""
    columns = {}
    for name, column in zip(rows.column_names, rows.columns, strict=True):
        columns[name] = _fixed_lists(column) if pa.types.is_list(column.type) else column
    return pa.table(columns)


def _fixed_lists(column: pa.ChunkedArray) -> pa.Array:
    lengths = pc.min_max(pc.list_value_length(column)).as_py()
    if lengths["min"] != lengths["max"]:
        raise OutputError(f"lists of one kind have {lengths['min']} and {lengths['max']} values")
    return pa.FixedSizeListArray.from_arrays(column.combine_chunks().flatten(), lengths["max"])
