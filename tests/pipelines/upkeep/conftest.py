"""A store to erase from."""

from pathlib import Path

import pytest

from cardlog.pipelines.storage.store import Store
from tests.support.persons import persons
from tests.support.stores import copied


@pytest.fixture
def full() -> Store:
    """Hands of a person. Not to be changed."""
    return persons()


@pytest.fixture
def erasable(full: Store, tmp_path: Path) -> Store:
    """A copy of it."""
    return copied(full, tmp_path / "erasable")
