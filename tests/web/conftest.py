"""The page of a store with all games, and its client."""

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the page needs the extra 'cardlog[web]'")

from starlette.testclient import TestClient

from cardlog.pipelines.storage.store import Store
from tests.support.pages import client_of
from tests.support.shared import demo


@pytest.fixture(scope="session")
def store() -> Store:
    """The demo's logs of all games, with marts. Not to be changed."""
    return demo().store


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[TestClient]:
    """A client that has opened the printed address."""
    with client_of(store) as found:
        yield found
