"""What can be named as a source, what is passed over, and what is left when a run is killed."""

import contextlib
import gzip
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.ingest.sources import SourceError, examine
from cardlog.pipelines.runtime import scratch
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import dump, dump_lines
from tests.support.forked import CLI, python
from tests.support.stores import ask, ingest, one

ROWS = dump_lines()[:20]


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.csv").write_bytes(dump(*ROWS))
    return folder


# ---------------------------------------------------------------- what is no log


@pytest.mark.parametrize("how", ["folder", "glob"])
def test_what_is_no_log_in_a_folder_is_passed_over(how: str, logs: Path, store: Store) -> None:
    (logs / "README.txt").write_text("These are logs.\n")
    (logs / "b.jsonl").write_text('{"message": 1000000000000000}\n')
    (logs / "a.csv.1").touch()
    result = ingest(store, logs if how == "folder" else f"{logs}/*")
    assert result.counts.hands_stored == len(ROWS)
    assert dict(result.passed_over) == {
        str(logs / "README.txt"): "it is of no known format",
        str(logs / "b.jsonl"): "it is of no known format",
        str(logs / "a.csv.1"): "there is nothing in it",
    }
    with pytest.raises(SourceError, match=r"README\.txt: no known format; name one with --format: .*phh"):
        runs.ingest(store, [str(logs), str(logs / "README.txt")])
    with pytest.raises(SourceError, match=r"there is no format tarot; there are: .*playedhand-csv"):
        examine(str(logs / "a.csv"), "tarot", None, False)


@pytest.mark.parametrize("form", [None, "playedhand-csv"])
@pytest.mark.parametrize("packed", [b"", gzip.compress(b"", mtime=0)], ids=["no bytes", "gzip of no bytes"])
def test_an_empty_file_is_nothing_new(packed: bytes, form: str | None, store: Store, tmp_path: Path) -> None:
    path = tmp_path / "empty.csv"
    path.write_bytes(packed)
    result = runs.ingest(store, [str(path)], Reading(format=form))
    assert (result.sources, result.passed_over) == ([], [(str(path), "there is nothing in it")])
    assert not store.exists


# ---------------------------------------------------------------- pipes and the like


def test_names_that_are_no_text(store: Store, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xe4\xff.csv"
    with open(path, "wb") as log:  # noqa: PTH123
        log.write(dump(*ROWS[:5]))
    folder = tmp_path / "deeper"
    folder.mkdir()
    with open(os.fsencode(folder) + b"/\xfe.csv", "wb") as log:  # noqa: PTH123
        log.write(dump(*ROWS[5:], b"x"))
    ingest(store, os.fsdecode(path), folder)
    assert sorted(ask(store, "select source_path, hands_stored from ingests")) == [
        (f"{tmp_path}/\\xe4\\xff.csv", 5),
        (f"{folder}/\\xfe.csv", 15),
    ]
    assert one(store, "select source_path from quarantine") == f"{folder}/\\xfe.csv"


@pytest.mark.parametrize("kind", ["pipe", "socket", "device"])
def test_what_is_no_file_is_told(kind: str, store: Store, tmp_path: Path) -> None:
    path = tmp_path / "odd"
    with contextlib.ExitStack() as stack:
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "socket":
            stack.enter_context(socket.socket(socket.AF_UNIX)).bind(str(path))
        else:
            path = Path("/dev/zero")
        with pytest.raises(SourceError, match=f"{path}: it is a {kind}, not a file"):
            runs.ingest(store, [str(path)])


@pytest.mark.parametrize("folder", ["/dev/fd", "/proc/self/fd"])
def test_the_end_of_a_pipe_is_read_like_standard_input(folder: str, store: Store) -> None:
    """As in ``cardlog ingest <(zcat …)``."""
    reading, writing = os.pipe()
    with os.fdopen(writing, "wb") as out:
        out.write(dump(*ROWS))
    path = f"{folder}/{reading}"
    try:
        assert ingest(store, path).counts.hands_stored == len(ROWS)
    finally:
        os.close(reading)
    assert one(store, "select source_path from ingests") == path


@pytest.mark.parametrize("path", ["-", "/dev/stdin"])
def test_closed_standard_input_is_told(path: str, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    monkeypatch.setattr(os.path, "lexists", lambda _: True)
    with pytest.raises(SourceError, match="standard input is closed"):
        runs.ingest(store, [path])


# ---------------------------------------------------------------- what killed runs leave


WAITS = """
import sys, tempfile
tempfile.tempdir = sys.argv[1]
from cardlog.pipelines.runtime import scratch
with scratch.folder() as folder:
    open(folder + "/copy", "w").write("a hand")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_a_folder_of_a_killed_process_vanishes_and_that_of_a_live_one_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    command = [sys.executable, "-c", WAITS, str(tmp_path)]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as killed, subprocess.Popen(command, **pipes) as live:
        folders = [Path(process.stdout.readline().strip()) for process in (killed, live)]
        killed.kill()
        killed.wait()
        assert [(folder / "copy").exists() for folder in folders] == [True, True]
        with scratch.folder() as mine:
            assert set(tmp_path.iterdir()) == {folders[1], Path(mine)}
        live.communicate("")
    assert list(tmp_path.iterdir()) == []


DIES = f"""
import os
from cardlog.pipelines.storage.store import Store
commit = Store.commit
Store.commit = lambda self, name, *a, **b: os._exit(9) if name == "events" else commit(self, name, *a, **b)
{CLI}
"""
"""An ingest that dies between its commits."""


@pytest.mark.long
def test_what_a_kill_left_goes(logs: Path, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as folder:  # sockets need a short path
        monkeypatch.setattr("tempfile.tempdir", folder)
        done = python(DIES, "ingest", logs / "a.csv", "--store", store.root, cwd=logs, TMPDIR=folder)
        assert done.returncode == 9
        assert ours_in(folder)
        ingest(store, logs / "a.csv")
        assert ours_in(folder) == []


def ours_in(folder: str) -> list[str]:
    """What is in a temporary folder, but for what Python's own multiprocessing has there."""
    return [path.name for path in Path(folder).iterdir() if not path.name.startswith("pymp-")]
