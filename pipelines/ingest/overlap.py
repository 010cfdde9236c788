"""Overlapping sources: which hands are stored already, or come twice, with the same content or other.

Ids are compared as whole arrays, bucket by bucket; a bucket is a range of ids.
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


def repeats(ids: Ids, contents: Contents) -> Verdicts:
    """Of hands with the same id the first is kept; the others repeat it or contradict it."""
    verdicts = np.zeros(len(ids), np.int8)
    order = np.argsort(ids, kind="stable")
    same = np.append(False, ids[order][1:] == ids[order][:-1]) if len(ids) else np.zeros(0, bool)
    if not same.any():
        return verdicts
    firsts = order[np.maximum.accumulate(np.where(same, 0, np.arange(len(ids))))]
    again = order[same]
    verdicts[again] = np.where(contents[again] == contents[firsts[same]], DUPLICATE, CONFLICT)
    return verdicts


def first_of(keys: Ids, held: Ids) -> NDArray[np.int64]:
    """For each key the index of the first equal one of those that are held, -1 if there is none."""
    found = np.full(len(keys), -1)
    if len(held):
        order = np.argsort(held, kind="stable")
        nearest = order[np.minimum(np.searchsorted(held, keys, sorter=order), len(held) - 1)]
        found = np.where(held[nearest] == keys, nearest, -1)
    return found


def against(ids: Ids, contents: Contents, stored: Ids, stored_contents: Contents) -> Verdicts:
    """Which hands are stored already, and whether with the same content."""
    verdicts = np.zeros(len(ids), np.int8)
    match = first_of(ids, stored)
    found = match >= 0
    verdicts[found] = np.where(contents[found] == stored_contents[match[found]], DUPLICATE, CONFLICT)
    return verdicts
