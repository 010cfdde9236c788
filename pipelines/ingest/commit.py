"""Finish the data files of an ingest according to the verdicts on its hands, and make them visible
together."""

import fcntl
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.to_arrow import to_tables
from cardlog.pipelines.ingest.compare import overlaps
from cardlog.pipelines.ingest.differences import first_difference
from cardlog.pipelines.ingest.elements import ENDS, Draft, Finished, IngestRun, Verdict
from cardlog.pipelines.ingest.judge import judge, reject
from cardlog.pipelines.ingest.match_positions import NO_POSITION, name_matches
from cardlog.pipelines.ingest.overlap import (
    COMPLETES,
    CONFLICT,
    DUPLICATE,
    ERASED,
    KEEP,
    REPLACES,
    Verdicts,
)
from cardlog.pipelines.ingest.read import item_reads, write_rejects
from cardlog.pipelines.ingest.sources import ReadItem, SourceFile
from cardlog.pipelines.readers.base import Reject
from cardlog.pipelines.storage import erasures
from cardlog.pipelines.storage.commits import Change, Outcome
from cardlog.pipelines.storage.ledger import Counts, ingested_since
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.store import Conflict, Part, Store, game_of
from cardlog.pipelines.storage.stored_hands import Ids, hands_in, stored_batches, stored_ids
from cardlog.pipelines.version import VERSION
from cardlog.schemas.reasons import Reason
from cardlog.schemas.tables import INGESTS

CONFLICT_MESSAGE: Final = "A hand with this id is stored already, and what it says differs."
"""Followed by the first difference and `REPLACE`, unless the other hand is of the same ingest."""
REPLACE: Final = "If this one is right, ingest it with --replace."
TAKEN_MESSAGE: Final = "Hand {number} of match {match} is another hand already: {other}."
TOKEN: Final = "cardlog-run"
"""Key, in the note of a commit to `events`, of the token of its run."""


def finish(run: IngestRun, draft: Draft, verdicts: Iterable[Verdict]) -> Finished:
    """Remove from a draft the hands that are stored already or contradict stored ones."""
    store = Store(run.store)
    by_hand, others = _gather_verdicts(draft, verdicts)
    supersedes = np.isin(by_hand, (COMPLETES, REPLACES))
    keep = (by_hand == KEEP) | supersedes
    part = draft.part
    if part is not None and len(np.unique(draft.ids)) != keep.sum():
        part = _rewrite(store, part.path, draft.ids[keep])
    quarantine = [draft.quarantine] if draft.quarantine else []
    conflicts = np.flatnonzero(by_hand == CONFLICT)
    if len(conflicts):
        stored = hands_in(
            store, store.paths("events", run.base), draft.ids[conflicts[others[conflicts] == NO_POSITION]]
        )
        rejects = list(_read_again(draft.item, conflicts, others, stored))
        rejected = write_rejects(store, run, draft.item.files, rejects)
        quarantine += [rejected] if rejected else []
    counts = [
        replace(
            of_file,
            hands_stored=int(keep[own].sum()),
            hands_aborted=int((keep & ~draft.done)[own].sum()),
            duplicates=int(np.isin(by_hand[own], (DUPLICATE, ERASED)).sum()),
            quarantined=of_file.quarantined + int((by_hand[own] == CONFLICT).sum()),
            events_stored=int(draft.sizes[own][keep[own]].sum()),
        )
        for file, of_file in enumerate(draft.counts)
        for own in [draft.file_of == file]
    ]
    source = int(draft.key.split("-", 1)[0])
    ends = {name: int((by_hand == verdict).sum()) for name, verdict in ENDS.items()}
    return Finished(
        draft.key, source, counts, ends, draft.ids[supersedes], [part] if part else [], quarantine
    )


def _gather_verdicts(draft: Draft, verdicts: Iterable[Verdict]) -> tuple[Verdicts, Ids]:
    """The verdict on each hand of a draft, and for hands whose position is taken, the id of the other."""
    by_hand, others = np.zeros(len(draft.ids), np.int8), np.zeros(len(draft.ids), "S32")
    verdicts = list(verdicts)
    # A hand that may not be stored by its id is not compared by its position.
    for is_by_id, values in ((True, (COMPLETES, REPLACES)), (False, (CONFLICT,)), (True, (*_REFUSED,))):
        for verdict in verdicts:
            chosen = ((verdict.others == NO_POSITION) == is_by_id) & np.isin(verdict.values, values)
            by_hand[verdict.indices[chosen]] = verdict.values[chosen]
            others[verdict.indices[chosen]] = verdict.others[chosen]
    return by_hand, others


_REFUSED: Final = (DUPLICATE, CONFLICT, ERASED)


def _rewrite(store: Store, path: str, ids: Ids) -> Part | None:
    """A data file with some hands of another one."""
    if not len(ids):
        return None
    pieces = (piece for batch in stored_batches(store, path, ids) for piece in to_tables(batch))
    return store.write("events", game_of(path), pieces)


def _renumbered(store: Store, part: Part, ingest_no: int) -> Part:
    """A data file with the same hands as rows of another commit, since one came in between."""
    pieces = (
        piece for batch in stored_batches(store, part.path) for piece in to_tables(batch.numbered(ingest_no))
    )
    return store.write("events", part.game, pieces)


