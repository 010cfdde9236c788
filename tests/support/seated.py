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
