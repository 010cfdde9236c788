"""Learn to predict the finishing place of a hand of Ruter Sju from the cards dealt, and measure how well.

The author of the bots left this question open. The mart `ruter_sju_place_estimates` answers it by the mean
over hands with as many end cards, middle cards and openers; here a network sees the thirteen cards. Both know
who plays the hand and nothing else, both are made from the same games, those whose ids begin with 0 to a, and
both are evaluated on all others.

    make extras
    .venv/bin/python -m examples.predict_ruter_sju OUT

The new folder OUT gets ``calibration.csv`` and ``calibration.png``. On the same machine the same seed
gives the same figures.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import cardlog
from examples.steps import main, new_plot, save_plot, write_csv

PLAYERS: Final = ("smart", "smart", "dumb", "random")
SEATS: Final = len(PLAYERS)
KINDS: Final = ("smart", "dumb", "random")
DECK: Final = tuple(rank + suit for suit in "DSHC" for rank in "A23456789TJQK")
FIRST_HELD_OUT: Final = "b"
"""Hands whose ids begin with this digit or a higher one are held out from training, as from the mart."""

WIDTH: Final = 64
BATCH: Final = 1024
RATE: Final = 3e-3
DECAY: Final = 0.1
EPOCHS: Final = 12
TENTHS: Final = 10

SQL: Final = """
    with hands as (
        {seats}
    )
    select
        hands.hand_id, hands.cards, hands.place, stats.kind,
        estimates.estimated_place, estimates.estimated_win_rate
    from hands
    inner join ruter_sju_player_stats as stats using (hand_id, seat)
    left join ruter_sju_place_estimates as estimates
        using (dataset, num_players, kind, num_extremes, num_center, num_opener)
    order by hands.hand_id, hands.seat
