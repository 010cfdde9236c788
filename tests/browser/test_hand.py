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
SIZES = ((1280, 800), (390, 844), (844, 390), (360, 780))
KNOWN_BY = {
    "kaiser": [(".corner", "+5"), (".corner", "−3"), ("#says .result", "bid")],
    "belote": [(".cards.meld .card", ""), (".trump", "")],
    "ruter_sju": [(".layout tbody tr:nth-child(3)", ""), (".layout .centre .card", "")],
    "pinochle": [(".cards.meld .card", ""), ("#says .result", "")],
    "five_card_draw": [(".bet .chip", ""), (".pot", " paid out")],
    "hold_em": [(".flop .inline", ""), (".bet .chip", ""), (".pot", " paid out")],
}
"""Elements, and texts in them, that are seen at one step or another of a hand."""
STEPS = """(wanted) => {
    const last = Number(document.getElementById('slide').max), times = [];
    const isSeen = ([selector, text]) =>
        [...document.querySelectorAll(selector)].some((e) => e.textContent.includes(text));
    let widest = 0, at = 0;
    for (let step = 0; step < last; step += 1) {
        const began = performance.now();
        document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
        const wide = document.documentElement.scrollWidth;
        times.push(performance.now() - began);
        if (wide > widest) [widest, at] = [wide, step + 1];
        wanted = wanted.filter((one) => !isSeen(one));
    }
    times.sort((a, b) => a - b);
    return {widest, at, wanted, median: times[times.length >> 1], steps: last};
}"""
"""Goes through a hand by the key for the next event."""
SWIPE = """([from, to]) => {
    const felt = document.getElementById('felt'), box = felt.getBoundingClientRect();
    const at = (type, x) => felt.dispatchEvent(new PointerEvent(type,
        {clientX: box.x + x, clientY: box.y + 50, pointerType: 'touch', bubbles: true}));
    at('pointerdown', from); at('pointerup', to);
}"""


def step_of(visit: Visit) -> int:
    return int(visit.page.inner_text("#count").split("/")[0]) - 1


def test_keys(visit: Visit, store: Store) -> None:
    page = visit.to(f"/hand/{hand_of(store, 'belote')}?step=10")
    last = int(page.get_attribute("#slide", "max") or "")
    keys = ("ArrowLeft", "ArrowRight", "End", "ArrowRight", "Home", "ArrowLeft")
    for key, step in zip(keys, (9, 10, last, last, 0, 0), strict=True):
        page.keyboard.press(key)
        assert step_of(visit) == step, key
    page.keyboard.press("ArrowDown")  # trump is named
    for key, trick in (("Down", 1), ("Down", 2), ("Down", 3), ("Up", 2)):
        page.keyboard.press(f"Arrow{key}")
        assert page.get_attribute("section.middle", "aria-label") == f"Trick {trick}"
        assert page.locator(".trick .card").count() == 4
    for key, seat in ((2, 1), (4, 3), (1, 0), (6, 0)):
        page.keyboard.press(str(key))
        assert page.get_attribute(".at-s", "data-seat") == str(seat)
    assert page.get_attribute(".at-s", "aria-label") == page.inner_text(".at-s h2 bdi")
    page.keyboard.press("h")
    hidden, held = ".at-n .card.back", ".at-n .cards:not(.meld) .card"
    assert page.locator(hidden).count() == page.locator(held).count() > 0
    assert page.locator(".at-s .card.back").count() == 0
    page.keyboard.press("?")
    assert page.locator("dialog[open]").is_visible()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    assert not page.locator("dialog[open]").count()


def test_space_plays_and_pauses_and_the_address_holds_what_is_shown(visit: Visit, store: Store) -> None:
    hand = hand_of(store, "pinochle")
    page = visit.to(f"/hand/{hand}?step=3&seat=3")
    page.keyboard.press(" ")
    expect(page.locator("#count")).to_have_text(re.compile("^[789] /"), timeout=20_000)
    page.keyboard.press(" ")
    here = step_of(visit)
    page.wait_for_timeout(1200)
    assert step_of(visit) == here
    assert page.inner_text("#play") == "Play"
    page.keyboard.press("h")
    page.keyboard.press("ArrowRight")
    page.wait_for_url(f"**step={here + 1}&seat=3&hide=1")
    before = page.inner_text("#felt")
    page.reload()
    page.wait_for_selector("html[data-ready]")
    assert page.inner_text("#felt") == before
    for odd in ("step=-4", "step=99999", "step=x&seat=9&hide=2", "seat=-1"):
        visit.to(f"/hand/{hand}?{odd}")


def test_mouse_and_touch(visit: Visit, store: Store, browser: Browser, address: str) -> None:
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
        for swipe, step in (([200, 60], 16), ([60, 200], 15)):
            touch.page.evaluate(SWIPE, swipe)
            assert step_of(touch) == step


@pytest.mark.parametrize("game", list(models.GAMES))
def test_every_step_of_every_game_is_drawn(visit: Visit, store: Store, game: str) -> None:
    """In all windows no step is wider, the buttons are in sight, and none takes long; `benchmarks web` has
    figures."""
    for width, height in SIZES:
        visit.page.set_viewport_size({"width": width, "height": height})
        page = visit.to(f"/hand/{hand_of(store, game, 'status = $$complete$$')}?step=0")
        boxes = [page.locator(button).bounding_box() or {} for button in ("#first", "#forward", "#last")]
        assert max(box["y"] + box["height"] for box in boxes) <= height, (width, height)
        found = page.evaluate(STEPS, KNOWN_BY[game])
        assert step_of(visit) == found["steps"]
        assert found["widest"] <= width, found["at"]
        assert found["median"] <= MOST_MILLISECONDS
        assert found["wanted"] == []


def test_a_shared_hand_is_stepped_through_from_a_file(browser: Browser, store: Store, tmp_path: Path) -> None:
    """Opened from the disk: nothing is requested or refused, and keys work."""
    batch = hand_lookup.find(store, hand_of(store, "kaiser"))
    file = tmp_path / "hand.html"
    file.write_text(made(store, batch, "html", anonymous=True), "utf-8")
    with checked(browser, file.as_uri()) as visit:
        page = visit.page
        page.wait_for_selector("html[data-ready]")
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        assert step_of(visit) == int(page.get_attribute("#slide", "max") or "") - 1
        page.wait_for_timeout(400)
        assert [url for url in visit.requests if not url.startswith("data:")] == [file.as_uri()]
