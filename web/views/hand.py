"""One hand, step by step, and the lines of its log."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardlog import models
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.lineage import SourceGone, numbered_lines
from cardlog.pipelines.storage.moment import PinnedStore
from cardlog.pipelines.text.texts import _
from cardlog.web import hands
from cardlog.web.asking import Asking
from cardlog.web.names import number
from cardlog.web.pages import page
from cardlog.web.site import Site, is_analysed


def show(site: Site, request: Request) -> Response:
    """``/hand/ID?step=17&seat=2&hide=1``; the script on the page reads step, seat and hide."""
    name = request.path_params["hand_id"]
    batch = site.hand(name)
    hand_id = batch.hand_ids[0].decode()
    if name != hand_id:
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"/hand/{hand_id}{query}", 303)
    values = values_of(batch, prices(site.asking, site.now("analysis"), batch))
    return page(request, "hand.html", values | {"is_analysing": batch.game in site.builder.analysing})


def values_of(batch: Batch, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The values of a hand's page.

    rows
        Its analysis, from `prices`.
    """
    view = hands.view(batch)
    words = [_("%(game)s hand", game=view["title"])]
    if view["hand_no"] is not None and view["match"]:
        words.append(_("%(number)s of match %(match)s", number=view["hand_no"] + 1, match=view["match"]))
    if view["at"]:
        words.append(view["at"] + " UTC")
    if not view["complete"]:
        words.append(_("broken off"))
    priced = hands.costs(batch, rows, view["seats"]) if rows else None
    game = models.game(batch.game)
    return {
        "hand": view | {"costs": priced and {"events": priced["events"], "worst": priced["worst"]}},
        "words": words,
        "match": batch.matches[batch.match_of[0]] if view["match"] else None,
        "curve": priced and priced["plot"],
        "can_be_played": game.solvable is not None,
        "can_be_analysed": game.has_solver and not rows,
    }


def prices(asking: Asking, store: PinnedStore, batch: Batch) -> list[dict[str, Any]]:
    """The rows of a store's analysis for the cards of a hand, in order; empty if there is none."""
    if not is_analysed(store, batch.game):
        return []
    sql = f"select {hands.COLUMNS} from analysis where game = ? and hand_id = ? order by step"
    return asking.run(store, {"analysis"}, sql, [batch.game, batch.hand_ids[0].decode()]).dicts()


def log(site: Site, request: Request) -> Response:
    """``/hand/ID/log?line=123``: the lines that the hand was read from, with one of them marked."""
    batch = site.hand(request.path_params["hand_id"])
    values: dict[str, Any] = {
        "hand_id": batch.hand_ids[0].decode(),
        "title": hands.title(batch.game),
        "marked": number(request.query_params.get("line", ""), 9),
        "source": None,
        "lines": [],
        "problem": None,
    }
    try:
        values["source"], values["lines"] = numbered_lines(site.now("events", "ingests"), batch)
    except SourceGone as error:
        values["problem"] = str(error)
    return page(request, "log.html", values)
