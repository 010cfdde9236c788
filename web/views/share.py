"""A hand to send to someone: a self-contained HTML file, a picture, text, or a link to the page of it.

The file is the page of the hand with its styles and scripts inlined. It loads nothing, and its own policy
allows no other script.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from html import escape
from itertools import zip_longest
from typing import Any, Final

import numpy as np
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from cardlog.pipelines.events.batch import NO_MATCH, Batch
from cardlog.pipelines.hands import drawing
from cardlog.pipelines.storage.moment import PinnedStore
from cardlog.pipelines.text.texts import _
from cardlog.web import hands
from cardlog.web.asking import Asking
from cardlog.web.pages import STATIC, environment, page
from cardlog.web.site import Site
from cardlog.web.views.hand import prices, values_of

TYPES: Final = {"html": "text/html", "svg": "image/svg+xml", "txt": "text/plain"}
_LETTERS: Final = "ABCDEF"
_STYLE: Final = re.compile(r'<link rel="stylesheet" href="/static/([\w.]+)">')
_SCRIPT: Final = re.compile(r'<script type="module" src="/static/([\w.]+)"></script>\n?')
_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([\w.]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export ((?:async )?function|const) ([\w$]+)", re.MULTILINE)
_LINK: Final = re.compile(r'<a\b[^>]*\bhref="/[^"]*"[^>]*>(.*?)</a>', re.DOTALL)
POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src '{}'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)


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


FORMS: Final[dict[str, Callable[[Batch, dict[str, Any]], str]]] = {
    "html": lambda batch, values: html(batch, values)[0],
    "svg": lambda batch, values: svg(hands.view(batch)),
    "txt": lambda batch, values: text(batch),
}
"""The formats of a shared hand, by file extension."""


# ---------------------------------------------------------------- the pages


def show(site: Site, request: Request) -> Response:
    """``/hand/ID/share``."""
    batch = site.hand(request.path_params["hand_id"])
    hand_id = batch.hand_ids[0].decode()
    links = [
        str(request.url.replace(path=site.rooms.links.path_of(hand_id, anonymous=anonymous), query=""))
        for anonymous in (False, True)
    ]
    return page(request, "share.html", {"hand_id": hand_id, "title": hands.title(batch.game), "links": links})


def file(site: Site, request: Request) -> Response:
    """``/hand/ID/share/html?anonymous=1``: a file to download."""
    form = request.path_params["form"]
    if form not in FORMS:
        raise HTTPException(404)
    anonymous = request.query_params.get("anonymous") == "1"
    batch = site.hand(request.path_params["hand_id"])
    name = f"{batch.game}-{batch.hand_ids[0].decode()[:8]}.{form}"
    return Response(
        made(site.asking, site.now("analysis"), batch, form, anonymous=anonymous),
        media_type=TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def made(asking: Asking, store: PinnedStore, batch: Batch, form: str, *, anonymous: bool) -> str:
    """The only hand of a batch in one of the `FORMS`, with its analysis if the store has one."""
    rows = prices(asking, store, batch)
    batch = named(batch, anonymous=anonymous)
    return FORMS[form](batch, values_of(batch, rows))


def shared(site: Site, request: Request) -> Response:
    """``/shared/ID/SIGNATURE``: the hand, for whoever has the link."""
    link = site.rooms.links.reads(request.url.path)
    if link is None:
        raise HTTPException(404)
    hand_id, anonymous = link
    batch = site.hand(hand_id)
    rows = prices(site.asking, site.now("analysis"), batch)
    batch = named(batch, anonymous=anonymous)
    text, policy = html(batch, values_of(batch, rows))
    return HTMLResponse(
        text,
        headers={
            "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
        },
    )
