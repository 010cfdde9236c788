"""Training rows as Parquet files that `datasets.load_dataset` opens, named as on the Hub."""

from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq

GROUP_ROWS: Final = 25_000
"""Rows of a row group, which readers read as a whole."""
FILE_ROWS: Final = 4_000_000
"""Most rows of a file."""
FILES: Final = 20
"""Files of a split, so that this many processes can read it side by side …"""
LEAST_ROWS: Final = 1_000
"""… unless files would have fewer rows than this."""


def file_sizes(rows: int) -> list[int]:
    """How many rows each file has; they differ by at most one."""
    count = max(min(FILES, rows // LEAST_ROWS), -(-rows // FILE_ROWS), 1)
    ends = [rows * number // count for number in range(count + 1)]
    return [end - begin for begin, end in pairwise(ends)]


def group_sizes(rows: int) -> list[int]:
    """How many rows each row group has: `GROUP_ROWS`, and what is left at the end of a file."""
    return [
        min(GROUP_ROWS, size - first) for size in file_sizes(rows) for first in range(0, size, GROUP_ROWS)
    ]


class ParquetFiles:
    """The files of a kind and split: ``train-00000-of-00020.parquet``."""

    def __init__(self, folder: Path, split: str, count: int) -> None:
        folder.mkdir(exist_ok=True)
        sizes = file_sizes(count)
        names = [f"{split}-{number:05d}-of-{len(sizes):05d}.parquet" for number in range(len(sizes))]
        self._files = zip(sizes, (folder / name for name in names), strict=True)
        self._left = 0
        self._writer: Any = None

    def add(self, rows: pa.Table) -> None:
        """Add training rows as one row group."""
        if not self._left:
            self.close()
            self._left, path = next(self._files)
            self._writer = pq.ParquetWriter(path, rows.schema, **_layout(rows.schema))
        self._writer.write_table(rows.combine_chunks(), len(rows))
        self._left -= len(rows)

    def close(self) -> None:
        """Finish the last file."""
        if self._writer:
            self._writer.close()


def _layout(schema: pa.Schema) -> dict[str, object]:
    """How the columns are encoded: the numbers of an observation without a dictionary, which is smaller and a
    third faster."""
    plain = [field.name for field in schema if not pa.types.is_fixed_size_list(field.type)]
    return {
        "compression": "zstd",
        "use_dictionary": plain,
        "write_statistics": plain,
        "column_encoding": {
            f"{name}.list.element": "BYTE_STREAM_SPLIT"
            for name in ("observation", "next_observation")
            if name in schema.names
        },
    }
