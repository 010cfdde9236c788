"""The page of a store with all games, and its client."""

import random
from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the page needs the extra 'cardlog[web]'")

from starlette.testclient import TestClient

from cardlog.pipelines.storage.store import Store
from tests.support.pages import client_of
from tests.support.shared import logged_games


@pytest.fixture(autouse=True)
def _dealt_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables take their randomness from the system; here a test sees the same cards in every run."""
    monkeypatch.setattr(random.SystemRandom, "getrandbits", random.Random(1).getrandbits)


@pytest.fixture(scope="session")
def store() -> Store:
    """The logs of all games, with marts. Not to be changed."""
    return logged_games()


@pytest.fixture(scope="module")
def client(store: Store) -> Iterator[TestClient]:
    """A client that has opened the printed address."""
    with client_of(store) as found:
        yield found
