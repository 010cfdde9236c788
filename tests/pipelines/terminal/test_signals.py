"""SIGINT, SIGTERM and SIGHUP: a run ends soon with a message and leaves nothing behind."""

import re
import signal
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import SCHEMAS, Store
from tests.support.csv_rows import EDGE, SAMPLE
from tests.support.files import files_of
from tests.support.forked import python

pytestmark = pytest.mark.long

SAID = "cardlog: interrupted; nothing half done is visible\n"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

ONCE = """
import os, signal, sys, threading, time
from cardlog.pipelines.runtime import leftovers
from cardlog.pipelines.terminal import cli
import cardlog.pipelines.{module}
found = sys.modules["cardlog.pipelines.{module}"]
once = found.{name}
def signalled(*arguments, **named):
    found.{name} = once
    {then}
    return once(*arguments, **named)
found.{name} = signalled
cli.main(sys.argv[1:])
"""
"""A command that gets a signal when it first calls a function."""
GENTLE = "os.kill(os.getpid(), {number})"
STUCK = """
    import ctypes
    leftovers.GRACE_SECONDS = 0.3
    lock, mutex = ctypes.CDLL(None).pthread_mutex_lock, ctypes.create_string_buffer(64)
    lock(mutex)
    threading.Timer(0.1, os.kill, (os.getpid(), {number})).start()
    lock(mutex)
"""
"""Blocks where no Python signal handler runs, as in a long query."""


def signalled(
    folder: Path, number: int, function: str, *line: str | Path, then: str = GENTLE
) -> tuple[int, str]:
    """Exit code and messages of a command that gets a signal when it calls a function."""
    module, _, name = function.rpartition(".")
    code = ONCE.format(module=module, name=name, then=then.format(number=int(number)))
    (folder / "tmp").mkdir(exist_ok=True)
    done = python(code, *line, cwd=folder, TMPDIR=str(folder / "tmp"))
    assert list((folder / "tmp").glob("cardlog-*")) == []
    return done.returncode, re.sub(r"^dbt builds.*\n", "", done.stderr.decode())


@pytest.fixture
def store(tmp_path: Path) -> Store:
    store = Store(str(tmp_path / "store"))
    runs.ingest(store, [str(EDGE)])
    return store


def versions(store: Store) -> list[int]:
    return [store.table(name).version() for name in SCHEMAS]


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("then", [GENTLE, STUCK], ids=["gently", "stuck"])
def test_a_simulation(number: int, then: str, tmp_path: Path) -> None:
    """Normally, and if it is stuck where no Python signal handler runs."""
    line = ("simulate", "--game", "kaiser", "--hands", "5", "log.csv")
    assert signalled(tmp_path, number, "export.simulate.batches", *line, then=then) == (128 + number, SAID)
    assert [path.name for path in tmp_path.iterdir()] == ["tmp"]


@pytest.mark.parametrize("then", [GENTLE, STUCK], ids=["gently", "stuck"])
def test_an_ingest(then: str, store: Store, tmp_path: Path) -> None:
    before = versions(store)
    line = ("ingest", SAMPLE, "--store", store.root)
    assert signalled(tmp_path, signal.SIGTERM, "ingest.ingest.finish", *line, then=then) == (143, SAID)
    assert versions(store) == before


@pytest.mark.parametrize("then", [GENTLE, STUCK], ids=["gently", "stuck"])
def test_a_build(then: str, store: Store, tmp_path: Path) -> None:
    before = versions(store)
    line = ("build", "--store", store.root)
    assert signalled(tmp_path, signal.SIGTERM, "derive.derive.commit", *line, then=then) == (143, SAID)
    assert versions(store) == before
    runs.build(store)
    seen = files_of(store.root)
    assert signalled(tmp_path, signal.SIGHUP, "sql.dbt_run.invoke", *line, then=then) == (129, SAID)
    left = {path for path in set(files_of(store.root)) - set(seen) if ".dbt" not in path}
    assert left == set()


@pytest.mark.parametrize("then", [GENTLE, STUCK], ids=["gently", "stuck"])
@pytest.mark.parametrize("form", ["parquet", "playedhand-csv"])
def test_an_export(form: str, then: str, store: Store, tmp_path: Path) -> None:
    runs.build(store)
    function = "export.training.describe" if form == "parquet" else "export.playedhand_csv.write"
    line = ("export", "--game", "kaiser", "--format", form, "out", "--store", store.root)
    assert signalled(tmp_path, signal.SIGTERM, function, *line, then=then) == (143, SAID)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store", "tmp"]


def test_where_they_are_ignored_they_stay_so(tmp_path: Path) -> None:
    """As under nohup."""
    code = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + ONCE.format(
        module="export.simulate", name="batches", then=GENTLE.format(number=int(signal.SIGHUP))
    )
    done = python(code, "simulate", "--game", "kaiser", "--hands", "5", "log.csv", cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "log.csv").exists()
