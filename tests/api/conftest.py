"""The store that tests of the API ask."""

import pytest

import cardlog
from tests.support.shared import small_store


@pytest.fixture(scope="session")
def small() -> cardlog.Store:
    """The small store. Not to be changed."""
    return cardlog.open(small_store().root)
