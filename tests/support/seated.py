"""A browser that plays at a table."""

from typing import Final

from playwright.sync_api import Page

from tests.support.browser import Visit

MAY_CHOOSE: Final = "#choices button:not([disabled]), .at-s .pick"
OVER: Final = "#choices #next"
AT_ONCE: Final = "localStorage.pace = 'at once'"
"""What the others do is shown without pauses."""
PATIENCE: Final = 20_000
"""Milliseconds until the other seats have acted, on a machine that has other things to do."""
MOST_CHOICES: Final = 200
"""Of a seat in a hand; more mean that it does not end."""


def sit_down(visit: Visit, game: str) -> Page:
    """Make a table with the usual settings; returns its page at the first choice."""
    visit.page.add_init_script(AT_ONCE)
    page = visit.to("/tables")
    page.click(f"form:has([name=game][value={game}]) button.main")
    page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
    return page


def choose(page: Page) -> bool:
    """Make the first choice there is; False at the end of the hand."""
    page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
    if is_over(page):
        return False
    page.locator(".at-s .pick[data-action], #choices button:not([disabled])").first.click()
    return True


def is_over(page: Page) -> bool:
    """Whether the hand is over."""
    return page.locator(OVER).count() > 0


def play_out(page: Page) -> None:
    """Play the hand to its end."""
    for _ in range(MOST_CHOICES):
        if not choose(page):
            return
    raise AssertionError("the hand does not end")


def to_a_card(page: Page, wanted: str) -> None:
    """Go on, also with the next hand, until something is in the window."""
    for _ in range(MOST_CHOICES):
        page.wait_for_selector(MAY_CHOOSE, timeout=PATIENCE)
        if page.locator(wanted).count():
            return
        page.click(OVER) if is_over(page) else choose(page)
        page.wait_for_timeout(20)
    raise AssertionError(wanted)
