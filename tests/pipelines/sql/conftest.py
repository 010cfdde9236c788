"""Connections to the stores that tests of marts share, and commands."""

from collections.abc import Iterator

import duckdb
import pytest

from cardlog.pipelines.sql import query
from tests.support.commands import Cardlog, runner
from tests.support.shared import logged_games, played_games


@pytest.fixture(scope="module")
def logged() -> Iterator[duckdb.DuckDBPyConnection]:
    """The marts and tables of all games."""
    with query.connect(logged_games()) as connection:
        yield connection


@pytest.fixture(scope="module")
def played() -> Iterator[duckdb.DuckDBPyConnection]:
    """Those of all games but Kaiser, with simulated hands and more that break off."""
    with query.connect(played_games()) as connection:
        yield connection


@pytest.fixture
def cardlog(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cardlog:
    """Runs a command line in this process."""
    return runner(capfd, monkeypatch)
