"""Templates: how a page is made of them, and what all of them may use."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from cardlog.pipelines.version import VERSION
from cardlog.pipelines.visible import shown
from cardlog.web import drawing, names

HERE: Final = Path(__file__).resolve().parent
STATIC: Final = HERE / "static"
SECTIONS: Final = (
    ("/", "Store"),
    ("/tables", "Play"),
    ("/hands", "Hands"),
    ("/matches", "Matches"),
    ("/players", "Players"),
    ("/charts", "Charts"),
    ("/sql", "SQL"),
    ("/quarantine", "Quarantine"),
)
"""The main pages: address and title."""


@cache
def environment() -> Environment:
    """The templates; all that they insert is escaped, for HTML and for the eye."""
    made = Environment(
        loader=FileSystemLoader(HERE / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=names.printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    made.globals.update(sections=SECTIONS, version=VERSION, svg=drawing.svg)
    return made


def page(
    request: Request | None, template: str, values: dict[str, Any] | None = None, status: int = 200
) -> Response:
    """A page made of a template; without a request, one without navigation."""
    here = "" if request is None else request.url.path
    text = environment().get_template(template).render(values or {}, path=here)
    return HTMLResponse(text, status)
