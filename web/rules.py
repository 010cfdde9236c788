"""The rules of a game for those who play it, made from its page in docs/rules."""

import re
from functools import cache
from pathlib import Path
from typing import Final

from markdown_it import MarkdownIt
from markupsafe import Markup

FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "rules"
"""In the repository, and in an installed package."""
_SOURCES: Final = re.compile(r"\s*\*\([^*]*\)\*")
"""The source of a rule: ``*(general; logs.)*``."""
_LINKS: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_END: Final = re.compile(r"^##\s|^### Dialects", re.MULTILINE)


@cache
def rules_of(game: str) -> Markup:
    """The section on the rules from a game's page in docs/rules, as HTML without sources and links."""
    text = (FOLDER / f"{game}.md").read_text(encoding="utf-8")
    _, _, rules = text.partition("\n## The rules\n")
    end = _END.search(rules)
    rules = rules[: end.start()] if end else rules
    plain = _LINKS.sub(r"\1", _SOURCES.sub("", rules))
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(plain))
