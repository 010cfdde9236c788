"""Baselines: how well players foresee the decisions of the sample data, and how well they play.

    make baselines

For each game the sample logs are split as ``cardlog export`` does by default. On the test split, of decisions
that leave a choice, the table has how often a player would have done what was done, and for players that give
probabilities the mean of their negative logarithm. Play-offs against `random` and `expert` have the points of
a hand, with 95 % intervals.

* ``cloning`` is the network of ``examples/train_player.py``, learnt here from the actions of the train split
  alone. The validation split chooses the number of epochs.
* ``random`` takes every legal action alike. ``network`` values actions; the validation split chooses how much
  likelier a better one is.
* One percent of `random` is mixed into all probabilities, so that no action costs infinitely much.
* ``search`` is asked only about the first decisions, in the order of the hands' ids.

The sample logs of five-card draw show few cards, and those of hold'em are few matches; their data are hands
that ``expert`` plays. On the same machine the same seed gives the same figures. The new folder OUT gets
``baselines.json`` and ``baselines.md``, the table.
"""

import json
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

import cardlog
from cardlog import models
from cardlog.models.contest.play_off import play_off
from cardlog.models.contest.simulation import policy_of
from cardlog.models.engine.game import Game
from cardlog.models.engine.policy import DecisionBatch, Policy, actions_of
from cardlog.models.players.network import Network
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.pipelines.export.encoders import DEFAULT, encoder
from cardlog.pipelines.export.rows import parse_splits, splits_of
from cardlog.pipelines.export.selection import Output
from cardlog.pipelines.export.spec import SPLITS
from cardlog.pipelines.storage.store import Store, game_of
from cardlog.pipelines.storage.stored_hands import ordered_batches
from cardlog.pipelines.terminal import demo
from cardlog.schemas.events import Action
from examples.steps import main
from examples.train_player import Learner, Rows

SIMULATED: Final = ("five_card_draw", "hold_em")
TRAIN, VALIDATION, TEST = range(len(SPLITS))
EPOCHS: Final = (4, 16)
MOST_ROWS: Final = 600_000  # of all epochs together; more are not tried
SHARPNESS: Final = np.geomspace(0.02, 20, 31)  # factors of a network's values
UNIFORM: Final = 0.01
OPPONENTS: Final = ("random", "expert")


@dataclass(frozen=True)
class Size:
    """How much is done: hands of games in `SIMULATED`; decisions of a kind that `search` is asked about;
    deals of a play-off, and of one of `search`; rows of a kind that are learnt from."""

    hands: int = 2_000
    searched: int = 200
    deals: int = 300
    searched_deals: int = 25
    rows: int = 10**9


QUICK: Final = Size(hands=300, searched=20, deals=10, searched_deals=2, rows=2_000)


@dataclass(frozen=True)
class Part:
    """Decisions of a kind in a split, a row each. `states` are those before them, in the test split."""

    observations: NDArray[np.int8]
    masks: NDArray[np.bool_]
    actions: NDArray[np.int64]
    seats: NDArray[np.int8]
    states: NDArray[np.void]

    def first(self, count: int) -> "Part":
        """Its first rows."""
        return Part(*(getattr(self, name)[:count] for name in Part.__annotations__))


# ---------------------------------------------------------------- decisions


def parts_of(game: Game, store: Store) -> dict[tuple[int, int], Part]:
    """The decisions of a store that leave a choice, by kind and split, in the order of the hands' ids."""
    parts: dict[tuple[int, int], list[Part]] = defaultdict(list)
    encode = encoder(game.name, DEFAULT).encode
    default = Output(game.name)
    paths = [path for path in store.paths("events") if game_of(path) == game.name]
    for batch in ordered_batches(store, paths):
        replayed = encode(batch)
        rows = replayed.rows
        masks = replayed.masks
        splits = splits_of(batch, default.seed, parse_splits(default.splits))[rows["hand"]]
        some = replayed.folded.done[rows["hand"]] & rows["knows_hand"] & (masks.sum(axis=1) > 1)
        for kind in range(len(game.decisions.kinds)):
            for split in range(len(SPLITS)):
                chosen = some & (rows["kind"] == kind) & (splits == split)
                of = rows[chosen]
                states = states_before(game, batch, of if split == TEST else of[:0])
                actions = of["action"].astype(np.int64)
                columns = replayed.observations[chosen], masks[chosen], actions, of["seat"], states
                parts[kind, split].append(Part(*columns))
    return {
        key: Part(*(np.concatenate([getattr(part, name) for part in some]) for name in Part.__annotations__))
        for key, some in parts.items()
    }


