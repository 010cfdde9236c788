"""The results of all who played the same deal: that of a stored hand, or the deal of a day."""

import datetime
from functools import lru_cache
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response

from cardlog.pipelines.text.texts import N_, _
from cardlog.web import hands
from cardlog.web.pages import page
from cardlog.web.play import starts
from cardlog.web.play.dealing import games_offered
from cardlog.web.play.event_json import lines_of
from cardlog.web.play.room import Room
from cardlog.web.site import Site, fields_of, has_marts
from cardlog.web.views.lists import day_of

MOST_RESULTS: Final = 200
EARLIEST: Final = datetime.date(2000, 1, 1)
HELPS: Final = {
    '"hint":': N_("hints"),
    '"undo":': N_("undo"),
    '"claim":false': N_("a wrong claim"),
    '"by":': N_("the computer, for a while"),
}
"""Parts of the details of events, and how the table of results names the help that they record."""
_SQL: Final = """
    with alike as (
        select hand_id
        from seats
        where game = $1 and hand_id in (select hand_id from seats where game = $1 and seat = 0 and cards = $2)
        group by hand_id
        having list(cards order by seat) = $3::varchar[]
    ),
    helps as (
        select hand_id, string_agg(distinct detail, ' ') as details
        from events
        where game = $1 and hand_id in (select hand_id from alike) and seq > 0
        group by hand_id
    )
    select
        seats.*, hands.contract, hands.trump, hands.declarer, helps.details,
        coalesce(seats.team_score - seats.other_score, seats.net) as result,
        bool_or(seats.player_kind = 'human') over (partition by hand_id) as has_people
    from seats
    join alike using (hand_id)
    join hands using (game, hand_id)
    left join helps using (hand_id)
    where hands.status = 'complete'
    qualify seats.player_kind = 'human' or not has_people
    order by result desc nulls last, seats.place, hand_id, seats.seat
"""


def of_hand(site: Site, request: Request) -> Response:
    """``/hand/ID/deal``: all results with the deal of a hand."""
    batch = site.hand(request.path_params["hand_id"])
    dealt = starts.deal_of(lines_of(batch.events, batch.details))
    hand_id = batch.hand_ids[0].decode()
    title = _("The deal of %(game)s hand %(id)s", game=hands.title(batch.game), id=hand_id[:8])
    return _results(
        site, request, batch.game, dealt, {"title": title, "hand_id": hand_id, "day": None, "mine": None}
    )


def of_day(site: Site, request: Request) -> Response:
    """``/daily?game=kaiser&day=2026-11-25``: the deal of a day, by default today, and its results."""
    fields, today = fields_of(request), starts.today()
    game = fields["game"] if fields.get("game") in games_offered() else games_offered()[0]
    day = min(max(day_of(fields.get("day", "")) or today, EARLIEST), today)
    title = _("The deal of %(day)s", day=day)
    values = {"title": title, "hand_id": None, "day": day, "today": today, "game": game}
    room = site.rooms.of_day(request.cookies, game, day.isoformat())
    own = {"before": day - datetime.timedelta(1), "mine": room and _mine(room)}
    return _results(site, request, game, _dealt(game, day.isoformat()), values | own)


def _mine(room: Room) -> dict[str, Any]:
    """The table at which the reader plays the deal, and what he got there if the hand is over."""
    mine: dict[str, Any] = {"table": room.table_id, "hand_id": None}
    if room.hand.is_over:
        [*_rows, last] = room.sheet.rows
        points, place = (last["score"][name] for name in ("hand", "place"))
        lead = points["0"] - points["1"] if room.table.game.has_teams else points.get("0")
        mine |= {"hand_id": last["hand_id"], "result": lead, "place": place.get("0")}
    return mine


@lru_cache(64)
def _dealt(game: str, day: str) -> list[str]:
    start = starts.daily(game, day, "").start
    return starts.deal_of(start.events if start else [])


def _results(site: Site, request: Request, game: str, dealt: list[str], values: dict[str, Any]) -> Response:
    store = site.now()
    values |= site.mart_values(request, store) | {"game_title": hands.title(game), "rows": [], "more": False}
    if has_marts(store):
        parameters = [game, dealt[0], dealt]
        rows = site.asking.run(store, {"seats", "hands", "events"}, _SQL, parameters, MOST_RESULTS)
        ranked = [{"rank": rank} | row for rank, row in enumerate(rows.dicts(), 1)]
        values |= {"rows": ranked, "more": rows.more, "helps": HELPS}
    return page(request, "deal.html", values)
