"""Train the player `network` of a game, and measure it.

What is learnt from the hands that are played:

* of a play, in Kaiser and belote: what every legal card would have led to, compared with the mean of them,
  if all had seen all cards and played perfectly from there. The mean over all hands in which a seat sees the
  same is what the player `search` estimates from a few deals that fit;
* of anything else: what `search` does.

The first hands are played by `search`, but for cards of which the solver says more, which are the expert's;
later ones by the network trained on those before. Where the solver is asked, some other cards are among them.

    make extras
    .venv/bin/python -m examples.train_player OUT --game kaiser

The new folder OUT gets ``network.npz``, which is what the repository has in ``models/<game>``,
``curve.csv`` and ``curve.png``. On the same machine the same seed gives the same network.
"""

import json
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from cardlog import models
from cardlog.models.fold import DECISION, DecisionBuffers, Verdicts, replay_decisions
from cardlog.models.game import Game
from cardlog.models.network import PLAYS, Inputs, Layers, Network, inputs_of, numbers_of, suits_of
from cardlog.models.play_off import PlayOff, play_off
from cardlog.models.policy import DecisionBatch
from cardlog.models.pricing import analyse
from cardlog.models.search import Search, searcher
from cardlog.models.simulation import Played, Simulation
from cardlog.models.solving import searchable_of, workspace
from cardlog.schemas import cards
from examples.steps import main, new_plot, save_plot, write_csv

EXPLORING: Final = 0.2
"""Share of plays that are any legal card, where the solver says what each is worth."""
SOLVED: Final = "solved"
"""From what the solver says of all legal cards."""
IMITATED: Final = "imitated"
"""From what `search` does."""
WIDTHS: Final = {SOLVED: 256, IMITATED: 192}
"""Units of a layer, by how plays are learnt."""
BID_WIDTH: Final = 96
BATCH: Final = 256
PASSES: Final = 4
"""Over all rows, in each generation."""
RATE: Final = 1e-3
DECAY: Final = 1e-2
DROPPED: Final = 0.2
"""Share of units that are dropped in training."""
BLOCK: Final = 500
HELD: Final = 50
"""One block of so many is held out; rows of a hand are neighbours."""
PRICED: Final = {
    "kaiser": {32: 0.3, 28: 0.7},
    "belote": {32: 0.1, 28: 0.3, 24: 0.6},
}
"""With how many cards left the first play of a hand is priced, and in what share of the hands: half of the
time to price a whole hand goes into the lead."""
NODES: Final = 500_000
"""Plays that the solver may search in a hand."""
TABLE_BITS: Final = 16
CHUNK: Final = 500
"""Hands at a time in a process."""
NEVER: Final = -1e4
"""The value of an action that no hand had."""
DEALS: Final = 250
"""Of each play-off in the curve."""
LAST_DEALS: Final = 500
MORE: Final = 3
"""So many times the hands of the first generation, in which `search` takes its time to bid, have others."""


# ---------------------------------------------------------------- hands


class Bidder(Search):
    """`search` in bids, the expert in plays: all cards are worth the same."""

    def values(self, state: Any) -> NDArray[np.float64]:
        """See `Search`."""
        return np.zeros(searchable_of(self.game).width)


class Exploring:
    """A policy that plays as another one, and now and then any legal card."""

    def __init__(self, player: Any, play: int, seed: int) -> None:
        self._player, self._play = player, play
        self._chance = np.random.default_rng(seed)
        if hasattr(player, "sees"):  # a network asks for no states
            self.sees = player.sees

    def choose(self, asked: DecisionBatch) -> NDArray[np.int64]:
        """An action for each decision."""
        found = np.asarray(self._player.choose(asked))
        other = np.where(asked.masks, self._chance.random(asked.masks.shape), -1).argmax(axis=1)
        explores = (self._chance.random(len(found)) < EXPLORING) & (asked.kinds == self._play)
        return np.where(explores, other, found)