def states_before(game: Game, batch: Batch, rows: NDArray[np.void]) -> NDArray[np.void]:
    """The state before each of some decisions of a batch."""
    found = np.zeros(len(rows), game.state)
    states, _ = initial_states(batch)
    index = {int(event): row for row, event in enumerate(rows["event"])}
    for hand in np.unique(rows["hand"]).tolist():
        for event in range(batch.offsets[hand], batch.offsets[hand + 1]):
            if batch.events[event]["action"] == Action.MELD_BELA and event + 1 in index:
                found[index.pop(event + 1)] = states[hand]  # claimed with the card, which is chosen before
            if event in index:
                found[index[event]] = states[hand]
            game.evolve(states[hand], batch.events[event])
    found["turn"] = rows["seat"]  # only the event shows who begins, where cards are hidden
    return found


def sampled(game: str, folder: Path, size: Size) -> Store:
    """A store with the sample data of a game."""
    logs = [log for log in demo.logs() if Path(log).parent.name == game]
    if game in SIMULATED:
        logs = [str(folder / "log.jsonl")]
        cardlog.simulate(game, size.hands, logs[0], seed=1, players="expert")
    cardlog.Store(folder / "store").ingest(logs)
    return Store(str(folder / "store"))


# ---------------------------------------------------------------- players


def probabilities(part: Part, values: NDArray[np.float32], sharpness: float) -> NDArray[np.float64]:
    """What each action of each decision is worth as a probability."""
    masks = part.masks[:, : values.shape[1]]
    weights = np.where(masks, sharpness * values.astype(np.float64), -np.inf)
    weights = np.exp(weights - weights.max(axis=1, keepdims=True))
    shares = weights / weights.sum(axis=1, keepdims=True)
    return np.asarray((1 - UNIFORM) * shares + UNIFORM * masks / masks.sum(axis=1, keepdims=True))


def log_loss(part: Part, values: NDArray[np.float32], sharpness: float = 1.0) -> float:
    """The mean of the negative logarithm of the probability of what was done."""
    chosen = probabilities(part, values, sharpness)[np.arange(len(part.actions)), part.actions]
    return float(-np.log(chosen).mean())


def cloned(game: Game, parts: dict[tuple[int, int], Part], seed: int, most: int) -> Network:
    """A network that has learnt the actions of the train split."""
    torch.manual_seed(seed)
    kinds = range(len(game.decisions.kinds))
    tried: list[tuple[list[float], dict[str, Any]]] = []
    for epochs in EPOCHS:
        rows = [parts[kind, TRAIN].first(most) for kind in kinds]
        if tried and epochs * max(len(part.actions) for part in rows) > MOST_ROWS:
            break
        learner = Learner(game, seed, imitates=True, epochs=epochs)
        learner.learn([_rows(game, kind, part) for kind, part in enumerate(rows)])
        player, unseen = learner.player(), [parts[kind, VALIDATION] for kind in kinds]
        losses = [log_loss(part, player.values(kind, part.observations)) for kind, part in enumerate(unseen)]
        tried.append((losses, learner.weights()))
    best: dict[str, Any] = {}
    for kind, name in enumerate(game.decisions.kinds):
        _, weights = min(tried, key=lambda found: found[0][kind])
        best |= {
            key: value for key, value in weights.items() if key == "version" or key.startswith(f"{name}.")
        }
    return Network(game, best)


def _rows(game: Game, kind: int, part: Part) -> Rows:
    width = len(game.decisions.words[game.decisions.kinds[kind]])
    unknown = np.full((len(part.actions), width), np.nan, np.float32)
    return Rows(part.observations, part.masks[:, :width], part.actions.astype(np.int16), unknown)


def choices(game: Game, kind: int, part: Part, player: str | Policy) -> NDArray[np.int64]:
    """What a player would do."""
    if player == "expert":
        expert = game.playing().expert
        assert expert is not None
        return np.array([expert(state) for state in part.states], np.int64)
    policy: Any = policy_of(game.name, player)
    sees = getattr(policy, "sees", None)
    kinds = np.full(len(part.actions), kind, np.int8)
    states = None if sees is None else sees(part.states, part.seats)
    return actions_of(policy, DecisionBatch(part.observations, part.masks, kinds, part.seats, states))


