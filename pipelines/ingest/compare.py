"""Compare the hands of an ingest with each other and with the stored ones, bucket by bucket of their ids."""

from collections.abc import Iterable, Iterator

import numpy as np

from cardlog.pipelines.ingest.elements import Draft, NewIds, Run, StoredIds, Verdict
from cardlog.pipelines.ingest.match_positions import (
    NewPositions,
    StoredPositions,
    Taken,
    compare_positions,
    new_positions_by_bucket,
    stored_positions,
    stored_positions_by_bucket,
)
from cardlog.pipelines.ingest.overlap import KEEP, against, bucket_of, repeats
from cardlog.pipelines.storage.store import Part, Store
from cardlog.pipelines.storage.stored_hands import stored_contents, stored_ids


def new_by_bucket(draft: Draft) -> Iterator[tuple[int, NewIds | NewPositions]]:
    """The hands of a draft, split by bucket, and likewise their positions."""
    ids, contents = draft.hands()
    buckets = bucket_of(ids)
    for bucket in np.unique(buckets).tolist():
        indices = np.flatnonzero(buckets == bucket)
        yield (
            bucket,
            NewIds(draft.key, indices.tobytes(), ids[indices].tobytes(), contents[indices].tobytes()),
        )
    yield from new_positions_by_bucket(draft.key, np.frombuffer(draft.positions, "S32"), ids)


def stored_by_bucket(run: Run, path: str) -> Iterator[tuple[int, StoredIds | StoredPositions]]:
    """The ids of a data file of `events`, split by bucket, and likewise the positions of its hands."""
    ids = stored_ids(Store(run.store), path)
    buckets = bucket_of(ids)
    for bucket in np.unique(buckets).tolist():
        yield bucket, StoredIds(path, ids[buckets == bucket].tobytes())
    yield from stored_positions_by_bucket(Store(run.store), path)


def compare_bucket(
    run: Run, found: Iterable[NewIds | StoredIds | NewPositions | StoredPositions]
) -> Iterator[tuple[str, Verdict | Taken]]:
    """Verdicts on the hands of a bucket that are not to be kept, each with the key of its draft."""
    of = list(found)
    yield from compare_positions(
        [one for one in of if isinstance(one, NewPositions)],
        [one for one in of if isinstance(one, StoredPositions)],
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
            indices = np.frombuffer(draft.indices, np.int64)[bad]
            yield draft.key, Verdict(indices.tobytes(), mine[bad].tobytes())


def overlaps(store: Store, parts: list[Part], added: set[str]) -> bool:
    """Whether files that were added hold hands that these parts hold too, or their positions."""
    if not parts or not added:
        return False
    mine = np.concatenate([stored_ids(store, part.path) for part in parts])
    positions = np.concatenate([stored_positions(store, part.path)[0] for part in parts])
    return any(
        len(np.intersect1d(mine, stored_ids(store, path)))
        or len(np.intersect1d(positions, stored_positions(store, path)[0]))
        for path in added
    )
