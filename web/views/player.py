"""The page of one player: results, trend, partners, and the costs of kinds of decisions; and puzzles."""

import asyncio
from itertools import accumulate, chain, zip_longest
from typing import Any, Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from cardlog import models
from cardlog.pipelines.charts.plot import Plot
from cardlog.pipelines.charts.report import COSTS
from cardlog.pipelines.events.folding import replay_batch
from cardlog.pipelines.hands import DESCRIBERS
from cardlog.pipelines.sql.hand_lookup import HandNotFound
from cardlog.pipelines.text.texts import N_, _
from cardlog.web import hands
from cardlog.web.asking import MOST_ROWS
from cardlog.web.names import number
from cardlog.web.pages import page
from cardlog.web.play.table import Hand
from cardlog.web.play.views import Observer
from cardlog.web.site import Site, fields_of, has_marts

PLAYER_HANDS: Final = "from seats where game = $1 and player_name = $2 and hand_status = 'complete'"
TREND: Final = f"""
    with mine as (
        select
            coalesce(team_score - other_score, net, -place) as result,
            ntile(12) over (order by added_date nulls first, match_id, hand_no, hand_id) as part
        from (select * {PLAYER_HANDS}) join hands using (game, hand_id, match_id, hand_no)
    )
    select count(*)::int, avg(result) from mine group by part order by part
"""
PARTNERS: Final = f"""
    select coalesce(partner_name, partner_kind, 'unknown') as partner, count(*)::int as hands,
        avg(won::int) as share_won, avg(team_score - other_score) as lead
    {PLAYER_HANDS} and partner_seat is not null group by 1 order by hands desc, 1 limit 12
"""
TREND_NOTE: Final = N_("Each point is the mean of as many hands as lie between it and the one before.")
RESULTS: Final = "select * from players where game = $1 and player_name = $2"
PUZZLE: Final = "select * from puzzles where game = ? {} order by random() limit 1"


def show(site: Site, request: Request) -> Response:
    """``/player?game=kaiser&name=Ann``."""
    fields, store = fields_of(request), site.now()
    values: dict[str, Any] = {"game": fields.get("game", ""), "name": fields.get("name", "")}
    values |= site.mart_values(request, store)
    if not has_marts(store) or values["game"] not in values["games"]:
        raise HTTPException(404)
    analysed = {"analysis"} if site.now("analysis").paths("analysis") else set()
    costs = COSTS.format(f"select hand_id, seat, role {PLAYER_HANDS}")
    queries = [TREND, RESULTS, PARTNERS, *([costs] if analysed else [])]
    tables, parameters = {"seats", "hands", "players", *analysed}, [values["game"], values["name"]]
    trend, *lists = site.asking.run_all(store, tables, queries, parameters, MOST_ROWS)
    ends = list(accumulate(count for count, _ in trend.rows))
    mean = {_("result of a hand"): [result for _, result in trend.rows]}
    title = _("Results, from the first hand to the last")
    plot = Plot(title, "line", ends, mean, _("hands played"), says=_(TREND_NOTE))
    values["trend"] = plot if len(ends) > 1 and None not in chain(*mean.values()) else None
    values |= dict(zip_longest(("rows", "partners", "costs"), (rows.dicts() for rows in lists)))
    return page(request, "player.html", values)


def puzzles(site: Site, request: Request) -> Response:
    """``/puzzles?game=kaiser`` redirects to one of them, ``&id=HAND&step=9`` shows it as the seat saw it."""
    fields, store = fields_of(request), site.now()
    game = fields.get("game", next(iter(models.GAMES)))
    key = [fields["id"], number(fields.get("step", ""), 4)] if "id" in fields else []
    sql = PUZZLE.format("and hand_id = ? and step = ?" if key else "")
    rows = site.asking.run(store, {"puzzles"}, sql, [game, *key]).dicts() if has_marts(store) else []
    if rows and not key:
        return RedirectResponse(f"/puzzles?game={game}&id={rows[0]['hand_id']}&step={rows[0]['step']}", 303)
    games = {name: hands.title(name) for name in DESCRIBERS}
    values = {"puzzle": None, "is_gone": bool(key), "game": game, "games": games}
    return page(request, "puzzle.html", values | ({"puzzle": _position(site, rows[0])} if rows else {}))


async def values(site: Site, request: Request) -> Response:
    """``/puzzles/values?id=HAND&event=17``: what each card would have led to, the best first, as JSON."""
    fields = fields_of(request)
    try:
        batch = await asyncio.to_thread(site.hand, fields.get("id", ""))
    except HandNotFound as error:
        raise HTTPException(404) from error
    if not models.game(batch.game).has_solver:
        raise HTTPException(404)
    return JSONResponse(await site.rooms.values_at(batch, number(fields.get("event", ""), 4) or 0))


def _position(site: Site, row: dict[str, Any]) -> dict[str, Any]:
    batch = site.hand(row["hand_id"])
    hand = Hand(models.game(batch.game), 0, (0, 0), row["hand_id"], hands.opening_of(batch))
    hand.events, hand.size = batch.events, int(replay_batch(batch).rows["event"][row["step"]])
    observer = Observer(batch.game, hand, row["seat"])
    observer.catch_up()
    observer.choice()  # adds the legal cards to the step
    answer = {name: row[name] for name in ("seat", "best_card", "best_value", "second_value", "card")}
    answer |= {"id": row["hand_id"], "event": hand.size}
    return answer | {"hand": observer.about(), "step": observer.step}
