"""Find hands: by game, day, player, contract, result, rules and status."""

import datetime
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote, urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from cardlog import models
from cardlog.web import hands
from cardlog.web.names import typed
from cardlog.web.pages import page
from cardlog.web.site import NO_MARTS, Site, has_marts

PAGE_ROWS: Final = 50
MOST_PAGES: Final = 1_000
RESULTS: Final = {"made": "hands.made", "lost": "not hands.made"}
STATUSES: Final = ("complete", "aborted")


@dataclass(frozen=True)
class Filter:
    """One field of the form.

    condition
        Of SQL, with a parameter for the field's value.
    kind
        Of the input.
    """

    name: str
    label: str
    condition: str
    kind: str = "text"


FILTERS: Final = (
    Filter("since", "From day", "hands.day >= ?::date", "date"),
    Filter("until", "To day", "hands.day <= ?::date", "date"),
    Filter(
        "player",
        "Player",
        "hands.hand_id in (select hand_id from seats where player_name = ? or player_kind = ?)",
    ),
    Filter("contract", "Contract", "hands.contract = try_cast(? as integer)", "number"),
    Filter("trump", "Trump", "hands.trump = upper(?)"),
    Filter("rules", "Rules", "played.dialect = ?"),
    Filter("dataset", "Data set", "hands.dataset = ?"),
)
"""Fields with a value of their own; game, result and status are lists to choose from."""

SELECT: Final = """
    select
        hands.game, hands.hand_id, hands.match_id, hands.hand_no, hands.added_date, hands.status,
        hands.declarer, hands.contract, hands.trump, hands.made, hands.team_0_score, hands.team_1_score,
        played.dialect
    from hands
    left join playedhand as played using (game, hand_id)
"""


def show(site: Site, request: Request) -> Response:
    """``/hands?game=kaiser&player=Ann&page=2``; ``?hand=`` leads to a hand."""
    asked = {name: typed(value) for name, value in request.query_params.items()}
    if asked.get("hand"):
        return RedirectResponse(f"/hand/{hands_name(asked['hand'])}", 303)
    number = page_of(asked)
    values: dict[str, Any] = {
        "asked": asked,
        "filters": FILTERS,
        "games": {game: hands.title(game) for game in models.GAMES},
        "results": tuple(RESULTS),
        "statuses": STATUSES,
        "number": number,
        "rows": [],
        "more": False,
        "problem": None,
    }
    store = site.now()
    values["behind"] = site.behind(store, request)
    if not has_marts(store):
        return page(request, "hands.html", values | {"problem": NO_MARTS})
    conditions, parameters, problem = _conditions(asked)
    where = f"where {' and '.join(conditions)}" if conditions else ""
    order = "order by hands.added_date desc nulls last, hands.match_id, hands.hand_no, hands.hand_id"
    tables = {"hands", "playedhand"} | ({"seats"} if asked.get("player") else set())
    limit = f"limit {PAGE_ROWS + 1} offset {PAGE_ROWS * (number - 1)}"
    found = site.asking.own(store, tables, f"{SELECT} {where} {order} {limit}", parameters, PAGE_ROWS)
    rest = [(name, value) for name, value in asked.items() if name != "page" and value]
    values |= {
        "rows": found.dicts(),
        "more": found.more and number < MOST_PAGES,
        "problem": problem,
        "address": "/hands?" + urlencode([*rest, ("page", "")]),
    }
    return page(request, "hands.html", values)


def hands_name(text: str) -> str:
    """A hand's id or key as part of an address."""
    return quote(text.strip(), safe="")


def page_of(asked: dict[str, str]) -> int:
    """The number of the page, from 1."""
    text = asked.get("page", "")
    return min(max(int(text), 1), MOST_PAGES) if text.isascii() and text.isdigit() and len(text) < 6 else 1


def _conditions(asked: dict[str, str]) -> tuple[list[str], list[Any], str | None]:
    """SQL for what was asked, its parameters, and what of it made no sense."""
    conditions: list[str] = []
    parameters: list[Any] = []
    problem = None
    if asked.get("game") in models.GAMES:
        conditions.append("hands.game = ?")
        parameters.append(asked["game"])
    if asked.get("status") in STATUSES:
        conditions.append("hands.status = ?")
        parameters.append(asked["status"])
    if asked.get("result") in RESULTS:
        conditions.append(RESULTS[asked["result"]])
    for field in FILTERS:
        value = asked.get(field.name, "").strip()
        if field.kind == "date" and value and not _is_day(value):
            problem = f"{field.label}: {value[:40]!r} is not a day; write it as 2024-05-31."
        elif value:
            conditions.append(field.condition)
            parameters += [value] * field.condition.count("?")
    return conditions, parameters, problem


def _is_day(text: str) -> bool:
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True
