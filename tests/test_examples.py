"""The examples: what they learn with does what it says, and the whole way of each can be gone."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cardlog.models.belote import decisions as view
from cardlog.models.policy import DecisionBatch
from cardlog.models.simulation import Simulation

torch = pytest.importorskip("torch", reason="make extras installs it")
pytest.importorskip("matplotlib", reason="make extras installs it")

from examples import predict_ruter_sju, row_order, train_belote  # noqa: E402


class Watched:
    """A policy that keeps what it was asked."""

    def __init__(self) -> None:
        self.kept: list[DecisionBatch] = []

    def choose(self, asked: DecisionBatch) -> Any:
        """The first legal action."""
        self.kept.append(asked.take(np.ones(len(asked.kinds), np.bool_)))
        return asked.masks.argmax(axis=1)


def asked_of(count: int) -> DecisionBatch:
    """What a policy is asked while some hands are played."""
    policy = Watched()
    Simulation("belote", 1, (policy,), train_belote.RULES).play(count)
    names = ("observations", "masks", "kinds", "seats")
    return DecisionBatch(*(np.concatenate([getattr(one, name) for one in policy.kept]) for name in names))


# ---------------------------------------------------------------- belote


def test_every_value_of_an_observation_has_a_vector_of_its_own() -> None:
    asked = asked_of(60)
    levels = train_belote._levels()
    assert (asked.observations >= levels[:, 0]).all()
    assert (asked.observations <= levels[:, 1]).all()
    values = train_belote.Values(view.PLAY_ACTIONS)
    sizes = levels[:, 1] - levels[:, 0] + 1
    assert values.sum.num_embeddings == sizes.sum()
    first = (values.begins.numpy() + levels[:, 0]).tolist()
    assert first == [0, *np.cumsum(sizes)[:-1].tolist()]


def test_cards_of_trump_are_alike_whatever_suit_it_is() -> None:
    """But for what else tells the suit: the places of trump and of the bids."""
    torch.manual_seed(1)
    values = train_belote.Values(view.PLAY_ACTIONS)
    asked = asked_of(5)
    row = torch.from_numpy(asked.observations[asked.kinds == 1][:1])
    row[:, view.BIDS_AT : view.BIDS_AT + 4] = 0
    with torch.no_grad():
        values.sum.weight[values.begins[view.TRUMP_AT] + torch.arange(4)] = 0.0
        row[:, view.TRUMP_AT] = 0
        clubs = values(row)
        turned = row.clone()
        turned[:, :32] = row[:, :32].reshape(1, 4, 8).roll(2, 1).reshape(1, 32)
        turned[:, view.TRUMP_AT] = 2
        hearts = values(turned)
    assert torch.allclose(clubs.reshape(4, 8).roll(2, 0), hearts.reshape(4, 8), atol=1e-5)


def test_a_player_takes_the_highest_value_that_is_legal_or_any_other() -> None:
    torch.manual_seed(1)
    network = train_belote.new_network()
    asked = asked_of(40)
    chosen = train_belote.Player(network, 1).choose(asked)
    rows = np.arange(len(chosen))
    assert asked.masks[rows, chosen].all()
    for number, kind in enumerate(view.DECISION_KINDS):
        of_kind = asked.kinds == number
        with torch.no_grad():
            values = network[kind](torch.from_numpy(asked.observations[of_kind])).numpy()
        masks = asked.masks[of_kind, : values.shape[1]]
        best = np.where(masks, values, -np.inf).max(axis=1)
        assert np.allclose(values[np.arange(len(values)), chosen[of_kind]], best)
    other = train_belote.Player(network, 1, exploring=1.0).choose(asked)
    assert asked.masks[rows, other].all()
    free = asked.masks.sum(axis=1) > 3
    assert 0.1 < (other != chosen)[free].mean() < 0.95


@pytest.mark.long
def test_learning_finds_what_actions_are_worth(tmp_path: Path) -> None:
    torch.manual_seed(1)
    network = train_belote.new_network()
    data = train_belote.export_hands(tmp_path, 1500, None, 1)
    before = [train_belote.error(network, data, kind) for kind in view.DECISION_KINDS]
    train_belote.learn(network, data, 1)
    after = [train_belote.error(network, data, kind) for kind in view.DECISION_KINDS]
    assert all(late < early for late, early in zip(after, before, strict=True))


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
def test_belote_is_learnt_well_and_the_same_again(tmp_path: Path) -> None:
    curves = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        curve = train_belote.train(tmp_path / name, hands=8000, generations=1, seed=3)
        curves.append([{key: value for key, value in one.items() if key != "seconds"} for one in curve])
    assert curves[0] == curves[1]
    first, last = curves[0]
    assert first["matches"] == last["matches"] == 1000
    assert last["won"] >= 750
    with (tmp_path / "a" / "curve.csv").open(newline="") as rows:
        assert [int(row["won"]) for row in csv.DictReader(rows)] == [first["won"], last["won"]]
    assert {path.name for path in (tmp_path / "a").iterdir()} == {"belote.pt", "curve.csv", "curve.png"}


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


@pytest.mark.long
def test_every_order_learns_from_the_same_rows(tmp_path: Path) -> None:
    found = row_order.compare(tmp_path, 3_000, 5)
    with (tmp_path / "row_order.csv").open() as file:
        assert list(csv.DictReader(file)) == found
    assert len(found) == len(row_order.GAMES) * len(row_order.RATES) * len(row_order.ORDERS)
    assert all(0 < float(row["loss"]) < 2 for row in found)
    assert all(float(row["worse"]) == 0 for row in found if row["order"] == "shuffled")
