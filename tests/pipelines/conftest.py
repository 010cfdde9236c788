"""Stores that many tests look at, made once."""

from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import DUMP, EDGE
from tests.support.stores import ingest


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
