"""Ingest: read logs, judge every hand, and add the legal ones to the events, all or nothing.

The functions here compute; `in_sequence` calls them one after the other, `transforms` wires them for Beam:
plan → read and judge → compare ids by bucket → finish the parts → one commit.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines import readers
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.judge import judge, reject
from cardlog.pipelines.ingest.ledger import Counts
from cardlog.pipelines.ingest.match_places import (
    NewPlaces,
    StoredPlaces,
    Taken,
    compare_places,
    name_matches,
    new_places_by_bucket,
    places_of,
    stored_places,
    stored_places_by_bucket,
)
from cardlog.pipelines.ingest.overlap import (
    CONFLICT,
    DUPLICATE,
    KEEP,
    Contents,
    Ids,
    Verdicts,
    against,
    bucket_of,
    repeats,
    stored_batches,
    stored_contents,
    stored_ids,
)
from cardlog.pipelines.ingest.sources import Item, SourceFile
from cardlog.pipelines.ingest.too_long import set_aside, shortened
from cardlog.pipelines.progress import Tally
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.storage import delta_log
from cardlog.pipelines.storage.batch import Batch, to_tables
from cardlog.pipelines.storage.store import COMMON_WRITER, Conflict, Part, Store
from cardlog.pipelines.version import VERSION
from cardlog.schemas.reasons import Reason
from cardlog.schemas.tables import INGESTS, QUARANTINE

CONFLICT_MESSAGE: Final = "A hand with this id is stored already, and what it says differs."
TAKEN_MESSAGE: Final = "Hand {number} of match {match} is another hand already: {other}."
TOKEN: Final = "cardlog-run"
"""Where a commit to `events` says which run it is of."""


@dataclass(frozen=True)
class Run:
    """One ingest, as every worker knows it.

    ingest_id
        From its sources, formats and data sets, so that the same ingest has the same id.
    base
        The version of `events` its hands are compared with; also the number of the attempt.
    token
        What its commit is known by: another process may run the same attempt.
    """

    store: str
    ingest_id: str
    base: int
    token: str = ""
    tally: str | None = None


@dataclass(frozen=True)
class Draft:
    """A block that was read and judged, with its data file, before the ids are compared.

    part
        The legal hands; of those with the same id, the first.
    ids, contents
        All legal hands, in the order they were found, as bytes: 32 and 8 a hand.
    done
        Which of them were played to their end, one byte a hand.
    places
        The places that their matches have for them, as `match_places.places_of` gives them, as bytes: 32 a
        hand.
    """

    key: str
    item: Item
    part: Part | None
    quarantine: Part | None
    counts: Counts
    ids: bytes = b""
    contents: bytes = b""
    done: bytes = b""
    places: bytes = b""

    def hands(self) -> tuple[Ids, Contents]:
        """The ids and contents as arrays."""
        return np.frombuffer(self.ids, "S32"), np.frombuffer(self.contents, np.uint64)


@dataclass(frozen=True, order=True)
class NewIds:
    """Hands of a draft in one bucket: its key, their places in it, ids and contents, as bytes."""

    key: str
    places: bytes
    ids: bytes
    contents: bytes


@dataclass(frozen=True)
class StoredIds:
    """Hands of a data file of `events` in one bucket: its path, and their ids as bytes."""

    path: str
    ids: bytes


@dataclass(frozen=True)
class Verdict:
    """What becomes of hands of a draft that are not to be kept: their places, and which, as bytes."""

    places: bytes
    values: bytes


@dataclass(frozen=True)
class Finished:
    """A block with what is to be committed of it."""

    key: str
    source: int
    counts: Counts
    parts: list[Part] = field(default_factory=list)
    quarantine: list[Part] = field(default_factory=list)


def ingest_id_of(files: Iterable[SourceFile]) -> str:
    """The name of the ingest of some files in this order: 32 hex digits."""
    names = [
        f"{file.format}\0{source.dataset}\0{source.final}\0{source.source_id}"
        for file in files
        for source in [file.source]
    ]
    return hashlib.blake2b("\n".join(names).encode(), digest_size=16).hexdigest()


# ---------------------------------------------------------------- read and judge


def read_item(run: Run, item: Item) -> Iterator[Draft]:
    """Read, judge and write an item, block by block."""
    store = Store(run.store)
    tally = Tally(run.tally)
    for key, read, taken in item_reads(item):
        draft = _draft(store, run, replace(item, key=key), read)
        tally.add(draft.counts.hands_read, taken)
        yield draft


def item_reads(item: Item) -> Iterator[tuple[str, Read, int]]:
    """What an item's reader makes of each of its blocks: key, read, bytes of the file it took."""
    reader = readers.get(item.file.format)
    if item.pieces:
        pieces = [
            read
            for text, line, context in item.pieces
            for read in reader.read(text, replace(item.file.source, context=context), line)
        ]
        for place, game in enumerate(sorted({read.batch.game for read in pieces})):
            joined = Read.joined([read for read in pieces if read.batch.game == game])
            yield f"{item.key}-{0:06d}-{place:02d}", joined, 0
        return
    hands = reader.in_blocks(item.file.source) if hasattr(reader, "in_blocks") else None
    for number, block in enumerate(sources.texts(item)):
        if hands is None:
            reads = reader.read(block.text, block.source, block.first_line)
        else:
            reads = hands.read(block.text, block.first_line, block.is_last)
        if block.too_long:
            reads[0] = set_aside(reads[0], block.too_long)
            if not block.text:
                reads[0].lines_read = block.too_long[0].last_line - block.first_line + 1
        for place, read in enumerate(reads):
            yield f"{item.key}-{number:06d}-{place:02d}", read, block.taken if place == 0 else 0


