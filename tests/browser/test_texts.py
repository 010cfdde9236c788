"""What scripts say is in the catalogue, too: on the page of a hand, and at a table until a hand is over."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from cardlog import models
from cardlog.pipelines.storage.store import Store
from tests.support import pseudo
from tests.support.browser import checked, served
from tests.support.pages import DEALT_ALIKE, Server, hand_of
from tests.support.seated import MOST_CHOICES, choose, sit_down

pytestmark = pytest.mark.browser
DATA = {name for game in models.GAMES.values() for name in game.playing().names}
IN_ANOTHER_LANGUAGE = """\
import pathlib
from cardlog.pipelines.text import texts
texts.LOCALE = pathlib.Path({!r})
"""


@pytest.fixture(scope="module")
def address(browser: Browser, store: Store, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that speaks the language of marks."""
    folder = tmp_path_factory.mktemp("locale")
    pseudo.install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Server, "before", IN_ANOTHER_LANGUAGE.format(str(folder)) + DEALT_ALIKE)
        with served(store.root, "--play", str(folder / "play")) as found:
            yield found


@pytest.mark.parametrize("game", models.GAMES)
def test_no_text_of_a_hand_or_a_table_bypasses_it(
    browser: Browser, address: str, store: Store, game: str
) -> None:
    with checked(browser, address, locale=pseudo.LANGUAGE) as visit:
        page = visit.to(f"/hand/{hand_of(store, game)}")
        for key in ("Home", "ArrowDown", "ArrowDown", "ArrowRight", "h", "End", " "):
            page.keyboard.press(key)
            assert pseudo.bypassing(page.content(), DATA) == [], key
        page = sit_down(visit, game)
        for number in range(MOST_CHOICES):
            ask = page.locator(".at-s .ask").first
            if number % 4 == 0 and ask.count():
                ask.click()
                page.wait_for_selector("#notice:not([hidden])")
            assert pseudo.bypassing(page.content(), DATA) == [], number
            if not choose(page):
                break
