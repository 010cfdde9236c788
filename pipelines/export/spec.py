"""What training data is asked for, and what it is read from: data files of `events`, cut into portions.

All of it can be sent to workers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.progress import Tally
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.threads import gathered

SPLITS: Final = ("train", "validation", "test")
PORTION_ROWS: Final = 1_000_000
"""About the largest number of events of a portion, which makes a block of some megabytes."""


@dataclass(frozen=True)
class ExportSpec:
    """Which training data is to be written: what the store has of a game, in a form.

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
    encoder: str
    encoder_version: int
    layout: tuple[str, ...]
    selection: Selection
    seed: int
    splits: tuple[int, ...]
    order: str


class Portion(NamedTuple):
    """Pieces of data files of `events`, each given by path and number, that become blocks."""

    key: int
    pieces: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ExportPlan:
    """What workers have to do for an export of training data.

    blocks
        The folder for blocks, and for what they look up. All workers must reach it.
    tally
        The folder for progress.
    """

    store: str
    spec: ExportSpec
    blocks: str
    tally: str


def portions_of(store: Store, paths: list[str]) -> list[Portion]:
    """Portions of data files, in the order that these have."""
    sizes: dict[tuple[str, int], int] = {}
    for path in paths:
        file = EventsFile(store, path)
        sizes |= {(path, piece): file.metadata.num_rows // file.pieces for piece in range(file.pieces)}
    together = gathered(sizes, sizes.__getitem__, PORTION_ROWS)
    return [Portion(key, pieces) for key, pieces in enumerate(together)]


def batches(plan: ExportPlan, portion: Portion) -> Iterator[Batch]:
    """The hands of a portion; what is done with them counts as progress."""
    store = Store(plan.store)
    pieces = groupby(portion.pieces, key=lambda piece: piece[0])
    opened = ((EventsFile(store, path), numbers) for path, numbers in pieces)
    return counted((file.batch(piece) for file, numbers in opened for _, piece in numbers), plan.tally)


def counted(batches: Iterable[Batch], tally_folder: str) -> Iterator[Batch]:
    """Batches; what is done with them counts as progress."""
    tally = Tally(tally_folder)
    for batch in batches:
        yield batch
        tally.add(len(batch), len(batch.events))
