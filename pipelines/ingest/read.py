"""Read an item's blocks, judge their hands, and write the legal ones and the rejects to data files, which are
not yet in a table."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
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
        tally.add(sum(counts.hands_read for counts in draft.counts), taken)
        yield draft


def item_reads(item: ReadItem) -> Iterator[tuple[str, Read, int]]:
    """What is read from each block of an item: key, read, and bytes of the file that were read."""
    secret = item.file.source.key
    if item.others:
        yield from _reads_together(item)
        return
    for key, read, taken in _reads(item):
        yield key, pseudonymised(read, secret) if secret else read, taken


def _reads_together(item: ReadItem) -> Iterator[tuple[str, Read, int]]:
    """What is read from the files of an item, by game."""
    reads: dict[str, list[tuple[int, Read]]] = {}
    for number, file in enumerate(item.files):
        for _, read, _ in item_reads(replace(item, file=file, others=())):
            read.rejects = [replace(entry, file=number) for entry in read.rejects]
            reads.setdefault(read.batch.game, []).append((number, read))
    for index, numbered in enumerate(reads.values()):
        counts = np.zeros((len(item.files), 3), np.int64)
        for number, read in numbered:
            counts[number] += read.lines_read, read.other_lines, len(read.batch) + len(read.rejects)
        numbers, parts = zip(*numbered, strict=True)
        joined = replace(
            Read.joined([*parts]),
            files=tuple((lines, others, hands) for lines, others, hands in counts.tolist()),
        )
        joined.batch.source_of = np.repeat(np.array(numbers, np.int32), [len(part.batch) for part in parts])
        yield f"{item.key}-{0:06d}-{index:02d}", joined, item.size if index == 0 else 0


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
            is_final, followed = item.file.source.final or not block.is_last, not block.is_last
            source = replace(item.file.source, head=head, final=is_final, followed=followed)
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
    batch.sources = [file.source.source_id for file in item.files]
    dataset = item.file.source.dataset
    name_hands(batch, dataset)
    name_matches(batch, item.file.format, dataset)
    contents, first = batch.content(), earliest(batch.hand_ids)
    whole = most_complete(batch, contents, first)
    kept = np.unique(whole[first])
    quarantined = Counter(entry.file for entry in judged.rejects)
    read_of = read.files or [(read.lines_read, read.other_lines, len(read.batch) + len(read.rejects))]
    counts = [Counts(*of_file, quarantined=quarantined[file]) for file, of_file in enumerate(read_of)]
    return Draft(
        item.key,
        item,
        _write_events(store, run, batch if len(kept) == len(batch) else batch.take(kept)),
        write_rejects(store, run, item.files, judged.rejects),
        counts,
        batch.source_of,
        np.diff(batch.offsets)[whole],
        batch.hand_ids,
        contents[whole],
        positions_of(batch),
        judged.done[whole],
    )


def _write_events(store: Store, run: IngestRun, batch: Batch) -> Part | None:
    if not len(batch):
        return None
    return store.write("events", batch.game, to_tables(batch.numbered(run.base + 1)))


def write_rejects(
    store: Store, run: IngestRun, files: Sequence[SourceFile], rejects: list[Reject]
) -> Part | None:
    """Write the rows of `quarantine` for some rejects of files that are read together."""
    if not rejects:
        return None
    kept = map(withheld if files[0].source.key else shortened, rejects)
    rows = [_quarantine_row(run, files[entry.file], entry) for entry in kept]
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
