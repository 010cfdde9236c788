"""The store for tests of the API, and commands to compare with."""

import pytest

import cardlog
from tests.support.commands import Cardlog, runner
from tests.support.shared import small_store


@pytest.fixture(scope="session")
def small() -> cardlog.Store:
    """The small store. Not to be changed."""
    return cardlog.open(small_store().root)


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cardlog:
    """Runs a command line in this process."""
    return runner(capsys, monkeypatch)
