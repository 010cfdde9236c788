"""Compare the hands of an ingest with each other and with the stored ones, one bucket of names at a time.

The names of a hand are its id and, in a match, its position. A hand with the id of another is a duplicate if
it says the same, or as much as the beginning of the other; it completes the other if it begins with it.
Otherwise it is a conflict, or on request replaces a stored hand. One whose position a hand with another id
has is a conflict too.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.differences import extends
from cardlog.pipelines.ingest.elements import Draft, IngestRun, LookedFor, NewNames, StoredNames, Verdict
from cardlog.pipelines.ingest.match_positions import NO_POSITION, stored_positions
from cardlog.pipelines.ingest.overlap import (
    COMPLETES,
    CONFLICT,
    DUPLICATE,
    ERASED,
    KEEP,
    REPLACES,
    Verdicts,
    against,
    by_bucket,
    earliest,
    indices_in,
)
from cardlog.pipelines.storage.erasures import tombstones
from cardlog.pipelines.storage.known_keys import having_keys, keys_of
from cardlog.pipelines.storage.store import Part, Store
from cardlog.pipelines.storage.stored_hands import hands_in, stored_contents, stored_ids


def new_by_bucket(draft: Draft, digits: int) -> Iterator[tuple[bytes, NewNames]]:
    """The names of a draft's hands, split by bucket; see `IngestRun`."""
    for names in (draft.ids, draft.positions):
        known = np.flatnonzero(names != NO_POSITION)
        for bucket, members in by_bucket(names[known], digits):
            index = known[members]
            yield (
                bucket,
                NewNames(
                    draft.key,
                    draft.part.path if draft.part else "",
                    index,
                    names[index],
                    draft.ids[index],
                    draft.contents[index],
                ),
            )


def looked_for(drafts: Iterable[Draft]) -> LookedFor:
    """The keys to look up in the store: those of the ids and positions of some drafts."""
    return together(
        LookedFor(keys_of(draft.ids), keys_of(draft.positions[draft.positions != NO_POSITION]))
        for draft in drafts
    )


def together(wanted: Iterable[LookedFor]) -> LookedFor:
    """All of several sets of keys; equal ones may stay."""
    none = np.zeros(0, np.uint64)
    return LookedFor(*(np.sort(np.concatenate(keys)) for keys in zip((none, none), *wanted, strict=True)))


def stored_by_bucket(run: IngestRun, path: str, wanted: LookedFor) -> Iterator[tuple[bytes, StoredNames]]:
    """The names of the hands of a data file of `events` that are looked up, split by bucket."""
    store = Store(run.store)
    stored = stored_ids(store, path, wanted.ids)
    for names, ids in ((stored, stored), stored_positions(store, path, wanted.positions)):
        for bucket, members in by_bucket(names, run.digits):
            yield bucket, StoredNames(path, names[members], ids[members])


def compare_bucket(run: IngestRun, bucket: Iterable[NewNames | StoredNames]) -> Iterator[tuple[str, Verdict]]:
    """Verdicts on the hands of a bucket that are not simply to be kept, each with the key of its draft.

    The first hand keeps its position even if it conflicts with a stored hand by its id.
    """
    new: list[NewNames] = []
    stored = defaultdict[str, list[StoredNames]](list)
    for group in bucket:
        if isinstance(group, StoredNames):
            stored[group.path].append(group)
        else:
            new.append(group)
    if not new:
        return
    new.sort(key=attrgetter("draft"))
    store = Store(run.store)
    names, ids, contents = (np.concatenate(arrays) for arrays in list(zip(*new, strict=True))[3:])
    is_id = names == ids
    first = earliest(names)
    others = np.where(ids[first] == ids, NO_POSITION, ids[first])
    verdicts = np.where(contents == contents[first], DUPLICATE, CONFLICT).astype(np.int8)
    verdicts[(first == np.arange(len(names))) | ~is_id] = KEEP
    for path, groups in stored.items():
        index = indices_in(np.concatenate([group.names for group in groups]), names)
        holders = np.append(np.concatenate([group.ids for group in groups]), NO_POSITION)[index]  # -1: none
        others = np.where((holders != NO_POSITION) & (holders != ids), holders, others)
        common = np.unique(ids[(index >= 0) & is_id])
        if len(common):
            by_content = against(ids, contents, *stored_contents(store, path, common))
            verdicts = np.where(is_id & (by_content != KEEP), by_content, verdicts)
    _settle(run, new, stored, is_id, verdicts)
    verdicts[is_id & having_keys(ids, tombstones(store))] = ERASED
    verdicts[others != NO_POSITION] = CONFLICT
    start = 0
    for group in new:
        bad = np.flatnonzero(verdicts[start : start + len(group.ids)])
        if len(bad):
            yield group.draft, Verdict(group.indices[bad], verdicts[start + bad], others[start + bad])
        start += len(group.ids)


def _settle(
    run: IngestRun,
    new: list[NewNames],
    stored: Iterable[str],
    is_id: NDArray[np.bool_],
    verdicts: Verdicts,
) -> None:
    """Decide again on the hands whose ids others have with another content, which may be their beginning.

    Of the hands with one id, the one that is kept is the stored one, or else the first; or a later one that
    begins with it. On request that is also the first of the new ones that contradicts the stored one. Of the
    hands of a draft with the same id, only that in its data file can be read, and so be kept.
    """
    ids, contents = (np.concatenate(arrays) for arrays in list(zip(*new, strict=True))[4:])
    differing = np.unique(ids[is_id & (verdicts == CONFLICT)])
    if not len(differing):
        return
    store = Store(run.store)
    held = hands_in(store, stored, differing)
    hands = dict[tuple[bytes, int], Batch]()
    by_id = defaultdict[bytes, list[int]](list)
    start = 0
    for group in new:
        candidates = start + np.flatnonzero(
            is_id[start : start + len(group.ids)] & np.isin(group.ids, differing)
        )
        for hand_id, hand in hands_in(store, [group.part], ids[candidates]).items():
            hands[hand_id, int(hand.content()[0])] = hand
        for index in candidates.tolist():
            by_id[ids[index]].append(index)
        start += len(group.ids)
    for hand_id, indices in by_id.items():
        old = held.get(hand_id)
        kept, winner = old, None
        versions = [hands.get((hand_id, int(contents[index]))) for index in indices]
        for index, version in zip(indices, versions, strict=True):
            if version is None or (kept and extends(kept, version)):
                continue
            if kept is None or extends(version, kept) or (run.replace and kept is old):
                kept, winner = version, index
        assert kept is not None
        for index, version in zip(indices, versions, strict=True):
            is_part = extends(kept, version) if version else int(contents[index]) == int(kept.content()[0])
            verdicts[index] = DUPLICATE if is_part else CONFLICT
        if winner is not None:
            verdicts[winner] = KEEP if old is None else COMPLETES if extends(kept, old) else REPLACES


def overlaps(store: Store, parts: list[Part], added: set[str]) -> bool:
    """Whether added files have hands or positions that these parts have too."""
    if not parts or not added:
        return False
    ids = np.unique(np.concatenate([keys_of(stored_ids(store, part.path)) for part in parts]))
    positions = np.unique(np.concatenate([keys_of(stored_positions(store, part.path)[0]) for part in parts]))
    return any(
        len(stored_ids(store, path, ids)) or len(stored_positions(store, path, positions)[0])
        for path in sorted(added)
    )