def _draft(store: Store, run: Run, item: Item, read: Read) -> Draft:
    judged = judge(read)
    batch = judged.batch
    batch.sources = [item.file.source.source_id]
    name_matches(batch, item.file.format, item.file.source.dataset)
    contents = batch.content()
    firsts = np.flatnonzero(repeats(batch.hand_ids, contents) == KEEP)
    counts = Counts(
        lines_read=read.lines_read,
        other_lines=read.other_lines,
        hands_read=len(read.batch) + len(read.rejects),
        quarantined=len(judged.rejects),
    )
    return Draft(
        item.key,
        item,
        _write_events(store, batch if len(firsts) == len(batch) else batch.take(firsts)),
        write_rejects(store, run, item.file, judged.rejects),
        counts,
        np.ascontiguousarray(batch.hand_ids).tobytes(),
        contents.tobytes(),
        judged.done.tobytes(),
        places_of(batch).tobytes(),
    )


def _write_events(store: Store, batch: Batch) -> Part | None:
    if not len(batch):
        return None
    return store.write("events", batch.game, to_tables(batch.sorted()), len(batch))


def write_rejects(store: Store, run: Run, file: SourceFile, rejects: list[Reject]) -> Part | None:
    """Write the rows of `quarantine` for some rejects of a file."""
    if not rejects:
        return None
    rows = [_quarantine_row(run, file, shortened(entry)) for entry in rejects]
    return store.write("quarantine", None, [pa.Table.from_pylist(rows, QUARANTINE)])


def _quarantine_row(run: Run, file: SourceFile, entry: Reject) -> dict[str, Any]:
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
        "context": entry.context or None,
        "ingest_id": run.ingest_id,
        "attempt": run.base,
    }


# ---------------------------------------------------------------- compare


def new_by_bucket(draft: Draft) -> Iterator[tuple[int, NewIds | NewPlaces]]:
    """The hands of a draft, parted by bucket, and likewise their places."""
    ids, contents = draft.hands()
    buckets = bucket_of(ids)
    for bucket in np.unique(buckets).tolist():
        places = np.flatnonzero(buckets == bucket)
        yield (
            bucket,
            NewIds(draft.key, places.tobytes(), ids[places].tobytes(), contents[places].tobytes()),
        )
    yield from new_places_by_bucket(draft.key, np.frombuffer(draft.places, "S32"), ids)


def stored_by_bucket(run: Run, path: str) -> Iterator[tuple[int, StoredIds | StoredPlaces]]:
    """The ids of a data file of `events`, parted by bucket, and likewise the places of its hands."""
    ids = stored_ids(Store(run.store), path)
    buckets = bucket_of(ids)
    for bucket in np.unique(buckets).tolist():
        yield bucket, StoredIds(path, ids[buckets == bucket].tobytes())
    yield from stored_places_by_bucket(Store(run.store), path)


def compare_bucket(
    run: Run, found: Iterable[NewIds | StoredIds | NewPlaces | StoredPlaces]
) -> Iterator[tuple[str, Verdict | Taken]]:
    """Verdicts on the hands of a bucket, of ids or of places, that are not to be kept, each with the key of
    its draft."""
    of = list(found)
    yield from compare_places(
        [one for one in of if isinstance(one, NewPlaces)],
        [one for one in of if isinstance(one, StoredPlaces)],
    )
    yield from _compare_ids(
        run, [one for one in of if isinstance(one, NewIds)], [one for one in of if isinstance(one, StoredIds)]
    )


