"""Overlapping sources: which hands are stored already, or occur twice, with the same content or not.

Ids are compared as whole arrays, one bucket at a time; a bucket has the ids with the same first digits.
Positions in matches look like ids and are compared in the same way.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.storage.stored_hands import Contents, Ids

KEEP, DUPLICATE, CONFLICT, COMPLETES, REPLACES, ERASED = range(6)

Verdicts = NDArray[np.int8]
"""For each hand, `KEEP`, or what it is otherwise: a `DUPLICATE`, also of the beginning of a hand; a
`CONFLICT` with another hand; a hand that `COMPLETES` or `REPLACES` the stored one; one that was `ERASED` for
good."""


def by_bucket(names: Ids, digits: int) -> Iterator[tuple[bytes, NDArray[np.int64]]]:
    """The buckets of names, each given by the first digits, with the indices of its names."""
    if not digits:
        yield b"", np.arange(len(names))
        return
    buckets = names.astype(f"S{digits}")
    for bucket in np.unique(buckets).tolist():
        yield bucket, np.flatnonzero(buckets == bucket)


def earliest(names: Ids) -> NDArray[np.int64]:
    """For each name the index of the first equal one."""
    _, first, inverse = np.unique(names, return_index=True, return_inverse=True)
    return np.asarray(first[inverse])


def indices_in(stored: Ids, names: Ids) -> NDArray[np.int64]:
    """For each name the index of the first equal one among the stored names, -1 if there is none."""
    if not len(stored):
        return np.full(len(names), -1)
    order = np.argsort(stored, kind="stable")
    nearest = order[np.minimum(np.searchsorted(stored, names, sorter=order), len(stored) - 1)]
    return np.where(stored[nearest] == names, nearest, -1)


def against(ids: Ids, contents: Contents, stored: Ids, stored_contents: Contents) -> Verdicts:
    """Which hands are stored already, and whether with the same content."""
    index = indices_in(stored, ids)
    same = contents == np.append(stored_contents, np.uint64(0))[index]
    return np.select([index < 0, same], [KEEP, DUPLICATE], CONFLICT).astype(np.int8)
