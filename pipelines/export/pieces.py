"""What an export reads: data files of `events`, cut into items that workers share."""

from collections.abc import Iterator
from typing import Final

from cardlog.pipelines.export.spec import Item, Plan
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import id_ranges, range_batches

ITEM_ROWS: Final = 1_000_000
"""About the largest number of events of an item, which makes a block of some megabytes."""


def items_of(store: Store, paths: list[str]) -> list[Item]:
    """Items of data files, in the order that these have."""
    found: list[Item] = []
    pieces: list[tuple[str, int]] = []
    held = 0
    for path in paths:
        file = EventsFile(store, path, rely=True)
        size = file.metadata.num_rows // max(file.pieces, 1)
        for piece in range(file.pieces):
            if pieces and held + size > ITEM_ROWS:
                found.append(Item(len(found), tuple(pieces)))
                pieces, held = [], 0
            pieces.append((path, piece))
            held += size
    return [*found, Item(len(found), tuple(pieces))] if pieces else found


def ordered_items(store: Store, paths: list[str]) -> list[Item]:
    """Items of data files, each a range of ids, in their order."""
    return [Item(key, pieces, first, end) for key, (first, end, pieces) in enumerate(id_ranges(store, paths))]


def batches(plan: Plan, item: Item) -> Iterator[Batch]:
    """The hands of an item."""
    store = Store(plan.store)
    if item.first is not None:
        yield from range_batches(store, item.first, item.end, item.pieces)
        return
    file, opened = None, ""
    for path, piece in item.pieces:
        if file is None or path != opened:
            file, opened = EventsFile(store, path), path
        yield file.batch(piece)
