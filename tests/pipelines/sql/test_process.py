"""A query in a process of its own: whatever DuckDB does, it ends, in bounded memory, and nothing is left."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from cardlog.pipelines.sql import limits, nursery, process
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.storage.errors import StoreError
from cardlog.pipelines.storage.store import Store
from tests.support.shared import small_store

MEMORY: Final = 2**28
ENDLESS: Final = "select max(hash(range)) from range(1_000_000_000_000)"
SLOW: Final = "select levenshtein(repeat('a', 100_000), repeat('b', 100_000))"
"""DuckDB does not hear of an interrupt within a function."""
LARGE: Final = "select repeat('x', 60_000_000) from range(1_000)"
"""DuckDB does not count such strings."""

pytestmark = [
    pytest.mark.skipif(not Path("/proc").exists(), reason="no list of processes here"),
    pytest.mark.long,
]


def children_of(parent: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        if int(fields[1]) == parent and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def nurseries() -> list[int]:
    """The nursery of this process; other tests leave other children."""
    commands = {child: Path(f"/proc/{child}/cmdline").read_bytes() for child in children_of(os.getpid())}
    return [child for child, command in commands.items() if b"import serve; serve()" in command]


def queries() -> list[int]:
    """The processes of queries: children of the nursery."""
    return [query for child in nurseries() for query in children_of(child)]


def wait_for(found: Callable[[], Any]) -> Any:
    """What there is soon: a process that was killed may be listed for a moment, and one starts slowly."""
    for _ in range(1200):
        if there := found():
            return there
        time.sleep(0.05)
    pytest.fail("it does not come to that")


def nothing_left() -> bool:
    return wait_for(lambda: not queries())


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """And who waits for a process that nobody kills is woken by an alarm, again and again, and fails."""
    process.take(None)  # what other tests have kept
    assert nothing_left()
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it does not end"))
    signal.setitimer(signal.ITIMER_REAL, 120, 1)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    for query in queries():
        os.kill(query, signal.SIGKILL)


@pytest.mark.parametrize("sql", [ENDLESS, SLOW])
def test_a_query_that_takes_too_long_is_killed(sql: str) -> None:
    with process.connect(small_store(), limits=Limits(MEMORY, 0.3)) as connection:
        with pytest.raises(QueryError, match=r"longer than 0\.3 s and was stopped; --timeout SECONDS"):
            connection.run(sql).fetchall()
        assert nothing_left()


def test_memory_that_duckdb_does_not_count_is_limited_too() -> None:
    with process.connect(small_store(), limits=Limits(MEMORY)) as connection:
        [query] = queries()
        most = 0

        def watch() -> None:
            nonlocal most
            status = Path(f"/proc/{query}/statm")
            while status.exists():
                most = max(most, int(status.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE"))
                time.sleep(0.005)

        watching = threading.Thread(target=watch)
        watching.start()
        with pytest.raises(QueryError, match="more than 256MiB of memory; --memory or CARDLOG_MEMORY"):
            connection.run(LARGE).fetchall()
        watching.join()
    assert MEMORY / 4 < most < 6 * MEMORY
    assert nothing_left()


def test_a_process_that_dies_is_reported() -> None:
    with process.connect(small_store(), limits=Limits(MEMORY)) as connection:
        [query] = queries()
        os.kill(query, signal.SIGKILL)
        with pytest.raises(QueryError, match="the process of the query ended; it may need more than 256MiB"):
            connection.run("select 1").fetchall()


def test_a_nursery_that_dies_is_replaced() -> None:
    process.ask(small_store(), "select 1").close()
    [nursery] = nurseries()
    os.kill(nursery, signal.SIGKILL)
    with process.ask(small_store(), "select 1") as connection:
        assert connection.fetchall() == [(1,)]


def test_a_connection_that_is_dropped_ends_its_process() -> None:
    connection = process.ask(small_store(), "select 1")
    assert len(queries()) == 1
    del connection
    assert nothing_left()


def test_errors_are_what_they_are_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        process.connect(Store(str(tmp_path / "none")))
    monkeypatch.setenv(limits.MEMORY_VARIABLE, "1MB")
    with pytest.raises(limits.LimitError, match="too small"):
        process.connect(small_store())
    assert nothing_left()


def test_without_memory_to_load_the_libraries_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "_nursery", None)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(QueryError, match="no process can be started for the query; there may be too little"):
        process.connect(small_store())


@pytest.mark.parametrize(("sql", "signal_sent"), [(ENDLESS, "SIGINT"), (SLOW, "SIGINT"), (SLOW, "SIGKILL")])
def test_a_query_ends_with_ctrl_c_or_with_the_program_that_asked(
    sql: str, signal_sent: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "cardlog", "query", sql, "--file", "out.csv"]
    command += ["--store", small_store().root]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    busy = wait_for(lambda: [query for child in children_of(running.pid) for query in children_of(child)])[0]
    time.sleep(0.5)  # it has been given the query
    running.send_signal(signal.Signals[signal_sent])
    _, said = running.communicate(timeout=60)
    if signal_sent == "SIGINT":
        assert (running.returncode, said) == (130, "cardlog: interrupted; nothing half done is visible\n")
        assert not list(tmp_path.iterdir())
    wait_for(lambda: not Path(f"/proc/{busy}").exists())
