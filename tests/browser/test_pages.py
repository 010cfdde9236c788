"""All pages in a real browser: no violations of accessibility, any width, the keyboard alone, few bytes."""

import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from cardlog import models
from cardlog.pipelines.storage.store import Store
from tests.support.browser import MOST_BYTES, Visit, checked, loaded, opened, served, violations
from tests.support.csv_rows import EDGE, SAMPLE
from tests.support.pages import asked, hand_of
from tests.support.stores import ingest

pytestmark = pytest.mark.browser

SQL = "/sql?q=select+contract,count(*)+as+hands+from+hands+group+by+1+order+by+1"


def paths(store: Store) -> list[str]:
    [(match,)] = asked(store, ["matches"], "select min(match_id) from matches where game = 'belote'")
    hands = [hand_of(store, game) for game in models.GAMES]
    return [
        "/", "/tables", "/hands", "/hands?game=belote", "/matches", f"/match/{match}", "/players",
        "/charts?game=kaiser", "/charts?game=ruter_sju", SQL, SQL + "&as=chart", "/sql?q=nonsense",
        "/quarantine",
        *(f"/hand/{hand}?step=14" for hand in hands), f"/hand/{hands[1]}/log", f"/hand/{hands[0]}/deal",
        "/daily?game=pinochle", "/player?game=belote&name=Laura+%28RL%29", "/nothing",
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_and_no_page_is_wider_than_its_window(
    browser: Browser, address: str, store: Store, scheme: str
) -> None:
    """In the dark, of which only the colours differ, it looks at these alone."""
    widths, rules = ((1280, 360), ()) if scheme == "light" else ((1280, 768), ("color-contrast",))
    with opened(browser, address, color_scheme=scheme, reduced_motion="reduce") as visit:
        for path in paths(store):
            page = visit.to(path)
            for width in widths:
                page.set_viewport_size({"width": width, "height": 780})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
            assert violations(page, *rules) == [], path


def test_the_keyboard_reaches_everything_and_focus_is_seen(visit: Visit, store: Store) -> None:
    for path in ("/", "/tables", "/hands", SQL, f"/hand/{hand_of(store, 'kaiser')}"):
        page = visit.to(path)
        page.evaluate(
            """() => {
            const style = (e) => getComputedStyle(e);
            const isSeen = (e) => style(e).outlineStyle !== 'none' && parseFloat(style(e).outlineWidth) >= 2;
            window.reached = new Set(), window.unseen = [];
            document.addEventListener('focusin', ({target}) => {
                window.reached.add(target);
                if (!isSeen(target)) window.unseen.push(target.outerHTML.slice(0, 80));
            });
        }"""
        )
        wanted = page.evaluate(
            "[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]"
            ".filter((e) => e.checkVisibility() && !e.closest('dialog')).length"
        )
        for _ in range(wanted + 20):
            page.keyboard.press("Tab")
        assert page.evaluate("window.unseen") == [], path
        assert page.evaluate("window.reached.size") >= wanted, path
    page = visit.to("/hands")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # the skip link
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_first_load_is_small(browser: Browser, address: str, store: Store) -> None:
    for path in ("/", "/charts?game=kaiser", f"/hand/{hand_of(store, 'pinochle')}"):
        with opened(browser, address.replace("/?", f"{path}{'&' if '?' in path else '?'}")) as visit:
            visit.page.wait_for_timeout(500)
            sizes = loaded(visit.page)
        assert len(sizes) >= 3  # the page, its style, its icon; a page of charts has no script
        assert min(sizes) > 0
        assert sum(sizes) < MOST_BYTES, path


def test_a_chart_is_drawn_in_the_colours_of_the_page(browser: Browser, address: str) -> None:
    """Without JavaScript, and a point has its numbers at the pointer."""
    with checked(browser, address, java_script_enabled=False) as visit:
        page = visit.to("/charts?game=kaiser")
        point = page.locator(".plot svg path:has(title)").first
        for scheme, colour in (("light", "rgb(31, 111, 158)"), ("dark", "rgb(99, 179, 224)")):
            page.emulate_media(color_scheme=scheme)
            expect(point).to_have_css("fill", colour)
        assert re.search(r"made, contract \d+: [\d.]+ %, from", point.locator("title").text_content() or "")
        assert point.bounding_box()["width"] > 3


def test_sql_runs_with_the_keyboard_and_leads_to_a_hand(visit: Visit) -> None:
    """And a hostile name does nothing."""
    visit.page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page = visit.to("/sql?q=select+'<img+src%3Dx+onerror%3Dalert(1)>'+as+\"<script>alert(2)</script>\"")
    page.wait_for_timeout(200)
    assert page.locator("td img").count() == 0
    page.fill("#q", "select hand_id from hands order by all limit 3")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("td a")
    hand = page.inner_text("td a >> nth=1")
    page.click("td a >> nth=1")
    page.wait_for_selector("#felt .card")
    assert f"/hand/{hand}" in page.url


def test_quarantine_is_read_again_and_the_store_is_live(browser: Browser, tmp_path: Path) -> None:
    """A form that writes: the browser says where it comes from, and the server accepts it."""
    store = Store(str(tmp_path / "store"))
    ingest(store, EDGE)
    with served(store.root) as address, checked(browser, address) as visit:
        page = visit.to("/quarantine")
        page.click("text=Read them again")
        expect(page.locator("[role=status]")).to_have_text("None of them can be stored now.")
        [(entry,)] = asked(store, ["quarantine"], "select min(quarantine_id) from quarantine")
        assert violations(visit.to(f"/quarantine/{entry}")) == []
        page = visit.to("/")
        before = page.inner_text("[data-live=hands_read]")
        ingest(store, SAMPLE)
        expect(page.locator("[data-live=hands_read]").first).not_to_have_text(before, timeout=20_000)
        assert "balance" in page.inner_text("#balanced")


def test_a_puzzle_takes_a_card_and_keeps_score(visit: Visit) -> None:
    page = visit.to("/puzzles?game=kaiser")
    picks = ("[data-card='{}']", "[data-card]:not([data-card='{}'])")
    for pick, said, score in zip(picks, ("Found.", "No. "), ("1 of 1", "1 of 2"), strict=True):
        page.wait_for_selector("html[data-ready] #answer:empty", state="attached")
        assert violations(page) == []
        best = json.loads(page.locator("#puzzle-data").inner_text())["best_card"]
        page.click(pick.format(best))
        expect(page.locator("#answer")).to_contain_text(said)
        expect(page.locator("#puzzle-score")).to_have_text(f"{score} found")
        assert page.locator(".pick").count() == 0
        expect(page.locator("#values")).to_contain_text("What each card leads to", timeout=90_000)
        page.keyboard.press("Enter")
