"""The encoder ``original``: rows as the original learning player had them, against all of its logs."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cardlog.pipelines.export.belote_original import (
    BIDDER_AT,
    OBSERVATION_WIDTH,
    STATE_WIDTH,
    THIRDS,
    TRUMP_AT,
)
from cardlog.pipelines.export.export import export
from cardlog.pipelines.storage.store import Store
from tests.support.belote_logs import FIXTURES, games, read_log
from tests.support.decision_rows import decision_rows
from tests.support.stores import ingest


def column(rows: list[dict[str, Any]], name: str) -> np.ndarray:
    return np.array([row[name] for row in rows])


@pytest.mark.parametrize("name", ["rl_cesmak", "rl_bornabesic"])
def test_every_row_is_what_the_network_was_given(name: str) -> None:
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


@pytest.mark.parametrize("name", ["rl_cesmak", "rl_bornabesic"])
def test_rewards_are_those_that_the_player_learnt_from(name: str) -> None:
    """`reward_index` says which game, hand and seat each eight of them are of."""
    expected = np.load(FIXTURES / f"{name}_tensors.npz")
    order = [game["gid"] for game in games(name)]
    batch = read_log(name).batch
    rows = decision_rows(batch, "original")
    number = {
        key.decode(): (order.index(batch.matches[match]), int(hand))
        for key, match, hand in zip(batch.hand_ids, batch.match_of, batch.hand_nos, strict=True)
    }
    found: dict[tuple[int, int, int], list[tuple[float, float]]] = {}
    for row in rows:
        key = (*number[row["hand_id"]], row["seat"])
        found.setdefault(key, []).append((row["reward"], row["return"]))
    assert len(found) == len(expected["reward_index"])
    for index, rewards, discounted in zip(
        expected["reward_index"].tolist(), expected["rewards"], expected["discounted"], strict=True
    ):
        mine = np.array(found[tuple(index)])
        assert np.allclose(mine[:, 0], rewards, atol=1e-6)
        assert np.allclose(mine[:, 1], discounted, atol=1e-6)


def test_it_can_be_exported(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    ingest(store, FIXTURES / "rl_cesmak_transcripts.txt.gz")
    count = export(store, "belote", "parquet", tmp_path / "data", encoder="original")
    rows = pa.concat_tables(pq.read_table(path) for path in sorted((tmp_path / "data").rglob("*.parquet")))
    assert count == len(rows) == len(np.load(FIXTURES / "rl_cesmak_tensors.npz")["state"])
    assert {path.name for path in (tmp_path / "data").iterdir() if path.is_dir()} == {"play"}
    assert rows.column("encoder").unique().to_pylist() == ["original"]
    assert rows.column("dialect").unique().to_pylist() == ["cesmak"]
    assert rows.schema.field("observation").type.list_size == OBSERVATION_WIDTH
    assert json.loads((tmp_path / "data" / "manifest.json").read_text())["encoder"] == "original"


def test_hands_with_hidden_cards_have_no_rows() -> None:
    batch = read_log("rl_cesmak").batch
    hidden = batch.take(np.arange(2))
    hidden.events["cards"][1] = 255
    rows = decision_rows(hidden, "original")
    ids = {row["hand_id"] for row in rows}
    assert ids == {hidden.hand_ids[1].decode()}
