"""Training rows as Parquet files that `datasets.load_dataset` opens, named as on the Hub."""

from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.parquet as pq

GROUP_ROWS: Final = 25_000
"""Rows of a row group, which is what a reader takes at a time."""
FILE_ROWS: Final = 4_000_000
"""Rows that a file has at most."""
FILES: Final = 20
"""Files that a split is divided into, so that as many processes can read it side by side …"""
LEAST_ROWS: Final = 1_000
"""… if each has as many rows."""


def files_for(rows: int) -> int:
    """The number of files for a number of rows: at least one."""
    return max(min(FILES, rows // LEAST_ROWS), -(-rows // FILE_ROWS), 1)


class ParquetFile:
    """One of the files of a kind and split: ``train-00000-of-00020.parquet``."""

    def __init__(self, folder: Path, split: str, number: int, of: int) -> None:
        folder.mkdir(exist_ok=True)
        self._path = folder / f"{split}-{number:05d}-of-{of:05d}.parquet"
        self._writer: pq.ParquetWriter | None = None

    def add(self, rows: pa.Table) -> None:
        """Add training rows, a row group."""
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._path, rows.schema, **_layout(rows.schema))
        self._writer.write_table(rows.combine_chunks(), len(rows))

    def close(self) -> None:
        """Bring everything to the disk."""
        if self._writer is not None:
            self._writer.close()


def ends_of(rows: int) -> list[int]:
    """The last rows, exclusive, of the files for a number of rows, all of about one size."""
    count = files_for(rows)
    return [rows * (number + 1) // count for number in range(count)]


def _layout(schema: pa.Schema) -> dict[str, object]:
    """How the columns are encoded: numbers of an observation byte by byte, which is smaller than with a
    dictionary and a third faster."""
    plain = [field.name for field in schema if not pa.types.is_fixed_size_list(field.type)]
    return {
        "compression": "zstd",
        "use_dictionary": plain,
        "write_statistics": plain,
        "column_encoding": {"observation.list.element": "BYTE_STREAM_SPLIT"},
    }
