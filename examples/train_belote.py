"""Train a network on belote logs of random players, and let it play matches against them.

Each generation plays hands, which are processed like any log: simulate, ingest, build, export, train.
The first hands are played at random; later ones by the network trained on those before, with some
random choices. After each generation the network plays a thousand matches to 1001 against
random players; the mart `matches` says who won.

    make extras
    .venv/bin/python -m examples.train_belote OUT

The new folder OUT gets ``curve.csv``, ``curve.png`` and the network, ``belote.pt``. On the same machine
the same seed gives the same figures.
"""

import tempfile
import time
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import cardlog
from examples.steps import main, new_plot, save_plot, write_csv

view = cardlog.features("belote")
"""Indices into an observation."""
POLICY: Final = "policy"
"""The player that a policy plays."""
RULES: Final = "readme"
"""The rules of the original program."""
SIDES: Final = (f"{POLICY},random,{POLICY},random", f"random,{POLICY},random,{POLICY}")
"""The network as team 0 and as team 1, against random players."""
TABLES: Final = 500
"""Matches that a simulation starts with."""
MOST_HANDS: Final = 13
"""A match is over by then: a hand is worth at least 162 points, so after thirteen one team has 1001."""

EXPLORING: Final = 0.1
"""Share of random choices while learning."""
SCALE: Final = 100.0
"""Points that the network counts as one."""
WIDTH: Final = 256
BATCH: Final = 2048
RATE: Final = 1e-3


# ---------------------------------------------------------------- the network


def _levels() -> NDArray[np.int64]:
    """The lowest and the highest of each value of an observation: shape (values, 2)."""
    levels = np.tile(np.array([[-1, 7]]), (view.OBSERVATION_WIDTH, 1))
    levels[: view.PLAY_ACTIONS] = 0, view.HELD + 3
    levels[[view.OUR_POINTS_AT, view.THEIR_POINTS_AT]] = -view.HALF_POINTS, view.HALF_POINTS
    far = [view.OUR_DECLARED_AT, view.THEIR_DECLARED_AT, view.OUR_MATCH_AT, view.THEIR_MATCH_AT]
    levels[far] = -1, view.MOST
    return levels


class Values(nn.Module):
    """The expected points of the seat's team for each action, less the other team's.

    Every value at every index of the observation has an embedding of its own, and their sum goes through
    two layers. The suits are turned so that trump comes first.
    """

    def __init__(self, actions: int) -> None:
        super().__init__()
        levels = torch.from_numpy(_levels())
        sizes = levels[:, 1] - levels[:, 0] + 1
        self.register_buffer("begins", sizes.cumsum(0) - sizes - levels[:, 0])
        self.sum = nn.EmbeddingBag(int(sizes.sum()), WIDTH, mode="sum")
        nn.init.normal_(self.sum.weight, std=0.05)
        self.layers = nn.Sequential(nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, actions))

    def forward(self, observations: Tensor) -> Tensor:
        """Values of the actions: shape (rows, actions)."""
        inputs = observations.long()
        cards = inputs[:, : view.PLAY_ACTIONS]
        trump = inputs[:, view.TRUMP_AT].clamp(min=0)
        turned = cards.gather(1, _order(trump))
        inputs = torch.cat([turned, inputs[:, view.PLAY_ACTIONS :]], 1) + self.begins
        values: Tensor = self.layers(self.sum(inputs))
        return values.gather(1, _order(-trump)) if values.shape[1] == view.PLAY_ACTIONS else values


