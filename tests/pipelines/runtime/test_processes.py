"""Work in processes: results in order, errors, and workers that end."""

import os
import pickle
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from cardlog.pipelines.ingest import ingest as ingesting
from cardlog.pipelines.ingest.source_bytes import SourceError
from cardlog.pipelines.ingest.sources import examine
from cardlog.pipelines.runtime import processes
from cardlog.pipelines.runtime.processes import in_processes
from cardlog.pipelines.storage.store import Store
from tests.support.stores import ALL, FIXTURES, assert_same, ingest

pytestmark = pytest.mark.long

LOGS = (
    FIXTURES.parent / "pinochle" / "protocol_sample.txt",
    FIXTURES.parent / "belote" / "transcripts_sample.txt",
)


@pytest.fixture(autouse=True)
def two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "cores", lambda: 2)


def test_results_come_in_their_order_from_other_processes() -> None:
    assert in_processes(partial(pow, 2), range(20)) == [2**number for number in range(20)]
    assert in_processes(os.path.dirname, []) == []
    assert os.getpid() not in in_processes(eval, ["__import__('os').getpid()"] * 4)


def test_what_work_prints_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    assert in_processes(print, ["a", "b"]) == [None, None]
    assert sorted(capfd.readouterr().err.split()) == ["a", "b"]


def test_an_error_is_raised_here() -> None:
    with pytest.raises(SourceError, match="no format"):
        in_processes(partial(examine, format_name="x", dataset=None, final=False), ["a", "b"])


def test_a_worker_that_is_killed_is_noticed() -> None:
    with pytest.raises(RuntimeError, match="worker has ended, with -9"):
        in_processes(_kill, [signal.SIGKILL] * 2)


def _kill(number: int) -> None:
    os.kill(os.getpid(), number)


def test_a_worker_ends_without_a_word_when_its_starter_is_gone_before_it_answers() -> None:
    command, pipe = [sys.executable, "-m", processes.__name__], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe) as worker:
        assert worker.stdin
        assert worker.stdout
        assert worker.stderr
        worker.stdout.close()
        worker.stdin.write(pickle.dumps((abs, -1)))
        worker.stdin.close()
        assert worker.stderr.read() == b""
        assert worker.wait() == 0


def test_processes_read_what_threads_read(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(store, *LOGS)
    monkeypatch.setattr(ingesting, "MOST_BYTES_IN_THREADS", 0)
    other = Store(str(tmp_path / "other"))
    ingest(other, *LOGS)
    assert_same(store, other, ALL[:3])
