"""Stored hands: their ids, their content and the hands themselves, from data files of `events`.

A data file is sorted by id, so only the row groups that can have a range of ids are read.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch, order_of
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.known_keys import Keys, having_keys, keys_of
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import ROW_GROUP_ROWS

RANGE_ROWS: Final = 2_000_000
"""About how many events are sorted at a time."""

ID_DIGITS: Final = 32
"""Hexadecimal digits of a hand's id."""
Ids = NDArray[np.bytes_]
"""Hand ids, dtype S32."""
Contents = NDArray[np.uint64]
"""Digests of the contents of hands, as returned by `Batch.content`."""


def stored_ids(store: Store, path: str, keys: Keys | None = None) -> Ids:
    """The ids of the hands in a data file of `events`, in order.

    keys
        Sorted keys; only ids that have one of them are returned.
    """
    file = store.open("events", path)
    found = [np.zeros(0, "S32")]
    for group in range(file.num_row_groups):
        column = file.read_row_group(group, columns=["hand_id"], use_threads=False).column(0)
        for chunk in column.chunks:
            labels = chunk.dictionary.cast(pa.string()).cast(pa.binary(ID_DIGITS))
            ids = np.frombuffer(labels.buffers()[1], "S32", len(labels))
            found.append(ids if keys is None else ids[having_keys(ids, keys)])
    return np.unique(np.concatenate(found))


def stored_contents(store: Store, path: str, wanted: Ids) -> tuple[Ids, Contents]:
    """The ids and contents of the hands among `wanted` that are in a data file of `events`."""
    ids, contents = [np.zeros(0, "S32")], [np.zeros(0, np.uint64)]
    for batch in stored_batches(store, path, wanted):
        ids.append(batch.hand_ids)
        contents.append(batch.content())
    return np.concatenate(ids), np.concatenate(contents)


def stored_batches(
    store: Store, path: str, wanted: Ids | None = None, *, prefix: str | None = None
) -> Iterator[Batch]:
    """The hands of a data file of `events`, piece by piece.

    wanted, prefix
        Only the hands with these ids, or with this prefix of their ids; all if neither is given.
    """
    file = EventsFile(store, path)
    ids = np.sort(wanted) if wanted is not None else None
    for piece in range(file.pieces):
        low, high = file.range_of(piece)
        if ids is not None and np.searchsorted(ids, low) == np.searchsorted(ids, high, "right"):
            continue
        if prefix is not None and not low[: len(prefix)] <= prefix.encode() <= high:
            continue
        batch = file.batch(piece, prefix or "")
        if ids is not None:
            batch = batch.take(np.flatnonzero(np.isin(batch.hand_ids, ids)))
        if len(batch):
            yield batch


def hands_in(store: Store, paths: Iterable[str], ids: Ids) -> dict[bytes, Batch]:
    """The hands with some ids in data files of `events`, as batches of one, by id."""
    hands: dict[bytes, Batch] = {}
    keys = np.unique(keys_of(ids))
    for path in paths if len(ids) else ():
        for batch in stored_batches(store, path, stored_ids(store, path, keys)):
            for index, hand_id in enumerate(batch.hand_ids.tolist()):
                hands[hand_id] = batch.take(np.array([index]))
    return hands


def ordered_batches(store: Store, paths: list[str]) -> Iterator[Batch]:
    """The hands of data files of `events`, all of one game, in the order of their ids; about
    `ROW_GROUP_ROWS` events at a time.

    One range of ids after the other is read from all files, so a piece at the edge of two is read twice.
    """
    pieces = []
    for path in paths:
        file = EventsFile(store, path)
        rows = file.metadata.num_rows // max(file.pieces, 1)
        pieces += [(path, number, *file.range_of(number), rows) for number in range(file.pieces)]
    bounds = _ranges(sorted((low, rows) for _, _, low, _, rows in pieces))
    for first, end in pairwise(bounds):
        batches = []
        within = [(path, number) for path, number, low, high, _ in pieces if low < end and high >= first]
        for path, numbers in groupby(within, key=itemgetter(0)):
            file = EventsFile(store, path)
            for _, number in numbers:
                batch = file.batch(number)
                batches.append(batch.take(np.flatnonzero((batch.hand_ids >= first) & (batch.hand_ids < end))))
        if batches:
            yield from _in_order(Batch.joined(batches))


def _ranges(pieces: list[tuple[bytes, int]]) -> list[bytes]:
    """Bounds of ranges of ids with about `RANGE_ROWS` events each, from the lowest id and the number of
    events of each piece; the first and the last bound are beyond any id."""
    bounds, total = [b""], 0
    for low, rows in pieces:
        if total >= RANGE_ROWS and low > bounds[-1]:
            bounds.append(low)
            total = 0
        total += rows
    return [*bounds, b"g"]


def _in_order(batch: Batch) -> Iterator[Batch]:
    order = order_of(batch.hand_ids)
    sizes = np.cumsum(np.diff(batch.offsets)[order])
    for piece in np.split(order, np.flatnonzero(np.diff(sizes // ROW_GROUP_ROWS)) + 1):
        if len(piece):
            yield batch.take(piece)