""".format(
    seats=" union all ".join(
        f"select hand_id, {seat} as seat, player_{seat}_hand as cards, player_{seat}_place as place "
        "from playedhand where status = 'complete'"
        for seat in range(SEATS)
    )
)


@dataclass(frozen=True)
class Hands:
    """Dealt hands.

    games
        The number of each hand's game: shape (hands,).
    features
        The cards and who plays them, ones and zeros: shape (hands, 55).
    places
        The place at which each finished, from 1: shape (hands,).
    mart
        The mart's estimates of the place and of the chance to win, those of an average hand if it has none:
        shape (hands, 2).
    """

    games: NDArray[np.int64]
    features: Tensor
    places: NDArray[np.int64]
    mart: NDArray[np.float64]

    def at(self, mask: NDArray[np.bool_]) -> "Hands":
        """Some of the hands."""
        features = self.features[torch.from_numpy(mask)]
        return Hands(self.games[mask], features, self.places[mask], self.mart[mask])


def play(folder: Path, games: int, seed: int) -> tuple[Hands, Hands]:
    """Play games, and read the hands dealt and their places: hands to train on, and to evaluate on."""
    store = cardlog.open(folder / "store")
    store.ingest(cardlog.simulate("ruter_sju", games, folder / "log.jsonl", seed=seed, players=PLAYERS))
    store.build()
    table = store.sql(SQL).arrow()
    ids = np.array(table.column("hand_id").to_pylist())
    hands = Hands(
        np.unique(ids, return_inverse=True)[1],
        _features(table),
        table.column("place").to_numpy().astype(np.int64),
        np.column_stack(
            [
                table.column("estimated_place").fill_null((SEATS + 1) / 2).to_numpy(),
                table.column("estimated_win_rate").fill_null(1 / SEATS).to_numpy(),
            ]
        ),
    )
    held_out = ids >= FIRST_HELD_OUT
    return hands.at(~held_out), hands.at(held_out)


def _features(table: pa.Table) -> Tensor:
    index = {card: number for number, card in enumerate(DECK)}
    features = np.zeros((len(table), len(DECK) + len(KINDS)), np.float32)
    for row, (text, kind) in enumerate(
        zip(table.column("cards").to_pylist(), table.column("kind").to_pylist(), strict=True)
    ):
        features[row, [index[text[at : at + 2]] for at in range(0, len(text), 2)]] = 1
        features[row, len(DECK) + KINDS.index(kind)] = 1
    return torch.from_numpy(features)


def new_network() -> nn.Sequential:
    """A network from a hand to the logits of its places."""
    return nn.Sequential(
        nn.Linear(len(DECK) + len(KINDS), WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(),
        nn.Linear(WIDTH, SEATS),
    )  # fmt: skip


def learn(network: nn.Sequential, hands: Hands) -> None:
    """Train on the hands for several epochs."""
    target = torch.from_numpy(hands.places - 1)
    steps = -(-len(target) // BATCH) * EPOCHS
    optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(target)).split(BATCH):
            optimizer.zero_grad()
            nn.functional.cross_entropy(network(hands.features[rows]), target[rows]).backward()
            optimizer.step()
            schedule.step()


@torch.inference_mode()
def chances(network: nn.Sequential, hands: Hands) -> NDArray[np.float64]:
    """The probability of each place: shape (hands, seats)."""
    probabilities: NDArray[np.float64] = network(hands.features).double().softmax(1).numpy()
    return probabilities


# ---------------------------------------------------------------- evaluation


def squared_errors(hands: Hands, estimates: dict[str, NDArray[np.float64]]) -> dict[str, float]:
    """Mean squared error of each estimate of the place, and of the middle place for every hand."""
    estimates = {"the middle": np.full(len(hands.places), (SEATS + 1) / 2)} | estimates
    return {name: float(((places - hands.places) ** 2).mean()) for name, places in estimates.items()}


def gain(hands: Hands, network: NDArray[np.float64], mart: NDArray[np.float64]) -> tuple[float, float]:
    """How much smaller the network's squared error is than the mart's, and half the width of its 95 %
    interval. The hands of a game are not independent, so the unit is the game."""
    difference = (mart - hands.places) ** 2 - (network - hands.places) ** 2
    games = np.bincount(np.unique(hands.games, return_inverse=True)[1], difference) / SEATS
    return float(games.mean()), float(1.96 * games.std(ddof=1) / np.sqrt(len(games)))


def calibration(hands: Hands, estimates: dict[str, NDArray[np.float64]]) -> list[dict[str, Any]]:
    """The mean estimated place of each tenth of the hands by that, their mean place, and half the width of
    its 95 % interval."""
    points = []
    for name, expected in estimates.items():
        for number, rows in enumerate(np.array_split(np.argsort(expected, kind="stable"), TENTHS)):
            places = hands.places[rows]
            points.append(
                {
                    "estimate": name,
                    "tenth": number + 1,
                    "hands": len(rows),
                    "expected": round(float(expected[rows].mean()), 4),
                    "place": round(float(places.mean()), 4),
                    "interval": round(float(1.96 * places.std(ddof=1) / np.sqrt(len(rows))), 4),
                }
            )
    return points


def plot(points: list[dict[str, Any]], path: Path) -> None:
    """Draw the mean place against the expected one."""
    axes = new_plot("Finishing place of a dealt hand", "expected place", "mean place, 95 % interval")
    axes.plot([1, SEATS], [1, SEATS], color="grey", linewidth=1)
    for name in dict.fromkeys(point["estimate"] for point in points):
        own = [point for point in points if point["estimate"] == name]
        axes.errorbar(
            [point["expected"] for point in own],
            [point["place"] for point in own],
            [point["interval"] for point in own],
            marker="o", markersize=4, capsize=3, linewidth=1, label=name,
        )  # fmt: skip
    axes.legend(loc="upper left")
    save_plot(axes, path)


def predict(out: Path, games: int, seed: int) -> dict[str, float]:
    """Train, evaluate, and write the results; returns the squared errors."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    with tempfile.TemporaryDirectory(dir=out) as scratch:
        train, test = play(Path(scratch), games, seed)
    network = new_network()
    learn(network, train)
    expected = chances(network, test) @ np.arange(1, SEATS + 1)
    estimates = {"network": expected, "mart": test.mart[:, 0]}
    errors = squared_errors(test, estimates)
    smaller_by, half_width = gain(test, expected, test.mart[:, 0])
    print(f"{len(test.places):,} held-out hands judged")
    for name, error in errors.items():
        print(f"squared error of the place, {name}: {error:.4f}")
    print(f"the network's is smaller than the mart's by {smaller_by:.4f} ± {half_width:.4f}")
    points = calibration(test, estimates)
    write_csv(out / "calibration.csv", points)
    plot(points, out / "calibration.png")
    return errors


if __name__ == "__main__":
    main(
        __doc__,
        predict,
        games={"default": 100_000, "help": "games to play"},
        seed={"default": 1, "help": "random seed"},
    )
