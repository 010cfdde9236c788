"""Matches with their score as it runs, and players."""

from typing import Any, Final
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cardlog import models
from cardlog.pipelines.charts.plot import Plot
from cardlog.web import hands
from cardlog.web.pages import page
from cardlog.web.site import NO_MARTS, Site, has_marts
from cardlog.web.views.find import page_of

PAGE_ROWS: Final = 50
MOST_HANDS: Final = 1_000
"""Hands of a match that are listed."""


def _of_game(request: Request) -> tuple[str, str, list[Any]]:
    """The game that was asked for, as a condition of SQL with its parameters."""
    game = request.query_params.get("game", "")
    return (game, "where game = ?", [game]) if game in models.GAMES else ("", "", [])


def show(site: Site, request: Request) -> Response:
    """``/matches?game=belote``: the matches."""
    return _listed(site, request, "matches", "matches.html", "hands desc, match_id")


def players(site: Site, request: Request) -> Response:
    """``/players?game=belote``: the players, with intervals."""
    return _listed(site, request, "players", "players.html", "hands desc, player_name")


def _listed(site: Site, request: Request, mart: str, template: str, order: str) -> Response:
    """A page of a mart."""
    number = page_of(dict(request.query_params))
    game, where, parameters = _of_game(request)
    values: dict[str, Any] = {
        "games": {name: hands.title(name) for name in models.GAMES},
        "game": game,
        "number": number,
        "rows": [],
        "more": False,
        "address": f"/{mart}?" + urlencode({"game": game, "page": ""}),
        "problem": None,
    }
    store = site.now()
    values["behind"] = site.behind(store, request)
    if not has_marts(store):
        return page(request, template, values | {"problem": NO_MARTS})
    sql = f"select * from {mart} {where} order by {order} limit ? offset ?"
    span = [PAGE_ROWS + 1, PAGE_ROWS * (number - 1)]
    found = site.asking.own(store, {mart}, sql, [*parameters, *span], PAGE_ROWS)
    return page(request, template, values | {"rows": found.dicts(), "more": found.more})


def one(site: Site, request: Request) -> Response:
    """``/match/ID``: the hands of a match, and the score as a line."""
    match_id = request.path_params["match_id"]
    store = site.now()
    if not has_marts(store):
        raise HTTPException(404)
    sql = "select * from match_hands where match_id = ? order by hand_no limit ?"
    found = site.asking.own(store, {"match_hands"}, sql, [match_id, MOST_HANDS + 1], MOST_HANDS)
    rows = found.dicts()
    if not rows:
        raise HTTPException(404)
    values = {
        "match_id": match_id,
        "title": hands.title(rows[0]["game"]),
        "rows": rows,
        "plot": _score_line(rows),
    }
    return page(request, "match.html", values)


def _score_line(rows: list[dict[str, Any]]) -> Plot | None:
    """The score after each hand, if the game has one."""
    scored = [row for row in rows if row["team_0_after"] is not None]
    if not scored:
        return None
    first = scored[0]
    before = [first[f"team_{team}_before"] for team in range(2)]
    starts = None not in before
    numbers: list[Any] = [row["hand_no"] + 1 for row in scored]
    series: dict[str, list[Any]] = {}
    for team in range(2):
        after = [row[f"team_{team}_after"] for row in scored]
        series[f"seats {team} and {team + 2}"] = ([before[team]] if starts else []) + after
    x = ([numbers[0] - 1] if starts else []) + numbers
    return Plot("Score of the match after each hand", "line", x, series, "hand", "points")
