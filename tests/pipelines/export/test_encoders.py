"""Encoders of one's own: named ``module:object``, checked before anything is written, in the manifest."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from cardlog.models.kaiser import decisions
from cardlog.pipelines.export.export import ExportError, export
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ingest_text

MODULE = """
import numba
import numpy as np

import cardlog
from cardlog.models.kaiser import decisions


def short(state, seat, observation):
    observation[0] = state.trump
    observation[1] = seat
    observation[2] = state.tricks


@numba.njit
def fast(state, seat, observation):
    observation[0] = state.trump
    observation[1] = seat
    observation[2] = state.tricks


LAYOUT = ("trump", "seat", "trick")
PLAIN = cardlog.Encoder("kaiser", LAYOUT, short, version=7)
COMPILED = cardlog.Encoder("kaiser", LAYOUT, fast)
V1 = cardlog.Encoder("kaiser", tuple(map(str, range(decisions.OBSERVATION_WIDTH))), decisions.observe)

OTHER_GAME = cardlog.Encoder("belote", LAYOUT, short)
TWICE = cardlog.Encoder("kaiser", ("a", "a"), short)
NOTHING = cardlog.Encoder("kaiser", (), short)
TEXT = cardlog.Encoder("kaiser", "abc", short)
NO_FUNCTION = cardlog.Encoder("kaiser", LAYOUT, 3)
VERSION = cardlog.Encoder("kaiser", LAYOUT, short, version=-1)


def too_large(state, seat, observation):
    observation[0] = 300


TOO_LARGE = cardlog.Encoder("kaiser", LAYOUT, too_large)
"""


@pytest.fixture
def store(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A few hands, and a module with encoders in the working folder."""
    ingest_text(store, tmp_path, dump(*dump_lines()[:9]))
    name = f"my_encoders_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.pipelines.export.test_encoders.NAME", name, raising=False)
    return store


NAME = ""


def rows(store: Store, folder: Path, encoder: str, **how: str) -> pa.Table:
    export(store, "kaiser", "parquet", folder / "rows", encoder=encoder, splits="100,0,0", **how)
    return pq.read_table(folder / "rows" / "play")


@pytest.mark.long
@pytest.mark.parametrize(("encoder", "version"), [("PLAIN", 7), ("COMPILED", 1)])
def test_an_encoder_of_ones_own_makes_the_observations(
    encoder: str, version: int, store: Store, tmp_path: Path
) -> None:
    found = rows(store, tmp_path, f"{NAME}:{encoder}", order="hand")
    seen = np.array(found.column("observation").to_pylist())
    assert seen.shape == (9 * 32, 3)
    assert seen[:, 1].tolist() == found.column("seat").to_pylist()
    assert seen[:, 2].tolist() == [row // 4 % 8 for row in range(len(seen))]
    assert set(found.column("encoder").to_pylist()) == {f"{NAME}:{encoder}"}
    manifest = json.loads((tmp_path / "rows" / "manifest.json").read_text())
    assert (manifest["encoder"], manifest["encoder_version"]) == (f"{NAME}:{encoder}", version)
    assert manifest["layout"] == ["trump", "seat", "trick"]


def test_all_but_the_observation_is_as_with_v1(store: Store, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    ours, theirs = rows(store, tmp_path / "a", "v1"), rows(store, tmp_path / "b", f"{NAME}:V1")
    assert len(decisions.DECISION_KINDS) == 2
    for name in ours.column_names:
        if name not in ("encoder", "encoder_version"):
            assert ours.column(name).equals(theirs.column(name)), name


@pytest.mark.parametrize(
    ("encoder", "message"),
    [
        ("{}:NONE", "no encoder .*has no attribute 'NONE'"),
        ("no_such_module:ENCODER", "no encoder .*No module named 'no_such_module'"),
        ("{}:LAYOUT", "it is of the type tuple, not cardlog.Encoder"),
        ("{}:OTHER_GAME", "it is for belote, not for kaiser"),
        ("{}:TWICE", "no name twice"),
        ("{}:NOTHING", "at least one name"),
        ("{}:TEXT", "its layout must be names"),
        ("{}:NO_FUNCTION", "must be a function of state, seat and observation"),
        ("{}:VERSION", "its version must be a number from 0"),
        ("{}:TOO_LARGE", "failed: OverflowError: .*300"),
        ("v9", "kaiser has no encoder 'v9'; there are: v1, module:object"),
    ],
)
def test_what_is_no_encoder_is_told(encoder: str, message: str, store: Store, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=message):
        export(store, "kaiser", "parquet", tmp_path / "rows", encoder=encoder.format(NAME))
    assert not (tmp_path / "rows").exists()
