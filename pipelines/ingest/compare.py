"""Compare the hands of an ingest with each other and with the stored ones, bucket by bucket of their names.

A hand goes by its id, and in a match by its position. A hand with the id of another is a duplicate, or
contradicts it if what it says differs; so does one whose position another id has.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from cardlog.pipelines.ingest.elements import Draft, LookedFor, NewNames, Run, StoredNames, Verdict
from cardlog.pipelines.ingest.match_positions import NO_POSITION, stored_positions
from cardlog.pipelines.ingest.overlap import CONFLICT, DUPLICATE, KEEP, against, by_bucket, earliest, places
from cardlog.pipelines.storage.erasures import tombstones
from cardlog.pipelines.storage.known_keys import among, keys_of
from cardlog.pipelines.storage.store import Part, Store
from cardlog.pipelines.storage.stored_hands import stored_contents, stored_ids


def new_by_bucket(draft: Draft, digits: int = 1) -> Iterator[tuple[bytes, NewNames]]:
    """The names of a draft's hands, split by bucket."""
    for names in (draft.ids, draft.positions):
        known = np.flatnonzero(names != NO_POSITION)
        for bucket, mine in by_bucket(names[known], digits):
            at = known[mine]
            yield bucket, NewNames(draft.key, at, names[at], draft.ids[at], draft.contents[at])


def looked_for(drafts: Iterable[Draft]) -> LookedFor:
    """What to look for in the store: the hands of some drafts, and their positions."""
    return together(
        LookedFor(keys_of(draft.ids), keys_of(draft.positions[draft.positions != NO_POSITION]))
        for draft in drafts
    )


def together(wanted: Iterable[LookedFor]) -> LookedFor:
    """Several that are looked for, as one."""
    none = np.zeros(0, np.uint64)
    return LookedFor(*(np.unique(np.concatenate(keys)) for keys in zip((none, none), *wanted, strict=True)))


def stored_by_bucket(run: Run, path: str, wanted: LookedFor) -> Iterator[tuple[bytes, StoredNames]]:
    """The names of the hands of a data file of `events` that are looked for, split by bucket."""
    store = Store(run.store)
    ids = stored_ids(store, path, wanted.ids)
    for names, of in ((ids, ids), stored_positions(store, path, wanted.positions)):
        for bucket, mine in by_bucket(names, run.digits):
            yield bucket, StoredNames(path, names[mine], of[mine])


def compare_bucket(run: Run, found: Iterable[NewNames | StoredNames]) -> Iterator[tuple[str, Verdict]]:
    """Verdicts on the hands of a bucket that are not to be kept, each with the key of its draft.

    The first hand keeps its position even if what its id says contradicts a stored one.
    """
    of = list(found)
    new = sorted((one for one in of if isinstance(one, NewNames)), key=lambda one: one.draft)
    if not new:
        return
    store, stored = Store(run.store), defaultdict[str, list[StoredNames]](list)
    for one in of:
        if isinstance(one, StoredNames):
            stored[one.path].append(one)
    names, ids, contents = (np.concatenate(arrays) for arrays in list(zip(*new, strict=True))[2:])
    is_id = names == ids
    first = earliest(names)
    others = np.where(ids[first] == ids, NO_POSITION, ids[first])
    verdicts = np.where(contents == contents[first], DUPLICATE, CONFLICT).astype(np.int8)
    verdicts[(first == np.arange(len(names))) | ~is_id] = KEEP
    verdicts[is_id & among(ids, tombstones(store))] = DUPLICATE
    for path, held in stored.items():
        place = places(names, np.concatenate([one.names for one in held]))
        holders = np.append(np.concatenate([one.ids for one in held]), NO_POSITION)[place]  # -1: none
        others = np.where((holders != NO_POSITION) & (holders != ids), holders, others)
        common = np.unique(ids[(place >= 0) & is_id])
        if len(common):
            by_content = against(ids, contents, *stored_contents(store, path, common))
            verdicts = np.where(is_id & (by_content != KEEP), by_content, verdicts)
    verdicts[others != NO_POSITION] = CONFLICT
    start = 0
    for one in new:
        bad = start + np.flatnonzero(verdicts[start : start + len(one.ids)])
        if len(bad):
            yield one.draft, Verdict(one.indices[bad - start], verdicts[bad], others[bad])
        start += len(one.ids)


def overlaps(store: Store, parts: list[Part], added: set[str]) -> bool:
    """Whether files that were added hold hands that these parts hold too, or their positions."""
    if not parts or not added:
        return False
    mine = np.unique(np.concatenate([keys_of(stored_ids(store, part.path)) for part in parts]))
    held = [keys_of(stored_positions(store, part.path)[0]) for part in parts]
    positions = np.unique(np.concatenate(held))
    return any(
        len(stored_ids(store, path, mine)) or len(stored_positions(store, path, positions)[0])
        for path in sorted(added)
    )
