"""Pages from templates, and what all templates may use."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from cardlog.pipelines.text import texts
from cardlog.pipelines.text.texts import N_
from cardlog.pipelines.text.visible import shown
from cardlog.pipelines.version import VERSION
from cardlog.web import drawing, names

HERE: Final = Path(__file__).resolve().parent
STATIC: Final = HERE / "static"
DOCS: Final = HERE.parent / "docs"
"""In the repository, and in an installed package."""
SECTIONS: Final = (
    ("/", N_("Store")), ("/tables", N_("Play")), ("/hands", N_("Hands")), ("/matches", N_("Matches")),
    ("/players", N_("Players")), ("/charts", N_("Charts")), ("/sql", N_("SQL")),
    ("/quarantine", N_("Quarantine")),
)  # fmt: skip
"""The main pages: address and title."""


@cache
def environment() -> Environment:
    """The templates. All that they insert is escaped: for HTML, and invisible characters."""
    templates = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=names.printed,
        trim_blocks=True,
        lstrip_blocks=True,
        extensions=["jinja2.ext.i18n"],
    )
    templates.filters["shown"] = shown
    install = templates.install_gettext_callables  # type: ignore[attr-defined]
    install(texts._, texts.ngettext, newstyle=True, pgettext=lambda *words: texts.now().pgettext(*words))
    templates.globals.update(sections=SECTIONS, version=VERSION, svg=drawing.svg, texts=texts, static=STATIC)
    return templates


def page(
    request: Request | None, template: str, values: dict[str, Any] | None = None, status: int = 200
) -> Response:
    """A page from a template; without a request, it has no navigation."""
    path = "" if request is None else request.url.path
    text = environment().get_template(template).render(values or {}, path=path)
    return HTMLResponse(text, status)
