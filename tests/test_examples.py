"""The examples: what they learn with does what it says, and the whole way of each can be gone."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.kaiser import decisions as view
from cardlog.models.policy import DecisionBatch
from cardlog.models.search import Level, Search
from cardlog.models.simulation import Played, Simulation
from cardlog.schemas import cards

torch = pytest.importorskip("torch", reason="make extras installs it")
pytest.importorskip("matplotlib", reason="make extras installs it")

from examples import predict_ruter_sju, row_order, train_player  # noqa: E402

# ---------------------------------------------------------------- the player network


@pytest.fixture(scope="module")
def learnt() -> list[train_player.Rows]:
    """What is learnt from some hands of Kaiser: bids and plays."""
    kaiser = models.game("kaiser")
    habits = train_player.habits_of(kaiser, 1)
    return train_player.hands_of(kaiser, train_player.Expert(kaiser), 60, 1, habits)


def test_a_play_learns_what_each_legal_card_was_worth_or_the_one_that_was_played(
    learnt: list[train_player.Rows],
) -> None:
    bids, plays = learnt
    known = ~np.isnan(plays.targets)
    several = known.sum(axis=1) > 1
    assert (known[several] == plays.masks[several]).all()
    np.testing.assert_allclose(np.nanmean(plays.targets[several], axis=1), 0, atol=1e-4)
    one = ~several
    assert known[one, plays.actions[one]].all()
    assert (known.sum(axis=1) > 0).all()
    # Seven of ten hands are priced from the third trick on, one of twenty from the lead.
    cards_left = (plays.observations[:, view.TRICK_AT] * -4) - plays.observations[:, view.TABLE_AT] + 32
    assert several[cards_left <= 24].all()
    assert 0 < several[cards_left > 28].mean() < 0.3
    assert (~np.isnan(bids.targets)).sum(axis=1).tolist() == [1] * len(bids.actions)


def test_what_a_card_was_worth_is_what_the_solver_says_from_who_played_it() -> None:
    kaiser = models.game("kaiser")
    played = Simulation("kaiser", 5, ("expert",)).play(4)
    rows = train_player.rows_of(kaiser, played, 0)[1]
    buffers = train_player.replayed(kaiser, played)[1]
    plays = buffers.rows["kind"] == 1
    last = rows.observations[:, view.TRICK_AT] == view.PLAY_ACTIONS // 4 - 2
    assert last.any()
    seats = buffers.rows["seat"][plays][buffers.masks[plays, : view.PLAY_ACTIONS].sum(axis=1) > 1]
    seer = Search(kaiser, Level(worlds=0))
    for row in np.flatnonzero(last):
        state = state_before(played, rows.observations[row], int(seats[row]))
        found = seer.values(state)[np.array(cards.codes(kaiser.pack))][rows.masks[row]]
        np.testing.assert_allclose(rows.targets[row, rows.masks[row]], found - found.mean(), atol=1e-4)


def state_before(played: Played, observation: Any, seat: int) -> Any:
    """The state in which a seat saw something."""
    kaiser = models.game("kaiser")
    for hand, first in enumerate(played.offsets[:-1]):
        state = kaiser.begin(json.loads(played.details[played.events["detail"][first]]))[0]
        for index in range(first, played.offsets[hand + 1]):
            seen = np.zeros(kaiser.decisions.width, np.int8)
            kaiser.decisions.observe(state, seat, seen)
            if state["turn"] == seat and (seen == observation).all() and state["trump"] >= 0:
                return state
            kaiser.evolve(state, played.events[index])
    raise AssertionError("nobody saw that")


def test_now_and_then_another_action_is_taken_as_often_as_an_expert_takes_it() -> None:
    class Lowest:
        def choose(self, asked: DecisionBatch) -> Any:
            return asked.masks.argmax(axis=1)

    habits = np.zeros((1, 4))
    habits[0] = 0, 1, 3, 9
    masks = np.tile(np.array([True, True, True, False]), (20_000, 1))
    asked = DecisionBatch(np.zeros((20_000, 1), np.int8), masks, *np.zeros((2, 20_000), np.int8))
    player = train_player.Exploring(Lowest(), habits, 0.4, 1)
    shares = np.bincount(player.choose(asked), minlength=4) / 20_000
    np.testing.assert_allclose(shares, [0.6, 0.1, 0.3, 0], atol=0.015)


def test_what_was_learnt_is_what_the_player_does(learnt: list[train_player.Rows]) -> None:
    torch.manual_seed(1)
    learner = train_player.Learner(models.game("kaiser"), 1)
    before = learner.learn(learnt)
    for _ in range(8):
        after = [learner._learn(number) for number in range(2)]
    assert after[1] < before[1]
    player, never = learner.player(), np.setdiff1d(np.arange(view.BID_ACTIONS), learnt[0].actions)
    assert (player.values(0, learnt[0].observations)[:, never] < train_player.NEVER / 2).all()
    plays = learnt[1]
    several = np.flatnonzero((~np.isnan(plays.targets)).sum(axis=1) > 1)
    found = np.where(plays.masks[several], player.values(1, plays.observations[several]), -np.inf).argmax(
        axis=1
    )
    best = np.nanmax(plays.targets[several], axis=1)
    chosen = plays.targets[several, found]
    assert (best - chosen).mean() < 0.8 * best.mean()


# ---------------------------------------------------------------- Ruter Sju


def test_a_hand_becomes_ones_for_its_cards_and_its_player() -> None:
    import pyarrow as pa

    table = pa.table({"cards": ["ADKC", "7D8D"], "kind": ["dumb", "smart"]})
    features = predict_ruter_sju._features(table).numpy()
    assert [np.flatnonzero(row).tolist() for row in features] == [[0, 51, 53], [6, 7, 52]]


def test_errors_are_those_of_the_expected_place() -> None:
    games, places = np.arange(40) // 4, np.array([1, 2, 3, 4] * 10)
    hands = predict_ruter_sju.Hands(games, torch.zeros(40, 55), places, np.zeros((40, 2)))
    right, off = hands.places.astype(float), hands.places + 1.0
    errors = predict_ruter_sju.squared_errors(hands, {"right": right, "off": off})
    assert errors == {"the middle": 1.25, "right": 0.0, "off": 1.0}
    assert predict_ruter_sju.gain(hands, right, off) == (1.0, 0.0)
    points = predict_ruter_sju.calibration(hands, {"right": right})
    assert [point["hands"] for point in points] == [4] * 10
    assert [point["expected"] for point in points] == [point["place"] for point in points]


# ---------------------------------------------------------------- the whole way


@pytest.mark.soak
@pytest.mark.parametrize("game", ["kaiser", "ruter_sju"])
def test_a_player_is_trained_and_the_same_again(game: str, tmp_path: Path) -> None:
    weights = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        curve = train_player.train(tmp_path / name, game, hands=1500, generations=2, seed=3)
        weights.append((tmp_path / name / "network.npz").read_bytes())
        assert curve[-1]["random"] > curve[-1]["random_error"]
    assert weights[0] == weights[1]
    with (tmp_path / "b" / "curve.csv").open(newline="") as rows:
        assert [int(row["hands"]) for row in csv.DictReader(rows)] == [1500, 3000]
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"network.npz", "curve.csv", "curve.png"}


@pytest.mark.soak
def test_a_place_is_predicted_better_than_by_the_mart(tmp_path: Path) -> None:
    errors = predict_ruter_sju.predict(tmp_path, games=20_000, seed=3)
    assert errors["network"] < errors["mart"] < errors["the middle"]
    assert {path.name for path in tmp_path.iterdir()} == {"calibration.csv", "calibration.png"}


# ---------------------------------------------------------------- the order of rows


@pytest.mark.parametrize("buffer", [1, 50, 1_000])
def test_a_shuffle_buffer_gives_every_row_once_and_none_too_early(buffer: int) -> None:
    batches = list(row_order.streamed(1_000, buffer, np.random.default_rng(1)))
    rows = np.concatenate(batches)
    assert sorted(rows.tolist()) == list(range(1_000))
    assert [len(batch) for batch in batches[:-1]] == [row_order.BATCH] * (len(batches) - 1)
    # The n-th row to leave entered when n + buffer rows had.
    assert (rows < np.arange(1_000) + buffer).all()
    assert (rows == np.arange(1_000)).all() == (buffer == 1)


def test_every_order_learns_from_the_same_rows(tmp_path: Path) -> None:
    found = row_order.compare(tmp_path, 3_000, 5)
    with (tmp_path / "row_order.csv").open() as file:
        assert list(csv.DictReader(file)) == found
    assert len(found) == len(row_order.GAMES) * len(row_order.RATES) * len(row_order.ORDERS)
    assert all(0 < float(row["loss"]) < 2 for row in found)
    assert all(float(row["worse"]) == 0 for row in found if row["order"] == "shuffled")
