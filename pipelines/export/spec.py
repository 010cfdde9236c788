"""What an export is asked for, and what it reads: data files of `events`, cut into portions for workers.

All of it can be sent to workers.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.progress import Tally
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import id_ranges, range_batches
from cardlog.pipelines.threads import gathered

SPLITS: Final = ("train", "validation", "test")
PORTION_ROWS: Final = 1_000_000
"""About the largest number of events of a portion, which makes a block of some megabytes."""


@dataclass(frozen=True)
class ExportSpec:
    """What is to be written: what the store has of a game, in a form; the rest is for training data.

    encoder, encoder_version, layout
        What makes the observations; the layout is empty for encoders that come with cardlog.
    selection, seed, splits
        Which hands and seats count, and how hands are split, in percentages of `SPLITS`.
    order
        One of `mixing.ORDERS`.
    events_version
        The version of `events` that is exported.
    """

    game: str
    form: str
    events_version: int
    encoder: str = ""
    encoder_version: int = 0
    layout: tuple[str, ...] = ()
    selection: Selection = field(default_factory=Selection)
    seed: int = 0
    splits: tuple[int, ...] = ()
    order: str = ""


@dataclass(frozen=True)
class Portion:
    """Pieces of data files of `events`, each given by path and number, that become blocks.

    first, end
        Only the hands with ids in this range are meant, in the order of their ids; all, in the order they
        are stored in, if there is no range.
    """

    key: int
    pieces: tuple[tuple[str, int], ...]
    first: bytes | None = None
    end: bytes = b""


@dataclass(frozen=True)
class ExportPlan:
    """What an export has to do.

    folder
        Where training data is written.
    blocks
        The folder for blocks. All workers must reach both.
    chosen
        Where the ids of the hands are that fulfil a condition in SQL; None if there is none.
    costs
        Where it is what decisions cost; None if that is not asked.
    rows
        How many events are read.
    """

    store: str
    spec: ExportSpec
    folder: str
    blocks: str
    portions: tuple[Portion, ...]
    rows: int
    chosen: str | None = None
    costs: str | None = None
    tally: str | None = None


def portions_of(store: Store, paths: list[str]) -> list[Portion]:
    """Portions of data files, in the order that these have."""
    sizes: dict[tuple[str, int], int] = {}
    for path in paths:
        file = EventsFile(store, path)
        sizes |= {(path, piece): file.metadata.num_rows // file.pieces for piece in range(file.pieces)}
    together = gathered(sizes, sizes.__getitem__, PORTION_ROWS)
    return [Portion(key, pieces) for key, pieces in enumerate(together)]


def ordered_portions(store: Store, paths: list[str]) -> list[Portion]:
    """Portions of data files, each a range of ids, in their order."""
    return [
        Portion(key, pieces, first, end) for key, (first, end, pieces) in enumerate(id_ranges(store, paths))
    ]


def batches(plan: ExportPlan, portion: Portion) -> Iterator[Batch]:
    """The hands of a portion; what is done with them counts as progress."""
    tally = Tally(plan.tally)
    for batch in _read(Store(plan.store), portion):
        yield batch
        tally.add(len(batch), len(batch.events))


def _read(store: Store, portion: Portion) -> Iterator[Batch]:
    if portion.first is not None:
        yield from range_batches(store, portion.first, portion.end, portion.pieces)
        return
    file, opened = None, ""
    for path, piece in portion.pieces:
        if file is None or path != opened:
            file, opened = EventsFile(store, path), path
        yield file.batch(piece)
