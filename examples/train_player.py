"""Train the player `network` of a game, and measure it.

What it learns from hands that are played:

* from plays, in Kaiser and belote: what every legal card would have led to, compared with their mean, if all
  players had seen all cards and played perfectly from there. The mean of that over all hands in which a seat
  sees the same is what the player `search` estimates from a few deals that fit;
* from all other decisions: what `search` does.

`search` plays the first hands; in Kaiser and belote it only bids, and the expert plays the cards, since the
solver knows more of them. Later hands are played by the network trained on those before. In these two games,
some plays are random.

    make extras
    .venv/bin/python -m examples.train_player OUT --game kaiser

With ``--rows`` it learns instead to do what the seats did in training rows that were exported:

    cardlog export --game hold_em --format npy --order hand decisions
    .venv/bin/python -m examples.train_player OUT --game hold_em --rows decisions

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

import cardlog
from cardlog import models
from cardlog.models.contest.play_off import PlayOff, play_off
from cardlog.models.contest.simulation import Played, Simulation
from cardlog.models.engine.fold import DECISION, DecisionBuffers, Verdicts, replay_decisions
from cardlog.models.engine.game import WORLDS, Game
from cardlog.models.engine.policy import DecisionBatch
from cardlog.models.players.network import PLAYS, Inputs, Layers, Network, inputs_of, numbers_of, suits_of
from cardlog.models.players.search import Search, searcher
from cardlog.models.solve.pricing import analyse
from cardlog.models.solve.solvable import searchable_of, workspace
from cardlog.schemas import cards
from examples.steps import main, new_plot, save_plot, write_csv

EXPLORING: Final = 0.2  # share of random plays, in games in which the solver values all cards
SOLVED: Final = "solved"  # learnt from the solver's values of all legal cards
IMITATED: Final = "imitated"  # learnt from what `search` does
WIDTHS: Final = {SOLVED: 256, IMITATED: 192}
"""Units of a layer, by how plays are learnt."""
BID_WIDTH: Final = 96
BATCH: Final = 256
EPOCHS: Final = 4  # in each generation
RATE: Final = 1e-3
DECAY: Final = 1e-2
DROPOUT: Final = 0.2
BLOCK: Final = 500
HELD_OUT: Final = 50
"""One of this many blocks of rows is held out; rows of a hand are neighbours."""
PRICED: Final = {
    "kaiser": {32: 0.3, 28: 0.7},
    "belote": {32: 0.1, 28: 0.3, 24: 0.6},
}
"""How many cards are left when the first play of a hand is priced, and in what share of the hands: half of
the time to price a whole hand goes into the lead."""
NODES: Final = 500_000  # plays that the solver may search in a hand
TABLE_BITS: Final = 16
CHUNK: Final = 500  # hands that a process plays at a time
NEVER: Final = -1e4  # the value of an action that no hand had
DEALS: Final = 250  # of each play-off in the curve
LAST_DEALS: Final = 500
MORE: Final = 3
"""Later generations have this many times the hands of the first, in which `search` is slow to bid."""


# ---------------------------------------------------------------- hands


class Bidder(Search):
    """`search` for bids, the expert for plays, since all cards have the same value."""

    def values(self, state: Any) -> NDArray[np.float64]:
        """See `Search`."""
        return np.zeros(searchable_of(self.game).width)


class Exploring:
    """A policy that plays as another one does, and sometimes a random legal card; `play` is the kind of its
    plays."""

    def __init__(self, player: Any, play: int, seed: int) -> None:
        self._player, self._play = player, play
        self._rng = np.random.default_rng(seed)
        if hasattr(player, "sees"):  # a network asks for no states
            self.sees = player.sees

    def choose(self, decisions: DecisionBatch) -> NDArray[np.int64]:
        """An action for each decision."""
        actions = np.asarray(self._player.choose(decisions))
        masks = decisions.masks
        random_actions = np.where(masks, self._rng.random(masks.shape), -1).argmax(axis=1)
        explores = (self._rng.random(len(actions)) < EXPLORING) & (decisions.kinds == self._play)
        return np.where(explores, random_actions, actions)


@dataclass
class Rows:
    """Decisions of one kind, and what is learnt from them.

    targets
        The value of each action, nan where that is not known: shape (rows, actions).
    """

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int16]
    targets: NDArray[np.float32]


def replayed(game: Game, played: Played) -> tuple[Any, DecisionBuffers, Any]:
    """The first states of some hands, the buffers of their decisions, and their last states."""
    details = played.events["detail"][played.offsets[:-1]]
    openings = {number: game.begin(json.loads(played.details[number])) for number in np.unique(details)}
    firsts = np.concatenate([openings[number] for number in details])
    lasts, size, decisions = firsts.copy(), len(played.events) + 1, game.decisions
    buffers = DecisionBuffers(
        np.empty(size, DECISION),
        np.zeros((size, decisions.most_actions), np.bool_),
        np.zeros((size, decisions.width), np.int8),
    )
    verdicts = Verdicts(np.zeros(len(firsts), np.int8), np.zeros(len(firsts), np.int64))
    hands = played.events, played.offsets, lasts
    count = replay_decisions(game, decisions.observe, hands, verdicts, buffers)
    return firsts, DecisionBuffers(*(buffer[:count] for buffer in buffers)), lasts


def rows_of(game: Game, played: Played, seed: int) -> list[Rows]:
    """What is learnt from some hands: the rows of each kind.

    seed
        Decides from which play on each hand is priced.
    """
    firsts, buffers, lasts = replayed(game, played)
    rows = buffers.rows
    targets = np.full(buffers.masks.shape, np.nan, np.float32)
    if game.name in PRICED:
        _price(game, played, (firsts, buffers, lasts), seed, targets)
    by_kind = []
    for kind in range(len(game.decisions.kinds)):
        chosen = np.flatnonzero((rows["kind"] == kind) & rows["knows_hand"])
        if method_of(game, kind) == SOLVED:
            chosen = chosen[~np.isnan(targets[chosen]).all(axis=1)]
        width = int(rows["width"][chosen].max())
        legal = buffers.masks[chosen, :width]
        has_choice = legal.sum(axis=1) > 1
        chosen, legal = chosen[has_choice], legal[has_choice]
        observations, actions = buffers.observations[chosen], rows["action"][chosen]
        by_kind.append(Rows(observations, legal, actions, targets[chosen, :width]))
    return by_kind


def method_of(game: Game, kind: int) -> str:
    """How decisions of a kind are learnt: `SOLVED` or `IMITATED`."""
    return SOLVED if game.name in PRICED and game.decisions.kinds[kind] == PLAYS else IMITATED


def _price(game: Game, played: Played, replay: Any, seed: int, targets: Any) -> None:
    """Write the solver's values of the plays that are priced."""
    firsts, buffers, lasts = replay
    rows = buffers.rows
    plays = np.flatnonzero(rows["kind"] == game.decisions.kinds.index(PLAYS))
    hand = rows["hand"][plays]
    counts = np.bincount(hand, minlength=len(firsts))
    left = counts[hand] - np.arange(len(hand)) + np.searchsorted(hand, hand)
    rng = np.random.default_rng(seed)
    shares = PRICED[game.name]
    first_priced = rng.choice(list(shares), len(firsts), p=list(shares.values()))
    late = plays[left <= first_priced[hand]]
    salts = np.arange(len(firsts)).astype(np.uint64) << np.uint64(20)
    hands = played.events, played.offsets, firsts, lasts
    values, _ = analyse(
        game, hands, rows["event"][late].astype(np.int64), salts, workspace(game, NODES, TABLE_BITS)
    )
    codes = np.array(cards.codes(game.pack))
    side = np.where(rows["seat"] & 1, -1, 1).astype(np.float32)
    worth = values[:, codes] * side[late, None]
    targets[late, : len(codes)] = worth - np.nanmean(worth, axis=1, keepdims=True)