@dataclass
class Rows:
    """Decisions of one kind, and what is learnt from them.

    targets
        What each action is worth, nan where that is not known: shape (rows, actions).
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int16]
    targets: NDArray[np.float32]


def replayed(game: Game, played: Played) -> tuple[Any, DecisionBuffers, Any]:
    """The decisions of some hands: their states before and after, and the buffers."""
    details = played.events["detail"][played.offsets[:-1]]
    begun = {number: game.begin(json.loads(played.details[number])) for number in np.unique(details)}
    befores = np.concatenate([begun[number] for number in details])
    lasts, room, of = befores.copy(), len(played.events) + 1, game.decisions
    buffers = DecisionBuffers(
        np.empty(room, DECISION),
        np.zeros((room, of.most_actions), np.bool_),
        np.zeros((room, of.width), np.int8),
    )
    verdicts = Verdicts(np.zeros(len(befores), np.int8), np.zeros(len(befores), np.int64))
    count = replay_decisions(game, of.observe, (played.events, played.offsets, lasts), verdicts, buffers)
    return befores, DecisionBuffers(*(each[:count] for each in buffers)), lasts


def rows_of(game: Game, played: Played, seed: int) -> list[Rows]:
    """What is learnt from some hands: the rows of each kind.

    seed
        Decides which are priced from which play on.
    """
    befores, buffers, lasts = replayed(game, played)
    rows, of = buffers.rows, game.decisions
    targets = np.full(buffers.masks.shape, np.nan, np.float32)
    if game.name in PRICED:
        _price(game, played, (befores, buffers, lasts), seed, targets)
    found = []
    for kind in range(len(of.kinds)):
        here = np.flatnonzero((rows["kind"] == kind) & rows["knows_hand"])
        if how(game, kind) == SOLVED:
            here = here[~np.isnan(targets[here]).all(axis=1)]
        width = int(rows["width"][here].max())
        legal = buffers.masks[here, :width]
        here, legal = here[legal.sum(axis=1) > 1], legal[legal.sum(axis=1) > 1]
        observations, actions = buffers.observations[here], rows["action"][here]
        found.append(Rows(observations, legal, actions, targets[here, :width]))
    return found


def how(game: Game, kind: int) -> str:
    """How decisions of a kind are learnt: `SOLVED` or `IMITATED`."""
    return SOLVED if game.name in PRICED and game.decisions.kinds[kind] == PLAYS else IMITATED


def _price(game: Game, played: Played, replay: Any, seed: int, targets: Any) -> None:
    """Write what the solver says of the plays that it is asked about."""
    befores, buffers, lasts = replay
    rows = buffers.rows
    plays = np.flatnonzero(rows["kind"] == game.decisions.kinds.index(PLAYS))
    hand = rows["hand"][plays]
    left = (
        np.bincount(hand, minlength=len(befores))[hand] - np.arange(len(hand)) + np.searchsorted(hand, hand)
    )
    chance = np.random.default_rng(seed)
    shares = PRICED[game.name]
    from_ = chance.choice(list(shares), len(befores), p=list(shares.values()))
    late = plays[left <= from_[hand]]
    salts = np.arange(len(befores)).astype(np.uint64) << np.uint64(20)
    hands = played.events, played.offsets, befores, lasts
    values, _ = analyse(
        game, hands, rows["event"][late].astype(np.int64), salts, workspace(game, NODES, TABLE_BITS)
    )
    codes = np.array(cards.codes(game.pack))
    side = np.where(rows["seat"] & 1, -1, 1).astype(np.float32)
    worth = values[:, codes] * side[late, None]
    targets[late, : len(codes)] = worth - np.nanmean(worth, axis=1, keepdims=True)


def chunk_of(name: str, weights: dict[str, Any] | None, count: int, seed: int) -> list[Rows]:
    """What is learnt from some hands: played by a network, or if there are no weights by `search`."""
    game = models.game(name)
    if weights is not None:
        player: Any = Network(game, weights)
    else:
        player = Bidder(game) if name in PRICED else searcher(game, "search")
    if name in PRICED:
        player = Exploring(player, game.decisions.kinds.index(PLAYS), seed)
    return rows_of(game, Simulation(name, seed, (player,)).play(count), seed)


def hands_of(name: str, weights: dict[str, Any] | None, count: int, seed: int) -> list[Rows]:
    """The same of many hands, played by all cores."""
    sizes = [min(CHUNK, count - first) for first in range(0, count, CHUNK)]
    seeds = [seed * CHUNK + number for number in range(len(sizes))]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(partial(chunk_of, name, weights), sizes, seeds))
    return [joined(list(kinds)) for kinds in zip(*parts, strict=True)]


def joined(parts: list[Rows]) -> Rows:
    """Rows of one kind put together."""
    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in Rows.__annotations__))


# ---------------------------------------------------------------- learning


class Values(nn.Module):
    """A network of one kind of decision, as `cardlog.models.network` runs it."""

    def __init__(self, inputs: Inputs, actions: int, width: int) -> None:
        super().__init__()
        self.inputs = inputs
        self.sum = nn.EmbeddingBag(int(inputs.levels.sum()), width, mode="sum")
        nn.init.normal_(self.sum.weight, std=0.05)
        self.first = nn.Parameter(torch.zeros(width))
        self.layers = nn.Sequential(
            nn.ReLU(), nn.Dropout(DROPPED), nn.Linear(width, width),
            nn.ReLU(), nn.Dropout(DROPPED), nn.Linear(width, actions),
        )  # fmt: skip

    def forward(self, indices: Tensor) -> Tensor:
        """The values of actions, some in another order of the suits: shape (rows, actions)."""
        found: Tensor = self.layers(self.sum(indices) + self.first)
        return found

    def weights(self) -> dict[str, NDArray[Any]]:
        """As the player has them."""
        one, two = self.layers[2], self.layers[5]
        layers = Layers(
            self.sum.weight,
            self.first,
            one.weight.T,
            one.bias,
            two.weight.T,
            two.bias,  # type: ignore[arg-type]
        )
        return self.inputs._asdict() | {
            name: value.detach().numpy().astype(np.float16) for name, value in layers._asdict().items()
        }


class Learner:
    """The networks of a game, and all rows they have learnt from."""

    def __init__(self, game: Game, seed: int) -> None:
        self.game = game
        self.suits = suits_of(game)
        self.rows: list[Rows] = []
        self.networks: list[Values] = []
        self.scales: list[float] = []
        self._chance = np.random.default_rng(seed)

    def learn(self, rows: list[Rows]) -> list[float]:
        """Learn from rows and all before; returns for each kind the error on rows held out, as a share of
        that of who knows nothing. `search` is imitated from the first rows alone, as it played no others."""
        for number in range(len(self.rows)):
            if how(self.game, number) == IMITATED:
                rows[number] = self.rows[number]
            else:
                rows[number] = joined([self.rows[number], rows[number]])
        self.rows = rows
        self.networks, self.scales = [], []
        for number, kind in enumerate(self.rows):
            inputs = inputs_of(numbers_of(self.game, kind.observations, self._plays(number))[0])
            both = self.suits is not None and self._plays(number) and not self.suits.alike
            actions = kind.masks.shape[1] * (2 if both else 1)
            width = WIDTHS[how(self.game, number)] if self._plays(number) else BID_WIDTH
            self.networks.append(Values(inputs, actions, width))
            is_solved = how(self.game, number) == SOLVED
            self.scales.append(float(np.nanstd(kind.targets)) if is_solved else 1.0)
        return [self._learn(number) for number in range(len(self.networks))]

    def _plays(self, number: int) -> bool:
        return self.game.decisions.kinds[number] == PLAYS

    def _learn(self, number: int) -> float:
        kind, network = self.rows[number], self.networks[number]
        numbers = np.arange(len(kind.actions))
        is_held = numbers // min(BLOCK, len(numbers) // 2) % HELD == 0
        held, used = numbers[is_held], numbers[~is_held]
        steps = PASSES * (len(used) // BATCH + 1)
        optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1)
        for _ in range(PASSES):
            for some in np.array_split(self._chance.permutation(used), len(used) // BATCH + 1):
                optimizer.zero_grad()
                (self._loss(number, some)[0] / len(some)).backward()
                optimizer.step()
                schedule.step()
        network.eval()
        with torch.inference_mode():
            parts = [self._loss(number, some) for some in np.array_split(held, len(held) // BATCH + 1)]
        return float(sum(part[0] for part in parts) / sum(part[1] for part in parts))

    def _loss(self, number: int, some: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """The error of some rows, and that of who knows nothing: the sums of squares, or of logarithms."""
        kind, network = self.rows[number], self.networks[number]
        numbers, order = numbers_of(self.game, kind.observations[some], self._plays(number))
        values = network(torch.from_numpy(network.inputs.indices(numbers)))
        if self.suits is not None and self._plays(number):
            count = kind.masks.shape[1]
            back = torch.from_numpy(self.suits.actions(order).argsort(axis=1))
            turned = values[:, -count:].gather(1, back)
            values = turned if self.suits.alike else values[:, :count] + turned
        if how(self.game, number) == IMITATED:
            legal = torch.from_numpy(kind.masks[some])
            chosen = torch.from_numpy(kind.actions[some].astype(np.int64))
            loss = nn.functional.cross_entropy(values.masked_fill(~legal, NEVER), chosen, reduction="sum")
            return loss, legal.sum(1).log().sum()
        known = torch.from_numpy(~np.isnan(kind.targets[some]))
        targets = torch.from_numpy(np.nan_to_num(kind.targets[some])) / self.scales[number]
        values = values - (values * known).sum(1, keepdim=True) / known.sum(1, keepdim=True)
        return (((values - targets) * known) ** 2).sum(), ((targets * known) ** 2).sum()

    def player(self) -> Network:
        """The player as it is now."""
        return Network(self.game, self.weights())

    def weights(self) -> dict[str, NDArray[Any]]:
        """As `Network` takes them."""
        found: dict[str, NDArray[Any]] = {"version": np.array(self.game.decisions.version)}
        for name, kind, network in zip(self.game.decisions.kinds, self.rows, self.networks, strict=True):
            weights = network.weights()
            taken = np.zeros(len(weights["third"]), np.bool_)
            taken[kind.actions] = True
            if not (self.suits is not None and name == PLAYS):
                weights["third"][~taken] = NEVER
            found |= {f"{name}.{each}": value for each, value in weights.items()}
        return found


# ---------------------------------------------------------------- the whole way


def opponents(game: Game) -> list[str]:
    """Whom the network is measured against."""
    return [name for name in ("random", "expert") if name in game.playing().names]


def train(out: Path, game: str, hands: int, generations: int, seed: int) -> list[dict[str, Any]]:
    """Train, and write the results; returns the points of the curve."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    of, began = models.game(game), time.monotonic()
    learner, weights = Learner(of, seed), None
    curve: list[dict[str, Any]] = []
    for generation in range(generations if game in PRICED else 1):
        rows = hands_of(game, weights, hands * (MORE if generation else 1), seed * 1000 + generation)
        point: dict[str, Any] = {"hands": hands * (1 + MORE * generation)}
        errors = learner.learn(rows)
        weights, player = learner.weights(), learner.player()
        point |= {
            f"{kind}_error": round(error, 3) for kind, error in zip(of.decisions.kinds, errors, strict=True)
        }
        for name in opponents(of):
            point |= shown(name, play_off(game, (player, name), DEALS, seed + 1_000_000))
        point["seconds"] = round(time.monotonic() - began)
        print(*(f"{name} {value}" for name, value in point.items()), sep="  ", flush=True)
        curve.append(point)
        np.savez_compressed(out / "network.npz", **learner.weights())
    write_csv(out / "curve.csv", curve)
    plot(game, curve, out / "curve.png")
    for name in opponents(of):
        found = play_off(game, (player, name), LAST_DEALS, seed)
        print(
            f"network against {name}: {found.points.text('+.2f')} a hand, {found.share.text('.1%')} of hands"
        )
    return curve


def shown(name: str, found: PlayOff) -> dict[str, float]:
    """The points of a play-off, for the curve."""
    low = found.points.low if found.points.low is not None else found.points.mean
    return {name: round(found.points.mean, 2), f"{name}_error": round(found.points.mean - low, 2)}


def plot(game: str, curve: list[dict[str, Any]], path: Path) -> None:
    """Draw the curve, with 95 % intervals."""
    across = [point["hands"] / 1000 for point in curve]
    axes = new_plot(models.game(game).title, "thousand hands learnt from", "points a hand against")
    for name in opponents(models.game(game)):
        up, off = ([point[key] for point in curve] for key in (name, f"{name}_error"))
        axes.errorbar(across, up, off, marker="o", capsize=3, label=name)
    axes.axhline(0, color="grey")
    axes.legend()
    save_plot(axes, path)


if __name__ == "__main__":
    main(
        __doc__,
        train,
        game={"type": str, "choices": list(models.GAMES), "default": "kaiser", "help": "game"},
        hands={"default": 6_000, "help": f"hands of the first generation; {MORE} times as many of others"},
        generations={"default": 3, "help": "times it learns, in Kaiser and belote; elsewhere once"},
        seed={"default": 1, "help": "random seed"},
    )
