"""The fold and the decisions, in memory."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from benchmarks.data import Data
from benchmarks.figures import Figure
from benchmarks.timing import Spread, interleaved, one_core
from cardlog import models
from cardlog.models.fold import fold
from cardlog.pipelines import runs
from cardlog.pipelines.build.projections import project
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.folding import initial_states
from cardlog.pipelines.storage.store import Store

FOLDS: Final = 15
PROJECTIONS: Final = 5
MOST_GROUPS: Final = 12
DISK_BYTES: Final = 3.9
"""A fifth of what a row of `decisions` took when it had the observation."""


def _batches(store: Store) -> list[Batch]:
    """The events of a store's first row groups, ready to be folded."""
    found = []
    for path in store.paths("events"):
        file = EventsFile(store, path)
        for group in range(file.pieces):
            found.append(file.batch(group))
            if len(found) == MOST_GROUPS:
                return found
    return found


def fold_alone(data: Data) -> Iterator[Figure]:
    """Fold a prepared batch through the rules: `cardlog.models.fold.fold`, every event judged.

    Timed is the compiled loop alone; the batch is in memory and its initial states are made, and
    copied back before each round.
    """
    batch = Batch.joined(_batches(data.store(data.sizes.some_hands)))
    game = models.game(batch.game)
    begun, _ = initial_states(batch)
    states, reasons, at = begun.copy(), np.zeros(len(batch), np.int8), np.zeros(len(batch), np.int64)

    def again() -> None:
        states[:] = begun

    with one_core():
        found = interleaved(
            FOLDS,
            prepare=again,
            fold=lambda: fold(game, batch.events, batch.offsets, states, reasons, at),
        )["fold"]
    if reasons.any():
        raise AssertionError("hands that were stored are illegal")
    events = len(batch.events)
    yield Figure(
        "fold alone, legality included, one core",
        found.rate(events),
        "events/s",
        40e6,
        cpu=found.cpu_rate(events),
    )


def decisions(data: Data) -> Iterator[Figure]:
    """Rows of `decisions`: projected in memory, and from stored events to the committed table.

    In memory the row groups are read already; their fold is included, as a build has it. The
    second figure is a rebuild of this table alone, through Beam on one core.
    """
    sizes = data.sizes
    store = data.store(sizes.some_hands)
    batches = _batches(store)
    counts = [len(rows) for batch in batches for _, rows in project(batch, ("decisions",))]
    with one_core():
        found = interleaved(PROJECTIONS, project=lambda: [list(project(b, ("decisions",))) for b in batches])
        in_memory = found["project"]
        with data.copy(store) as copy:
            found = interleaved(
                sizes.rounds - 1,
                warm_up=False,
                rebuild=lambda: runs.build(copy, wanted=("decisions",), afresh=True),
            )
            rows = copy.rows("decisions")
            size = sum(
                (Path(copy.uri("decisions")) / path).stat().st_size for path in copy.paths("decisions")
            )
    rebuilt = found["rebuild"]
    yield Figure(
        "decisions projected in memory, one core",
        in_memory.rate(sum(counts)),
        "rows/s",
        1e6,
        cpu=in_memory.cpu_rate(sum(counts)),
    )
    yield Figure(
        "decisions on disk; with observations it was 19.4",
        Spread(size / rows, size / rows, size / rows),
        "bytes a row",
        DISK_BYTES,
        at_most=True,
    )
    yield Figure(
        "decisions, events read and table written, one core",
        rebuilt.rate(rows),
        "rows/s",
        1e6,
        cpu=rebuilt.cpu_rate(rows),
    )
