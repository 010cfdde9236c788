"""Stores that many tests look at, made once."""

from pathlib import Path

import pytest

from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import dump, dump_lines
from tests.support.shared import edge_store, whole_store
from tests.support.stores import built, stored


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store that is not there yet."""
    return Store(str(tmp_path / "store"))


@pytest.fixture(scope="session")
def whole() -> Store:
    """All 20,000 rows, built. Not to be changed."""
    return whole_store()


@pytest.fixture(scope="session")
def edge() -> Store:
    """The 80 damaged rows, built. Not to be changed."""
    return edge_store()


@pytest.fixture(scope="session")
def good(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Sixty rows of two ingests, ten of them in both, and two that are none, built. Not to be changed."""
    folder = tmp_path_factory.mktemp("good")
    lines = dump_lines()[:60]
    store = stored(Store(str(folder / "store")), folder, dump(*lines[:20], b"no row"), "dump.csv")
    return built(store, folder, dump(*lines[10:], b"neither"), "more.csv")


@pytest.fixture
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed processes leave their folders where pytest clears up."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
