"""A query in a process of its own: whatever DuckDB does, it ends, in bounded memory, and nothing is left."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

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


def left() -> list[int]:
    """The processes of queries that do not end; one that was killed may be listed for a moment."""
    for _ in range(200):
        if not queries():
            break
        time.sleep(0.05)
    return queries()


@pytest.fixture(autouse=True)
def nothing_is_left() -> None:
    process.take(None)  # what other tests have kept
    assert left() == []


@pytest.mark.parametrize("sql", [ENDLESS, SLOW])
def test_a_query_that_takes_too_long_is_killed(sql: str) -> None:
    with process.connect(small_store(), limits=Limits(MEMORY, 0.3)) as connection:
        with pytest.raises(QueryError, match=r"longer than 0\.3 s and was stopped; --timeout SECONDS"):
            connection.run(sql).fetchall()
        assert left() == []


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
    assert left() == []


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
    assert left() == []


def test_errors_are_what_they_are_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(StoreError, match="there is no store"):
        process.connect(Store(str(tmp_path / "none")))
    monkeypatch.setenv(limits.MEMORY_VARIABLE, "1MB")
    with pytest.raises(limits.LimitError, match="too small"):
        process.connect(small_store())
    assert left() == []


def test_without_memory_to_load_the_libraries_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nursery, "_nursery", None)
    monkeypatch.setattr(sys, "path", [])
    with pytest.raises(QueryError, match="no process can be started for the query; there may be too little"):
        process.connect(small_store())


@pytest.mark.parametrize("sql", [ENDLESS, SLOW])
def test_ctrl_c_ends_a_query(sql: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cardlog", "query", sql, "--file", "out.csv"]
    command += ["--store", small_store().root]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    busy = wait_for_query(running.pid)
    time.sleep(0.5)  # it has been given the query
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (130, "cardlog: interrupted; nothing half done is visible\n")
    assert has_ended(busy)
    assert not list(tmp_path.iterdir())


def test_a_query_ends_with_the_program_that_asked(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "cardlog", "query", SLOW, "--store", small_store().root]
    running = subprocess.Popen(command, cwd=tmp_path)
    busy = wait_for_query(running.pid)
    running.kill()
    running.wait()
    assert has_ended(busy)


def has_ended(busy: int) -> bool:
    """Whether a process has ended, or does so soon."""
    for _ in range(600):
        if not Path(f"/proc/{busy}").exists():
            return True
        time.sleep(0.05)
    return False


def wait_for_query(program: int) -> int:
    """The process of a program's query, once there is one."""
    for _ in range(1200):
        found = [query for child in children_of(program) for query in children_of(child)]
        if found:
            return found[0]
        time.sleep(0.05)
    pytest.fail("the query does not start")
