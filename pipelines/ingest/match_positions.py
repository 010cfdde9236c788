"""The positions of matches: which hand is the n-th of a match, and that no two hands are.

What is n-th in which match is written as a key of 32 hex digits, so that positions are compared as ids
are: as whole arrays, in buckets by the first digit. A hand whose position another hand has, under another
id, is a contradiction.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow.compute as pc

from cardlog.pipelines.events.batch import NO_DATASET, NO_MATCH, Batch
from cardlog.pipelines.ingest.overlap import BUCKETS, bucket_of, first_of
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.known_keys import Keys, among
from cardlog.pipelines.storage.positions import NO_POSITION, Positions, positions_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import Ids
from cardlog.schemas.names import match_id


@dataclass(frozen=True, order=True)
class NewPositions:
    """Hands of a draft whose positions are in one bucket: the draft's key, indices of the hands in it,
    keys of their positions and ids, as bytes."""

    key: str
    indices: bytes
    positions: bytes
    ids: bytes


@dataclass(frozen=True)
class StoredPositions:
    """Hands of a data file of `events` whose positions are in one bucket: keys and ids, as bytes."""

    positions: bytes
    ids: bytes


@dataclass(frozen=True)
class Taken:
    """Hands of a draft whose position another hand has: their indices and the others' ids, as bytes."""

    indices: bytes
    others: bytes


def name_matches(batch: Batch, format_name: str, dataset: str) -> None:
    """Give the matches of a batch, which have the source's own names, the names they are stored by."""
    names = [match_id(own, format_name, dataset) for own in batch.matches]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    renumbered = np.array([*(numbers[name] for name in names), NO_MATCH], np.int32)
    batch.match_of = renumbered[batch.match_of]
    batch.matches = list(numbers)


def name_hands(batch: Batch, dataset: str) -> None:
    """Say data set and source key of the hands of a batch of which the source does not say them itself."""
    batch.datasets = [*batch.datasets, dataset]
    unsaid = batch.dataset_of == NO_DATASET
    batch.dataset_of = np.where(unsaid, np.int32(len(batch.datasets) - 1), batch.dataset_of)
    batch.keys = pc.coalesce(batch.keys, batch.derived_keys())


def stored_positions(store: Store, path: str, keys: Keys | None = None) -> tuple[Positions, Ids]:
    """The positions that the hands of a data file of `events` have, and their ids.

    Pieces whose hands belong to no match, as their statistics say, are not read.

    keys
        Sorted; only positions with one of these keys are wanted.
    """
    positions, ids = [np.zeros(0, "S32")], [np.zeros(0, "S32")]
    file = EventsFile(store, path)
    for piece in range(file.pieces):
        if file.has_matches(piece):
            batch = file.matches(piece)
            found = positions_of(batch)
            kept = np.flatnonzero(found != NO_POSITION)
            kept = kept if keys is None else kept[among(found[kept], keys)]
            positions.append(found[kept])
            ids.append(batch.hand_ids[kept])
    return np.concatenate(positions), np.concatenate(ids)


# ---------------------------------------------------------------- compare


def new_positions_by_bucket(
    key: str, positions: Positions, ids: Ids, digits: int
) -> Iterator[tuple[int, NewPositions]]:
    """The positions of a draft's hands, split by bucket; the buckets come after those of ids."""
    known = np.flatnonzero(positions != NO_POSITION)
    buckets = bucket_of(positions[known], digits)
    for bucket in np.unique(buckets).tolist():
        indices = known[buckets == bucket]
        found = NewPositions(key, indices.tobytes(), positions[indices].tobytes(), ids[indices].tobytes())
        yield BUCKETS**digits + bucket, found


def stored_positions_by_bucket(
    store: Store, path: str, keys: Keys, digits: int
) -> Iterator[tuple[int, StoredPositions]]:
    """The positions in a data file of `events` that have one of some sorted keys, split by bucket."""
    positions, ids = stored_positions(store, path, keys)
    buckets = bucket_of(positions, digits)
    for bucket in np.unique(buckets).tolist():
        mine = buckets == bucket
        yield BUCKETS**digits + bucket, StoredPositions(positions[mine].tobytes(), ids[mine].tobytes())


def compare_positions(new: list[NewPositions], stored: list[StoredPositions]) -> Iterator[tuple[str, Taken]]:
    """The hands of a bucket whose position a stored hand has, or an earlier one of the ingest, under another
    id; by the key of their draft.

    Hands with the same id are left to the comparison of ids. An earlier hand keeps its position even if
    that comparison finds that it contradicts a stored one.
    """
    if not new:
        return
    drafts = sorted(new)
    positions = np.concatenate([np.frombuffer(draft.positions, "S32") for draft in drafts])
    ids = np.concatenate([np.frombuffer(draft.ids, "S32") for draft in drafts])
    others = _first_at(positions, positions, ids)
    for known in stored:
        found = _first_at(positions, np.frombuffer(known.positions, "S32"), np.frombuffer(known.ids, "S32"))
        others = np.where((found != b"") & (found != ids), found, others)
    taken = (others != b"") & (others != ids)
    start = 0
    for draft in drafts:
        indices = np.frombuffer(draft.indices, np.int64)
        mine = slice(start, start + len(indices))
        start += len(indices)
        if taken[mine].any():
            which = taken[mine]
            yield draft.key, Taken(indices[which].tobytes(), others[mine][which].tobytes())


def _first_at(positions: Positions, held: Positions, ids: Ids) -> Ids:
    """For each position the id of the first hand that holds it, empty if none does."""
    found = np.zeros(len(positions), "S32")
    first = first_of(positions, held)
    found[first >= 0] = ids[first[first >= 0]]
    return found
