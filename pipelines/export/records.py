"""Forms that are one file: what workers write of each item, and how it becomes the file."""

from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final

import pyarrow as pa

from cardlog.pipelines import scratch, whole
from cardlog.pipelines.export import cardlog_jsonl, playedhand_csv
from cardlog.pipelines.export.spec import Item, Plan
from cardlog.pipelines.storage.remote import Folder, is_remote
from cardlog.pipelines.storage.store import Store

CSV: Final = "playedhand-csv"
JSONL: Final = "cardlog-jsonl"
_COPY_BYTES: Final = 2**20


def write_directly(plan: Plan, store: Store, file: IO[bytes]) -> int:
    """Write the file item by item; returns how many hands or events it has."""
    if plan.spec.form == CSV:
        rows = (row for item in plan.items for row in playedhand_csv.encode_item(plan, item))
        return playedhand_csv.write(store, rows, file)
    count = 0
    for item in plan.items:
        for events, text in cardlog_jsonl.encode_item(plan, item):
            file.write(text)
            count += events
    return count


def encode_item(plan: Plan, item: Item) -> None:
    """Write the block of an item. A worker that does an item again puts the same one in its place."""
    name = _block(item)
    if is_remote(plan.blocks):
        with scratch.folder() as here:
            path = Path(here) / name
            _encode(plan, item, path)
            Folder(plan.blocks).put(name, path)
        return
    with whole.replaced(Path(plan.blocks) / name) as draft:
        _encode(plan, item, draft)


def _encode(plan: Plan, item: Item, path: Path) -> None:
    with path.open("wb") as file:
        if plan.spec.form == CSV:
            with pa.ipc.new_stream(file, playedhand_csv.HANDS) as writer:
                for rows in playedhand_csv.encode_item(plan, item):
                    writer.write_batch(rows)
        else:
            for _, text in cardlog_jsonl.encode_item(plan, item):
                file.write(text)


def join(plan: Plan, store: Store, file: IO[bytes]) -> int:
    """Write the file from the blocks of all items; returns how many hands or events it has."""
    if plan.spec.form == CSV:
        return playedhand_csv.write(store, _rows(plan), file)
    count = 0
    for item in plan.items:
        with Folder(plan.blocks).open(_block(item)) as block:
            while text := block.read(_COPY_BYTES):
                file.write(text)
                count += text.count(b"\n")
    return count


def _rows(plan: Plan) -> Iterator[pa.RecordBatch]:
    for item in plan.items:
        with Folder(plan.blocks).open(_block(item)) as block, pa.ipc.open_stream(block) as reader:
            yield from reader


def _block(item: Item) -> str:
    return f"{item.key:08d}.block"
