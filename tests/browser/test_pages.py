"""All pages in a real browser: no violations of accessibility, any width, the keyboard alone, few bytes."""

import json
import re

import pytest
from playwright.sync_api import Browser, expect

from cardlog.pipelines.storage.store import Store
from tests.support.browser import MOST_BYTES, Visit, checked, loaded, opened, served, violations
from tests.support.csv_rows import EDGE, SAMPLE
from tests.support.pages import asked, hand_of
from tests.support.shared import logged_games
from tests.support.stores import ingest

pytestmark = pytest.mark.browser

SQL = "/sql?q=select+contract,count(*)+as+hands+from+hands+group+by+1+order+by+1"


def paths(store: Store) -> list[str]:
    [(match,)] = asked(store, ["matches"], "select min(match_id) from matches where game = 'belote'")
    [(entry,)] = asked(store, ["quarantine"], "select min(quarantine_id) from quarantine")
    hands = [hand_of(store, game) for game in ("kaiser", "belote", "ruter_sju", "pinochle", "five_card_draw")]
    return [
        "/", "/tables", "/hands", "/hands?game=belote", "/matches", f"/match/{match}", "/players",
        "/charts?game=kaiser", "/charts?game=ruter_sju", SQL, SQL + "&as=chart", "/sql?q=nonsense",
        "/quarantine", f"/quarantine/{entry}",
        *(f"/hand/{hand}?step=14" for hand in hands), f"/hand/{hands[1]}/log", f"/hand/{hands[0]}/deal",
        "/daily?game=pinochle", "/player?game=belote&name=Laura+%28RL%29", "/nothing",
    ]  # fmt: skip


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser, address: str, store: Store, scheme: str) -> None:
    with opened(browser, address, color_scheme=scheme, reduced_motion="reduce", bypass_csp=True) as visit:
        found = {path: violations(visit.to(path)) for path in paths(store)}
    assert not any(found.values()), found


@pytest.mark.parametrize("width", [360, 768])
def test_no_page_is_wider_than_the_window(browser, address: str, store: Store, width: int) -> None:
    with opened(browser, address, viewport={"width": width, "height": 780}) as visit:
        for path in paths(store):
            page = visit.to(path)
            page.wait_for_timeout(50)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_the_keyboard_reaches_everything_and_focus_is_seen(visit: Visit, store: Store) -> None:
    for path in ("/", "/tables", "/hands", SQL, f"/hand/{hand_of(store, 'kaiser')}"):
        page = visit.to(path)
        wanted = page.evaluate(
            "[...document.querySelectorAll('a[href], button, input, select, textarea, summary')]"
            ".filter((e) => e.checkVisibility() && !e.closest('dialog')).length"
        )
        seen = set()
        for _ in range(wanted + 20):
            page.keyboard.press("Tab")
            focused = page.evaluate(
                """() => {
                const all = [...document.querySelectorAll('*')], e = document.activeElement;
                const style = getComputedStyle(e);
                const isSeen = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;
                return [all.indexOf(e), isSeen || e === document.body, e.outerHTML.slice(0, 80)];
            }"""
            )
            assert focused[1], (path, focused[2])
            seen.add(focused[0])
        assert len(seen) >= wanted, path


def test_the_skip_link_leads_to_the_content(visit: Visit) -> None:
    page = visit.to("/hands")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"


def test_a_first_load_is_small(browser, address: str, store: Store) -> None:
    for path in ("/", "/charts?game=kaiser", f"/hand/{hand_of(store, 'pinochle')}"):
        with opened(browser, address.replace("/?", f"{path}{'&' if '?' in path else '?'}")) as visit:
            visit.page.wait_for_timeout(500)
            sizes = loaded(visit.page)
        assert len(sizes) >= 3  # the page, its style, its icon; a page of charts has no script
        assert min(sizes) > 0
        assert sum(sizes) < MOST_BYTES, path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chart_is_drawn_in_the_colours_of_the_page(browser, address: str, scheme: str) -> None:
    """Without JavaScript, and a point has its numbers at the pointer."""
    with checked(browser, address, color_scheme=scheme, java_script_enabled=False) as visit:
        page = visit.to("/charts?game=kaiser")
        point = page.locator(".plot svg path:has(title)").first
        expect(point).to_have_css("fill", {"light": "rgb(31, 111, 158)", "dark": "rgb(99, 179, 224)"}[scheme])
        assert re.search(r"made, contract \d+: [\d.]+ %, from", point.locator("title").text_content() or "")
        assert point.bounding_box()["width"] > 3


def test_sql_runs_with_the_keyboard_and_leads_to_a_hand(visit: Visit) -> None:
    page = visit.to("/sql")
    page.fill("#q", "select hand_id from hands order by all limit 3")
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("td a")
    hand = page.inner_text("td a >> nth=1")
    page.click("td a >> nth=1")
    page.wait_for_selector("#felt .card")
    assert f"/hand/{hand}" in page.url


def test_quarantine_is_read_again(browser, tmp_path) -> None:
    """A form that writes: the browser says where it comes from, and the server accepts it."""
    store = Store(str(tmp_path / "store"))
    ingest(store, EDGE)
    with served(store.root) as address, checked(browser, address) as visit:
        page = visit.to("/quarantine")
        page.click("text=Read them again")
        expect(page.locator("[role=status]")).to_have_text("None of them can be stored now.")


def test_a_hostile_name_does_nothing(visit: Visit) -> None:
    page = visit.to("/sql?q=select+'<img+src%3Dx+onerror%3Dalert(1)>'+as+\"<script>alert(2)</script>\"")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    page.wait_for_timeout(200)
    assert page.locator("td img").count() == 0


def test_the_store_is_live(browser, tmp_path) -> None:
    store = Store(str(tmp_path / "store"))
    ingest(store, EDGE)
    with served(store.root) as address, opened(browser, address) as visit:
        page = visit.to("/")
        before = page.inner_text("[data-live=hands_read]")
        ingest(store, SAMPLE)
        expect(page.locator("[data-live=hands_read]").first).not_to_have_text(before, timeout=20_000)
        assert "balance" in page.inner_text("#balanced")


def test_a_puzzle_takes_a_card_and_keeps_score(browser: Browser) -> None:
    with served(logged_games().root) as address, checked(browser, address) as visit:
        page = visit.to("/puzzles?game=kaiser")
        page.wait_for_selector("html[data-ready]")
        assert violations(page) == []
        expect(page.locator("#puzzle-score")).to_have_text("0 of 0 found")
        best = json.loads(page.locator("#puzzle-data").inner_text())["best_card"]
        page.click(f"[data-card='{best}']")
        expect(page.locator("#answer")).to_contain_text("Found.")
        expect(page.locator("#puzzle-score")).to_have_text("1 of 1 found")
        assert page.locator(".pick").count() == 0
        page.keyboard.press("Enter")
        page.wait_for_selector("html[data-ready] #answer:empty", state="attached")
        best = json.loads(page.locator("#puzzle-data").inner_text())["best_card"]
        page.click(f"[data-card]:not([data-card='{best}'])")
        expect(page.locator("#answer")).to_contain_text("No. ")
        expect(page.locator("#puzzle-score")).to_have_text("1 of 2 found")
        assert violations(page) == []
