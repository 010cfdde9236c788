"""Users' encoders: named ``module:object``, checked before anything is written, in the manifest."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import cardlog
from cardlog.pipelines.export.belote_original import (
    BIDDER_AT,
    OBSERVATION_WIDTH,
    STATE_WIDTH,
    THIRDS,
    TRUMP_AT,
)
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.storage.store import Store
from tests.support.belote_logs import FIXTURES, games, read_log
from tests.support.csv_rows import dump, dump_lines
from tests.support.decision_rows import decision_rows
from tests.support.exports import export, manifest_of, rows_in
from tests.support.soak import long
from tests.support.stores import ingest_text

MODULE = """
import numba
import numpy as np

import cardlog


def short(state, seat, observation):
    observation[0] = state.trump
    observation[1] = seat
    observation[2] = state.tricks


LAYOUT = ("trump", "seat", "trick")
PLAIN = cardlog.Encoder("kaiser", LAYOUT, short, version=7)
COMPILED = cardlog.Encoder("kaiser", LAYOUT, numba.njit(short))

OTHER_GAME = cardlog.Encoder("belote", LAYOUT, short)


def too_large(state, seat, observation):
    observation[0] = 300


TOO_LARGE = cardlog.Encoder("kaiser", LAYOUT, too_large)


def peek(state, seat, observation):
    observation[0] = state.trump
    observation[1] = state.hands[(seat + 1) % 4] % 100


def typo(state, seat, observation):
    observation[0] = state.trumps


PEEK = cardlog.Encoder("kaiser", ("trump", "neighbour"), peek)
TYPO = cardlog.Encoder("kaiser", ("trump",), typo)
"""


@pytest.fixture
def store(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A few hands, and a module with encoders in the working folder."""
    ingest_text(store, tmp_path, dump(*dump_lines()[:9]))
    (tmp_path / f"{NAME}.py").write_text(MODULE)
    monkeypatch.delitem(sys.modules, NAME, raising=False)
    monkeypatch.chdir(tmp_path)
    return store


NAME = "my_encoders"


def rows(store: Store, folder: Path, encoder: str) -> pa.Table:
    export(store, "kaiser", "parquet", folder, encoder=encoder, splits="100,0,0", order="hand")
    return rows_in(folder)


@pytest.mark.parametrize(("encoder", "version"), [("PLAIN", 7), *long(("COMPILED", 1))])
def test_a_users_encoder_makes_the_observations_and_nothing_else(
    encoder: str, version: int, store: Store, tmp_path: Path
) -> None:
    table = rows(store, tmp_path / "rows", f"{NAME}:{encoder}")
    observations = np.array(table.column("observation").to_pylist())
    assert observations.shape == (9 * 32, 3)
    assert observations[:, 1].tolist() == table.column("seat").to_pylist()
    assert observations[:, 2].tolist() == [row // 4 % 8 for row in range(len(observations))]
    assert set(table.column("encoder").to_pylist()) == {f"{NAME}:{encoder}"}
    manifest = manifest_of(tmp_path / "rows")
    assert (manifest["encoder"], manifest["encoder_version"]) == (f"{NAME}:{encoder}", version)
    assert manifest["layout"] == ["trump", "seat", "trick"]
    of_encoder = ["observation", "encoder", "encoder_version"]
    ours = rows(store, tmp_path / "ours", "v1")
    assert table.drop_columns(of_encoder).equals(ours.drop_columns(of_encoder))


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        ("{}:NONE", "no encoder .*has no attribute 'NONE'"),
        ("no_such_module:ENCODER", "no encoder .*No module named 'no_such_module'"),
        ("{}:LAYOUT", "it is a tuple, not a cardlog.Encoder"),
        ("{}:OTHER_GAME", "it is for belote, not for kaiser"),
        ("{}:TOO_LARGE", "failed: OverflowError: .*300"),
        ("v9", "kaiser has no encoder 'v9'; there are: v1, module:object"),
        ("{}:PEEK", "sees more than its seat knows; 'neighbour' is another number"),
        ("{}:TYPO", r"AttributeError: .*; a state of kaiser has: done, .*trump"),
    ],
)
def test_an_unusable_encoder_is_an_error(encoder: str, message: str, store: Store, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=message):
        export(store, "kaiser", "parquet", tmp_path / "rows", encoder=encoder.format(NAME))
    assert not (tmp_path / "rows").exists()


@pytest.mark.parametrize(
    ("layout", "observe", "version"),
    [(("a", "a"), print, 1), ((), print, 1), ("abc", print, 1), (("a",), print, -1), (("a",), 3, 1)],
)
def test_an_encoder_with_impossible_fields_is_refused(layout: Any, observe: Any, version: int) -> None:
    with pytest.raises(ValueError, match=r"(layout|version|observe) must be"):
        cardlog.Encoder("kaiser", layout, observe, version)


def column(rows: list[dict[str, Any]], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows])


@pytest.mark.parametrize("name", ["rl_cesmak", "rl_bornabesic"])
def test_every_row_is_what_the_network_was_given_and_learnt_from(name: str) -> None:
    """`reward_index` has the game, hand and seat of each eight rewards."""
    expected = np.load(FIXTURES / f"{name}_tensors.npz")
    batch = read_log(name).batch
    rows = decision_rows(batch, "original")
    assert len(rows) == len(expected["state"])
    observations = column(rows, "observation")
    assert observations.shape[1] == OBSERVATION_WIDTH
    states = observations[:, :STATE_WIDTH] / THIRDS
    assert np.array_equal(states, expected["state"].reshape(len(rows), -1))
    assert np.array_equal(observations[:, TRUMP_AT:BIDDER_AT].argmax(axis=1), expected["trump"])
    assert np.array_equal(observations[:, BIDDER_AT:].argmax(axis=1), expected["bidder"])
    assert (observations[:, TRUMP_AT:].sum(axis=1) == 2).all()
    assert np.array_equal(column(rows, "action_mask"), expected["legal"].astype(bool))
    assert np.array_equal(column(rows, "action"), expected["action"])
    assert np.array_equal(column(rows, "seat"), expected["seat"])
    order = [game["gid"] for game in games(name)]
    number = {
        key.decode(): (order.index(batch.matches[match]), int(hand))
        for key, match, hand in zip(batch.hand_ids, batch.match_of, batch.hand_nos, strict=True)
    }
    rewards_of: dict[tuple[int, int, int], list[tuple[float, float]]] = {}
    for row in rows:
        key = (*number[row["hand_id"]], row["seat"])
        rewards_of.setdefault(key, []).append((row["reward"], row["return"]))
    assert len(rewards_of) == len(expected["reward_index"])
    for index, rewards, discounted in zip(
        expected["reward_index"].tolist(), expected["rewards"], expected["discounted"], strict=True
    ):
        exported = np.array(rewards_of[tuple(index)])
        assert np.allclose(exported[:, 0], rewards, atol=1e-6)
        assert np.allclose(exported[:, 1], discounted, atol=1e-6)


def test_hands_with_hidden_cards_have_no_rows() -> None:
    hidden = read_log("rl_cesmak").batch.take(np.arange(2))
    hidden.events["cards"][1] = 255
    assert {row["hand_id"] for row in decision_rows(hidden, "original")} == {hidden.hand_ids[1].decode()}
