"""Read an item's blocks, judge their hands, and write the legal ones and the rejects to data files, which are
not yet in a table."""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from cardlog.pipelines import readers
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.differences import most_complete
from cardlog.pipelines.ingest.elements import Draft, IngestRun
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.ingest.match_positions import name_hands, name_matches, positions_of
from cardlog.pipelines.ingest.overlap import earliest
from cardlog.pipelines.ingest.pseudonyms import pseudonymised, withheld
from cardlog.pipelines.ingest.sources import ReadItem, SourceFile
from cardlog.pipelines.ingest.too_long import set_aside, shortened
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.readers.options import with_options, without_options
from cardlog.pipelines.runtime.progress import Tally
from cardlog.pipelines.storage.ledger import Counts
from cardlog.pipelines.storage.store import Part, Store
from cardlog.schemas.tables import QUARANTINE


def read_item(run: IngestRun, item: ReadItem) -> Iterator[Draft]:
    """Read, judge and write an item, block by block."""
    store = Store(run.store)
    tally = Tally(run.tally)
    for key, read, taken in item_reads(item):
        draft = _draft(store, run, replace(item, key=key), read)
        tally.add(draft.counts.hands_read, taken)
        yield draft


def item_reads(item: ReadItem) -> Iterator[tuple[str, Read, int]]:
    """What is read from each block of an item: key, read, and bytes of the file that were read."""
    secret = item.file.source.key
    for key, read, taken in _reads(item):
        yield key, pseudonymised(read, secret) if secret else read, taken


def _reads(item: ReadItem) -> Iterator[tuple[str, Read, int]]:
    """What an item's reader makes of each of its blocks."""
    reader = readers.get(item.file.format)
    if item.texts:
        reads = [
            read
            for text, line, kept in item.texts
            for context, options in [without_options(kept)]
            for read in reader.read(text, replace(item.file.source, context=context, options=options), line)
        ]
        for index, game in enumerate(sorted({read.batch.game for read in reads})):
            joined = Read.joined([read for read in reads if read.batch.game == game])
            yield f"{item.key}-{0:06d}-{index:02d}", joined, 0
        return
    hands = reader.in_blocks(item.file.source) if hasattr(reader, "in_blocks") else None
    head_after = getattr(reader, "head_after", None)
    head = item.piece.head if item.piece else item.file.source.head
    for number, (block, bytes_read) in enumerate(sources.texts(item)):
        if hands is None:
            # Only the last block can end with a hand that may still grow.
            source = replace(item.file.source, head=head, final=item.file.source.final or not block.is_last)
            reads = reader.read(block.text, source, block.first_line)
            head = head_after(block.text, head) if head_after else head
        else:
            reads = hands.read(block.text, block.first_line, block.is_last)
        if block.too_long:
            reads[0] = set_aside(reads[0], block.too_long)
            if not block.text:
                reads[0].lines_read = block.too_long[0].last_line - block.first_line + 1
        for index, read in enumerate(reads):
            yield f"{item.key}-{number:06d}-{index:02d}", read, bytes_read if index == 0 else 0


def _draft(store: Store, run: IngestRun, item: ReadItem, read: Read) -> Draft:
    judged = judge(read)
    batch = judged.batch
    batch.sources = [item.file.source.source_id]
    dataset = item.file.source.dataset
    name_hands(batch, dataset)
    name_matches(batch, item.file.format, dataset)
    contents, first = batch.content(), earliest(batch.hand_ids)
    whole = most_complete(batch, contents, first)
    kept = np.unique(whole[first])
    counts = Counts(
        lines_read=read.lines_read,
        other_lines=read.other_lines,
        hands_read=len(read.batch) + len(read.rejects),
        quarantined=len(judged.rejects),
    )
    return Draft(
        item.key,
        item,
        _write_events(store, run, batch if len(kept) == len(batch) else batch.take(kept)),
        write_rejects(store, run, item.file, judged.rejects),
        counts,
        batch.hand_ids,
        contents[whole],
        positions_of(batch),
        judged.done[whole],
    )


def _write_events(store: Store, run: IngestRun, batch: Batch) -> Part | None:
    if not len(batch):
        return None
    return store.write("events", batch.game, to_tables(batch.numbered(run.base + 1)))


def write_rejects(store: Store, run: IngestRun, file: SourceFile, rejects: list[Reject]) -> Part | None:
    """Write the rows of `quarantine` for some rejects of a file."""
    if not rejects:
        return None
    kept = map(withheld if file.source.key else shortened, rejects)
    rows = [_quarantine_row(run, file, entry) for entry in kept]
    return store.write("quarantine", None, [pa.Table.from_pylist(rows, QUARANTINE)])


def _quarantine_row(run: IngestRun, file: SourceFile, entry: Reject) -> dict[str, Any]:
    try:
        raw, encoding = entry.raw.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        raw, encoding = entry.raw.decode("latin-1"), "latin-1"
    source = file.source
    name = f"{source.source_id}\0{source.dataset}\0{entry.first_line}\0{entry.last_line}\0{entry.reason.code}"
    return {
        "quarantine_id": hashlib.blake2b(f"{name}\0{raw}".encode(), digest_size=16).hexdigest(),
        "game": entry.game,
        "hand_id": entry.hand_id,
        "reason": entry.reason.code,
        "message": entry.message,
        "format": file.format,
        "dataset": source.dataset,
        "source_id": source.source_id,
        "source_path": source.path,
        "first_line": entry.first_line,
        "last_line": entry.last_line,
        "raw": raw,
        "raw_encoding": encoding,
        "context": with_options(entry.context, source.options) or None,
        "ingest_id": run.ingest_id,
        "attempt": run.base,
    }
