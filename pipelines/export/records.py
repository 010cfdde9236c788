"""Forms that are one file: what workers write of each portion, and how it becomes the file."""

from collections.abc import Iterator
from typing import IO, Final

import pyarrow as pa

from cardlog.pipelines.export import cardlog_jsonl, playedhand_csv
from cardlog.pipelines.export.output import placed
from cardlog.pipelines.export.spec import ExportPlan, Portion, batches
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Store

CSV: Final = "playedhand-csv"
JSONL: Final = "cardlog-jsonl"
_COPY_BYTES: Final = 2**20


def encode_portion(plan: ExportPlan, portion: Portion) -> None:
    """Write the block of a portion."""
    found = batches(plan, portion)
    with placed(plan.blocks, plan.blocks) as folder, (folder / _block(portion)).open("wb") as file:
        if plan.spec.form == JSONL:
            file.writelines(map(cardlog_jsonl.lines, found))
            return
        with pa.ipc.new_stream(file, playedhand_csv.HANDS) as writer:
            for rows in map(playedhand_csv.rows_of, found):
                writer.write_table(rows)


def join(plan: ExportPlan, store: Store, file: IO[bytes]) -> int:
    """Write the file from the blocks of all portions; returns how many hands or events it has."""
    if plan.spec.form == CSV:
        return playedhand_csv.write(store, _rows(plan), file)
    count = 0
    for portion in plan.portions:
        with Folder(plan.blocks).open(_block(portion)) as block:
            while text := block.read(_COPY_BYTES):
                file.write(text)
                count += text.count(b"\n")
    return count


def _rows(plan: ExportPlan) -> Iterator[pa.RecordBatch]:
    for portion in plan.portions:
        with Folder(plan.blocks).open(_block(portion)) as block, pa.ipc.open_stream(block) as reader:
            yield from reader


def _block(portion: Portion) -> str:
    return f"{portion.key:08d}.block"
