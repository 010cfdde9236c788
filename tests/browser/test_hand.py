"""A hand in a real browser: keys, buttons, touch, the address, and what is on the table."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cardlog import models
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.storage.store import Store
from tests.support.browser import Visit, checked, opened
from tests.support.pages import hand_of, made

pytestmark = pytest.mark.browser
MOST_MILLISECONDS = 100
"""Of a step, on a machine that has other things to do."""
SIZES = {"wide": (1280, 900), "narrow": (360, 780)}


def step_of(visit: Visit) -> int:
    return int(visit.page.inner_text("#count").split("/")[0]) - 1


def felt(visit: Visit) -> str:
    return visit.page.inner_text("#felt")


def test_smoke(visit: Visit, store: Store) -> None:
    """A hand is shown, and a key moves it on."""
    page = visit.to(f"/hand/{hand_of(store, 'kaiser')}?step=12&seat=2&hide=1")
    assert step_of(visit) == 12
    page.keyboard.press("ArrowRight")
    assert step_of(visit) == 13
    page.wait_for_url("**step=13&seat=2&hide=1")
    assert page.locator(".at-s .card.back").count() == 0
    assert page.locator(".at-n .card.back").count() > 0


def test_keys(visit: Visit, store: Store) -> None:
    page = visit.to(f"/hand/{hand_of(store, 'belote')}?step=10")
    last = page.evaluate("JSON.parse(document.getElementById('hand-data').textContent).steps.length") - 1
    for key, step in (
        ("ArrowLeft", 9),
        ("ArrowRight", 10),
        ("End", last),
        ("ArrowRight", last),
        ("Home", 0),
        ("ArrowLeft", 0),
    ):
        page.keyboard.press(key)
        assert step_of(visit) == step, key
    tricks = []
    page.keyboard.press("ArrowDown")  # trump is named
    for _ in range(3):
        page.keyboard.press("ArrowDown")
        tricks.append(page.get_attribute("section.middle", "aria-label"))
        assert page.locator(".trick .card").count() == 4
    assert tricks == ["Trick 1", "Trick 2", "Trick 3"]
    page.keyboard.press("ArrowUp")
    assert page.get_attribute("section.middle", "aria-label") == "Trick 2"
    for seat in (2, 4, 1):
        page.keyboard.press(str(seat))
        assert page.get_attribute(".at-s", "data-seat") == str(seat - 1)
    page.keyboard.press("6")
    assert page.get_attribute(".at-s", "data-seat") == "0"
    assert page.get_attribute(".at-s", "aria-label") == page.inner_text(".at-s h2 bdi")
    page.keyboard.press("h")
    assert (
        page.locator(".at-n .card.back").count() == page.locator(".at-n .cards:not(.meld) .card").count() > 0
    )
    page.keyboard.press("?")
    assert page.locator("dialog[open]").is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    assert not page.locator("dialog[open]").count()


def test_space_plays_and_pauses(visit: Visit, store: Store) -> None:
    page = visit.to(f"/hand/{hand_of(store, 'kaiser')}?step=3")
    page.keyboard.press(" ")
    expect(page.locator("#count")).to_have_text(re.compile("^[789] /"), timeout=20_000)
    page.keyboard.press(" ")
    here = step_of(visit)
    page.wait_for_timeout(1200)
    assert step_of(visit) == here
    assert page.inner_text("#play") == "Play"


def test_the_address_holds_what_is_shown(visit: Visit, store: Store) -> None:
    hand = hand_of(store, "pinochle")
    page = visit.to(f"/hand/{hand}?step=20&seat=3")
    page.keyboard.press("h")
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**step=21&seat=3&hide=1")
    before = felt(visit)
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert felt(visit) == before
    for odd in ("step=-4", "step=99999", "step=x&seat=9&hide=2", "seat=-1"):
        visit.to(f"/hand/{hand}?{odd}")


def test_mouse_and_touch(visit: Visit, store: Store, browser, address: str) -> None:
    path = f"/hand/{hand_of(store, 'kaiser')}?step=15"
    page = visit.to(path)
    for button, step in (("#forward", 16), ("#back", 15), ("#last", None), ("#first", 0)):
        page.click(button)
        assert step is None or step_of(visit) == step
    page.click("#events li:nth-child(9) button")
    assert step_of(visit) == 8
    page.click("#tricks tbody tr:nth-child(2) button")
    assert page.get_attribute("section.middle", "aria-label") == "Trick 2"
    page.fill("#slide", "5")
    assert step_of(visit) == 5
    page.click("#seats button:nth-child(3)")
    assert page.get_attribute(".at-s", "data-seat") == "2"
    page.click("#events li[aria-current] a")
    assert page.locator(".line.marked").is_visible()
    with opened(browser, address, has_touch=True, viewport={"width": 360, "height": 780}) as touch:
        touch.to(path)
        swipe = """([from, to]) => {
            const felt = document.getElementById('felt'), box = felt.getBoundingClientRect();
            const at = (type, x) => felt.dispatchEvent(new PointerEvent(type,
                {clientX: box.x + x, clientY: box.y + 50, pointerType: 'touch', bubbles: true}));
            at('pointerdown', from); at('pointerup', to);
        }"""
        touch.page.evaluate(swipe, [200, 60])
        assert step_of(touch) == 16
        touch.page.evaluate(swipe, [60, 200])
        assert step_of(touch) == 15


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("game", list(models.GAMES))
def test_every_step_of_every_game_is_drawn(browser, address: str, store: Store, game: str, size: str) -> None:
    """At both sizes no step goes beyond the window, and none takes long; `benchmarks web` has figures."""
    width, height = SIZES[size]
    with checked(browser, address, viewport={"width": width, "height": height}) as visit:
        page = visit.to(f"/hand/{hand_of(store, game, 'true')}?step=0")
        found = page.evaluate(
            """() => {
            const last = Number(document.getElementById('slide').max), times = [];
            let widest = 0, at = 0;
            for (let step = 0; step < last; step += 1) {
                const began = performance.now();
                document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
                const wide = document.documentElement.scrollWidth;
                if (wide > widest) [widest, at] = [wide, step + 1];
                times.push(performance.now() - began);
            }
            times.sort((a, b) => a - b);
            return {widest, at, median: times[times.length >> 1], steps: last};
        }"""
        )
        assert step_of(visit) == found["steps"]
        assert found["widest"] <= width, found["at"]
        assert found["median"] <= MOST_MILLISECONDS


def test_what_each_game_is_known_by(visit: Visit, store: Store) -> None:
    page = visit.to(f"/hand/{hand_of(store, 'ruter_sju')}?step=40")
    assert page.locator(".layout tbody tr").count() >= 3
    assert page.locator(".layout .centre .card").count() >= 1
    page = visit.to(f"/hand/{hand_of(store, 'five_card_draw', chr(39) + 'complete' + chr(39) + ' = status')}")
    page.keyboard.press("End")
    assert re.search(r"\d+ paid out", felt(visit))
    page = visit.to(f"/hand/{hand_of(store, 'pinochle')}")
    page.keyboard.press("ArrowDown")
    assert page.locator(".cards.meld .card").count() > 0
    page = visit.to(f"/hand/{hand_of(store, 'kaiser')}?step=10")
    assert page.locator(".corner", has_text="+5").count() == 1
    assert page.locator(".corner", has_text="−3").count() == 1
    page.keyboard.press("End")
    assert "bid" in page.inner_text("#says .result")


def test_a_shared_hand_is_stepped_through_from_a_file(browser: Browser, store: Store, tmp_path: Path) -> None:
    """Opened from the disk: nothing is requested or refused, and keys work."""
    batch = hand_lookup.find(store, hand_of(store, "kaiser"))
    file = tmp_path / "hand.html"
    file.write_text(made(store, batch, "html", anonymous=True), "utf-8")
    page = browser.new_page()
    try:
        problems: list[str] = []
        requests: list[str] = []
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("request", lambda request: requests.append(request.url))
        page.goto(file.as_uri())
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        count = page.inner_text("#count").split(" / ")
        assert int(count[0]) == int(count[1]) - 1
        page.wait_for_timeout(400)
        assert (problems, [url for url in requests if not url.startswith("data:")]) == ([], [file.as_uri()])
    finally:
        page.close()
