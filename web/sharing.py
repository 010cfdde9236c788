"""A hand to send to someone: a self-contained HTML file, a picture, or text.

The file is the page of the hand with its styles and scripts inlined. It loads nothing, and its own policy
allows no other script.
"""

import hmac
import json
import re
import secrets
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from html import escape
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import numpy as np

from cardlog.pipelines.events.batch import NO_MATCH, Batch
from cardlog.pipelines.hands import drawing
from cardlog.pipelines.runtime.whole import write_whole
from cardlog.pipelines.text.texts import _
from cardlog.web import hands
from cardlog.web.pages import STATIC, environment

_LETTERS: Final = "ABCDEF"
_STYLE: Final = re.compile(r'<link rel="stylesheet" href="/static/([\w.]+)">')
_SCRIPT: Final = re.compile(r'<script type="module" src="/static/([\w.]+)"></script>\n?')
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?function|const) (\w+)", re.MULTILINE)
_LINK: Final = re.compile(r'<a\b[^>]*\bhref="/[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src '{}'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
KEY: Final = "share-key"
"""The file with the key that signs links, in the folder of the tables."""


def named(batch: Batch, *, anonymous: bool) -> Batch:
    """The only hand of a batch; if anonymous, with letters instead of names and without the id of its
    match."""
    if not anonymous:
        return batch
    details = list(batch.details)
    index = int(batch.events["detail"][0])
    opening = json.loads(details[index])
    for letter, player in zip(_LETTERS, opening["players"], strict=False):
        if player is not None and player.get("name"):
            player["name"] = _("Player %(name)s", name=letter)
    details[index] = json.dumps(opening)
    return replace(batch, details=details, match_of=np.full_like(batch.match_of, NO_MATCH))


# ---------------------------------------------------------------- the file


def html(batch: Batch, values: dict[str, Any]) -> tuple[str, str]:
    """The page of a hand in one file, and its content security policy.

    values
        The values for the page's template.
    """
    values = values | {"hand": values["hand"] | {"shared": True}, "match": None, "base": "shared.html"}
    page = environment().get_template("hand.html").render(values, path="", shared=True)
    scripts = _SCRIPT.findall(page)
    page = _LINK.sub(r"\1", _SCRIPT.sub("", page))
    page = _STYLE.sub(lambda match: f"<style>{(STATIC / match[1]).read_text('utf-8')}</style>", page)
    script = bundled(scripts)
    policy = POLICY.format("sha256-" + b64encode(sha256(script.encode()).digest()).decode())
    page = page.replace("POLICY", escape(policy, quote=True), 1)
    return page.replace("</body>", f'<script type="module">{script}</script>\n</body>'), policy


def bundled(names: list[str]) -> str:
    """Modules and their imports as one script, in which each is a function that returns its exports."""
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name in modules:
            return
        text = (STATIC / name).read_text("utf-8")
        for _names, imported in _IMPORT.findall(text):
            add(imported)
        text = _IMPORT.sub(lambda match: f"const {{{match[1]}}} = {_variable(match[2])};", text)
        exports = ", ".join(export for _keyword, export in _EXPORT.findall(text))
        body = _EXPORT.sub(r"\1 \2", text)
        modules[name] = f"const {_variable(name)} = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();\n"

    for name in names:
        add(name)
    return "".join(modules.values())


def _variable(name: str) -> str:
    return "of_" + re.sub(r"\W", "_", name)


# ---------------------------------------------------------------- the picture, and text


def svg(view: dict[str, Any]) -> str:
    """A picture of the deal: each seat's cards once all are dealt, what it bid, and the result.

    view
        The result of `hands.view`.
    """
    dealt = max((step["hands"] for step in view["steps"]), key=lambda cards: sum(map(len, cards)))
    tags: list[list[str]] = next((step["tags"] for step in reversed(view["steps"]) if step["tags"]), [])
    rows: Any = zip_longest(view["seats"], tags, dealt, fillvalue="")
    seats = [
        {"title": " · ".join([player["name"], *seat_tags]), "cards": re.findall("..", cards)}
        for player, seat_tags, cards in rows
        if player
    ]
    title = _("%(game)s hand %(id)s", game=view["title"], id=view["id"][:8])
    lines = [title, *filter(None, [view["settings"]])]
    names = [player and player["name"] for player in view["seats"]]
    result = [
        "".join(names[part] if isinstance(part, int) else part for part in sentence)
        for sentence in view["result"] or [[_("The record of this hand ends here.")]]
    ]
    template = environment().get_template("picture.svg")
    return template.render(lines=lines, seats=seats, result=result) + "\n"


def text(batch: Batch) -> str:
    """A hand as the terminal draws it, without colours."""
    return "\n".join(line.rstrip() for line in drawing.text(batch).splitlines()) + "\n"


# ---------------------------------------------------------------- links


class Links:
    """Links that open one hand and nothing else, signed with a key.

    folder
        Where the key is kept; both are made with the first link.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path_of(self, hand_id: str, *, anonymous: bool) -> str:
        """The link to a hand."""
        path = self._folder / KEY
        if not path.exists():
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_whole(path, secrets.token_bytes(32))
        return f"/shared/{hand_id}/{self._signature(hand_id, anonymous)}"

    def reads(self, path: str) -> tuple[str, bool] | None:
        """The hand that a link opens, and whether without names; None if it is no link of this server."""
        match = re.fullmatch(r"/shared/([0-9a-f]{8,64})/([0-9a-f]{64})", path)
        if match is None or not (self._folder / KEY).exists():
            return None
        hand_id, signature = match.groups()
        for anonymous in (False, True):
            if hmac.compare_digest(signature, self._signature(hand_id, anonymous)):
                return hand_id, anonymous
        return None

    def _signature(self, hand_id: str, anonymous: bool) -> str:
        key = (self._folder / KEY).read_bytes()
        return hmac.new(key, f"{hand_id} {anonymous}".encode(), sha256).hexdigest()


FORMS: Final[dict[str, Callable[[Batch, dict[str, Any]], str]]] = {
    "html": lambda batch, values: html(batch, values)[0],
    "svg": lambda batch, values: svg(hands.view(batch)),
    "txt": lambda batch, values: text(batch),
}
"""The formats of a shared hand, by file extension."""
