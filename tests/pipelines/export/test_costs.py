"""What decisions cost, as columns of training rows and as criteria for choosing rows."""

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
from tests.support.exports import columns_in, export, manifest_of, rows_in
from tests.support.shared import logged_games
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


def exported(store: Store, folder: Path, game: str = "kaiser", **criteria: Any) -> pa.Table:
    export(store, game, "parquet", folder / "data", selection=Selection(**criteria))
    return rows_in(folder / "data")


def costs_in(rows: pa.Table) -> list[tuple[Any, ...]]:
    return sorted(zip(*(rows.column(name).to_pylist() for name in ("hand_id", "step", *COSTS)), strict=True))


def of_analysis(store: Store, where: str = "true") -> list[tuple[Any, ...]]:
    return sorted(ask(store, f"select hand_id, step, {', '.join(COSTS)} from analysis where {where}"))


def test_each_analysed_decision_has_its_costs_and_the_others_null(
    analysed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All else is as without them."""
    monkeypatch.setattr(costs, "BATCH_ROWS", 100)
    (tmp_path / "plain").mkdir()
    plain = exported(analysed, tmp_path / "plain")
    assert "cost_open" not in (tmp_path / "plain" / "data" / "README.md").read_text()
    rows = exported(analysed, tmp_path, include_costs=True)
    assert rows.drop_columns(COSTS).equals(plain)
    assert len(rows) == 12 * 32
    assert [row for row in costs_in(rows) if row[2] is not None] == of_analysis(analysed)
    assert rows.column("cost_known").null_count > rows.column("cost_open").null_count == 5 * 32
    manifest = manifest_of(tmp_path / "data")
    assert manifest["columns"] == rows.column_names
    assert manifest["selection"] == {"include_costs": True}
    assert "| `cost_known` |" in (tmp_path / "data" / "README.md").read_text()
    bids = rows_in(tmp_path / "data", "bid")
    assert bids.column("value").null_count == len(bids)


@pytest.mark.parametrize("name", ["cost_open", "cost_known"])
def test_only_decisions_that_cost_little_are_chosen(name: str, analysed: Store, tmp_path: Path) -> None:
    expected = of_analysis(analysed, f"{name} <= 1")
    assert 0 < len(expected) < len(of_analysis(analysed, f"{name} is not null"))
    assert costs_in(exported(analysed, tmp_path, **{f"max_{name}": 1.0})) == expected


@pytest.mark.parametrize("form", ["npy", "npz"])
def test_numpy_has_the_rows_that_parquet_has(form: str, analysed: Store, tmp_path: Path) -> None:
    """Missing texts are empty, missing costs no number."""
    what = {"selection": Selection(include_costs=True), "splits": "60,20,20", "order": "hand"}
    for name in ("parquet", form):
        export(analysed, "kaiser", name, tmp_path / name, **what)
    for kind in ("play", "bid"):
        for split in ("train", "validation", "test"):
            expected = columns_in(tmp_path / "parquet", "parquet", kind, split)
            arrays = columns_in(tmp_path / form, form, kind, split)
            assert arrays.keys() == expected.keys() >= {*COSTS}
            for name, array in arrays.items():
                missing = np.nan if name in COSTS else ""
                column = [missing if value is None else value for value in expected[name]]
                found = array.astype(str) if array.dtype.kind == "S" else array
                np.testing.assert_array_equal(found, np.array(column, found.dtype), name)
            assert arrays["observation"].dtype == np.int8


def test_episodes_have_the_costs(analysed: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    minari = pytest.importorskip("minari", reason="the extra minari is not installed")
    chosen = Selection(max_cost_open=3)
    export(analysed, "kaiser", "minari", tmp_path / "data", selection=chosen, splits="100,0,0")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "data"))
    infos = [episode.infos for episode in minari.load_dataset("cardlog/play-train-v0").iterate_episodes()]
    expected = np.array([row[2:] for row in of_analysis(analysed, "cost_open <= 3")], np.float32)
    for name, values in zip(COSTS, expected.T, strict=True):
        found = np.concatenate([info[name][:-1, 0] for info in infos])
        np.testing.assert_array_equal(np.sort(found), np.sort(values))


def test_a_game_without_a_solver_has_none(tmp_path: Path) -> None:
    said = "five_card_draw has no solver, so nothing says what its decisions cost"
    with pytest.raises(ExportError, match=said):
        exported(logged_games(), tmp_path, game="five_card_draw", include_costs=True)
