"""Blocks: encoded rows on their way from workers that read events to the files of an export.

They are Arrow files beside the export's own, so that an export takes no more memory than a piece of events
or one of its row groups, whatever the runner, and encodes each row once.
"""

import io
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pyarrow as pa

from cardlog.pipelines.export.spec import SPLITS
from cardlog.pipelines.runtime import scratch
from cardlog.pipelines.storage.remote import Folder, is_remote, put_all

OPEN_BLOCKS: Final = 100
_OPTIONS: Final = pa.ipc.IpcWriteOptions(compression="lz4")


class Rows(NamedTuple):
    """Rows of a kind of decision and a split.

    key
        What they are sorted by if rows are mixed.
    left_out
        How many rows were left out because cards are hidden.
    """

    kind: str
    split: int
    rows: pa.RecordBatch | None
    key: int = 0
    left_out: int = 0


class Block(NamedTuple):
    """Encoded rows of one portion, kind of decision and split; they are in a file if there are any.

    batches
        The size and the key (see `Rows`) of each record batch of the file.
    left_out
        How many rows were left out because cards are hidden.
    """

    kind: str
    split: int
    name: str
    batches: list[tuple[int, int]]
    left_out: int

    @property
    def rows(self) -> int:
        """How many rows it has."""
        return sum(size for size, _ in self.batches)


def write(folder: str, key: int, portion_rows: Iterable[Rows]) -> None:
    """Write the rows of a portion, a block for each kind and split; one without rows has no file. Files
    appear whole, even if two workers write the same portion."""
    writers: dict[tuple[str, int], Any] = {}
    batches = defaultdict[tuple[str, int], list[tuple[int, int]]](list)
    left_out = Counter[tuple[str, int]]()

    def name(kind: str, split: int) -> str:
        return f"{key:08d}-{kind}-{SPLITS[split]}.arrow"

    with scratch.folder() as draft:
        with ExitStack() as stack:
            for kind, split, rows, piece_key, hidden in portion_rows:
                group = kind, split
                left_out[group] += hidden
                if rows is None:
                    continue
                if group not in writers:
                    file = pa.ipc.new_file(f"{draft}/{name(*group)}", rows.schema, options=_OPTIONS)
                    writers[group] = stack.enter_context(file)
                writers[group].write_batch(rows)
                batches[group].append((len(rows), piece_key))
        put_all(Path(draft), Folder(folder))
    blocks = [
        Block(*group, name(*group), batches[group], hidden) for group, hidden in sorted(left_out.items())
    ]
    Folder(folder).put(f"{key:08d}.json", io.BytesIO(json.dumps(blocks).encode()))


def blocks_of(folder: str, key: int) -> list[Block]:
    """The blocks of a portion."""
    with Folder(folder).open(f"{key:08d}.json") as file:
        return [Block(*block) for block in json.loads(file.read())]


def read(folder: str, blocks: list[Block], by_key: bool) -> Iterator[pa.RecordBatch]:
    """The record batches of blocks: in the order of their keys, or in that of the blocks."""
    source = Folder(folder).open if is_remote(folder) else lambda name: pa.memory_map(f"{folder}/{name}")
    open_block = lru_cache(OPEN_BLOCKS)(lambda name: pa.ipc.open_file(source(name)))
    batches = [(key, block.name, number) for block in blocks for number, (_, key) in enumerate(block.batches)]
    for _, name, number in sorted(batches, key=lambda batch: batch[0]) if by_key else batches:
        yield open_block(name).get_batch(number)
