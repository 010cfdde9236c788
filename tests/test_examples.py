"""The examples: their parts do what they should, and each runs from beginning to end."""

import csv
import json
from collections.abc import Callable
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cardlog
from cardlog.models.contest.simulation import Simulation
from cardlog.models.kaiser import decisions as view
from cardlog.pipelines.export.selection import Selection
from cardlog.schemas import cards
from tests.support.exports import export, rows_in
from tests.support.priced import simulated

REPO = Path(__file__).parents[1]

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def example() -> Callable[[str], Any]:
    """Loads an example, with PyTorch, which takes seconds."""
    pytest.importorskip("torch", reason="make extras installs it").set_num_threads(1)
    pytest.importorskip("matplotlib", reason="make extras installs it")
    return lambda name: import_module(f"examples.{name}")


def test_each_legal_card_of_a_play_has_a_value_relative_to_their_mean(example: Any) -> None:
    """Of the rows learnt from in some hands of Kaiser."""
    bids, plays = example("train_player").chunk_of("kaiser", None, 60, 1)
    assert (~np.isnan(plays.targets) == plays.masks).all()
    np.testing.assert_allclose(np.nanmean(plays.targets, axis=1), 0, atol=1e-4)
    assert (plays.masks.sum(axis=1) > 1).all()
    assert bids.masks[np.arange(len(bids.actions)), bids.actions].all()
    # Most hands are priced from the second trick on, some from the lead.
    tricks = np.bincount(plays.observations[:, view.TRICK_AT], minlength=8)
    assert 0 < tricks[0] < tricks[1] / 2


def test_values_are_those_of_the_solver_for_the_side_that_plays(
    monkeypatch: pytest.MonkeyPatch, example: Any
) -> None:
    monkeypatch.setitem(example("train_player").PRICED, "kaiser", {32: 1.0})
    hands = simulated("kaiser", "book", 3)
    plays = example("train_player").rows_of(hands.game, Simulation("kaiser", 25).play(3), 0)[1]
    values, exact = hands.analyse(slice(0, 3))
    assert exact.all()
    side = np.where(hands.plays["seat"] & 1, -1, 1)
    values = side[:, None] * values[:, cards.codes(hands.game.pack)]
    values = values[(~np.isnan(values)).sum(axis=1) > 1]
    np.testing.assert_allclose(plays.targets, values - np.nanmean(values, axis=1, keepdims=True), atol=1e-4)


@pytest.mark.soak
@pytest.mark.parametrize("game", ["kaiser", "ruter_sju"])
def test_training_a_player_is_reproducible(game: str, tmp_path: Path, example: Any) -> None:
    weights = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        curve = example("train_player").train(tmp_path / name, game, hands=1500, generations=2, seed=3)
        weights.append((tmp_path / name / "network.npz").read_bytes())
        assert curve[-1]["random"] > curve[-1]["random_error"]
    assert weights[0] == weights[1]
    with (tmp_path / "b" / "curve.csv").open(newline="") as rows:
        assert [int(row["hands"]) for row in csv.DictReader(rows)] == [1500, 3000]
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"network.npz", "curve.csv", "curve.png"}


@pytest.mark.soak
def test_a_place_is_predicted_better_than_by_the_mart(tmp_path: Path, example: Any) -> None:
    errors = example("predict_ruter_sju").predict(tmp_path, games=20_000, seed=3)
    assert errors["network"] < errors["mart"] < errors["the middle"]
    assert {path.name for path in tmp_path.iterdir()} == {"calibration.csv", "calibration.png"}


@pytest.mark.parametrize("buffer", [1, 50, 1_000])
def test_a_shuffle_buffer_yields_every_row_once_and_none_too_early(buffer: int, example: Any) -> None:
    row_order = example("row_order")
    batches = list(row_order.streamed(1_000, buffer, np.random.default_rng(1)))
    rows = np.concatenate(batches)
    assert sorted(rows.tolist()) == list(range(1_000))
    assert [len(batch) for batch in batches[:-1]] == [row_order.BATCH] * (len(batches) - 1)
    # The n-th row to leave entered when n + buffer rows had.
    assert (rows < np.arange(1_000) + buffer).all()
    assert (rows == np.arange(1_000)).all() == (buffer == 1)


def test_every_order_learns_from_the_same_rows(tmp_path: Path, example: Any) -> None:
    row_order = example("row_order")
    results = row_order.compare(tmp_path, 3_000, 5)
    with (tmp_path / "row_order.csv").open() as file:
        assert list(csv.DictReader(file)) == results
    assert len(results) == len(row_order.GAMES) * len(row_order.RATES) * len(row_order.ORDERS)
    assert all(0 < float(row["loss"]) < 2 for row in results)
    assert all(float(row["worse"]) == 0 for row in results if row["order"] == "shuffled")


def test_baselines_are_what_their_pieces_say(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, example: Any
) -> None:
    """On hands of the expert, whose every decision the expert foresees; against the exported rows."""
    baselines = example("baselines")
    monkeypatch.setattr(baselines, "SIMULATED", ("kaiser",))
    size = baselines.Size(hands=150, searched=5, deals=3, searched_deals=2)
    rows = {row["player"]: row for row in baselines.baselines_of("kaiser", 1, size)}
    assert list(rows) == ["random", "expert", "cloning", "network", "search"]
    store = baselines.sampled("kaiser", tmp_path, size)
    export(store, "kaiser", "parquet", tmp_path / "data", selection=Selection(min_legal=2))
    for kind in ("bid", "play"):
        found = {player: row["kinds"][kind] for player, row in rows.items()}
        counts = np.array(
            [sum(mask) for mask in rows_in(tmp_path / "data", kind, "test")["action_mask"].to_pylist()]
        )
        assert found["random"] == {
            "decisions": len(counts),
            "accuracy": pytest.approx((1 / counts).mean()),
            "log_loss": pytest.approx(np.log(counts).mean()),
        }
        assert found["expert"] == {"decisions": len(counts), "accuracy": 1.0}
        assert found["cloning"]["accuracy"] > found["random"]["accuracy"]
        assert found["cloning"]["log_loss"] < found["random"]["log_loss"]
        assert found["search"]["decisions"] == 5
    for player, other, deals in (("expert", "random", 3), ("network", "expert", 3), ("search", "random", 2)):
        points = cardlog.play(player, other, game="kaiser", deals=deals, seed=1).points
        assert rows[player]["points"][other] == {**asdict(points), "deals": deals}


def test_the_page_has_the_baselines_of_the_file(example: Any) -> None:
    rows = json.loads((REPO / "docs" / "examples" / "baselines.json").read_text("utf-8"))
    assert example("baselines").table(rows) in (REPO / "docs" / "training.md").read_text("utf-8")
