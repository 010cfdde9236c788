"""Training data: making observations, exporting them, and feeding them to PyTorch."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

import numpy as np

from benchmarks.data import SEED, Data
from benchmarks.figures import Figure, interleaved, one_core
from cardlog import models
from cardlog.models.simulation import Simulation
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export import simulate
from cardlog.pipelines.export.encoders import DEFAULT, encoder
from cardlog.pipelines.export.export import export

ROUNDS: Final = 5
DECISIONS: Final = 200_000
"""Approximate rows of each game that encoders are timed on."""
FEW_HANDS: Final = 200
"""Hands sampled for the number of decisions per hand."""
OPEN_SPIEL: Final = ("euchre", "hearts", "spades", "bridge(use_double_dummy_result=false)", "gin_rummy")
"""Card games of OpenSpiel; they have a tensor of what a player sees, or of all it has seen."""
OPEN_SPIEL_STEPS: Final = 2_000
BATCH: Final = 4096
SHUFFLED: Final = 100_000
"""Rows that a streamed shuffle holds."""


def encoders(data: Data) -> Iterator[Figure]:
    """Observations with legal mask, action and return, in memory: our encoders, and OpenSpiel.

    Ours are made from the events of simulated hands, the fold included. OpenSpiel's are taken
    from its Python interface while recorded games are played again, each step's observation and mask.
    """
    works: dict[str, Callable[[], object]] = {}
    counts: dict[str, int] = {}
    for game in models.GAMES:
        batches = _simulated(game, data)
        counts[game] = _encode(batches)
        works[game] = partial(_encode, batches)
    for name, replay, steps in _open_spiel_games():
        works[name], counts[name] = replay, steps
    with one_core():
        found = interleaved(ROUNDS, **works)
    for name, rounds in found.items():
        ours = name in models.GAMES
        what = f"{name}: decisions encoded by v1" if ours else f"OpenSpiel's {name}: observation and mask"
        yield rounds.rate(f"{what}, one core", counts[name], "rows/s", 1e6 if ours else None)


def _simulated(game: str, data: Data) -> list[Batch]:
    """Hands of a game with about as many decisions as are wanted."""
    simulation = Simulation(game, SEED)
    few = list(simulate.batches(game, "few", simulation, FEW_HANDS))
    hands = data.sizes.part(DECISIONS) * FEW_HANDS // _encode(few)
    return list(simulate.batches(game, "many", simulation, hands))


def _encode(batches: list[Batch]) -> int:
    """Encode the decisions of some hands by `v1`; returns how many there are."""
    return sum(len(encoder(batch.game, DEFAULT).encode(batch).rows) for batch in batches)


def _open_spiel_games() -> Iterator[tuple[str, Callable[[], object], int]]:
    """Each game of OpenSpiel with a function that replays recorded games, and its number of steps."""
    if not find_spec("pyspiel"):
        print("  OpenSpiel is not installed, so nothing stands beside ours", file=sys.stderr)
        return
    pyspiel = import_module("pyspiel")
    rng = np.random.default_rng(SEED)
    for name in OPEN_SPIEL:
        game = pyspiel.load_game(name)
        recorded = []
        while sum(map(len, recorded)) < OPEN_SPIEL_STEPS:
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(rng.choice(state.legal_actions()))
            recorded.append(state.history())
        works = [partial(_observe, game.new_initial_state(), actions) for actions in recorded]
        steps = sum(work() for work in works)
        yield name.split("(")[0], lambda works=works: [work() for work in works], steps


def _observe(begun: Any, actions: list[int]) -> int:
    """Play a recorded game again, and make what is seen at each step; returns the number of decisions."""
    state, steps = begun.clone(), 0
    informed = state.get_game().get_type().provides_information_state_tensor
    for action in actions:
        if not state.is_chance_node():
            steps += 1
            np.asarray(
                state.information_state_tensor() if informed else state.observation_tensor(), np.float32
            )
            np.asarray(state.legal_actions_mask(), np.bool_)
        state.apply_action(action)
    return steps


def exports(data: Data) -> Iterator[Figure]:
    """Export training data: events to Parquet and NumPy files, one core; and to Parquet through Beam."""
    store = data.decided_store(data.sizes.ingest_hands // 5)
    rows = store.rows("decisions")
    beam = ("--runner=FnApiRunner",)
    with one_core(), data.scratch() as folder:
        names = iter(range(1000))
        found = interleaved(
            data.sizes.rounds,
            parquet=lambda: export(store, "kaiser", "parquet", folder / str(next(names))),
            parquet_through_beam=lambda: export(
                store, "kaiser", "parquet", folder / str(next(names)), beam_options=beam
            ),
            npy=lambda: export(store, "kaiser", "npy", folder / str(next(names))),
        )
    for form, rounds in found.items():
        what = f"export of {rows:,} decisions as {form.replace('_', ' ')}, one core"
        yield rounds.rate(what, rows, "rows/s")


def loaders(data: Data) -> Iterator[Figure]:
    """Feed shuffled batches to PyTorch from one process: ours and Hugging Face's, from the same files.

    Hugging Face's is timed twice: streamed from the Parquet files, with a buffer to shuffle in, and
    from its own Arrow cache, made before, with all rows shuffled.
    """
    if not find_spec("torch"):
        print("  left out: it needs PyTorch, which make extras installs", file=sys.stderr)
        return
    from cardlog.pipelines.export.torch_dataset import Decisions

    os.environ["HF_HUB_OFFLINE"] = "1"
    import datasets

    datasets.disable_progress_bars()
    store = data.decided_store(data.sizes.ingest_hands // 5)
    columns = ["observation", "action_mask", "action", "return"]
    with data.scratch() as folder:
        export(store, "kaiser", "parquet", folder / "rows", splits="100,0,0")
        path = str(folder / "rows")
        ours = Decisions(path, "play", columns=tuple(columns), batch_size=BATCH, seed=SEED)
        streamed = datasets.load_dataset(path, "play", split="train", streaming=True).select_columns(columns)
        streamed = streamed.shuffle(SEED, buffer_size=SHUFFLED).with_format("torch")
        kept = datasets.load_dataset(path, "play", split="train", cache_dir=str(folder / "cache"))
        kept = kept.select_columns(columns).shuffle(SEED).with_format("torch")
        some = kept.select(range(min(len(kept), ours.rows // 10)))
        with one_core():
            found = interleaved(
                data.sizes.rounds,
                ours=lambda: _all(ours, ours.rows),
                streamed=lambda: _all(streamed.take(ours.rows // 10).iter(BATCH), ours.rows // 10),
                kept=lambda: _all(some.iter(BATCH), len(some)),
            )
        what = "training rows into PyTorch, shuffled, one core"
        yield found["ours"].rate(what, ours.rows, "rows/s", 250e3)
        for name, few in (("streamed", ours.rows // 10), ("kept", len(some))):
            yield found[name].rate(f"the same, Hugging Face datasets, {name}", few, "rows/s")


def _all(batches: Any, rows: int) -> None:
    """Iterate over all batches, which must have `rows` rows."""
    found = sum(len(batch["action"]) for batch in batches)
    if found != rows:
        raise AssertionError(f"{found} rows came, not {rows}")
