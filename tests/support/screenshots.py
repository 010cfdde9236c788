"""Take the pictures of the page that are in docs: ``python -m tests.support.screenshots docs/web``."""

import io
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import Any, Final, NamedTuple

from PIL import Image
from playwright.sync_api import Page

import cardlog
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal import demo
from tests.support.browser import CHROMIUM, NO_BROWSER, Visit, chromium, opened, served
from tests.support.pages import asked, hand_of
from tests.support.seated import MAY_CHOOSE, choose, is_over, sit_down

MOST_BYTES: Final = 170_000
STORE: Final = "store"


class Picture(NamedTuple):
    """A picture: the hand is the first of its game for which SQL over `playedhand` and `events` says so."""

    name: str
    path: str
    dark: bool = False
    narrow: bool = False


AT_TABLES: Final = (
    Picture("play", "kaiser"),
    Picture("play_narrow", "pinochle", dark=True, narrow=True),
    Picture("play_poker", "five_card_draw"),
)
"""Tables that are played at; `path` is the game. Deals are random, so no two pictures are the same."""


def _most(store: Store, game: str, kind: str) -> str:
    """The hand with most events of a kind."""
    sql = f"count(*) filter (kind = '{kind}') desc, max(seat) desc, hand_id limit 1"
    sql = f"select hand_id from events where game = ? group by 1 order by {sql}"
    return str(asked(store, ["events"], sql, game)[0][0])


def pictures(store: Store) -> list[Picture]:
    kaiser = hand_of(store, "kaiser", "declarer = 3")
    belote, poker = _most(store, "belote", "meld"), _most(store, "five_card_draw", "bid")
    pinochle, ruter_sju = (hand_of(store, game, "status = 'complete'") for game in ("pinochle", "ruter_sju"))
    return [
        Picture("kaiser", f"/hand/{kaiser}?step=20&seat=3"),
        Picture("belote", f"/hand/{belote}?step=11"),
        Picture("ruter_sju", f"/hand/{ruter_sju}?step=36", dark=True),
        Picture("pinochle", f"/hand/{pinochle}?step=13"),
        Picture("five_card_draw", f"/hand/{poker}?step=34", dark=True),
        Picture("narrow", f"/hand/{kaiser}?step=21&seat=3", narrow=True),
        Picture("charts", "/charts?game=kaiser"),
        Picture("store", "/"),
    ]


def take(folder: Path) -> None:
    """Make a store of the demo's logs and take all pictures into a folder."""
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, chdir(scratch):  # pages name the store by its path
        store = cardlog.open(STORE)
        store.ingest(demo.logs())
        store.build()
        with served(STORE) as address, chromium() as browser:
            for picture in pictures(Store(STORE)):
                with opened(browser, address, **_how(picture)) as visit:
                    page = visit.to(picture.path)
                    page.wait_for_timeout(300)
                    _keep(page, folder, picture.name)
            for picture in AT_TABLES:
                with opened(browser, address, **_how(picture)) as visit:
                    _keep(_at_table(visit, picture.path), folder, picture.name)


def _how(picture: Picture) -> dict[str, Any]:
    size = {"width": 360, "height": 780} if picture.narrow else {"width": 1160, "height": 800}
    return {"color_scheme": "dark" if picture.dark else "light", "viewport": size}


def _at_table(visit: Visit, game: str) -> Page:
    """A table of a game, where a card is to be chosen and others lie on the table."""
    while True:
        page = sit_down(visit, game)
        while not is_over(page):
            page.wait_for_selector(MAY_CHOOSE)
            picks = page.locator(".at-s .pick")
            if picks.count() > 1 and page.locator(".middle .card").count() % 4 != 0:
                return page
            if picks.count() > 1 and picks.first.get_attribute("aria-pressed"):
                picks.nth(3).click()
                picks.nth(4).click()
                return page
            choose(page)


def _keep(page: Page, folder: Path, name: str) -> None:
    out = folder / f"{name}.png"
    out.write_bytes(packed(page.screenshot()))
    size = out.stat().st_size
    print(f"{out}: {size:,} bytes")
    assert size < MOST_BYTES, f"{out} is too large"


def packed(png: bytes) -> bytes:
    """A PNG compressed as well as can be; browsers compress in haste."""
    out = io.BytesIO()
    Image.open(io.BytesIO(png)).save(out, "png", optimize=True)
    return out.getvalue()


if __name__ == "__main__":
    if CHROMIUM is None:
        sys.exit(NO_BROWSER)
    take(Path(sys.argv[1]))
