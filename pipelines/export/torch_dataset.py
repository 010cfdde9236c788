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
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
import torch.distributed
from torch.utils.data import IterableDataset, get_worker_info

from cardlog.pipelines.export.numpy_files import numbers

COLUMNS: Final = ("observation", "action_mask", "action", "reward", "return", "outcome", "seat", "step")
"""The columns of a batch by default."""

Batch = dict[str, Any]
"""A tensor for every column of numbers, its first axis the rows; a list for a column of texts."""


class Decisions(IterableDataset[Batch]):  # type: ignore[misc]
    """Batches of training rows of one kind and split.

    The rows are divided among the ranks of a distributed run and the workers of a `DataLoader`: each
    row is read by exactly one of them. Every reader takes whole row groups if there are enough of them,
    else every n-th row.

    A new iterator starts a new pass, also after a ``break``, as with any dataset of PyTorch; the same epoch
    has the same order. To resume a pass, save `state_dict` and hand it to `load_state_dict`: the next
    iterator continues there, and those after it start from the beginning.

    shuffle, seed
        The order of row groups depends on seed and epoch; rows are mixed within the `window` row groups that
        are read together.
    batch_size
        Rows of a batch; only the last one of a reader has fewer.
    rank, world_size
        Of a distributed run (default: those of `torch.distributed`).

    Raises ValueError, listing those there are, for an unknown folder, kind, split or column.
    """

    def __init__(  # noqa: PLR0913, a user's options
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
        paths = _files(Path(folder), kind, split)
        schema = pq.read_schema(paths[0])
        for name in columns:
            if name not in schema.names:
                raise ValueError(f"there is no column {name!r}; there are: {', '.join(schema.names)}")
        self._columns, self._batch_size, self._window = columns, batch_size, window
        self._shuffle, self._seed = shuffle, seed
        self._rank, self._world_size = _rank_of(rank, world_size)
        self._groups = [
            (path, group, metadata.row_group(group).num_rows)
            for path in paths
            for metadata in [pq.read_metadata(path)]
            for group in range(metadata.num_row_groups)
        ]
        self._epoch = 0
        self._begin = self._yielded = 0

    @property
    def rows(self) -> int:
        """How many rows the split has, over all readers."""
        return sum(rows for *_, rows in self._groups)

    def set_epoch(self, epoch: int) -> None:
        """Start another pass, in another order."""
        self._epoch = epoch
        self._begin = self._yielded = 0

    def state_dict(self) -> dict[str, int]:
        """The position of this reader: how many batches its latest iterator has yielded."""
        return {"epoch": self._epoch, "batches": self._yielded}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Make the next iterator continue where a reader of the same rank and worker was."""
        self._epoch = state["epoch"]
        self._begin = self._yielded = state["batches"]

    def __iter__(self) -> Iterator[Batch]:
        self._yielded, self._begin = self._begin, 0
        return self._counted(self._yielded)

    def _counted(self, begin: int) -> Iterator[Batch]:
        """The batches of this reader from number `begin` on; earlier ones are read again and dropped."""
        for rows in islice(self._batches(), begin, None):
            self._yielded += 1
            yield _tensors(rows)
        self._yielded = 0

    def _batches(self) -> Iterator[pa.Table]:
        rest = None
        for rows in self._windows():
            rows = rows if rest is None else pa.concat_tables([rest, rows])
            whole = len(rows) - len(rows) % self._batch_size
            yield from (rows.slice(first, self._batch_size) for first in range(0, whole, self._batch_size))
            rest = rows.slice(whole)
        if rest:
            yield rest

    def _windows(self) -> Iterator[pa.Table]:
        """The rows of this reader, in their order, those of `window` row groups at a time."""
        worker = get_worker_info()
        number, readers = (worker.id, worker.num_workers) if worker else (0, 1)
        number, readers = self._rank * readers + number, self._world_size * readers
        groups = self._groups
        if self._shuffle:
            order = np.random.default_rng([self._seed, self._epoch]).permutation(len(groups))
            groups = [groups[index] for index in order]
        by_group = len(groups) >= readers
        if by_group:
            groups = groups[number::readers]
        for first in range(0, len(groups), self._window):
            tables = [
                pq.ParquetFile(path).read_row_group(group, columns=list(self._columns), use_threads=False)
                for path, group, _ in groups[first : first + self._window]
            ]
            rows = pa.concat_tables(tables)
            if not by_group:
                rows = rows.take(np.arange(number, len(rows), readers))
            if self._shuffle:
                rng = np.random.default_rng([self._seed, self._epoch, first, number])
                rows = rows.take(rng.permutation(len(rows)))
            yield rows


def _files(folder: Path, kind: str, split: str) -> list[Path]:
    kinds = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    if not kinds:
        raise ValueError(f"{folder} has no training data; cardlog export --format parquet makes it")
    if kind not in kinds:
        raise ValueError(f"there is no kind {kind!r}; there are: {', '.join(kinds)}")
    paths = sorted((folder / kind).glob(f"{split}-*.parquet"))
    if not paths:
        splits = sorted({path.name.split("-")[0] for path in (folder / kind).glob("*.parquet")})
        raise ValueError(f"there is no split {split!r}; there are: {', '.join(splits)}")
    return paths


def _rank_of(rank: int | None, world_size: int | None) -> tuple[int, int]:
    if rank is None and world_size is None and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    rank, world_size = rank or 0, world_size or 1
    if not 0 <= rank < world_size:
        raise ValueError(f"rank is {rank} of {world_size}; it must be from 0 to {world_size - 1}")
    return rank, world_size


def _tensors(table: pa.Table) -> Batch:
    batch: Batch = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_string(column.type):
            batch[name] = column.to_pylist()
            continue
        kind = torch.int64 if name == "action" else None
        batch[name] = torch.tensor(numbers(column.combine_chunks()), dtype=kind)
    return batch
