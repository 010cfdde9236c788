"""Matches with their running scores, and players."""

from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cardlog import models
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.text.texts import _
from cardlog.web import hands
from cardlog.web.pages import page
from cardlog.web.site import Site, fields_of, has_marts

MOST_HANDS: Final = 1_000
"""Hands of a match that are listed."""


def show(site: Site, request: Request) -> Response:
    """``/matches?game=belote``: the matches."""
    return _listed(site, request, "matches", "match_id")


def players(site: Site, request: Request) -> Response:
    """``/players?game=belote``: the players, with intervals."""
    return _listed(site, request, "players", "player_name")


def _listed(site: Site, request: Request, mart: str, name: str) -> Response:
    """The rows of a mart, for one game or for all."""
    game = fields_of(request).get("game", "")
    games = [game] if game in models.GAMES else []
    sql = f"select * from {mart} {'where game = ?' if games else ''} order by hands desc, {name}"
    return site.listed(request, {mart}, sql, games, game=game)


def one(site: Site, request: Request) -> Response:
    """``/match/ID``: the hands of a match, and its score as a line chart."""
    match_id = request.path_params["match_id"]
    store = site.now()
    if not has_marts(store):
        raise HTTPException(404)
    sql = "select * from match_hands where match_id = ? order by hand_no limit ?"
    parameters = [match_id, MOST_HANDS + 1]
    rows = site.asking.run(store, {"match_hands"}, sql, parameters, MOST_HANDS).dicts()
    if not rows:
        raise HTTPException(404)
    title, plot = hands.title(rows[0]["game"]), _score_line(rows)
    return page(request, "match.html", {"match_id": match_id, "title": title, "rows": rows, "plot": plot})


def _score_line(rows: list[dict[str, Any]]) -> Plot | None:
    """The score after each hand, if the game has one."""
    scored = [row for row in rows if row["team_0_after"] is not None]
    if not scored:
        return None
    before = [scored[0][f"team_{team}_before"] for team in range(2)]
    has_start = None not in before
    numbers: list[Any] = [row["hand_no"] + 1 for row in scored]
    series: dict[str, list[Any]] = {}
    for team in range(2):
        after = [row[f"team_{team}_after"] for row in scored]
        side = _("seats %(first)s and %(second)s", first=team, second=team + 2)
        series[side] = ([before[team]] if has_start else []) + after
    x = ([numbers[0] - 1] if has_start else []) + numbers
    return Plot(_("Score of the match after each hand"), "line", x, series, _("hand"), _("points"))
