"""Stores that many tests look at, made once."""

import os
from pathlib import Path

import pytest
from csv_rows import DUMP, EDGE
from stores import ingest

from pipelines import runs
from pipelines.store import Store

# The server that forks processes for tests imports modules of this folder.
os.environ["PYTHONPATH"] = os.pathsep.join([os.environ["PYTHONPATH"], str(Path(__file__).parent)])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store that is not there yet."""
    return Store(str(tmp_path / "store"))


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """All 20,000 rows, built. Not to be changed."""
    store = Store(str(tmp_path_factory.mktemp("whole") / "store"))
    ingest(store, DUMP)
    runs.build(store)
    return store


@pytest.fixture(scope="session")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The 80 damaged rows, built. Not to be changed."""
    store = Store(str(tmp_path_factory.mktemp("edge") / "store"))
    ingest(store, EDGE)
    runs.build(store)
    return store
