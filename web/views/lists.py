"""Lists: hands by game, day, player, contract, result, rules and status; matches with their running scores,
and players."""

import datetime
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardlog import models
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.text.texts import N_, _
from cardlog.web import hands as describing
from cardlog.web.pages import page
from cardlog.web.site import Listing, Site, fields_of, has_marts

RESULTS: Final = {"made": "hands.made", "lost": "not hands.made"}
STATUSES: Final = ("complete", "aborted")
MOST_HANDS: Final = 1_000
"""Hands of a match that are listed."""


@dataclass(frozen=True)
class Filter:
    """One field of the form.

    condition
        SQL, with a parameter for the field's value.
    kind
        Type of the input element.
    """

    name: str
    label: str
    condition: str
    kind: str = "text"


FILTERS: Final = (
    Filter("since", N_("From day"), "hands.day >= ?::date", "date"),
    Filter("until", N_("To day"), "hands.day <= ?::date", "date"),
    Filter(
        "player",
        N_("Player"),
        "hands.hand_id in (select hand_id from seats where player_name = ? or player_kind = ?)",
    ),
    Filter("contract", N_("Contract"), "hands.contract = try_cast(? as integer)", "number"),
    Filter("trump", N_("Trump"), "hands.trump = upper(?)"),
    Filter("rules", N_("Rules"), "played.dialect = ?"),
    Filter("dataset", N_("Data set"), "hands.dataset = ?"),
)
"""Fields with free input; game, result and status are lists to choose from."""

SELECT: Final = """
    select
        hands.game, hands.hand_id, hands.match_id, hands.hand_no, hands.added_date, hands.status,
        hands.declarer, hands.contract, hands.trump, hands.made, hands.team_0_score, hands.team_1_score,
        played.dialect
    from hands
    left join playedhand as played using (game, hand_id)
"""
MATCH_HANDS: Final = """
    select match_hands.*, hands.declarer
    from match_hands join hands using (hand_id)
    where match_hands.match_id = ? order by hand_no
"""
MATCH_PLAYERS: Final = """
    select seat, player_name, player_kind, count(*)::int as hands
    from seats where match_id = ? group by all order by seat, min(hand_no)
"""
SORTABLE: Final = ("added_date", "contract", "team_0_score", "team_1_score")
ORDER: Final = ("added_date desc nulls last", "match_id", "hand_no", "hand_id")


def hands(site: Site, request: Request) -> Response:
    """``/hands?game=kaiser&player=Ann&page=2``; ``?hand=`` leads to a hand."""
    fields = fields_of(request)
    if "hand" in fields:
        return RedirectResponse(f"/hand/{quote(fields['hand'].strip(), safe='')}", 303)
    conditions, parameters, problem = _conditions(fields)
    where = f"where {' and '.join(conditions)}" if conditions else ""
    tables = {"hands", "playedhand", *(["seats"] if "player" in fields else [])}
    values = {"problem": problem} if problem else {}
    listing = Listing(tables, f"{SELECT} {where}", parameters, ORDER, SORTABLE)
    return site.listed(request, listing, fields=fields, filters=FILTERS, **values)


def _conditions(fields: dict[str, str]) -> tuple[list[str], list[Any], str | None]:
    """SQL conditions for the form's fields, their parameters, and what is wrong with a field."""
    choices = {
        "hands.game = ?": fields.get("game") if fields.get("game") in models.GAMES else None,
        "hands.status = ?": fields.get("status") if fields.get("status") in STATUSES else None,
    }
    conditions = [condition for condition, value in choices.items() if value]
    parameters: list[Any] = [value for value in choices.values() if value]
    if fields.get("result") in RESULTS:
        conditions.append(RESULTS[fields["result"]])
    problem = None
    for field in FILTERS:
        value = fields.get(field.name, "").strip()
        if field.kind == "date" and value and not day_of(value):
            text = N_("%(field)s: %(value)s is not a day; write it as 2024-05-31.")
            problem = _(text, field=_(field.label), value=repr(value[:40]))
        elif value:
            conditions.append(field.condition)
            parameters += [value] * field.condition.count("?")
    return conditions, parameters, problem


def day_of(text: str) -> datetime.date | None:
    """The day that a text in ISO format names; None for any other text."""
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


# ---------------------------------------------------------------- matches, players


def matches(site: Site, request: Request) -> Response:
    """``/matches?game=belote``: the matches."""
    return _listed(site, request, "matches", "match_id", ("hands",))


def players(site: Site, request: Request) -> Response:
    """``/players?game=belote``: the players, with intervals."""
    return _listed(site, request, "players", "player_name", ("hands", "share_won", "mean_place", "net"))


def _listed(site: Site, request: Request, mart: str, name: str, sortable: tuple[str, ...]) -> Response:
    """The rows of a mart, for one game or for all."""
    game = fields_of(request).get("game", "")
    games = [game] if game in models.GAMES else []
    sql = f"select * from {mart} {'where game = ?' if games else ''}"
    return site.listed(request, Listing({mart}, sql, games, ("hands desc", name), sortable), game=game)


def match(site: Site, request: Request) -> Response:
    """``/match/ID``: the hands of a match, and its score as a line chart."""
    match_id = request.path_params["match_id"]
    store = site.now()
    if not has_marts(store):
        raise HTTPException(404)
    hands, players = site.asking.run_all(
        store, {"match_hands", "hands", "seats"}, [MATCH_HANDS, MATCH_PLAYERS], [match_id], MOST_HANDS
    )
    rows = hands.dicts()
    if not rows:
        raise HTTPException(404)
    title, plot = describing.title(rows[0]["game"]), _score_line(rows)
    values = {"match_id": match_id, "title": title, "rows": rows, "plot": plot, "players": players.dicts()}
    return page(request, "match.html", values)


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
