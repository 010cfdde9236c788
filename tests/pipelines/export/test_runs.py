"""Exports as pipelines: the rows that were once stored, and the same bytes however the work is divided."""

import json
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.export import spec
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage import stored_hands
from cardlog.pipelines.storage.store import Store
from tests.support.exported_rows import digests
from tests.support.exports import export
from tests.support.files import content
from tests.support.logs import beginnings
from tests.support.stores import ingest

pytestmark = pytest.mark.long

FIXTURES = Path(__file__).parents[2] / "fixtures"
EXPECTED = json.loads((FIXTURES / "training" / "rows.json").read_text())
BEAM = ("--runner=FnApiRunner", "--direct_runner_bundle_repeat=1")
PROCESSES = ("--direct_num_workers=2", "--direct_running_mode=multi_processing")


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The beginning of a log of each game, not built. Not to be changed."""
    folder = tmp_path_factory.mktemp("sampled")
    store = Store(str(folder / "store"))
    ingest(store, *beginnings(folder), final=True)
    return store


@pytest.mark.parametrize("name", EXPECTED)
def test_rows_are_those_that_were_stored_once(name: str, sampled: Store, tmp_path: Path) -> None:
    game, *options = name.split(" ")
    values: dict[str, Any] = dict(option.split("=") for option in options)
    encoder = values.pop("encoder", "v1")
    criteria = {key: value if value != "True" else True for key, value in values.items()}
    selection = Selection(**criteria, include_hidden_cards=True)
    arguments: dict[str, Any] = {"encoder": encoder, "selection": selection, "splits": "60,20,20", "seed": 3}
    if isinstance(EXPECTED[name], str):
        with pytest.raises(ExportError, match=EXPECTED[name].removeprefix("ExportError: ")):
            export(sampled, game, "parquet", tmp_path / "rows", **arguments)
    else:
        export(sampled, game, "parquet", tmp_path / "rows", **arguments)
        assert digests(tmp_path / "rows") == EXPECTED[name]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Hands of Kaiser in two data files of several row groups. Not to be changed."""
    folder = tmp_path_factory.mktemp("simulated")
    store = Store(str(folder / "store"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_hands, "ROW_GROUP_ROWS", 2_000)
        for number in range(2):
            simulate("kaiser", 150, number, str(folder / f"{number}.csv"))
            ingest(store, folder / f"{number}.csv")
    return store


@pytest.mark.parametrize("form", ["parquet", "npy", "npz", "playedhand-csv", "cardlog-jsonl"])
def test_the_same_bytes_however_the_work_is_divided(
    form: str, simulated: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = export(simulated, "kaiser", form, tmp_path / "in sequence")
    monkeypatch.setattr(spec, "PORTION_ROWS", 1)
    monkeypatch.setattr(stored_hands, "RANGE_ROWS", 4_000)
    assert export(simulated, "kaiser", form, tmp_path / "in small portions") == count
    assert export(simulated, "kaiser", form, tmp_path / "with Beam", beam_options=BEAM) == count
    expected = content(tmp_path / "in sequence")
    assert expected
    assert content(tmp_path / "in small portions") == expected
    assert content(tmp_path / "with Beam") == expected
    assert {path.name for path in tmp_path.iterdir()} == {"in sequence", "in small portions", "with Beam"}


def test_the_same_bytes_in_two_processes(simulated: Store, tmp_path: Path) -> None:
    count = export(simulated, "kaiser", "parquet", tmp_path / "in sequence")
    assert export(simulated, "kaiser", "parquet", tmp_path / "in two", beam_options=PROCESSES) == count
    assert content(tmp_path / "in two") == content(tmp_path / "in sequence")


def test_an_error_in_a_worker_has_only_its_own_text(simulated: Store, tmp_path: Path) -> None:
    """Beam adds nothing to it, and no file is left behind."""
    none = Selection(dialect="none")
    with pytest.raises(ExportError, match=r"so there is nothing to write$"):
        export(simulated, "kaiser", "parquet", tmp_path / "rows", selection=none, beam_options=BEAM)
    assert list(tmp_path.iterdir()) == []