def _compare_ids(run: Run, new: list[NewIds], stored: list[StoredIds]) -> Iterator[tuple[str, Verdict]]:
    """Verdicts on the hands of a bucket that are not to be kept, each with the key of its draft."""
    if not new:
        return
    drafts = sorted(new)
    ids = np.concatenate([np.frombuffer(draft.ids, "S32") for draft in drafts])
    contents = np.concatenate([np.frombuffer(draft.contents, np.uint64) for draft in drafts])
    verdicts = repeats(ids, contents)
    store = Store(run.store)
    for known in stored:
        common = np.intersect1d(ids, np.frombuffer(known.ids, "S32"))
        if len(common):
            found = against(ids, contents, *stored_contents(store, known.path, common))
            verdicts = np.where(found == KEEP, verdicts, found)
    start = 0
    for draft in drafts:
        mine = verdicts[start : start + len(draft.contents) // 8]
        start += len(mine)
        bad = np.flatnonzero(mine)
        if len(bad):
            places = np.frombuffer(draft.places, np.int64)[bad]
            yield draft.key, Verdict(places.tobytes(), mine[bad].tobytes())


# ---------------------------------------------------------------- finish and commit


def finish(run: Run, draft: Draft, verdicts: Iterable[Verdict | Taken]) -> Finished:
    """Take out of a draft the hands that are stored already or contradict what is."""
    store = Store(run.store)
    all_verdicts, others = _gather_verdicts(draft, verdicts)
    keep = all_verdicts == KEEP
    part = draft.part
    if part is not None and part.hands != keep.sum():
        part = _rewrite(store, part, draft.hands()[0][keep])
    quarantine = [draft.quarantine] if draft.quarantine else []
    conflicts = np.flatnonzero(all_verdicts == CONFLICT)
    if len(conflicts):
        rejects = list(_read_again(draft.item, conflicts, others))
        added = write_rejects(store, run, draft.item.file, rejects)
        quarantine += [added] if added else []
    counts = replace(
        draft.counts,
        hands_stored=int(keep.sum()),
        hands_aborted=int((keep & ~np.frombuffer(draft.done, np.bool_)).sum()),
        duplicates=int((all_verdicts == DUPLICATE).sum()),
        quarantined=draft.counts.quarantined + len(conflicts),
        events_stored=part.rows if part else 0,
    )
    source = int(draft.key.split("-", 1)[0])
    return Finished(draft.key, source, counts, [part] if part else [], quarantine)


def _gather_verdicts(draft: Draft, verdicts: Iterable[Verdict | Taken]) -> tuple[Verdicts, dict[int, bytes]]:
    """The verdict on each hand of a draft, and of those whose place is taken, the id of the other hand."""
    gathered = np.zeros(len(draft.contents) // 8, np.int8)
    others: dict[int, bytes] = {}
    for verdict in sorted(verdicts, key=lambda verdict: isinstance(verdict, Verdict)):
        if isinstance(verdict, Taken):
            indices = np.frombuffer(verdict.indices, np.int64)
            gathered[indices] = CONFLICT
            others.update(zip(indices.tolist(), np.frombuffer(verdict.others, "S32").tolist(), strict=True))
        else:  # what its id says comes first
            indices = np.frombuffer(verdict.places, np.int64)
            gathered[indices] = np.frombuffer(verdict.values, np.int8)
            for index in indices.tolist():
                others.pop(index, None)
    return gathered, others


def _rewrite(store: Store, part: Part, ids: Ids) -> Part | None:
    """A data file with only these hands of another one."""
    if not len(ids):
        return None
    pieces = (piece for batch in stored_batches(store, part.path, ids) for piece in to_tables(batch))
    return store.write("events", part.game, pieces, len(ids))


def _read_again(item: Item, conflicts: NDArray[np.int64], others: dict[int, bytes]) -> Iterator[Reject]:
    """Some legal hands of a draft as they stand in the source, which is read a second time.

    others
        The hand that has the place of a conflict, by the latter's index.
    """
    whole = replace(item, key=item.key.rsplit("-", 2)[0])
    # All of it is read before any is used: only then is it sure that it is what was read before.
    for read in [read for key, read, _ in item_reads(whole) if key == item.key]:
        name_matches(read.batch, item.file.format, item.file.source.dataset)
        kept = judge(read).kept
        for conflict in conflicts.tolist():
            hand = int(kept[conflict])
            message = CONFLICT_MESSAGE
            if conflict in others:
                match = read.batch.matches[read.batch.match_of[hand]]
                number = read.batch.hand_nos[hand]
                message = TAKEN_MESSAGE.format(number=number, match=match, other=others[conflict].decode())
            yield reject(read, hand, Reason.CONFLICT, message)


def commit(run: Run, files: list[SourceFile], finished: list[Finished]) -> str:
    """Make an ingest visible: `quarantine`, then `ingests`, then `events`, each in one commit.

    A run that was cut between them goes on where it stopped: a table whose log has this attempt
    is left alone. Returns what `outcome` does.
    """
    store = Store(run.store)
    finished = sorted(finished, key=lambda block: block.key)
    _commit_once(store, "quarantine", run, [part for block in finished for part in block.quarantine])
    if store.table("ingests").transaction_version(run.ingest_id) != run.base:
        rows = pa.Table.from_pylist(_ingest_rows(run, files, finished), INGESTS)
        _commit_once(store, "ingests", run, [store.write("ingests", None, [rows])])
    parts = [part for block in finished for part in block.parts]
    seen = run.base
    while True:
        try:
            transactions = {run.ingest_id: run.base, COMMON_WRITER: seen}
            store.commit("events", parts, transactions, base=seen, note={TOKEN: run.token})
        except Conflict:
            now = store.table("events").version()
            added = set(store.paths("events", now)) - set(store.paths("events", seen))
            if outcome(run) == "behind" and not _overlaps(store, parts, added):
                seen = now
                continue
        return outcome(run)


def in_sequence(run: Run, files: list[SourceFile], items: list[Item], stored: list[str]) -> None:
    """Do a whole ingest in this process, step after step, as `transforms.ingest_pipeline` wires them."""
    drafts = [draft for item in items for draft in read_item(run, item)]
    buckets: dict[int, list[NewIds | StoredIds | NewPlaces | StoredPlaces]] = defaultdict(list)
    for draft in drafts:
        for bucket, new in new_by_bucket(draft):
            buckets[bucket].append(new)
    for path in stored if buckets else ():
        for bucket, known in stored_by_bucket(run, path):
            if bucket in buckets:
                buckets[bucket].append(known)
    verdicts: dict[str, list[Verdict | Taken]] = defaultdict(list)
    for found in buckets.values():
        for key, verdict in compare_bucket(run, found):
            verdicts[key].append(verdict)
    commit(run, files, [finish(run, draft, verdicts[draft.key]) for draft in drafts])


def outcome(run: Run) -> str:
    """What has come of a run: ``stored``; ``known`` if another process has ingested the same; or
    ``behind`` if it is not in the store, because hands of it were stored by another in the
    meantime, so that they have to be compared again.
    """
    table = Store(run.store).table("events")
    if table.transaction_version(run.ingest_id) is None:
        return "behind"
    log = Store(run.store).log("events")
    since = (delta_log.info_of(log.entry(version)) for version in range(run.base + 1, table.version() + 1))
    return "stored" if any(info.get(TOKEN) == run.token for info in since) else "known"


def _commit_once(store: Store, name: str, run: Run, parts: list[Part]) -> None:
    """Commit parts unless the table's log has this attempt already."""
    while (table := store.table(name)).transaction_version(run.ingest_id) != run.base:
        with suppress(Conflict):
            store.commit(name, parts, {run.ingest_id: run.base}, base=table.version())


def _overlaps(store: Store, parts: list[Part], added: set[str]) -> bool:
    """Whether files that were added hold hands that these parts hold too, or their places."""
    if not parts or not added:
        return False
    mine = np.concatenate([stored_ids(store, part.path) for part in parts])
    places = np.concatenate([stored_places(store, part.path)[0] for part in parts])
    return any(
        len(np.intersect1d(mine, stored_ids(store, path)))
        or len(np.intersect1d(places, stored_places(store, path)[0]))
        for path in added
    )


def _ingest_rows(run: Run, files: list[SourceFile], finished: list[Finished]) -> list[dict[str, Any]]:
    rows = []
    for number, file in enumerate(files):
        counts = sum((block.counts for block in finished if block.source == number), Counts())
        rows.append(
            {
                "ingest_id": run.ingest_id,
                "attempt": run.base,
                "ingested_at": datetime.now(UTC),
                "source_id": file.source.source_id,
                "source_path": file.source.path,
                "source_bytes": file.size,
                "format": file.format,
                "dataset": file.source.dataset,
                **vars(counts),
                "cardlog_version": VERSION,
            }
        )
        if not counts.balanced:
            raise AssertionError(f"hands of {file.source.path} don't add up: {counts}")
    return rows
