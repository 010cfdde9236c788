"""Tables to play at: their list, a new one, a table, and a friend's link."""

import re
from functools import cache
from typing import Any, Final
from urllib.parse import parse_qsl

from anyio.to_thread import run_sync
from markdown_it import MarkdownIt
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import RedirectResponse, Response
from starlette.websockets import WebSocket

from cardlog import models
from cardlog.models.engine.visible import NOBODY
from cardlog.pipelines.sql.hand_lookup import HandNotFound
from cardlog.pipelines.text.texts import N_, _, ngettext
from cardlog.web import hands
from cardlog.web.access import IS_HOST
from cardlog.web.pages import DOCS, page
from cardlog.web.play import socket as sockets
from cardlog.web.play.dealing import games_offered, rules_offered
from cardlog.web.play.room import Room
from cardlog.web.play.rooms import COOKIE, key_in
from cardlog.web.play.seats import PATIENCE, PATIENCES, BadTable, computers_of, place_of
from cardlog.web.site import Site

MOST_FIELDS: Final = 32
COOKIE_SECONDS: Final = 30 * 24 * 3600
_SOURCES: Final = re.compile(r"\s*\*\([^*]*\)\*")
"""The source of a rule: ``*(general; logs.)*``."""
_LINKS: Final = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_END: Final = re.compile(r"^##\s|^### Dialects", re.MULTILINE)


async def show(
    site: Site, request: Request, problem: str | None = None, fields: dict[str, str] | None = None
) -> Response:
    """``GET /tables``: the open tables, and a form for a new one.

    problem
        Why the table of the form's `fields` could not be made.
    """
    values = {
        "games": [_offer(name) for name in games_offered()],
        "tables": [room.about() for room in await site.rooms.all()],
        "problem": problem,
        "fields": fields or {},
        "patiences": [(str(n), ngettext("%(n)s second", "%(n)s seconds", n, n=n)) for n in PATIENCES],
        "patience": str(PATIENCE),
    }
    return page(request, "tables.html", values, 200 if problem is None else 400)


async def make(site: Site, request: Request) -> Response:
    """``POST /tables``: a new table."""
    text = (await request.body()).decode("utf-8", "replace")
    try:
        form = dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
    except ValueError:
        form = {}
    try:
        batch = await run_sync(site.hand, form["again"]) if "again" in form else None
        room = await site.rooms.open(form, batch)
    except (BadTable, HandNotFound) as error:
        return await show(site, request, str(error), form)
    response = RedirectResponse(f"/play/{room.table_id}", 303)
    _set_cookie(request, response, room.table_id, room.plan.host_key)
    return response


async def close(site: Site, request: Request) -> Response:
    """``POST /tables/{table}/close``: the end of a table."""
    try:
        await site.rooms.close(request.path_params["table"])
    except BadTable as error:
        return await show(site, request, str(error))
    return RedirectResponse("/tables", 303)


async def play(site: Site, request: Request) -> Response:
    """``GET /play/{table}``: the page of a table."""
    room = await site.rooms.find(request.path_params["table"])
    if room is None:
        raise HTTPException(404)
    seat, host = _seat(site, request, room), is_host(request)
    about = room.about(seat) | {"host": host, "watch": ""}
    if key_in(request.cookies, room.table_id) == room.plan.host_key:
        about["watch"] = f"{request.base_url}join/{room.plan.watch}"
        for seat_plan, shown in zip(room.plan.seats, about["seats"], strict=True):
            if seat_plan.is_person and shown:
                shown["link"] = f"{request.base_url}join/{seat_plan.key}"
    rules = rules_of(room.plan.game)
    values = {"table": about, "rules": rules, "seat": None if seat == NOBODY else seat, "guest": not host}
    return page(request, "play.html", values)


async def join(site: Site, request: Request) -> Response:
    """``GET /join/{key}``: a friend's link; the key becomes a cookie.

    SameSite is Lax here, since a link may come by mail; nothing is changed by opening a page, and a
    websocket needs this site's ``Origin``.
    """
    key = request.path_params["key"]
    table_and_seat = await site.rooms.seat_of(key)
    if table_and_seat is None:
        text = N_(
            "The link may have been cut on its way, or the table is gone. Ask whoever sent it for a new one."
        )
        values = {"title": _("This link leads to no table"), "text": _(text), "guest": not is_host(request)}
        return page(request, "error.html", values, 404)
    table_id, _seat = table_and_seat
    response = RedirectResponse(f"/play/{table_id}", 303)
    _set_cookie(request, response, table_id, key)
    return response


async def socket(site: Site, socket: WebSocket) -> None:
    """``/play/{table}/socket``."""
    room = await site.rooms.find(socket.path_params["table"])
    await sockets.serve(socket, room, NOBODY if room is None else _seat(site, socket, room))


def _seat(site: Site, connection: HTTPConnection, room: Room) -> int:
    """The seat of a client, which is that of the key in its cookie: the site's token gives none."""
    seat = site.rooms.seat_in(connection.cookies, room.table_id)
    return NOBODY if seat is None else seat


def is_host(connection: HTTPConnection) -> bool:
    """Whether a request has the site's token."""
    return bool(connection.scope.get(IS_HOST))


def _set_cookie(request: Request, response: Response, table_id: str, key: str) -> None:
    is_secure = request.url.scheme == "https"
    response.set_cookie(
        COOKIE + table_id,
        key,
        max_age=COOKIE_SECONDS,
        secure=is_secure,
        httponly=True,
        samesite="lax",
        path="/",
    )


def _offer(game: str) -> dict[str, Any]:
    players, computers = models.game(game).playing(), computers_of(game)
    others = [
        (f"computer:{name}", _("computer: %(player)s", player=title))
        for name, (title, _about) in computers.items()
    ]
    return {
        "game": game,
        "title": hands.title(game),
        "summary": models.game(game).summary,
        "rules": [
            (rules, _("the rule book’s") if rules == "book" else f"{rules}: {_(about)}")
            for rules, about in rules_offered(game).items()
        ],
        "players": dict(computers.values()),
        "seats": [("me", _("me")), ("friend", _("a friend, who gets a link")), *others],
        "computer": players.preselected or players.substitute,
        "counts": list(players.seats),
        "usual": players.usual_seats,
        "places": _places(players.seats),
    }


def _places(counts: range) -> list[str]:
    """The names of the seats in the form: as those who only watch see them, or numbers if the number of seats
    can be chosen."""
    count = counts[-1]
    if len(counts) > 1:
        return [_("Place %(number)s", number=number + 1) for number in range(count)]
    return [place_of(number, NOBODY, count, has_teams=False) for number in range(count)]


@cache
def rules_of(game: str) -> Markup:
    """The section on the rules from a game's page in docs/rules, as HTML without sources and links."""
    text = (DOCS / "rules" / f"{game}.md").read_text(encoding="utf-8")
    _, _, rules = text.partition("\n## The rules\n")
    end = _END.search(rules)
    rules = rules[: end.start()] if end else rules
    plain = _LINKS.sub(r"\1", _SOURCES.sub("", rules))
    return Markup(MarkdownIt("commonmark", {"html": False}).enable("table").render(plain))
