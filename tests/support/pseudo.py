"""A language in which every message is its English text between marks: text without marks has bypassed the
catalogue."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

import pytest

from cardlog.pipelines.text import texts
from tests.support.catalogue import compiled, translation_of

LANGUAGE: Final = "uk"
"""A real one, since gettext and browsers must know it; it has three plural forms."""
ASKED: Final = {"accept-language": f"{LANGUAGE},en;q=0.5"}
OPEN, CLOSE = "⟦", "⟧"
SILENT: Final = ("script", "style", "svg", "bdi", "code", "kbd", "textarea")
"""Elements whose text is data, or is not read."""
VOID: Final = ("meta", "link", "input", "br", "hr", "img")
READ: Final = ("aria-label", "title", "placeholder", "alt", "aria-valuetext")
DATA: Final = re.compile(
    r"cardlog|Kaiser|Belote|Belot|Ruter Sju|Pinochle|Five-card draw|Hold'em|\d[\d.:, -]* UTC|MiB|[\d.]+ s\b|"
    r"\b(html|svg|txt|CSV|book|UTC)\b|\b[0-9a-f]{8}([0-9a-f]{24})?\b"
)


def install(folder: Path) -> None:
    """Write the language below a folder like `texts.LOCALE`."""
    compiled(translation_of(LANGUAGE, lambda text: f"{OPEN}{text}{CLOSE}"), folder)


@contextmanager
def installed(folder: Path) -> Iterator[None]:
    """There is the language, for the time of a block."""
    install(folder)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "LOCALE", folder)
        _forget()
        yield
    _forget()


def _forget() -> None:
    texts._translations.cache_clear()
    texts.of_scripts.cache_clear()


def bare(text: str) -> list[str]:
    """The words that stand outside the marks and are no data."""
    while (inner := re.sub(f"{OPEN}[^{OPEN}{CLOSE}]*{CLOSE}", "", text)) != text:
        text = inner
    return re.findall(r"[^\W\d_]{2,}", DATA.sub(" ", text))


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, bool]] = []
        self.said: list[str] = []
        self.found: list[str] = []
        self.names: set[str] = set()

    @property
    def is_silent(self) -> bool:
        return any(silent for _, silent in self.open)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        silent = tag in SILENT or given.get("lang") == "en"
        if not silent and not self.is_silent:
            for name in READ:
                self.found += bare(given.get(name) or "")
        if tag not in VOID:
            self.open.append((tag, silent))

    def handle_endtag(self, tag: str) -> None:
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1][0] == "bdi":
            self.names |= set(bare(data))
        self.said += [] if self.is_silent else [data]


def bypassing(page: str, data: Iterable[str] = ()) -> list[str]:
    """The words of a page that are in no message, but for those in `data`, and names, which are in `bdi`."""
    parser = _Page()
    parser.feed(page)
    return [
        word for word in parser.found + bare(" ".join(parser.said)) if word not in parser.names.union(data)
    ]
