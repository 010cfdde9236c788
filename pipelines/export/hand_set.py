"""Sets of hands on disk: their ids as two columns of 64 bits, sorted, which readers map into memory."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.storage.remote import Folder, is_remote

ID_BYTES = 16


def write(path: Path, batches: Iterator[pa.RecordBatch]) -> None:
    """Write a set: the ids as binary values of 16 bytes, in order, each once."""
    with (path / "high").open("wb") as high, (path / "low").open("wb") as low:
        for batch in batches:
            words = np.array(batch.column(0).to_pylist(), f"V{ID_BYTES}").view(">u8").reshape(-1, 2)
            high.write(words[:, 0].astype(np.uint64).tobytes())
            low.write(words[:, 1].astype(np.uint64).tobytes())


class HandSet:
    """A set that was written before."""

    def __init__(self, path: str) -> None:
        self._high, self._low = (_column(path, name) for name in ("high", "low"))

    def has(self, hand_ids: NDArray[np.bytes_]) -> NDArray[np.bool_]:
        """Whether each hand is in it: ids of dtype S32, shape (hands,)."""
        if not len(self._high) or not len(hand_ids):
            return np.zeros(len(hand_ids), np.bool_)
        binary = bytes.fromhex(np.ascontiguousarray(hand_ids).tobytes().decode())
        words = np.frombuffer(binary, ">u8").astype(np.uint64).reshape(-1, 2)
        at = np.searchsorted(self._high, words[:, 0])
        found = np.zeros(len(words), np.bool_)
        todo = np.ones(len(words), np.bool_)
        while todo.any():  # more than once only where ids begin with the same 64 bits
            inside = np.minimum(at, len(self._high) - 1)
            todo &= (at < len(self._high)) & (self._high[inside] == words[:, 0])
            found |= todo & (self._low[inside] == words[:, 1])
            todo &= ~found
            at = at + 1
        return found


def _column(folder: str, name: str) -> NDArray[np.uint64]:
    if is_remote(folder):
        with Folder(folder).open(name) as file:
            return np.frombuffer(file.read(), np.uint64)
    return _mapped(Path(folder) / name)


def _mapped(path: Path) -> NDArray[np.uint64]:
    if not path.stat().st_size:
        return np.zeros(0, np.uint64)
    return np.memmap(path, np.uint64, "r")
