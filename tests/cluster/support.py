"""Running cardlog's command line on the cluster, and comparing stores row by row and file by file."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pyarrow as pa

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
from tests.support.stores import ALL, ATTEMPTED, NOT_COMPARED

EMBEDDED: Final = ("--runner=FnApiRunner",)


def command(*words: str | Path) -> list[str]:
    """A cardlog command that runs on the cluster."""
    return [sys.executable, "-W", "ignore", "-m", "cardlog", *map(str, words), "--runner", "flink"]


def on_flink(*words: str | Path, stdin: bytes = b"") -> subprocess.CompletedProcess[str]:
    """Run a cardlog command on the cluster."""
    run = subprocess.run(command(*words), input=stdin, capture_output=True, env=os.environ)
    return subprocess.CompletedProcess(run.args, run.returncode, run.stdout.decode(), run.stderr.decode())


def succeed(*words: str | Path, stdin: bytes = b"") -> str:
    """Run a cardlog command on the cluster, which must succeed; returns its output."""
    run = on_flink(*words, stdin=stdin)
    assert run.returncode == 0, run.stderr
    return run.stdout + run.stderr


def in_one_process(store: Store, paths: list[str]) -> None:
    """Ingest and rebuild with the embedded runner."""
    runs.ingest(store, paths, beam_options=EMBEDDED)
    runs.build(store, afresh=True, beam_options=EMBEDDED)


def rows(store: Store, name: str) -> list[str]:
    """The rows of a table that count, as text, sorted."""
    table = pa.concat_tables([store.empty(name), *store.read(name)])
    if name in ATTEMPTED:
        attempts = store.attempts()
        columns = table.column("ingest_id").to_pylist(), table.column("attempt").to_pylist()
        counts = [attempts.get(ingest) == attempt for ingest, attempt in zip(*columns, strict=True)]
        table = table.filter(pa.array(counts, pa.bool_()))
    table = table.drop_columns(list(NOT_COMPARED.get(name, ())))
    return sorted(map(repr, table.to_pylist()))


def footers(store: Store, name: str) -> dict[str, str]:
    """What each data file of a table says about itself."""
    return {path: str(store.open(name, path).metadata.metadata) for path in store.paths(name)}


def assert_same(expected: Store, actual: Store, *, files: bool = True) -> None:
    """Assert that two stores have the same rows and, where files are named by content, the same files."""
    for name in ALL:
        assert rows(actual, name) == rows(expected, name), name
        if files and name not in ATTEMPTED:
            assert footers(actual, name) == footers(expected, name), name
