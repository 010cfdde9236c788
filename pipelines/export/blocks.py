"""Blocks: encoded rows on their way from workers that read events to those that write shards.

They are Arrow files beside the export's own. So an export takes no more memory than a piece of events or a
row group of its own, whatever the runner, and encodes each row once.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

import pyarrow as pa

from cardlog.pipelines.export.output import placed
from cardlog.pipelines.export.spec import SPLITS
from cardlog.pipelines.storage.remote import Folder, is_remote

OPEN_BLOCKS: Final = 100
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="lz4")


class Rows(NamedTuple):
    """Rows of a kind of decision and a split.

    key
        By what they are sorted if rows are mixed.
    left_out
        How many rows were left out because cards are hidden.
    """

    kind: str
    split: int
    rows: pa.RecordBatch | None
    key: int = 0
    left_out: int = 0


@dataclass(frozen=True)
class Block:
    """Encoded rows of one portion, kind of decision and split, in a file, if there are any.

    batches
        Of each record batch of the file its size, and by what it is sorted if rows are mixed.
    left_out
        How many rows were left out because cards are hidden.
    """

    key: int
    kind: str
    split: int
    name: str
    batches: tuple[tuple[int, int], ...]
    left_out: int

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(size for size, _ in self.batches)


class Slice(NamedTuple):
    """Some rows of a record batch of a block."""

    block: str
    batch: int
    first: int
    end: int


@dataclass(frozen=True)
class Shard:
    """The rows of one kind and split that one worker writes: all of them, or one of `of` files."""

    kind: str
    split: int
    number: int
    of: int
    slices: tuple[Slice, ...]

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(part.end - part.first for part in self.slices)


def write(folder: str, key: int, found: Iterable[Rows]) -> list[Block]:
    """Write the rows of a portion, a block for each kind and split; one without rows has no file."""
    writers: dict[tuple[str, int], Any] = {}
    batches = defaultdict[tuple[str, int], list[tuple[int, int]]](list)
    left_out = Counter[tuple[str, int]]()
    with placed(folder, folder) as here, ExitStack() as opened:
        for kind, split, rows, piece, hidden in found:
            of = kind, split
            left_out[of] += hidden
            if rows is None:
                continue
            if of not in writers:
                file = pa.ipc.new_file(str(here / _name(key, *of)), rows.schema, options=_OPTIONS)
                writers[of] = opened.enter_context(file)
            writers[of].write_batch(rows)
            batches[of].append((len(rows), piece))
    return [
        Block(key, *of, _name(key, *of), tuple(batches[of]), hidden)
        for of, hidden in sorted(left_out.items())
    ]


def _name(key: int, kind: str, split: int) -> str:
    return f"{key:08d}-{kind}-{SPLITS[split]}.arrow"


def slices(blocks: list[Block], ends: list[int], by_key: bool) -> Iterator[tuple[Slice, ...]]:
    """The rows of the blocks of one kind and split cut into shards.

    ends
        How many rows there are up to the end of each shard; all of them up to the last.
    by_key
        Whether the batches follow each other by their keys; otherwise they have the order of the blocks.
    """
    begin = shard = 0
    found: list[Slice] = []
    batches = [
        (key, block.name, batch, size)
        for block in sorted(blocks, key=lambda block: block.key)
        for batch, (size, key) in enumerate(block.batches)
    ]
    for _, name, batch, size in sorted(batches, key=lambda batch: batch[0]) if by_key else batches:
        first = 0
        while first < size:
            end = min(size, ends[shard] - begin)
            found.append(Slice(name, batch, first, end))
            if begin + end == ends[shard]:
                yield tuple(found)
                found = []
                shard += 1
            first = end
        begin += size


def read(folder: str, shard: Shard) -> Iterator[pa.RecordBatch]:
    """The rows of a shard."""
    source = Folder(folder).open if is_remote(folder) else lambda name: pa.memory_map(f"{folder}/{name}")
    opened = lru_cache(OPEN_BLOCKS)(lambda name: pa.ipc.open_file(source(name)))
    for part in shard.slices:
        yield opened(part.block).get_batch(part.batch)[part.first : part.end]
