"""Overlapping sources: which hands are stored already, or come twice, with the same content or other.

Ids are compared as whole arrays, bucket by bucket; a bucket is the ids that begin alike. So are positions in
matches, which are written as ids are.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.storage.stored_hands import Contents, Ids

KEEP, DUPLICATE, CONFLICT = 0, 1, 2

Verdicts = NDArray[np.int8]
"""`KEEP`, `DUPLICATE` or `CONFLICT` for each hand."""


def by_bucket(names: Ids, digits: int = 1) -> Iterator[tuple[bytes, NDArray[np.int64]]]:
    """The buckets of names, which are their first digits, each with the indices of its names."""
    buckets = names.astype(f"S{digits}")
    for bucket in np.unique(buckets).tolist():
        yield bucket, np.flatnonzero(buckets == bucket)


def earliest(names: Ids) -> NDArray[np.int64]:
    """For each name the index of the first equal one."""
    _, first, which = np.unique(names, return_index=True, return_inverse=True)
    return np.asarray(first[which])


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
