"""A server with tables, and journals that tests of the tables begin."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from cardlog.pipelines.storage.store import Store
from cardlog.web.play import rooms
from cardlog.web.play.journal import Journal
from tests.support.pages import client_of


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    found = Store(str(tmp_path / "store"))
    found.create()
    return found


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client with the site's token; the module's tables are all at one server of a store of its own."""
    store = Store(str(tmp_path_factory.mktemp("played") / "store"))
    store.create()
    with client_of(store) as found:
        yield found


@pytest.fixture
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled is compiled once, not for each server."""
    monkeypatch.setattr(rooms, "warm_up", lambda game: None)


@pytest.fixture(autouse=True)
def closed_journals(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Close the files of those that a test leaves as a killed server would."""
    begun: list[Journal] = []
    begin = Journal.__init__

    def noted(self: Journal, *args: object) -> None:
        begin(self, *args)  # type: ignore[arg-type]
        begun.append(self)

    monkeypatch.setattr(Journal, "__init__", noted)
    yield
    for journal in begun:
        journal.close()
