"""What decisions cost, as columns of training rows and as criteria for choosing rows."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from cardlog.pipelines.export import costs
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.storage.store import Store
from tests.support.analysed import analyse_some
from tests.support.csv_rows import dump, dump_lines
from tests.support.exports import export, rows_in
from tests.support.stores import ask, ingest_text

COSTS = ["value", "cost_open", "cost_known"]


@pytest.fixture(scope="module")
def analysed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Hands of Kaiser of which some are analysed, with made-up costs by what was known. Not to be changed."""
    folder = tmp_path_factory.mktemp("analysed")
    store = Store(str(folder / "store"))
    ingest_text(store, folder, dump(*dump_lines()[:12]), "a.csv")
    analyse_some(store, {"kaiser": 7})
    return store


def exported(store: Store, folder: Path, kind: str = "play", **criteria: Any) -> pa.Table:
    export(store, "kaiser", "parquet", folder / "data", selection=Selection(**criteria))
    return rows_in(folder / "data", kind)


def costs_in(rows: pa.Table) -> list[tuple[Any, ...]]:
    return sorted(zip(*(rows.column(name).to_pylist() for name in ("hand_id", "step", *COSTS)), strict=True))


def of_analysis(store: Store, where: str = "true") -> list[tuple[Any, ...]]:
    return sorted(ask(store, f"select hand_id, step, {', '.join(COSTS)} from analysis where {where}"))


def test_each_analysed_decision_has_its_costs_and_the_others_null(
    analysed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(costs, "BATCH_ROWS", 100)
    rows = exported(analysed, tmp_path, include_costs=True)
    assert len(rows) == 12 * 32
    assert [row for row in costs_in(rows) if row[2] is not None] == of_analysis(analysed)
    assert rows.column("cost_known").null_count > rows.column("cost_open").null_count == 5 * 32
    manifest = json.loads((tmp_path / "data" / "manifest.json").read_text())
    assert manifest["columns"] == rows.column_names
    assert manifest["selection"] == {"include_costs": True}
    assert "| `cost_known` |" in (tmp_path / "data" / "README.md").read_text()
    bids = rows_in(tmp_path / "data", "bid")
    assert bids.column("value").null_count == len(bids)


def test_rows_without_costs_are_as_they_were(analysed: Store, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    rows = exported(analysed, tmp_path, include_costs=True)
    plain = exported(analysed, tmp_path / "plain")
    assert rows.drop_columns(COSTS).equals(plain)
    assert "cost_open" not in (tmp_path / "plain" / "data" / "README.md").read_text()


@pytest.mark.parametrize("name", ["cost_open", "cost_known"])
def test_only_decisions_that_cost_little_are_chosen(name: str, analysed: Store, tmp_path: Path) -> None:
    expected = of_analysis(analysed, f"{name} <= 1")
    assert 0 < len(expected) < len(of_analysis(analysed, f"{name} is not null"))
    assert costs_in(exported(analysed, tmp_path, **{f"max_{name}": 1.0})) == expected


@pytest.mark.parametrize("form", ["npy", "npz", "minari"])
def test_every_form_has_the_costs(form: str, analysed: Store, tmp_path: Path, monkeypatch: Any) -> None:
    out = tmp_path / "data"
    chosen = Selection(max_cost_open=3)
    export(analysed, "kaiser", form, out, selection=chosen, splits="100,0,0", order="hand")
    if form == "npy":
        columns = {name: np.load(out / "play" / "train" / f"{name}.npy") for name in COSTS}
    elif form == "npz":
        columns = dict(np.load(out / "play" / "train.npz"))
    else:
        import minari

        monkeypatch.setenv("MINARI_DATASETS_PATH", str(out))
        episodes = minari.load_dataset("cardlog/play-train-v0").iterate_episodes()
        infos = [episode.infos for episode in episodes]
        columns = {name: np.concatenate([info[name][:-1, 0] for info in infos]) for name in COSTS}
    expected = np.array([row[2:] for row in of_analysis(analysed, "cost_open <= 3")], np.float32)
    for name, values in zip(COSTS, expected.T, strict=True):
        np.testing.assert_array_equal(np.sort(columns[name]), np.sort(values))


@pytest.mark.parametrize("form", ["playedhand-csv", "cardlog-jsonl"])
def test_a_form_with_all_hands_takes_no_selection(form: str, analysed: Store, tmp_path: Path) -> None:
    with pytest.raises(
        ExportError, match="has all hands of the store; max_cost_known: that is for training data"
    ):
        export(analysed, "kaiser", form, tmp_path / "log", selection=Selection(max_cost_known=1))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("five_card_draw", "five_card_draw has no solver, so nothing says what its decisions cost"),
        ("kaiser", "no hand of kaiser is analysed.*'cardlog analyse --game kaiser' does that"),
    ],
)
def test_costs_without_an_analysis_are_refused(game: str, message: str, tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    logs = Path(__file__).parents[2] / "fixtures" / "five_card_draw" / "games_sample.txt"
    ingest_text(store, tmp_path, dump(*dump_lines()[:2]), "a.csv")
    ingest_text(store, tmp_path, logs.read_bytes(), "a.txt")
    with pytest.raises(ExportError, match=message):
        export(store, game, "parquet", tmp_path / "data", selection=Selection(include_costs=True))
    assert not (tmp_path / "data").exists()
