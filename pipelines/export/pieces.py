"""What an export reads: data files of `events`, cut into portions that workers share."""

from collections.abc import Iterator
from typing import Final

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.spec import ExportPlan, Portion
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import id_ranges, range_batches

PORTION_ROWS: Final = 1_000_000
"""About the largest number of events of a portion, which makes a block of some megabytes."""


def portions_of(store: Store, paths: list[str]) -> list[Portion]:
    """Portions of data files, in the order that these have."""
    found: list[Portion] = []
    pieces: list[tuple[str, int]] = []
    held = 0
    for path in paths:
        file = EventsFile(store, path)
        size = file.metadata.num_rows // max(file.pieces, 1)
        for piece in range(file.pieces):
            if pieces and held + size > PORTION_ROWS:
                found.append(Portion(len(found), tuple(pieces)))
                pieces, held = [], 0
            pieces.append((path, piece))
            held += size
    return [*found, Portion(len(found), tuple(pieces))] if pieces else found


def ordered_portions(store: Store, paths: list[str]) -> list[Portion]:
    """Portions of data files, each a range of ids, in their order."""
    return [
        Portion(key, pieces, first, end) for key, (first, end, pieces) in enumerate(id_ranges(store, paths))
    ]


def batches(plan: ExportPlan, portion: Portion) -> Iterator[Batch]:
    """The hands of a portion."""
    store = Store(plan.store)
    if portion.first is not None:
        yield from range_batches(store, portion.first, portion.end, portion.pieces)
        return
    file, opened = None, ""
    for path, piece in portion.pieces:
        if file is None or path != opened:
            file, opened = EventsFile(store, path), path
        yield file.batch(piece)
