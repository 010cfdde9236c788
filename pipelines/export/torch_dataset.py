"""Training rows for PyTorch, straight from an exported folder of Parquet files.

    import cardlog
    from torch.utils.data import DataLoader

    rows = cardlog.Decisions("training-data", kind="play", split="train", batch_size=4096, seed=1)
    for epoch in range(3):
        rows.set_epoch(epoch)
        for batch in DataLoader(rows, batch_size=None, num_workers=2):
            ...  # batch["observation"], batch["action_mask"], batch["action"]

Needs the extra ``torch``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
import torch.distributed
from numpy.typing import NDArray
from torch.utils.data import IterableDataset, get_worker_info

from cardlog.pipelines.export.numpy_files import numbers

COLUMNS: Final = ("observation", "action_mask", "action", "reward", "return", "outcome", "seat", "step")
"""What a batch has unless other columns are asked for."""

Batch = dict[str, Any]
"""A tensor for every column of numbers, its first axis the rows; a list for a column of texts."""


class Decisions(IterableDataset[Batch]):  # type: ignore[misc]
    """Batches of training rows of one kind and split.

    The rows are divided among the ranks of a distributed run and the workers of a `DataLoader`: each
    comes to exactly one of them. Every reader takes whole row groups, if there are enough of them,
    else every n-th row.

    A new iterator starts a new pass, also after a ``break``, as with any dataset of PyTorch: with the same
    epoch in the same order. To go on where a pass stopped, save `state_dict` and hand it to
    `load_state_dict`: the next iterator goes on there, and those after it start again.

    shuffle, seed
        Row groups come in an order that follows from seed and epoch; rows are mixed with those of
        the `window` row groups that are read together.
    batch_size
        Rows of a batch; only the last one of a reader has fewer.
    rank, world_size
        Of a distributed run; those of `torch.distributed` when left out.

    Raises ValueError, naming what there is, for a folder, kind, split or column there is none of.
    """

    def __init__(
        self,
        folder: str | Path,
        kind: str = "play",
        split: str = "train",
        *,
        batch_size: int = 1024,
        columns: tuple[str, ...] = COLUMNS,
        shuffle: bool = True,
        seed: int = 0,
        window: int = 4,
        rank: int | None = None,
        world_size: int | None = None,
    ) -> None:
        super().__init__()
        if batch_size < 1 or window < 1:
            raise ValueError("batch_size and window must be at least 1")
        self._paths = _files(Path(folder), kind, split)
        schema = pq.read_schema(self._paths[0])
        for name in columns:
            if name not in schema.names:
                raise ValueError(f"there is no column {name!r}; there are: {', '.join(schema.names)}")
        self._columns, self._batch_size, self._window = columns, batch_size, window
        self._shuffle, self._seed = shuffle, seed
        self._rank, self._world_size = _rank_of(rank, world_size)
        self._groups = [
            (path, group, metadata.row_group(group).num_rows)
            for path in self._paths
            for metadata in [pq.read_metadata(path)]
            for group in range(metadata.num_row_groups)
        ]
        self._epoch = 0
        self._begin = 0
        self._row = 0

    @property
    def rows(self) -> int:
        """How many rows the split has, over all readers."""
        return sum(rows for *_, rows in self._groups)

    def set_epoch(self, epoch: int) -> None:
        """Begin another pass, in another order."""
        self._epoch = epoch
        self._begin = self._row = 0

    def state_dict(self) -> dict[str, int]:
        """Where this reader is: after the last batch that its latest iterator gave."""
        return {"epoch": self._epoch, "row": self._row}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Let the next iterator go on where another reader of the same rank and worker was."""
        self._epoch = state["epoch"]
        self._begin = self._row = state["row"]

    def __iter__(self) -> Iterator[Batch]:
        begin, self._begin = self._begin, 0
        self._row = begin
        return self._batches(begin)

    def _batches(self, begin: int) -> Iterator[Batch]:
        """The batches of this reader from a row on."""
        held: Batch = {}
        for rows in self._windows(begin):
            held = _joined(held, rows)
            count = _size(held)
            first = 0
            while count - first >= self._batch_size:
                self._row += self._batch_size
                yield _slice(held, first, first + self._batch_size)
                first += self._batch_size
            held = _slice(held, first, count)
        if _size(held):
            self._row += _size(held)
            yield held
        self._row = 0

    def _windows(self, row: int) -> Iterator[Batch]:
        """The rows of this reader from a row on, window by window."""
        number, readers = self._reader()
        groups = self._order()
        by_group = len(groups) >= readers
        if by_group:
            groups = groups[number::readers]
        for first in range(0, len(groups), self._window):
            together = groups[first : first + self._window]
            sizes = [rows if by_group else len(range(number, rows, readers)) for *_, rows in together]
            if row >= sum(sizes):
                row -= sum(sizes)
                continue
            tables = [_read(path, group, self._columns) for path, group, _ in together]
            if not by_group:
                tables = [table.take(np.arange(number, len(table), readers)) for table in tables]
            rows = _tensors(pa.concat_tables(tables), self._mixed(sum(sizes), first, number))
            yield _slice(rows, row, sum(sizes))
            row = 0

    def _reader(self) -> tuple[int, int]:
        """The number of this reader among all, and how many there are."""
        worker = get_worker_info()
        number, count = (worker.id, worker.num_workers) if worker else (0, 1)
        return self._rank * count + number, self._world_size * count

    def _order(self) -> list[tuple[Path, int, int]]:
        """All row groups, in the order of this epoch."""
        if not self._shuffle:
            return self._groups
        rng = np.random.default_rng([self._seed, self._epoch])
        return [self._groups[index] for index in rng.permutation(len(self._groups))]

    def _mixed(self, count: int, first: int, reader: int) -> NDArray[np.int64]:
        """The order of the rows of a window."""
        if not self._shuffle:
            return np.arange(count)
        rng = np.random.default_rng([self._seed, self._epoch, first, reader])
        return rng.permutation(count)