def _order(first: Tensor) -> Tensor:
    """The indices of the cards in a pack that starts with another suit: shape (rows, 32)."""
    each = torch.arange(view.PLAY_ACTIONS)
    return (each // 8 + first[:, None]) % 4 * 8 + each % 8


def new_network() -> nn.ModuleDict:
    """One for each kind of decision."""
    return nn.ModuleDict({"bid": Values(view.BID_ACTIONS), "play": Values(view.PLAY_ACTIONS)})


class Player:
    """A policy for a simulation: takes the action of the highest value, sometimes a random one."""

    def __init__(self, network: nn.ModuleDict, seed: int, exploring: float = 0.0) -> None:
        self._network = network
        self._chance = np.random.default_rng(seed)
        self._exploring = exploring

    def choose(self, asked: Any) -> NDArray[np.int64]:
        """An action for each decision; see docs/python.md."""
        values = np.full(asked.masks.shape, -np.inf, np.float32)
        for number, kind in enumerate(view.DECISION_KINDS):
            rows = asked.kinds == number
            if rows.any():
                with torch.inference_mode():
                    found = self._network[kind](torch.from_numpy(asked.observations[rows])).numpy()
                values[rows, : found.shape[1]] = found
        some = self._chance.random(len(values)) < self._exploring
        values[some] = self._chance.random((some.sum(), values.shape[1]))
        return np.where(asked.masks, values, -np.inf).argmax(axis=1)


# ---------------------------------------------------------------- hands, rows, learning


def export_hands(folder: Path, hands: int, player: Player | None, seed: int) -> Path:
    """Play hands, at random if there is no player, and make training data of them; returns its folder."""
    log, store, data = folder / "log.jsonl", cardlog.open(folder / "store"), folder / "data"
    players = POLICY if player else "random"
    cardlog.simulate("belote", hands, log, seed=seed, players=players, rules=RULES, policy=player)
    store.ingest(log)
    store.build(marts=False)
    store.export(data, game="belote")
    return data


def batches(data: Path, kind: str, split: str, seed: int, passes: int = 1) -> Iterator[dict[str, Any]]:
    """Batches of rows, in an order determined by the seed."""
    columns = ("observation", "action", "return")
    rows = cardlog.Decisions(data, kind, split, batch_size=BATCH, columns=columns, seed=seed)
    for number in range(passes):
        rows.set_epoch(number)
        yield from rows


def loss(network: nn.ModuleDict, kind: str, batch: dict[str, Any]) -> Tensor:
    """Mean squared error of the values of the actions taken."""
    values = network[kind](batch["observation"])
    taken = values.gather(1, batch["action"].long()[:, None])[:, 0]
    return nn.functional.mse_loss(taken, batch["return"].float() / SCALE)


def learn(network: nn.ModuleDict, data: Path, seed: int) -> None:
    """Train on the rows, four times on those of the bids, since they are few."""
    for kind, passes in (("play", 1), ("bid", 4)):
        rows = cardlog.Decisions(data, kind).rows
        steps = -(-rows // BATCH) * passes + 1
        optimizer = torch.optim.AdamW(network[kind].parameters(), RATE)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps)
        for batch in batches(data, kind, "train", seed, passes):
            optimizer.zero_grad()
            loss(network, kind, batch).backward()
            optimizer.step()
            schedule.step()


@torch.inference_mode()
def error(network: nn.ModuleDict, data: Path, kind: str) -> float:
    """Error of the values of the actions taken, in points, on matches held out from training."""
    total = rows = 0.0
    for batch in batches(data, kind, "validation", 0):
        total += float(loss(network, kind, batch)) * len(batch["action"])
        rows += len(batch["action"])
    return SCALE * sqrt(total / rows)


def matches_won(folder: Path, network: nn.ModuleDict, seed: int) -> list[bool]:
    """Whether the network won each of a thousand matches, half of them as either team."""
    store = cardlog.open(folder / "matches")
    for team, players in enumerate(SIDES):
        log, player = folder / f"as-team-{team}.jsonl", Player(network, seed)
        hands = MOST_HANDS * TABLES
        cardlog.simulate("belote", hands, log, seed=seed, players=players, rules=RULES, policy=player)
        store.ingest(log, dataset=f"as team {team}")
    store.build()
    # Matches are numbered as they begin, so these are the first ones at every table. The number is
    # before the marks by which matches of different logs are told apart.
    asked = f"""
        select is_over, winner_team = right(dataset, 1)::integer as won
        from matches
        where split_part(split_part(match_id, '~', 1), '-', -1)::integer < {TABLES}
    """
    rows = store.sql(asked).fetchall()
    assert len(rows) == len(SIDES) * TABLES
    assert all(is_over for is_over, _ in rows)
    return [bool(won) for _, won in rows]


# ---------------------------------------------------------------- the whole way


def train(out: Path, hands: int, generations: int, seed: int) -> list[dict[str, Any]]:
    """Train, and write the results; returns the points of the learning curve."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    network = new_network()
    curve: list[dict[str, Any]] = []
    began = time.monotonic()
    for generation in range(generations + 1):
        with tempfile.TemporaryDirectory(dir=out) as scratch:
            folder = Path(scratch)
            off: dict[str, float | None] = dict.fromkeys(view.DECISION_KINDS)
            if generation:
                player = Player(network, seed, EXPLORING) if generation > 1 else None
                data = export_hands(folder, hands, player, seed * 1000 + generation)
                learn(network, data, seed)
                off = {kind: round(error(network, data, kind), 2) for kind in off}
            won = matches_won(folder, network, seed * 1000 + 500 + generation)
        point: dict[str, Any] = {"generation": generation, "hands": generation * hands}
        point |= {f"{kind}_error": value for kind, value in off.items()}
        point |= {"matches": len(won), "won": sum(won), "seconds": round(time.monotonic() - began)}
        print(*(f"{name} {value}" for name, value in point.items()), sep="  ", flush=True)
        curve.append(point)
    torch.save(network.state_dict(), out / "belote.pt")
    write_csv(out / "curve.csv", curve)
    plot(curve, out / "curve.png")
    return curve


def plot(curve: list[dict[str, Any]], path: Path) -> None:
    """Draw the learning curve, with 95 % intervals."""
    across = [point["hands"] / 1000 for point in curve]
    share = np.array([point["won"] / point["matches"] for point in curve])
    off = 1.96 * np.sqrt(share * (1 - share) / np.array([point["matches"] for point in curve]))
    axes = new_plot("Belote against random players", "thousand hands learnt from", "matches won, %")
    axes.errorbar(across, 100 * share, 100 * off, marker="o", capsize=3, label="this network")
    axes.axhspan(31, 51, alpha=0.15, color="grey", label="the original's learning player")
    axes.set_ylim(0, 100)
    axes.legend(loc="lower right")
    save_plot(axes, path)


if __name__ == "__main__":
    main(
        __doc__,
        train,
        hands={"default": 20_000, "help": "hands a generation"},
        generations={"default": 4, "help": "times it learns"},
        seed={"default": 1, "help": "random seed"},
    )
