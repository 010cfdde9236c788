"""Chromium over a served store: `opened` gives pages of it that have the cookie."""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

from tests.support.pages import Server

CHROMIUM: Final = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS: Final = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
MOST_BYTES: Final = 150_000
"""Of a first load, compressed."""
NO_BROWSER: Final = "there is no Chromium here; the system's package 'chromium' has it"


@contextmanager
def served(store: str, *options: str) -> Iterator[str]:
    """Serve a store in a process of its own; gives the address that it prints."""
    server = Server(store, 0, *options)
    try:
        assert server.address.startswith("http://127.0.0.1:"), server.address
        yield server.address
    finally:
        server.end()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class Visit:
    """A page of a served store, with what it requested and what went wrong."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.base = "/".join(address.split("/")[:3])
        self.requests: list[str] = []
        self.problems: list[str] = []
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", self._said)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(address)

    def _said(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)

    def to(self, path: str) -> Page:
        """Go to a page, and wait for its script."""
        self.page.goto(self.base + path)
        if re.match(r"/hand/[^/]+$", path):
            self.page.wait_for_selector("html[data-ready]")
        return self.page


@contextmanager
def opened(browser: Browser, address: str, **how: Any) -> Iterator[Visit]:
    """A window with the cookie; options are those of a context of playwright's."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 900}} | how))
    try:
        yield Visit(context.new_page(), address)
    finally:
        context.close()


@contextmanager
def checked(browser: Browser, address: str, **how: Any) -> Iterator[Visit]:
    """A window, checked afterwards: nothing went wrong in it, and it asked no other machine."""
    with opened(browser, address, **how) as visit:
        yield visit
        assert visit.problems == []
        assert [url for url in visit.requests if not url.startswith((visit.base, "data:"))] == []


def violations(page: Page, *rules: str) -> list[tuple[str, list[str]]]:
    """What axe-core, from the package that brings it, finds: its rules, or some of them, and where they are
    broken."""
    import axe_playwright_python

    page.evaluate((Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8"))
    run = "(rules) => axe.run(document, {resultTypes: ['violations'], ...(rules.length && {runOnly: rules})})"
    found = page.evaluate(run, list(rules))["violations"]
    return [(one["id"], [node["html"][:120] for node in one["nodes"][:3]]) for one in found]


def loaded(page: Page) -> list[int]:
    """The bytes of the page and of each file that it loaded, compressed."""
    return page.evaluate(  # type: ignore[no-any-return]
        "['navigation', 'resource'].flatMap((kind) => performance.getEntriesByType(kind))"
        ".map((entry) => entry.encodedBodySize)"
    )
