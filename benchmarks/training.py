"""Training data: encoding observations, exporting them, and feeding them to PyTorch."""

import sys
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from itertools import count
from typing import Final

from benchmarks.data import SEED, Data
from benchmarks.figures import ROUNDS, Figure, Work, interleaved, one_core
from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export import simulate
from cardlog.pipelines.export.encoders import DEFAULT, encoder
from cardlog.pipelines.export.export import export
from cardlog.pipelines.export.selection import Output

DECISIONS: Final = 200_000  # roughly how many rows of each game encoders are timed on
FEW_HANDS: Final = 200  # hands that are sampled for the number of decisions in a hand
BATCH: Final = 4096


def encoders(data: Data) -> Iterator[Figure]:
    """Encode observations with legal mask, action and return, in memory, from the events of simulated hands;
    includes the fold."""
    works: dict[str, Work] = {}
    counts: dict[str, int] = {}
    for game in models.GAMES:
        batches = _simulated(game, data)
        counts[game] = _encode(batches)
        works[game] = partial(_encode, batches)
    with one_core():
        timings = interleaved(ROUNDS, **works)
    for game, rounds in timings.items():
        yield rounds.rate(f"{game}: decisions encoded by v1, one core", counts[game], "rows/s", 1e6)


def _simulated(game: str, data: Data) -> list[Batch]:
    """Hands of a game with about `DECISIONS` decisions."""
    simulation = Simulation(game, SEED)
    few = list(simulate.batches(game, "few", simulation, FEW_HANDS))
    hands = data.part(DECISIONS) * FEW_HANDS // _encode(few)
    return list(simulate.batches(game, "many", simulation, hands))


def _encode(batches: list[Batch]) -> int:
    """Encode the decisions of some hands by `v1`; returns how many there are."""
    return sum(len(encoder(batch.game, DEFAULT).encode(batch).rows) for batch in batches)


def exports(data: Data) -> Iterator[Figure]:
    """Export training data: events to Parquet and NumPy files, one core."""
    store = data.built_store(data.some_hands // 5)
    rows = store.rows("decisions")
    with one_core(), data.scratch() as folder:
        names = map(str, count())
        timings = interleaved(
            ROUNDS,
            parquet=lambda: export(store, str(folder / next(names)), Output("kaiser")),
            npy=lambda: export(store, str(folder / next(names)), Output("kaiser", "npy")),
        )
    for form, rounds in timings.items():
        yield rounds.rate(f"export of {rows:,} decisions as {form}, one core", rows, "rows/s")


def loaders(data: Data) -> Iterator[Figure]:
    """Feed shuffled batches to PyTorch from one process."""
    if not find_spec("torch"):
        print("  left out: it needs PyTorch, which make extras installs", file=sys.stderr)
        return
    from cardlog.pipelines.export.torch_dataset import Decisions

    store = data.built_store(data.some_hands // 5)
    columns = ("observation", "action_mask", "action", "return")
    with data.scratch() as folder:
        export(store, str(folder / "rows"), Output("kaiser", splits="100,0,0"))
        decisions = Decisions(str(folder / "rows"), "play", columns=columns, batch_size=BATCH, seed=SEED)

        def take_all() -> None:
            if sum(len(batch["action"]) for batch in decisions) != decisions.rows:
                raise AssertionError("rows are missing")

        with one_core():
            timing = interleaved(ROUNDS, batches=take_all)["batches"]
        name = "training rows into PyTorch, shuffled, one core"
        yield timing.rate(name, decisions.rows, "rows/s", 250e3)