def chunk_of(name: str, weights: dict[str, Any] | None, count: int, seed: int) -> list[Rows]:
    """What is learnt from some hands, played by a network or, without weights, by `search`."""
    game = models.game(name)
    if weights is not None:
        player: Any = Network(game, weights)
    else:
        player = Bidder(game) if name in PRICED else searcher(game, f"search-{WORLDS}")
    if name in PRICED:
        player = Exploring(player, game.decisions.kinds.index(PLAYS), seed)
    return rows_of(game, Simulation(name, seed, (player,)).play(count), seed)


def hands_of(name: str, weights: dict[str, Any] | None, count: int, seed: int) -> list[Rows]:
    """The same from many hands, played on all cores."""
    sizes = [min(CHUNK, count - first) for first in range(0, count, CHUNK)]
    seeds = [seed * CHUNK + number for number in range(len(sizes))]
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        parts = list(pool.map(partial(chunk_of, name, weights), sizes, seeds))
    return [joined(list(kinds)) for kinds in zip(*parts, strict=True)]


def exported(game: Game, folder: Path) -> list[Rows]:
    """The rows of an export in the format ``npy``, of all splits: those of each kind that leave a choice."""
    by_kind = []
    for kind in game.decisions.kinds:
        splits = sorted((folder / kind).glob("*"))
        if not splits:
            raise cardlog.CardlogError(f"{folder} has no rows of the kind {kind}, in the format npy")
        observations, legal, actions = (
            np.concatenate([np.load(split / f"{column}.npy") for split in splits])
            for column in ("observation", "action_mask", "action")
        )
        some = legal.sum(axis=1) > 1
        targets = np.full((int(some.sum()), legal.shape[1]), np.nan, np.float32)
        by_kind.append(Rows(observations[some], legal[some], actions[some], targets))
    return by_kind


