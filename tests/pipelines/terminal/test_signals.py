"""SIGINT, SIGTERM and SIGHUP: a run ends soon with a message and leaves nothing behind."""

import re
import signal
from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import SCHEMAS, Store
from tests.support.csv_rows import EDGE, SAMPLE
from tests.support.forked import python
from tests.support.stores import copied

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
STORE = ("--store", "store")
EXPORT = ("export", "--game", "kaiser", "out", *STORE, "--format")
CASES = {
    "a simulation": ("export.simulate.batches", "simulate", "--game", "kaiser", "--hands", "5", "log.csv"),
    "an ingest": ("ingest.ingest.finish", "ingest", str(SAMPLE), *STORE),
    "a build": ("derive.derive.commit", "rebuild", *STORE),
    "dbt": ("sql.dbt_run.invoke", "build", *STORE),
    "an export of rows": ("export.training.describe", *EXPORT, "parquet"),
    "an export of hands": ("export.playedhand_csv.write", *EXPORT, "playedhand-csv"),
}
"""The function that a run calls when it gets the signal, and its command line."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store without marts. Not to be changed."""
    store = Store(str(tmp_path_factory.mktemp("built") / "store"))
    runs.ingest(store, [str(EDGE)])
    runs.build(store)
    return store


@pytest.mark.parametrize("then", [GENTLE, STUCK], ids=["gently", "stuck"])
@pytest.mark.parametrize(
    ("case", "number"),
    [*zip(CASES, SIGNALS * 2, strict=True), *(("a simulation", number) for number in SIGNALS[1:])],
)
def test_a_run_ends_with_its_signal(case: str, number: int, then: str, built: Store, tmp_path: Path) -> None:
    """Normally, and if it is stuck where no Python signal handler runs."""
    function, *line = CASES[case]
    module, _, name = function.rpartition(".")
    code = ONCE.format(module=module, name=name, then=then.format(number=int(number)))
    store = copied(built, tmp_path / "store")
    (tmp_path / "tmp").mkdir()
    seen = {path for path in Path(store.root).rglob("*") if path.suffix != ".parquet"}
    done = python(code, *line, cwd=tmp_path, TMPDIR=str(tmp_path / "tmp"))
    said = re.sub(r"^dbt builds.*\n", "", done.stderr.decode())
    assert (done.returncode, said) == (128 + number, SAID)
    assert {path.name for path in tmp_path.iterdir()} == {"store", "tmp"}
    assert list((tmp_path / "tmp").glob("cardlog-*")) == []
    for name in SCHEMAS:
        assert store.table(name).version() == built.table(name).version()
    left = {path for path in Path(store.root).rglob("*") if path.suffix != ".parquet"} - seen
    assert [path for path in left if ".dbt" not in path.parts] == []


def test_where_they_are_ignored_they_stay_so(tmp_path: Path) -> None:
    """As under nohup."""
    code = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + ONCE.format(
        module="export.simulate", name="batches", then=GENTLE.format(number=int(signal.SIGHUP))
    )
    done = python(code, *CASES["a simulation"][1:], cwd=tmp_path)
    assert done.returncode == 0
    assert (tmp_path / "log.csv").exists()
