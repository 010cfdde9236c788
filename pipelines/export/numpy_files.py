"""Training rows as NumPy arrays: one ``.npy`` per column, to be mapped into memory, or one ``.npz``."""

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

TEXTS: Final = ("match_id", "dialect", "player", "player_kind", "dataset", "next_kind")
"""Columns of texts of different lengths."""


class NumpyFiles:
    """The arrays of one kind and split, one row a decision, in a folder of its name.

    Texts are bytes, padded to the longest one; missing texts are empty, and missing numbers nan.
    """

    def __init__(self, folder: Path, split: str, count: int, rows: Iterator[pa.RecordBatch]) -> None:
        self.folder = folder / split
        self.folder.mkdir(parents=True, exist_ok=True)
        self._count, self._written = count, 0
        self._longest: Counter[str] = Counter()
        self._arrays: dict[str, Any] = {}
        for batch in rows:
            for name in {*TEXTS} & {*batch.schema.names}:
                longest = pc.max(pc.binary_length(batch.column(name))).as_py() or 0
                self._longest[name] = max(self._longest[name], longest)

    def add(self, rows: pa.Table) -> None:
        """Add training rows."""
        for name, column in zip(rows.column_names, rows.columns, strict=True):
            whole = column.combine_chunks()
            is_text = pa.types.is_string(whole.type)
            values = _texts(whole, self._longest[name]) if is_text else numbers(whole)
            if name not in self._arrays:
                self._arrays[name] = np.lib.format.open_memmap(
                    self.folder / f"{name}.npy", "w+", values.dtype, (self._count, *values.shape[1:])
                )
            self._arrays[name][self._written : self._written + len(rows)] = values
        self._written += len(rows)

    def close(self) -> None:
        """Flush everything to disk."""
        for array in self._arrays.values():
            array.flush()
        self._arrays.clear()


class NpzFiles(NumpyFiles):
    """The same arrays in one ``.npz``."""

    def close(self) -> None:
        """Pack the arrays."""
        arrays = {name: self._arrays[name] for name in sorted(self._arrays)}
        np.savez_compressed(self.folder.with_suffix(".npz"), **arrays)
        super().close()
        shutil.rmtree(self.folder)


def numbers(column: pa.Array) -> Any:
    """A column of numbers as an array, one of fixed-size lists as a matrix. Null is nan in floats, else 0."""
    if pa.types.is_fixed_size_list(column.type):
        return numbers(column.flatten()).reshape(-1, column.type.list_size)
    if column.null_count and not (pa.types.is_floating(column.type) or pa.types.is_timestamp(column.type)):
        column = pc.fill_null(column, 0)
    return column.to_numpy(zero_copy_only=False)


def _texts(column: pa.StringArray, longest: int) -> Any:
    """A column of texts as an array of bytes."""
    texts = pc.fill_null(column, "").cast(pa.binary()).to_pylist()
    return np.array(texts, f"S{longest}" if longest else "S")