# ---------------------------------------------------------------- the table


def foreseen(
    game: Game, parts: dict[tuple[int, int], Part], kind: int, player: Any, most: int
) -> dict[str, Any]:
    """How well a player foresees the test decisions of a kind."""
    part = parts[kind, TEST]
    if player == "random":
        counts = part.masks.sum(axis=1)
        return {
            "decisions": len(counts),
            "accuracy": float((1 / counts).mean()),
            "log_loss": float(np.log(counts).mean()),
        }
    if player == "search":
        part = part.first(most)
    agrees = choices(game, kind, part, player) == part.actions
    found = {"decisions": len(part.actions), "accuracy": float(agrees.mean())}
    network = policy_of(game.name, player)
    if not isinstance(network, Network):
        return found
    sharpness = 1.0
    if player == "network":
        unseen = parts[kind, VALIDATION]
        values = network.values(kind, unseen.observations)
        sharpness = float(min(SHARPNESS, key=lambda factor: log_loss(unseen, values, factor)))
    return found | {"log_loss": log_loss(part, network.values(kind, part.observations), sharpness)}


def baselines_of(name: str, seed: int, size: Size) -> list[dict[str, Any]]:
    """The rows of a game."""
    torch.set_num_threads(1)
    game = models.game(name)
    with TemporaryDirectory(prefix="cardlog-baselines-") as folder:
        parts = parts_of(game, sampled(name, Path(folder), size))
    named = [player for player in ("random", "expert", "network", "search") if player in game.playing().names]
    players: dict[str, Any] = {player: player for player in named}
    players["cloning"] = cloned(game, parts, seed, size.rows)
    rows = []
    for player in sorted(players, key=["random", "expert", "cloning", "network", "search"].index):
        kinds = {
            kind: foreseen(game, parts, number, players[player], size.searched)
            for number, kind in enumerate(game.decisions.kinds)
        }
        deals = size.searched_deals if player == "search" else size.deals
        points = {
            other: asdict(play_off(name, (players[player], other), deals, seed).points) | {"deals": deals}
            for other in OPPONENTS
            if player != other
        }
        rows.append({"game": name, "player": player, "kinds": kinds, "points": points})
    return rows


def table(rows: list[dict[str, Any]]) -> str:
    """The rows as a table in Markdown."""
    kinds = ("play", "bid")
    heads = [f"{kind}: {what}" for kind in kinds for what in ("accuracy", "log loss")]
    heads = ["game", "player", *heads, *(f"against `{other}`" for other in OPPONENTS)]
    lines = [heads, ["---"] * len(heads)]
    for row in rows:
        cells = [models.game(row["game"]).title, f"`{row['player']}`"]
        for kind in kinds:
            found = row["kinds"].get(kind, {})
            cells += [f"{found[name]:.3f}" if name in found else "" for name in ("accuracy", "log_loss")]
        points = [row["points"].get(other) for other in OPPONENTS]
        cells += [f"{one['mean']:+.2f} ± {one['high'] - one['mean']:.2f}" if one else "" for one in points]
        lines.append(cells)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def baselines(out: Path, game: str, seed: int, quick: bool) -> list[dict[str, Any]]:
    """Find and write the baselines of one game, or of all that come with cardlog."""
    games = list(models.GAMES.ours) if game == "all" else [game]
    work = partial(baselines_of, seed=seed, size=QUICK if quick else Size())
    with ProcessPoolExecutor(max_workers=2, mp_context=get_context("spawn")) as pool:
        rows: list[dict[str, Any]] = []
        for found in pool.map(work, games):
            rows += found
            print(table(found), flush=True)
            (out / "baselines.json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
            (out / "baselines.md").write_text(table(rows), encoding="utf-8")
    return rows


if __name__ == "__main__":
    main(
        __doc__,
        baselines,
        game={"type": str, "choices": ["all", *models.GAMES.ours], "default": "all", "help": "game"},
        seed={"default": 1, "help": "random seed"},
        quick={"action": "store_true", "help": "on little data: to see that it runs"},
    )