def _read_again(
    item: ReadItem, conflicts: NDArray[np.int64], others: Ids, stored: dict[bytes, Batch]
) -> Iterator[Reject]:
    """The legal hands of a draft that are conflicts, from the source, which is read a second time.

    others
        For each hand of the draft, the id of the hand that has its position.
    stored
        The stored hands that have the id of a conflict, by id.
    """
    whole = replace(item, key=item.key.rsplit("-", 2)[0])
    # All of it is read before any is used: only then is it known to be unchanged.
    for read in [read for key, read, _ in item_reads(whole) if key == item.key]:
        name_matches(read.batch, item.file.format, item.file.source.dataset)
        kept = judge(read).kept
        for conflict in conflicts.tolist():
            hand = int(kept[conflict])
            message = CONFLICT_MESSAGE
            if others[conflict] != NO_POSITION:
                match = read.batch.matches[read.batch.match_of[hand]]
                number = read.batch.hand_nos[hand]
                message = TAKEN_MESSAGE.format(number=number, match=match, other=others[conflict].decode())
            elif read.batch.hand_ids[hand] in stored:
                known = stored[read.batch.hand_ids[hand]]
                difference = first_difference(known, read.batch.take(np.array([hand])))
                message = " ".join(filter(None, (message, difference, REPLACE)))
            yield reject(read, hand, Reason.CONFLICT, message)


def commit(run: IngestRun, files: list[SourceFile], finished: list[Finished]) -> Outcome:
    """Make an ingest visible: `quarantine`, then `ingests`, then `events`, each in one commit.

    A run that was interrupted between them continues where it stopped: a table whose log has this attempt is
    left alone. Returns the `outcome`.
    """
    store = Store(run.store)
    finished = sorted(finished, key=lambda block: block.key)
    _commit_once(store, "quarantine", run, [part for block in finished for part in block.quarantine])
    if store.committed("ingests", [run.ingest_id]).get(run.ingest_id) != run.base:
        rows = pa.Table.from_pylist(_ingest_rows(run, files, finished), INGESTS)
        _commit_once(store, "ingests", run, [store.write("ingests", None, [rows])])
    parts = [part for block in finished for part in block.parts]
    sources = {(file.source.source_id, file.format, file.source.dataset) for file in files}
    version = run.base
    while True:
        try:
            _commit_events(store, run, parts, finished, version)
        except Conflict:
            newest = store.table("events").version()
            added = set(store.paths("events", newest)) - set(store.paths("events", version))
            same_source = ingested_since(store, sources, version, newest)
            if outcome(run) is Outcome.BEHIND and not same_source and not overlaps(store, parts, added):
                version = newest
                parts = [_renumbered(store, part, version + 1) for part in parts]
                continue
        return outcome(run)


def _commit_events(
    store: Store, run: IngestRun, parts: list[Part], finished: list[Finished], version: int
) -> None:
    """Add data files to a version of `events`, and remove the hands that they supersede. That is recorded
    like an erasure, by one process at a time, since a record is written before its commit. Raises
    Conflict."""
    ends = {name: sum(block.ends[name] for block in finished) for name in ENDS}
    note = {TOKEN: run.token} | {name: str(count) for name, count in ends.items()}
    superseded = np.unique(np.concatenate([np.zeros(0, "S32"), *(block.superseded for block in finished)]))
    if not len(superseded):
        store.commit("events", Change(parts, {run.ingest_id: run.base}, note=note), base=version)
        return
    replaces = []
    hands = events = 0
    for path, rows in store.sizes("events", version).items():
        ids = stored_ids(store, path)
        is_lost = np.isin(ids, superseded)
        if is_lost.any():
            replaces.append(path)
            left = _rewrite(store, path, ids[~is_lost])
            parts = [*parts, left] if left else parts
            hands += int(is_lost.sum())
            events += rows - (left.rows if left else 0)
    added = {erasures.ERASURES: 1, erasures.HANDS: hands, erasures.EVENTS: events}
    kinds = " and ".join(name for name in ("completed", "replaced") if ends[name])
    with locked(store, fcntl.LOCK_EX, "events"):
        sizes = store.bytes_of("events", version)
        transactions = erasures.totals(store, "events", version, added)
        transactions |= erasures.record(
            store,
            {"kind": kinds, "hands": hands, "events": events, "quarantined": 0}
            | {"files": len(replaces), "bytes": sum(sizes[path] for path in replaces)},
        )
        transactions |= {erasures.REPLACED_AT: version + 1, run.ingest_id: run.base}
        store.commit("events", Change(parts, transactions, note=note, replaces=replaces), base=version)


def ends(run: IngestRun) -> dict[str, int]:
    """How many hands of a run that is done had each of `ENDS`."""
    note = Store(run.store).note_since("events", run.base, run.token) or {}
    return {name: int(note.get(name, 0)) for name in ENDS}


def outcome(run: IngestRun) -> Outcome:
    """How a run ended, according to the log of `events`. It is behind if another process has stored hands
    that it has too, so that they have to be compared again."""
    store = Store(run.store)
    if run.ingest_id not in store.committed("events", [run.ingest_id]):
        return Outcome.BEHIND
    return Outcome.KNOWN if store.note_since("events", run.base, run.token) is None else Outcome.DONE


def _commit_once(store: Store, name: str, run: IngestRun, parts: list[Part]) -> None:
    """Commit parts unless the table's log has this attempt already."""
    while run.base != store.committed(name, [run.ingest_id], table := store.table(name)).get(run.ingest_id):
        with suppress(Conflict):
            store.commit(name, Change(parts, {run.ingest_id: run.base}), base=table.version())


def _ingest_rows(run: IngestRun, files: list[SourceFile], finished: list[Finished]) -> list[dict[str, Any]]:
    rows = []
    found = defaultdict[int, Counts](Counts)
    for block in finished:
        for number, counts in enumerate(block.counts, block.source):
            found[number] += counts
    for number, file in enumerate(files):
        counts = found[number]
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
