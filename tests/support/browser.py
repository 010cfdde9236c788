"""Chromium over a served store: `opened` gives pages of it that have the cookie."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Browser, Page, sync_playwright

CHROMIUM: Final = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
FLAGS: Final = [
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip
NO_BROWSER: Final = "there is no Chromium here; the system's package 'chromium' has it"
START_SECONDS: Final = 60


@contextmanager
def served(store: str, *options: str) -> Iterator[str]:
    """Serve a store in a process of its own; gives the address that it prints."""
    command = [sys.executable, "-m", "cardlog", "serve", "--store", store, "--port", "0", *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().strip()
            assert address.startswith("http://127.0.0.1:"), address
            yield address
        finally:
            server.terminate()
            server.wait(10)


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
        if path.startswith("/hand/") and "/log" not in path:
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


def axe_script() -> str:
    """axe-core, from the package that brings it."""
    import axe_playwright_python

    return (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
