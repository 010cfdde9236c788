"""Stores that many tests look at, made once."""

from pathlib import Path

import pytest

from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.compact import compact
from tests.support import stores
from tests.support.shared import edge_store, whole_store
from tests.support.soak import soak
from tests.support.stores import without_checkpoints


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


@pytest.fixture
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed processes leave their folders where pytest clears up."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


KINDS = {"as it is": [], "compacted": [compact], "bare": [without_checkpoints]}
"""What is done to a store after each ingest."""


@pytest.fixture(params=KINDS)
def any_kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The store is compacted after each ingest, or loses what is not needed to read it."""
    monkeypatch.setattr(stores, "AFTER_INGEST", KINDS[request.param])


@pytest.fixture(params=["as it is", *soak("compacted", "bare")])
def any_kind_soaked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same, but only `make soak` has other kinds than the usual one."""
    monkeypatch.setattr(stores, "AFTER_INGEST", KINDS[request.param])
