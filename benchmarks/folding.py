"""The fold in memory."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import numpy as np

from benchmarks.data import Data
from benchmarks.figures import Figure, rate
from benchmarks.timing import interleaved, one_core
from cardlog import models
from cardlog.models.fold import fold
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.store import Store

ROUNDS: Final = 15
MOST_GROUPS: Final = 12


def _batches(store: Store) -> Iterator[Batch]:
    """The events of a store's row groups, ready to be folded."""
    for path in store.paths("events"):
        file = EventsFile(store, path)
        yield from map(file.batch, range(file.pieces))


def fold_alone(data: Data) -> Iterator[Figure]:
    """Fold a prepared batch through the rules: `cardlog.models.fold.fold`, every event judged.

    Timed is the compiled loop alone; the batch is in memory and its initial states are made, and
    copied back before each round.
    """
    batch = Batch.joined(list(islice(_batches(data.store(data.sizes.some_hands)), MOST_GROUPS)))
    game = models.game(batch.game)
    begun, _ = initial_states(batch)
    states, reasons, at = begun.copy(), np.zeros(len(batch), np.int8), np.zeros(len(batch), np.int64)

    def again() -> None:
        states[:] = begun

    with one_core():
        found = interleaved(
            ROUNDS,
            prepare=again,
            fold=lambda: fold(game, batch.events, batch.offsets, states, reasons, at),
        )
    if reasons.any():
        raise AssertionError("hands that were stored are illegal")
    yield rate("fold alone, legality included, one core", found["fold"], len(batch.events), "events/s", 40e6)
