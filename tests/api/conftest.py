"""The store for tests of the API."""

import pytest

import cardlog
from tests.support.shared import small_store


@pytest.fixture(scope="session")
def small() -> cardlog.Store:
    """The small store. Not to be changed."""
    return cardlog.open(small_store().root)
