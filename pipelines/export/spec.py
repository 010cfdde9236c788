"""What training data to write, and what to read it from: data files of `events`, cut into portions.

All of it can be pickled, to be sent to workers.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final, NamedTuple

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.runtime.progress import Tally
from cardlog.pipelines.runtime.threads import gathered
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store

SPLITS: Final = ("train", "validation", "test")
PORTION_ROWS: Final = 1_000_000
"""About the largest number of events of a portion, which makes a block of some megabytes."""


@dataclass(frozen=True)
class ExportSpec:
    """Which training data to write: a game's hands, in a form.

    encoder, encoder_version, layout, words
        What makes the observations; the layout is empty for encoders that come with cardlog. The words of
        the actions, by kind.
    selection, seed, splits
        Which hands and seats are included, and how hands are split, in percentages of `SPLITS`.
    order
        One of `mixing.ORDERS`.
    columns, split_by
        Columns to add, of `rows.ADDED`, and the one of `who_and_when` by which rows are split, if any.
    all_episodes
        Whether Minari's datasets are no samples.
    license, name, description
        What the user says of the data; empty where nothing.
    events_version
        The version of `events` that is exported.
    """

    game: str
    form: str
    events_version: int
    encoder: str
    encoder_version: int
    layout: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    selection: Selection
    seed: int
    splits: tuple[int, ...]
    order: str
    columns: tuple[str, ...] = ()
    split_by: str | None = None
    all_episodes: bool = False
    license: str = ""
    name: str = ""
    description: str = ""


class Portion(NamedTuple):
    """Pieces of data files of `events`, each given by path and number, that become blocks."""

    key: int
    pieces: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class ExportPlan:
    """What workers have to do for an export of training data.

    blocks
        The folder for blocks, and for the files that `costs` and `hand_filter` look things up in. All workers
        must reach it.
    tally
        The folder for progress.
    """

    store: str
    spec: ExportSpec
    blocks: str
    tally: str


def portions_of(store: Store, paths: list[str]) -> list[Portion]:
    """Data files as portions, in the same order."""
    sizes: dict[tuple[str, int], int] = {}
    for path in paths:
        file = EventsFile(store, path)
        sizes |= {(path, piece): file.metadata.num_rows // file.pieces for piece in range(file.pieces)}
    groups = gathered(sizes, sizes.__getitem__, PORTION_ROWS)
    return [Portion(key, pieces) for key, pieces in enumerate(groups)]


def batches(plan: ExportPlan, portion: Portion) -> Iterator[Batch]:
    """The hands of a portion, counted as progress."""
    store = Store(plan.store)
    by_path = groupby(portion.pieces, key=lambda piece: piece[0])
    files = ((EventsFile(store, path), pieces) for path, pieces in by_path)
    return counted((file.batch(number) for file, pieces in files for _, number in pieces), plan.tally)


def counted(batches: Iterable[Batch], tally_folder: str) -> Iterator[Batch]:
    """The same batches; each is counted as progress when the next one is asked for."""
    tally = Tally(tally_folder)
    for batch in batches:
        yield batch
        tally.add(len(batch), len(batch.events))
