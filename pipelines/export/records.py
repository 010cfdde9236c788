"""Forms that are one file: what workers write of each portion, and how it becomes the file."""

from collections.abc import Iterator
from typing import IO, Final

import pyarrow as pa

from cardlog.pipelines.export import cardlog_jsonl, playedhand_csv
from cardlog.pipelines.export.output import placed
from cardlog.pipelines.export.spec import ExportPlan, Portion
from cardlog.pipelines.storage.remote import Folder
from cardlog.pipelines.storage.store import Store

CSV: Final = "playedhand-csv"
JSONL: Final = "cardlog-jsonl"
_COPY_BYTES: Final = 2**20


def write_directly(plan: ExportPlan, store: Store, file: IO[bytes]) -> int:
    """Write the file portion by portion; returns how many hands or events it has."""
    if plan.spec.form == CSV:
        rows = (row for portion in plan.portions for row in playedhand_csv.encode_portion(plan, portion))
        return playedhand_csv.write(store, rows, file)
    return sum(_write_lines(plan, portion, file) for portion in plan.portions)


def _write_lines(plan: ExportPlan, portion: Portion, file: IO[bytes]) -> int:
    count = 0
    for events, text in cardlog_jsonl.encode_portion(plan, portion):
        file.write(text)
        count += events
    return count


def encode_portion(plan: ExportPlan, portion: Portion) -> None:
    """Write the block of a portion."""
    with placed(plan.blocks, plan.blocks) as folder, (folder / _block(portion)).open("wb") as file:
        if plan.spec.form == JSONL:
            _write_lines(plan, portion, file)
            return
        with pa.ipc.new_stream(file, playedhand_csv.HANDS) as writer:
            for rows in playedhand_csv.encode_portion(plan, portion):
                writer.write_batch(rows)


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
