"""The same tables from every runner."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.runtime import beam_runs
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import EDGE, SAMPLE, changed, dump, dump_lines
from tests.support.soak import soak
from tests.support.stores import RECORDS, assert_same, ingest

pytestmark = pytest.mark.long

RUNNERS = {
    "one process": ["--runner=FnApiRunner"],
    "bundles twice": ["--direct_runner_bundle_repeat=1"],
    "threads": ["--direct_num_workers=2", "--direct_running_mode=multi_threading"],
    "processes": ["--direct_num_workers=2", "--direct_running_mode=multi_processing"],
    "portable": ["--runner=PortableRunner", "--job_endpoint=embed", "--environment_type=LOOPBACK"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[list[Path]]:
    """Two rounds of files that overlap, with damaged rows, repeated and contradicting ones."""
    folder = tmp_path_factory.mktemp("files")
    rows = dump_lines()
    otherwise = [changed(line, player_0_ai="t", player_1_ai="t") for line in rows[:600]]
    texts = {
        "a": [*rows[:60], *rows[20:30], *otherwise[40:50]],
        "b": [*rows[50:100], *otherwise[:5]],
        "c": rows[80:140],
        "d": [*rows[130:180], *rows[170:175]],
        "e": [*rows[160:240], *otherwise[100:110]],
    }
    for name, lines in texts.items():
        (folder / f"{name}.csv").write_bytes(dump(*lines))
    a, b, c, d, e = (folder / f"{name}.csv" for name in texts)
    return [[a, b, c, d, EDGE], [SAMPLE, e]]


def run(store: Store, files: list[list[Path]], options: list[str], watch: Any = runs.no_watch) -> Store:
    for paths in files:
        ingest(store, *paths, beam_options=options, watch=watch)
        runs.build(store, beam_options=options, watch=watch)
    return store


@pytest.fixture(scope="module")
def expected(files: list[list[Path]], tmp_path_factory: pytest.TempPathFactory) -> dict[int, Store]:
    """The tables of runs in sequence, without Beam, by how many of the rounds they were given."""
    folder = tmp_path_factory.mktemp("expected")
    return {rounds: run(Store(str(folder / str(rounds))), files[:rounds], []) for rounds in (1, 2)}


ROUNDS = {"one process": 1, "bundles twice": 2, "threads": 1, "portable": 1}
"""How many rounds a runner is given in the unit run."""


class Pids:
    """A watch that notes which processes had a part in each run."""

    def __init__(self) -> None:
        self.seen: dict[str, set[int]] = {}

    @contextmanager
    def __call__(self, title: str, folder: str, units: int) -> Iterator[None]:
        yield
        found = {int(path.name.split("-", 1)[0]) for path in Path(folder).iterdir()}
        self.seen.setdefault(title, set()).update(found)


@pytest.mark.parametrize(("name", "rounds"), [*ROUNDS.items(), *soak(*((name, 2) for name in RUNNERS))])
def test_every_runner_gives_the_same_rows(
    name: str,
    rounds: int,
    files: list[list[Path]],
    expected: dict[int, Store],
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pids = Pids()
    monkeypatch.setattr("cardlog.pipelines.derive.derive.ITEM_ROWS", 2_000)
    run(store, files[:rounds], RUNNERS[name], pids)
    assert_same(expected[rounds], store)
    mine = {os.getpid()}
    if name == "processes":
        assert all(not seen & mine and len(seen) >= 2 for seen in pids.seen.values()), pids.seen
    else:
        assert pids.seen == {"ingest": mine, "build": mine}


def test_two_processes_ingest_the_same_rows(
    files: list[list[Path]], expected: dict[int, Store], store: Store, capfd: pytest.CaptureFixture[str]
) -> None:
    """They print nothing; Beam's own workers print their logs."""
    pids = Pids()
    ingest(store, *files[0], beam_options=RUNNERS["processes"], watch=pids)
    assert_same(expected[1], store, RECORDS)
    assert len(pids.seen["ingest"] - {os.getpid()}) == len(pids.seen["ingest"]) >= 2
    assert capfd.readouterr() == ("", "")


def test_default_runner_downloads_nothing() -> None:
    assert beam_runs.options([]).get_all_options()["runner"] == "FnApiRunner"
    assert beam_runs.options(["--runner=PortableRunner"]).get_all_options()["runner"] == "PortableRunner"