def joined(parts: list[Rows]) -> Rows:
    """Rows of one kind, concatenated."""
    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in Rows.__annotations__))


# ---------------------------------------------------------------- learning


class Values(nn.Module):
    """A network of one kind of decision, as `cardlog.models.players.network` runs it."""

    def __init__(self, inputs: Inputs, actions: int, width: int) -> None:
        super().__init__()
        self.inputs = inputs
        self.sum = nn.EmbeddingBag(int(inputs.levels.sum()), width, mode="sum")
        nn.init.normal_(self.sum.weight, std=0.05)
        self.first = nn.Parameter(torch.zeros(width))
        self.layers = nn.Sequential(
            nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(width, width),
            nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(width, actions),
        )  # fmt: skip

    def forward(self, indices: Tensor) -> Tensor:
        """The values of actions, some in another order of the suits: shape (rows, actions)."""
        values: Tensor = self.layers(self.sum(indices) + self.first)
        return values

    def weights(self) -> dict[str, NDArray[Any]]:
        """The weights as the player stores them."""
        hidden, output = self.layers[2], self.layers[5]
        layers = Layers(
            self.sum.weight,
            self.first,
            hidden.weight.T,
            hidden.bias,
            output.weight.T,
            output.bias,  # type: ignore[arg-type]
        )
        return self.inputs._asdict() | {
            name: value.detach().numpy().astype(np.float16) for name, value in layers._asdict().items()
        }


