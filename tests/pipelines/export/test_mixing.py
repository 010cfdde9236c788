"""The order of training rows, mixed over all hands or hand after hand; and exports as pipelines: the rows
that were once stored, and the same bytes however the work is divided."""

import hashlib
import json
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest

from cardlog.pipelines.export import mixing, parquet_files, spec
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.storage import stored_hands
from cardlog.pipelines.storage.store import Store
from tests.support.exports import export, manifest_of, rows_in
from tests.support.files import content
from tests.support.logs import beginnings
from tests.support.stores import ingest

pytestmark = pytest.mark.long

BUFFER = 1_000
"""Rows of a usual shuffle buffer."""


def of_two_files(folder: Path, hands: int, group_rows: int) -> Store:
    """A store with hands of Kaiser in two data files of several row groups."""
    store = Store(str(folder / "store"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_hands, "ROW_GROUP_ROWS", group_rows)
        for number in range(2):
            simulate("kaiser", hands, number, str(folder / f"{number}.csv"))
            ingest(store, folder / f"{number}.csv")
    return store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Many hands. Not to be changed."""
    return of_two_files(tmp_path_factory.mktemp("mixing"), 1_500, 20_000)


@pytest.fixture(scope="module")
def folders(store: Store, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both orders, in row groups that hold a part of the hands. Not to be changed."""
    folder = tmp_path_factory.mktemp("orders")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet_files, "GROUP_ROWS", 8_000)
        patch.setattr(parquet_files, "FILES", 3)
        patch.setattr(mixing, "PIECE_ROWS", 400)
        for order in mixing.ORDERS:
            export(store, "kaiser", "parquet", folder / order, order=order)
    return {order: folder / order for order in mixing.ORDERS}


@pytest.mark.parametrize("kind", ["play", "bid"])
@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_hand_and_step_restore_the_order(kind: str, split: str, folders: dict[str, Path]) -> None:
    """Which the manifest and the card say."""
    mixed, ordered = (rows_in(folders[order], kind, split) for order in mixing.ORDERS)
    by = [("hand_id", "ascending"), ("step", "ascending")]
    assert not mixed.equals(ordered)
    assert mixed.sort_by(by).equals(ordered.sort_by(by))
    for order, words in (("mixed", "mixed over all hands"), ("hand", "shuffle all of them before learning")):
        assert manifest_of(folders[order])["order"] == order
        assert words in (folders[order] / "README.md").read_text().replace("\n", " ")


def test_neighbours_are_of_different_hands(folders: dict[str, Path]) -> None:
    """As often as in a random order, and every part of a file has hands of all data files."""
    hands = {
        order: np.array(rows_in(folders[order], split="train")["hand_id"].to_pylist())
        for order in mixing.ORDERS
    }
    same = {order: (names[1:] == names[:-1]).mean() for order, names in hands.items()}
    assert same["hand"] > 0.95
    assert same["mixed"] < 4 * 31 / len(hands["mixed"])
    mixed = hands["mixed"]
    for first in range(0, len(mixed) - BUFFER, BUFFER):
        assert len(set(mixed[first : first + BUFFER])) > 0.6 * BUFFER
    assert max(len(set(hands["hand"][first : first + BUFFER])) for first in range(0, 5 * BUFFER, BUFFER)) < 40


def test_mixed_rows_are_of_all_parts_of_the_store_everywhere(folders: dict[str, Path]) -> None:
    """In each row group the first data file's share of rows is near its share of all."""
    ordered = rows_in(folders["hand"], split="train")["hand_id"].to_pylist()
    first_half = set(ordered[: len(ordered) // 2])
    files = sorted((folders["mixed"] / "play").glob("train-*.parquet"))
    groups = 0
    for path in files:
        file = pq.ParquetFile(path)
        for group in range(file.num_row_groups):
            names = file.read_row_group(group, columns=["hand_id"])["hand_id"].to_pylist()
            share = np.mean([name in first_half for name in names])
            # Pieces of 400 rows are drawn whole: their number, not that of the rows, determines the spread.
            assert abs(share - 0.5) < 4 * 0.5 / np.sqrt(len(names) / 400)
            groups += 1
    assert groups >= 9


def test_a_seed_has_an_order_of_its_own_and_a_store_too(store: Store, tmp_path: Path) -> None:
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        export(store, "kaiser", "npy", tmp_path / name, seed=seed, splits="100,0,0")
    hands = {name: np.load(tmp_path / name / "play" / "train" / "hand_id.npy") for name in "abc"}
    assert (hands["a"] == hands["b"]).all()
    assert (hands["a"] == hands["c"]).mean() < 0.01
    assert Counter(hands["a"].tolist()) == Counter(hands["c"].tolist())


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


def digests(folder: Path) -> dict[str, list[int | str]]:
    """For each kind and split how many rows there are, and the sha256 of all they say, in whatever order."""
    found: dict[str, list[int | str]] = {}
    for kind, split in {(path.parent.name, path.name.split("-")[0]) for path in folder.glob("*/*.parquet")}:
        rows = rows_in(folder, kind, split).sort_by([("hand_id", "ascending"), ("step", "ascending")])
        text = "\n".join(repr(sorted(row.items())) for row in rows.to_pylist())
        found[f"{kind}/{split}"] = [len(rows), hashlib.sha256(text.encode()).hexdigest()]
    return found


@pytest.mark.parametrize("name", EXPECTED)
def test_rows_are_those_that_were_stored_once(name: str, sampled: Store, tmp_path: Path) -> None:
    game, *options = name.split(" ")
    criteria: dict[str, Any] = dict(option.split("=") for option in options)
    what = {"encoder": criteria.pop("encoder", "v1"), "splits": "60,20,20", "seed": 3}
    selection = Selection(**criteria, include_hidden_cards=True)
    said = EXPECTED[name] if isinstance(EXPECTED[name], str) else None
    with pytest.raises(ExportError, match=said.removeprefix("ExportError: ")) if said else nullcontext():
        export(sampled, game, "parquet", tmp_path / "rows", selection=selection, **what)
    assert said or digests(tmp_path / "rows") == EXPECTED[name]


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A few hands. Not to be changed."""
    return of_two_files(tmp_path_factory.mktemp("simulated"), 150, 2_000)


@pytest.mark.parametrize("form", ["parquet", "npy", "npz", "playedhand-csv", "cardlog-jsonl"])
def test_the_same_bytes_however_the_work_is_divided(
    form: str, simulated: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In small portions, with Beam, and in two processes."""
    ways = {"portions": (), "with Beam": BEAM, **({"processes": PROCESSES} if form == "parquet" else {})}
    count = export(simulated, "kaiser", form, tmp_path / "in sequence")
    expected = content(tmp_path / "in sequence")
    assert expected
    monkeypatch.setattr(spec, "PORTION_ROWS", 1)
    monkeypatch.setattr(stored_hands, "RANGE_ROWS", 4_000)
    for way, options in ways.items():
        assert export(simulated, "kaiser", form, tmp_path / way, beam_options=options) == count
        assert content(tmp_path / way) == expected, way
    assert {path.name for path in tmp_path.iterdir()} == {"in sequence", *ways}


def test_an_error_in_a_worker_has_only_its_own_text(simulated: Store, tmp_path: Path) -> None:
    """Beam adds nothing to it, and no file is left behind."""
    none = Selection(dialect="none")
    with pytest.raises(ExportError, match=r"so there is nothing to write$"):
        export(simulated, "kaiser", "parquet", tmp_path / "rows", selection=none, beam_options=BEAM)
    assert list(tmp_path.iterdir()) == []
