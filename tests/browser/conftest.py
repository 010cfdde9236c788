"""A browser and a served store.

Playwright runs an event loop as long as there is a browser, so that it ends with each module: other tests of
the process would find that loop running.
"""

from collections.abc import Iterator

import pytest

pytest.importorskip("starlette", reason="the page needs the extra 'cardlog[web]'")
pytest.importorskip("playwright", reason="tests in a browser need playwright")

from playwright.sync_api import Browser

from cardlog.pipelines.storage.store import Store
from tests.support.browser import CHROMIUM, NO_BROWSER, checked, chromium, served
from tests.support.shared import logged_games


@pytest.fixture(scope="session")
def store() -> Store:
    """The logs of all games, with marts. Not to be changed."""
    return logged_games()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; without it these tests are skipped."""
    if CHROMIUM is None:
        pytest.skip(NO_BROWSER)
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(browser: Browser, store: Store) -> Iterator[str]:
    """The address that the server printed."""
    with served(store.root) as found:
        yield found


@pytest.fixture
def visit(browser: Browser, address: str):
    """A checked window."""
    with checked(browser, address) as found:
        yield found