class Learner:
    """The networks of a game, and all rows that they have learnt from.

    imitates
        Whether all actions are learnt from what was done.
    epochs
        How many times it learns from its rows.
    """

    def __init__(self, game: Game, seed: int, *, imitates: bool = False, epochs: int = EPOCHS) -> None:
        self.game = game
        kinds = range(len(game.decisions.kinds))
        self._methods = [IMITATED if imitates else method_of(game, kind) for kind in kinds]
        self._epochs = epochs
        self.suits = suits_of(game)
        self.rows: list[Rows] = []
        self.networks: list[Values] = []
        self.scales: list[float] = []
        self._rng = np.random.default_rng(seed)

    def learn(self, rows: list[Rows]) -> list[float]:
        """Learn from rows and all earlier ones; returns for each kind the error on held-out rows, as a share
        of the error without any knowledge. `search` is imitated from the first rows alone, since it played no
        others."""
        for number in range(len(self.rows)):
            if self._methods[number] == IMITATED:
                rows[number] = self.rows[number]
            else:
                rows[number] = joined([self.rows[number], rows[number]])
        self.rows = rows
        self.networks, self.scales = [], []
        for number, kind in enumerate(self.rows):
            inputs = inputs_of(numbers_of(self.game, kind.observations, self._plays(number))[0])
            in_both_orders = self.suits is not None and self._plays(number) and not self.suits.alike
            actions = kind.masks.shape[1] * (2 if in_both_orders else 1)
            method = self._methods[number]
            width = WIDTHS[method] if self._plays(number) else BID_WIDTH
            self.networks.append(Values(inputs, actions, width))
            is_solved = method == SOLVED
            self.scales.append(float(np.nanstd(kind.targets)) if is_solved else 1.0)
        return [self._learn(number) for number in range(len(self.networks))]

    def _plays(self, number: int) -> bool:
        return self.game.decisions.kinds[number] == PLAYS

    def _learn(self, number: int) -> float:
        kind, network = self.rows[number], self.networks[number]
        numbers = np.arange(len(kind.actions))
        is_held_out = numbers // min(BLOCK, len(numbers) // 2) % HELD_OUT == 0
        held_out, used = numbers[is_held_out], numbers[~is_held_out]
        steps = self._epochs * (len(used) // BATCH + 1)
        optimizer = torch.optim.AdamW(network.parameters(), RATE, weight_decay=DECAY)
        schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, total_steps=steps + 1)
        for _ in range(self._epochs):
            for batch in np.array_split(self._rng.permutation(used), len(used) // BATCH + 1):
                optimizer.zero_grad()
                (self._loss(number, batch)[0] / len(batch)).backward()
                optimizer.step()
                schedule.step()
        network.eval()
        with torch.inference_mode():
            batches = np.array_split(held_out, len(held_out) // BATCH + 1)
            errors, baselines = zip(*(self._loss(number, batch) for batch in batches), strict=True)
        return float(sum(errors) / sum(baselines))

    def _loss(self, number: int, batch: NDArray[np.int64]) -> tuple[Tensor, Tensor]:
        """The error on some rows, and the error without any knowledge: sums of squares, or of logarithms."""
        kind, network = self.rows[number], self.networks[number]
        numbers, order = numbers_of(self.game, kind.observations[batch], self._plays(number))
        values = network(torch.from_numpy(network.inputs.indices(numbers)))
        if self.suits is not None and self._plays(number):
            count = kind.masks.shape[1]
            back = torch.from_numpy(self.suits.actions(order).argsort(axis=1))
            turned = values[:, -count:].gather(1, back)
            values = turned if self.suits.alike else values[:, :count] + turned
        if self._methods[number] == IMITATED:
            legal = torch.from_numpy(kind.masks[batch])
            chosen = torch.from_numpy(kind.actions[batch].astype(np.int64))
            loss = nn.functional.cross_entropy(values.masked_fill(~legal, NEVER), chosen, reduction="sum")
            return loss, legal.sum(1).log().sum()
        known = torch.from_numpy(~np.isnan(kind.targets[batch]))
        targets = torch.from_numpy(np.nan_to_num(kind.targets[batch])) / self.scales[number]
        values = values - (values * known).sum(1, keepdim=True) / known.sum(1, keepdim=True)
        return (((values - targets) * known) ** 2).sum(), ((targets * known) ** 2).sum()

    def player(self) -> Network:
        """The player with the current weights."""
        return Network(self.game, self.weights())

    def weights(self) -> dict[str, NDArray[Any]]:
        """All weights, as `Network` takes them."""
        all_weights: dict[str, NDArray[Any]] = {"version": np.array(self.game.decisions.version)}
        for name, kind, network in zip(self.game.decisions.kinds, self.rows, self.networks, strict=True):
            weights = network.weights()
            if not (self.suits is not None and name == PLAYS):
                never_taken = np.ones(len(weights["third"]), np.bool_)
                never_taken[kind.actions] = False
                weights["third"][never_taken] = NEVER
            all_weights |= {f"{name}.{key}": value for key, value in weights.items()}
        return all_weights


# ---------------------------------------------------------------- the whole training


def opponents(game: Game) -> list[str]:
    """The players that the network is measured against."""
    return [name for name in ("random", "expert") if name in game.playing().names]


def train(
    out: Path, game: str, hands: int, generations: int, seed: int, rows: Path | None = None
) -> list[dict[str, Any]]:
    """Train, and write the results; returns the points of the curve.

    rows
        A folder with exported rows to learn from, once, in place of hands.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    began = time.monotonic()
    kinds = models.game(game).decisions.kinds
    learner, weights = Learner(models.game(game), seed, imitates=rows is not None), None
    curve: list[dict[str, Any]] = []
    for generation in range(generations if game in PRICED and rows is None else 1):
        if rows is not None:
            learnt = exported(learner.game, rows)
            point: dict[str, Any] = {"rows": sum(len(kind.actions) for kind in learnt)}
        else:
            learnt = hands_of(game, weights, hands * (MORE if generation else 1), seed * 1000 + generation)
            point = {"hands": hands * (1 + MORE * generation)}
        errors = learner.learn(learnt)
        weights, player = learner.weights(), learner.player()
        point |= {f"{kind}_error": round(error, 3) for kind, error in zip(kinds, errors, strict=True)}
        for name in opponents(learner.game):
            point |= points_of(name, play_off(game, (player, name), DEALS, seed + 1_000_000))
        point["seconds"] = round(time.monotonic() - began)
        print(*(f"{name} {value}" for name, value in point.items()), sep="  ", flush=True)
        curve.append(point)
        np.savez_compressed(out / "network.npz", **weights)
    write_csv(out / "curve.csv", curve)
    if rows is None:
        plot(learner.game, curve, out / "curve.png")
    for name in opponents(learner.game):
        result = play_off(game, (player, name), LAST_DEALS, seed)
        points, share = result.points.text("+.2f"), result.share.text(".1%")
        print(f"network against {name}: {points} a hand, {share} of hands")
    return curve


def points_of(name: str, result: PlayOff) -> dict[str, float]:
    """The points of a play-off against a player, for the curve."""
    mean, low = result.points.mean, result.points.low
    return {name: round(mean, 2), f"{name}_error": round(mean - (mean if low is None else low), 2)}


def plot(game: Game, curve: list[dict[str, Any]], path: Path) -> None:
    """Draw the curve, with 95 % intervals."""
    thousands = [point["hands"] / 1000 for point in curve]
    axes = new_plot(game.title, "thousand hands learnt from", "points per hand against")
    for name in opponents(game):
        points, errors = ([point[key] for point in curve] for key in (name, f"{name}_error"))
        axes.errorbar(thousands, points, errors, marker="o", capsize=3, label=name)
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
        rows={"type": Path, "help": "folder of exported rows to learn from, in place of hands"},
    )
