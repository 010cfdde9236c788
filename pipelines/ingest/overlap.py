"""Overlapping sources: which hands are stored already, or come twice, with the same content or other.

Ids are compared as whole arrays, bucket by bucket; a bucket is a range of ids. So are positions in matches,
which are written as ids are.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.storage.stored_hands import Contents, Ids

BUCKETS: Final = 16
"""Buckets by one digit of the ids; each more makes sixteen times as many."""
KEEP, DUPLICATE, CONFLICT = 0, 1, 2

Verdicts = NDArray[np.int8]
"""`KEEP`, `DUPLICATE` or `CONFLICT` for each hand."""


def bucket_of(ids: Ids, digits: int = 1) -> NDArray[np.int64]:
    """The bucket of each id: its first hex digit, or several."""
    first = np.ascontiguousarray(ids).view(np.uint8).reshape(len(ids), 32)[:, :digits].astype(np.int64)
    values = np.where(first >= ord("a"), first - ord("a") + 10, first - ord("0"))
    return np.asarray(values @ (BUCKETS ** np.arange(digits - 1, -1, -1)))


def earliest(names: Ids) -> NDArray[np.int64]:
    """For each name the index of the first equal one."""
    _, first, which = np.unique(names, return_index=True, return_inverse=True)
    return np.asarray(first[which])


def repeats(ids: Ids, contents: Contents) -> Verdicts:
    """Of hands with the same id the first is kept; the others repeat it or contradict it."""
    first = earliest(ids)
    verdicts = np.where(contents == contents[first], DUPLICATE, CONFLICT)
    return np.where(first == np.arange(len(ids)), KEEP, verdicts).astype(np.int8)


def places(names: Ids, held: Ids) -> NDArray[np.int64]:
    """For each name the index of the first equal one of those that are held, -1 if there is none."""
    if not len(held):
        return np.full(len(names), -1)
    order = np.argsort(held, kind="stable")
    nearest = order[np.minimum(np.searchsorted(held, names, sorter=order), len(held) - 1)]
    return np.where(held[nearest] == names, nearest, -1)


def against(ids: Ids, contents: Contents, stored: Ids, stored_contents: Contents) -> Verdicts:
    """Which hands are stored already, and whether with the same content."""
    place = places(ids, stored)
    theirs = np.append(stored_contents, np.uint64(0))[place]
    verdicts = np.where(contents == theirs, DUPLICATE, CONFLICT)
    return np.where(place < 0, KEEP, verdicts).astype(np.int8)
