"""Compare the hands of an ingest with each other and with the stored ones, bucket by bucket of their ids."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from cardlog.pipelines.ingest.elements import Draft, LookedFor, NewIds, Run, StoredIds, Verdict
from cardlog.pipelines.ingest.match_positions import (
    NewPositions,
    StoredPositions,
    Taken,
    compare_positions,
    new_positions_by_bucket,
    stored_positions,
    stored_positions_by_bucket,
)
from cardlog.pipelines.ingest.overlap import DUPLICATE, KEEP, against, bucket_of, repeats
from cardlog.pipelines.storage.erasures import tombstones
from cardlog.pipelines.storage.known_keys import among, keys_of
from cardlog.pipelines.storage.positions import NO_POSITION
from cardlog.pipelines.storage.store import Part, Store
from cardlog.pipelines.storage.stored_hands import stored_contents, stored_ids


def new_by_bucket(draft: Draft, digits: int = 1) -> Iterator[tuple[int, NewIds | NewPositions]]:
    """The hands of a draft, split by bucket, and their positions too."""
    ids, contents = draft.hands()
    buckets = bucket_of(ids, digits)
    for bucket in np.unique(buckets).tolist():
        indices = np.flatnonzero(buckets == bucket)
        yield (
            bucket,
            NewIds(draft.key, indices.tobytes(), ids[indices].tobytes(), contents[indices].tobytes()),
        )
    yield from new_positions_by_bucket(draft.key, np.frombuffer(draft.positions, "S32"), ids, digits)


def looked_for(drafts: Iterable[Draft]) -> LookedFor:
    """What to look for in the store: the hands of some drafts, and their positions."""
    ids, positions = [np.zeros(0, np.uint64)], [np.zeros(0, np.uint64)]
    for draft in drafts:
        ids.append(keys_of(np.frombuffer(draft.ids, "S32")))
        held = np.frombuffer(draft.positions, "S32")
        positions.append(keys_of(held[held != NO_POSITION]))
    return LookedFor(*(np.unique(np.concatenate(keys)).tobytes() for keys in (ids, positions)))


def together(wanted: Iterable[LookedFor]) -> LookedFor:
    """Several that are looked for, as one."""
    empty = np.zeros(0, np.uint64)
    found = zip((empty, empty), *(one.keys() for one in wanted), strict=True)
    return LookedFor(*(np.unique(np.concatenate(keys)).tobytes() for keys in found))


def stored_by_bucket(
    run: Run, path: str, wanted: LookedFor
) -> Iterator[tuple[int, StoredIds | StoredPositions]]:
    """What a data file of `events` holds of what is looked for, ids and positions, split by bucket."""
    store = Store(run.store)
    hands, positions = wanted.keys()
    ids = stored_ids(store, path, hands)
    buckets = bucket_of(ids, run.digits)
    for bucket in np.unique(buckets).tolist():
        yield bucket, StoredIds(path, ids[buckets == bucket].tobytes())
    yield from stored_positions_by_bucket(store, path, positions, run.digits)


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
    verdicts[among(ids, tombstones(store))] = DUPLICATE
    stored_in: dict[str, bytes] = defaultdict(bytes)
    for known in stored:
        stored_in[known.path] += known.ids
    for path, held in stored_in.items():
        common = np.intersect1d(ids, np.frombuffer(held, "S32"))
        if len(common):
            found = against(ids, contents, *stored_contents(store, path, common))
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
    mine = np.unique(np.concatenate([keys_of(stored_ids(store, part.path)) for part in parts]))
    places = [keys_of(stored_positions(store, part.path)[0]) for part in parts]
    positions = np.unique(np.concatenate(places))
    return any(
        len(stored_ids(store, path, mine)) or len(stored_positions(store, path, positions)[0])
        for path in sorted(added)
    )
