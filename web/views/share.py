"""A hand to send to someone: the ways to send it, its files, and what a link to it shows."""

from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.storage.moment import PinnedStore
from cardlog.web import hands, sharing
from cardlog.web.asking import Asking
from cardlog.web.pages import page
from cardlog.web.site import Site
from cardlog.web.views.hand import prices, values_of

TYPES: Final = {"html": "text/html", "svg": "image/svg+xml", "txt": "text/plain"}


def show(site: Site, request: Request) -> Response:
    """``/hand/ID/share``."""
    batch = site.hand(request.path_params["hand_id"])
    hand_id = batch.hand_ids[0].decode()
    links = [
        str(request.url.replace(path=site.links.path_of(hand_id, anonymous=anonymous), query=""))
        for anonymous in (False, True)
    ]
    return page(request, "share.html", {"hand_id": hand_id, "title": hands.title(batch.game), "links": links})


def file(site: Site, request: Request) -> Response:
    """``/hand/ID/share/html?anonymous=1``: a file to download."""
    form = request.path_params["form"]
    if form not in sharing.FORMS:
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
    """The only hand of a batch in one of the `sharing.FORMS`, with its analysis if the store has one."""
    rows = prices(asking, store, batch)
    batch = sharing.named(batch, anonymous=anonymous)
    return sharing.FORMS[form](batch, values_of(batch, rows))


def shared(site: Site, request: Request) -> Response:
    """``/shared/ID/SIGNATURE``: the hand, for whoever has the link."""
    link = site.links.reads(request.url.path)
    if link is None:
        raise HTTPException(404)
    hand_id, anonymous = link
    batch = site.hand(hand_id)
    rows = prices(site.asking, site.now("analysis"), batch)
    batch = sharing.named(batch, anonymous=anonymous)
    text, policy = sharing.html(batch, values_of(batch, rows))
    return HTMLResponse(
        text,
        headers={
            "Content-Security-Policy": f"{policy}; frame-ancestors 'none'",
            "Referrer-Policy": "no-referrer",
        },
    )
