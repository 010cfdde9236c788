"""A small store with everything in it, made once in a process: 300 rows, 80 damaged ones, and marts."""

import os
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from cardlog.pipelines import runs
from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.store import Store

FIXTURES = Path(__file__).parents[1] / "fixtures" / "kaiser"
SAMPLE = FIXTURES / "playedhand_sample.csv"
EDGE = FIXTURES / "playedhand_edge.csv"

_folder = tempfile.TemporaryDirectory(prefix="cardlog-test-")


@cache
def small_store() -> Store:
    """The store. Not to be changed."""
    store = Store(f"{_folder.name}/store")
    runs.ingest(store, [str(SAMPLE), str(EDGE)])
    runs.build(store)
    warehouse.run_dbt(store)
    return store


def files_of(folder: Path | str) -> dict[str, tuple[int, int]]:
    """Every file in a folder, with its size and the time it was written."""
    return dict(_files(Path(folder)))


def _files(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for parent, _, names in os.walk(folder):
        for name in names:
            stat = (Path(parent) / name).stat()
            yield str(Path(parent) / name), (stat.st_size, stat.st_mtime_ns)
