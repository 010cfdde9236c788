"""From a stored hand back to the text it was read from."""

from collections.abc import Container
from contextlib import suppress
from pathlib import Path

import pyarrow.compute as pc

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest import rotation
from cardlog.pipelines.ingest.source_bytes import (
    BROKEN,
    Digested,
    SourceError,
    joined,
    open_raw,
    unpacked,
)
from cardlog.pipelines.readers.cardlog_jsonl import reader as cardlog_jsonl
from cardlog.pipelines.runtime import scratch
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError


class SourceGone(CardlogError):
    """The source of a hand can't be read any more; the text is for the user."""


def raw_lines(store: Store, batch: Batch) -> str:
    """The lines that the hand in a batch of one was read from. Raises SourceGone if the file is not where it
    was, or has changed."""
    return "".join(line for _, line in numbered_lines(store, batch)[1])


def numbered_lines(store: Store, batch: Batch) -> tuple[str, list[tuple[int, str]]]:
    """The path of the source of the hand in a batch of one, and the lines it was read from, with their
    numbers. Raises SourceGone like `raw_lines`."""
    source_id = batch.sources[int(batch.source_of[0])]
    lines = batch.events["line"]
    where = f"lines {lines.min()}-{lines.max()}" if lines.min() != lines.max() else f"line {lines.min()}"
    ingests = valid_ingests(store)
    ingests = ingests.filter(pc.equal(ingests.column("source_id"), source_id))
    formats = {row["source_path"]: row["format"] for row in ingests.to_pylist()}
    for path, format_name in formats.items():
        # Where every event has its own line, lines between them may belong to other hands.
        is_by_event = format_name == cardlog_jsonl.FORMAT
        wanted = set(lines.tolist()) if is_by_event else range(lines.min(), lines.max() + 1)
        if Path(path).is_file() and (texts := _lines(path, source_id, wanted)):
            return path, texts
        for older in rotation.logs([path]):
            with scratch.folder() as folder, suppress(OSError, SourceError, *BROKEN):
                if len(older) > 1 and (texts := _lines(joined(older, folder), source_id, wanted)):
                    return path, texts
    old_path = f"; it was {next(iter(formats))}" if formats else ""
    raise SourceGone(f"{where} of source {source_id}: that file is gone or has changed{old_path}")


def _lines(path: str, source_id: str, wanted: Container[int]) -> list[tuple[int, str]]:
    """Some lines of a file with their numbers; none if its sha256 differs."""
    with open_raw(path) as raw:
        digested = Digested(raw)
        try:
            lines = [(number, line) for number, line in enumerate(unpacked(digested), 1) if number in wanted]
        except BROKEN:
            return []
        if digested.finish() != source_id:
            return []
    return [(number, line.decode("utf-8", "backslashreplace")) for number, line in lines]
