"""Does the order of training rows matter? Learn from the same rows hand after hand, mixed, and shuffled.

A small network predicts the return of a decision from the observation, in one pass over rows that stream
through a shuffle buffer of a thousand, as they would from a folder that does not fit into memory. Three
orders are compared on the same rows, from the same initial weights: the export's ``hand`` and ``mixed``, and
all rows shuffled; each with a constant learning rate and with one that falls to zero.

    make extras
    .venv/bin/python -m examples.row_order OUT

The new folder OUT gets ``row_order.csv``. On the same machine the same seed gives the same figures.
"""

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import cardlog
from examples.steps import main, write_csv

GAMES: Final = {"belote": ("random", 32), "ruter_sju": ("smart,smart,dumb,random", 60)}
"""The games, who plays them, and about how many rows a hand has."""
BUFFER: Final = 1_000
BATCH: Final = 256
RATE: Final = 1e-3
WIDTH: Final = 64
ORDERS: Final = ("hand", "mixed", "shuffled")
RATES: Final = ("constant", "falling")
T_95: Final = {5: 2.776, 10: 2.262}
"""Student's t for a 95 % interval of a mean, by the number of seeds."""


@dataclass(frozen=True)
class Rows:
    """Rows of one split, in their order: indices into an embedding, shape (rows, width), and returns in
    standard deviations, (rows,)."""

    features: Tensor
    returns: Tensor


def rows_of(folder: Path) -> tuple[Rows, Rows]:
    """The rows to train on, and those to evaluate on."""
    splits = {split: _read(folder, split) for split in ("train", "test")}
    seen = np.concatenate([observations for observations, _ in splits.values()])
    lowest = seen.min(axis=0).astype(np.int64)
    sizes = seen.max(axis=0) - lowest + 1
    begins = np.cumsum(sizes) - sizes - lowest
    deviation = splits["train"][1].std()
    train, test = (
        Rows(
            torch.from_numpy((observations + begins).astype(np.int32)), torch.from_numpy(returns / deviation)
        )
        for observations, returns in splits.values()
    )
    return train, test


def _read(folder: Path, split: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The observations and returns of a split."""
    paths = sorted((folder / "play").glob(f"{split}-*.parquet"))
    table = pa.concat_tables(pq.read_table(path, columns=["observation", "return"]) for path in paths)
    observations = table["observation"].combine_chunks()
    return observations.flatten().to_numpy().reshape(len(table), -1), table["return"].to_numpy()


def streamed(count: int, buffer: int, rng: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Batches of row numbers in the order in which they leave a shuffle buffer."""
    buffered = np.arange(min(buffer, count))
    slots = rng.integers(len(buffered), size=count - len(buffered))
    numbers = np.empty(count, np.int64)
    for number, slot in enumerate(slots):
        numbers[number] = buffered[slot]
        buffered[slot] = len(buffered) + number
    numbers[len(slots) :] = rng.permutation(buffered)
    yield from (numbers[first : first + BATCH] for first in range(0, count, BATCH))


def test_loss(train: Rows, test: Rows, seed: int, order: str, rate: str) -> float:
    """The mean squared error on the test split after one pass."""
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    levels = int(max(train.features.max(), test.features.max())) + 1
    network = nn.Sequential(
        nn.EmbeddingBag(levels, WIDTH, mode="sum"), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
        nn.Linear(WIDTH, 1),
    )  # fmt: skip
    nn.init.normal_(network[0].weight, std=0.1)
    optimizer = torch.optim.Adam(network.parameters(), RATE)
    count = len(train.returns)
    buffer = count if order == "shuffled" else BUFFER
    for number, batch in enumerate(streamed(count, buffer, rng)):
        if rate == "falling":
            optimizer.param_groups[0]["lr"] = RATE * (1 - number * BATCH / count)
        loss = (network(train.features[batch])[:, 0] - train.returns[batch]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        parts = zip(test.features.split(10_000), test.returns.split(10_000), strict=True)
        errors = [(network(features)[:, 0] - returns).square().sum() for features, returns in parts]
    return float(sum(errors)) / len(test.returns)


def interval(values: list[float]) -> tuple[float, float]:
    """The mean, and half the width of its 95 % interval."""
    return float(np.mean(values)), T_95[len(values)] * float(np.std(values, ddof=1)) / len(values) ** 0.5


def compare(out: Path, rows: int, seeds: int) -> list[dict[str, Any]]:
    """Learn from about `rows` rows in every order; writes and returns the losses, and how much worse they are
    than with shuffled rows."""
    torch.set_num_threads(1)
    results = []
    for game, (players, rows_of_a_hand) in GAMES.items():
        with tempfile.TemporaryDirectory() as folder:
            data = _exported(Path(folder), game, players, rows // rows_of_a_hand)
        for rate in RATES:
            losses = {
                order: [test_loss(*data[order], seed, order, rate) for seed in range(seeds)]
                for order in ORDERS
            }
            for order in ORDERS:
                mean, error = interval(losses[order])
                pairs = zip(losses[order], losses["shuffled"], strict=True)
                worse, worse_error = interval([loss - shuffled for loss, shuffled in pairs])
                results.append(
                    {"game": game, "rate": rate, "order": order, "loss": f"{mean:.4f}",
                     "error": f"{error:.4f}", "worse": f"{worse:.4f}", "worse_error": f"{worse_error:.4f}"}
                )  # fmt: skip
                print(*results[-1].values(), sep="\t", flush=True)
    write_csv(out / "row_order.csv", results)
    return results


def _exported(folder: Path, game: str, players: str, hands: int) -> dict[str, tuple[Rows, Rows]]:
    """The rows of simulated hands in every order."""
    log = cardlog.simulate(game, hands, folder / "log.jsonl", seed=1, players=players)
    store = cardlog.Store(folder / "store")
    store.ingest(log, final=True)
    for order in ("hand", "mixed"):
        store.export(folder / order, game=game, splits=(80, 0, 20), order=order)
    data = {order: rows_of(folder / order) for order in ("hand", "mixed")}
    return data | {"shuffled": data["mixed"]}


if __name__ == "__main__":
    main(
        __doc__,
        compare,
        rows={"default": 320_000, "help": "rows of each game, about"},
        seeds={"default": 5, "choices": sorted(T_95), "help": "runs of each kind"},
    )
