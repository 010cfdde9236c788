"""Blocks: encoded rows on their way from workers that read events to those that write shards.

They are Arrow files beside the export's own. So an export takes no more memory than a piece of events or a
row group of its own, whatever the runner, and encodes each row once.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from cardlog.pipelines.export.output import placed
from cardlog.pipelines.export.spec import Block, Shard, Slice, SplitStats
from cardlog.pipelines.export.splits import SPLITS
from cardlog.pipelines.storage.remote import Folder, is_remote

TEXTS: Final = ("match_id", "dialect")
"""Columns of texts whose lengths differ."""
OPEN_BLOCKS: Final = 100
_NO_TEXT: Final = (0,) * len(TEXTS)
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


class _BlockFile:
    """A block in the making."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self._path = path
        self._writer = pa.ipc.new_file(str(path), schema, options=_OPTIONS)
        self._sizes: list[int] = []
        self._keys: list[int] = []
        self._longest = [0] * len(TEXTS)

    def add(self, rows: pa.RecordBatch, key: int) -> None:
        self._writer.write_batch(rows)
        self._sizes.append(len(rows))
        self._keys.append(key)
        for index, name in enumerate(TEXTS):
            longest = pc.max(pc.binary_length(rows.column(name))).as_py() or 0
            self._longest[index] = max(self._longest[index], longest)

    def close(self, key: int, kind: str, split: int, left_out: int) -> Block:
        self._writer.close()
        keys, sizes, longest = map(tuple, (self._keys, self._sizes, self._longest))
        return Block(key, kind, split, self._path.name, sizes, keys, longest, left_out)


def write(folder: str, key: int, found: Iterable[Rows]) -> list[Block]:
    """Write the rows of a portion, a block for each kind and split; one without rows has no file."""
    files: dict[tuple[str, int], _BlockFile] = {}
    left_out = Counter[tuple[str, int]]()
    with placed(folder, folder) as here:
        for kind, split, rows, piece, hidden in found:
            left_out[kind, split] += hidden
            if rows is None:
                continue
            if (kind, split) not in files:
                path = here / f"{key:08d}-{kind}-{SPLITS[split]}.arrow"
                files[kind, split] = _BlockFile(path, rows.schema)
            files[kind, split].add(rows, piece)
        return [
            files[of].close(key, *of, hidden)
            if of in files
            else Block(key, *of, "", (), (), _NO_TEXT, hidden)
            for of, hidden in sorted(left_out.items())
        ]


def stats_of(blocks: list[Block]) -> dict[tuple[str, int], SplitStats]:
    """How much each kind and split has."""
    found: dict[tuple[str, int], SplitStats] = {}
    for block in blocks:
        before = found.get((block.kind, block.split), SplitStats(0, block.longest, 0))
        longest = tuple(map(max, before.longest, block.longest))
        rows, left_out = before.rows + sum(block.sizes), before.left_out + block.left_out
        found[block.kind, block.split] = SplitStats(rows, longest, left_out)
    return found


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
        for batch, (key, size) in enumerate(zip(block.keys, block.sizes, strict=True))
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