def _files(folder: Path, kind: str, split: str) -> list[Path]:
    kinds = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not kinds:
        raise ValueError(f"{folder} has no training data; cardlog export --format parquet makes it")
    if kind not in kinds:
        raise ValueError(f"there is no kind {kind!r}; there are: {', '.join(kinds)}")
    found = sorted((folder / kind).glob(f"{split}-*.parquet"))
    if not found:
        splits = sorted({path.name.split("-")[0] for path in (folder / kind).glob("*.parquet")})
        raise ValueError(f"there is no split {split!r}; there are: {', '.join(splits)}")
    return found


def _rank_of(rank: int | None, world_size: int | None) -> tuple[int, int]:
    if rank is None and world_size is None and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    rank, world_size = rank or 0, world_size or 1
    if not 0 <= rank < world_size:
        raise ValueError(f"rank is {rank} of {world_size}; it must be from 0 to {world_size - 1}")
    return rank, world_size


def _read(path: Path, group: int, columns: tuple[str, ...]) -> pa.Table:
    return pq.ParquetFile(path).read_row_group(group, columns=list(columns), use_threads=False)


def _tensors(table: pa.Table, order: NDArray[np.int64]) -> Batch:
    """The columns as tensors, their rows in this order."""
    found: Batch = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        values = column.combine_chunks()
        if pa.types.is_string(values.type):
            found[name] = values.take(pa.array(order)).to_pylist()
            continue
        array = numbers(values)[order]
        found[name] = torch.from_numpy(array.astype(np.int64) if name == "action" else array)
    return found


def _size(rows: Batch) -> int:
    return len(next(iter(rows.values()))) if rows else 0


def _slice(rows: Batch, first: int, last: int) -> Batch:
    return {name: values[first:last] for name, values in rows.items()}


def _joined(before: Batch, rows: Batch) -> Batch:
    if not _size(before):
        return rows
    return {
        name: before[name] + values if isinstance(values, list) else torch.cat([before[name], values])
        for name, values in rows.items()
    }
