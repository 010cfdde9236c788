"""What is small enough to be judged by the rules as plain Python, without waiting for a compiler."""

import subprocess
import sys
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.runtime import uncompiled
from cardlog.pipelines.storage.store import Store
from tests.support.commands import users_environment
from tests.support.stores import ALL, FIXTURES, assert_same, ingest, one

LOGS = (
    "belote/transcripts_sample.txt",
    "five_card_draw/games_sample.txt",
    pytest.param("kaiser/playedhand_edge.csv", marks=pytest.mark.soak),
    pytest.param("ruter_sju/sample.txt", marks=pytest.mark.soak),
    pytest.param("pinochle/protocol_sample.txt", marks=pytest.mark.soak),
)
"""The two whose rules take longest to compile, and the others in long runs."""


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Notes each time that a run is made uncompiled."""
    found: list[bool] = []
    monkeypatch.setattr(uncompiled, "run_uncompiled", lambda: found.append(True))
    return found


@pytest.mark.parametrize(
    ("name", "size"), [("a.txt", 1), ("a.csv", 1 / 8), ("a.txt.gz", 1 / 10), ("a.csv.gz", 1 / 80)]
)
def test_long_logs_are_compiled(noted: list[bool], name: str, size: float, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(bytes(int(size * uncompiled.MOST_BYTES) + 1))
    (tmp_path / "store").mkdir()
    for path in (tmp_path / name, tmp_path):
        uncompiled.run_small_uncompiled(str(tmp_path / "store"), iter([str(path)]))
    assert not noted


def test_a_store_with_many_events_is_compiled(noted: list[bool], tmp_path: Path) -> None:
    """Few new hands may be compared with all that it has."""
    files = tmp_path / "store" / "events" / "game=kaiser"
    files.mkdir(parents=True)
    (files / "a.parquet").write_bytes(bytes(uncompiled.MOST_BYTES))
    uncompiled.run_small_uncompiled(str(tmp_path / "store"))
    assert noted
    (files / "b.parquet").write_bytes(b"x")
    uncompiled.run_small_uncompiled(str(tmp_path / "store"))
    assert len(noted) == 1


OVERFLOW = """
import os
from cardlog.pipelines.runtime import uncompiled
uncompiled.run_uncompiled()
import numpy as np
print(os.environ["NUMBA_DISABLE_JIT"], flush=True)
try:
    np.int8(100) + np.int8(100)
except RuntimeWarning as error:
    uncompiled.restart_compiled(ValueError("another error"))
    uncompiled.restart_compiled(error)
"""


def test_a_number_that_is_too_large_for_its_type_needs_compiled_code() -> None:
    program = [sys.executable, "-W", "ignore", "-c", OVERFLOW]
    done = subprocess.run(program, env=users_environment(), capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["1", "0"]


@pytest.mark.long
@pytest.mark.parametrize("log", LOGS)
def test_the_command_line_compiles_nothing_and_gives_the_same_rows(
    log: str, store: Store, tmp_path: Path
) -> None:
    path, cache, small = tmp_path / Path(log).name, tmp_path / "cache", Store(str(tmp_path / "small"))
    path.write_bytes(b"=== ".join((FIXTURES.parent / log).read_bytes().split(b"=== ")[:3]))
    for command in (["ingest", str(path)], ["build", "--no-marts"]):
        program = [sys.executable, "-m", "cardlog.pipelines.terminal.cli", *command, "--store", small.root]
        environment = users_environment(NUMBA_CACHE_DIR=str(cache))
        done = subprocess.run(program, env=environment, capture_output=True, text=True, check=True)
        assert "Warning" not in done.stderr
    assert not any(cache.rglob("*.nbi"))
    ingest(store, path)
    runs.build(store)
    assert one(store, "select count(*) from decisions") > 0
    assert_same(store, small, ALL)
