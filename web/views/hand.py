"""One hand, step by step, and the lines of its log."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.lineage import SourceGone, numbered_lines
from cardlog.web import hands
from cardlog.web.pages import page
from cardlog.web.site import Site


def show(site: Site, request: Request) -> Response:
    """``/hand/ID?step=17&seat=2&hide=1``; the script on the page reads step, seat and hide."""
    name = request.path_params["hand_id"]
    batch = site.hand(name)
    hand_id = batch.hand_ids[0].decode()
    if name != hand_id:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/hand/{hand_id}{query}", 303)
    return page(request, "hand.html", values_of(batch))


def values_of(batch: Batch) -> dict[str, Any]:
    """What the page of a hand shows."""
    view = hands.view(batch)
    words = [f"{view['title']} hand"]
    if view["hand_no"] is not None:
        words.append(f"{view['hand_no'] + 1} of match {view['match']}" if view["match"] else "")
    if view["at"]:
        words.append(view["at"] + " UTC")
    if not view["complete"]:
        words.append("broken off")
    match = batch.matches[batch.match_of[0]] if batch.match_of[0] >= 0 else None
    return {"hand": view, "words": list(filter(None, words)), "match": match}


def log(site: Site, request: Request) -> Response:
    """``/hand/ID/log?line=123``: the lines that the hand was read from, one of them marked."""
    batch = site.hand(request.path_params["hand_id"])
    marked = request.query_params.get("line", "")
    values: dict[str, Any] = {
        "hand_id": batch.hand_ids[0].decode(),
        "title": hands.title(batch.game),
        "marked": int(marked) if marked.isascii() and marked.isdigit() else None,
        "path": None,
        "lines": [],
        "gone": None,
    }
    try:
        path, lines = numbered_lines(site.now("events", "ingests"), batch)
        values |= {"source": path, "lines": lines}
    except SourceGone as gone:
        values |= {"source": None, "gone": str(gone)}
    return page(request, "log.html", values)
