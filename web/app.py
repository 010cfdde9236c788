"""The application: each address of the page and its handler."""

import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from cardlog import models
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.sql.hand_lookup import HandNotFound
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.texts import _
from cardlog.pipelines.upkeep.quarantine import NoSuchEntry
from cardlog.schemas.errors import CardlogError
from cardlog.web.access import HEALTH, Access, Guard
from cardlog.web.asking import Asking
from cardlog.web.pages import SECTIONS, STATIC, page
from cardlog.web.play.recording import Builder
from cardlog.web.play.rooms import Rooms
from cardlog.web.site import Site
from cardlog.web.views import (
    charts,
    deals,
    hand,
    lists,
    overview,
    player,
    quarantine,
    share,
    sql,
    tables,
)

NOT_FOUND: Final = (HandNotFound, NoSuchEntry)
HAND: Final = re.compile("/hand/[0-9a-f]{32}")
LEAST_GZIP: Final = 1000
"""Bytes from which a response is compressed."""


def create(store: Store, access: Access, asking: Asking, play: Path | None = None) -> Starlette:
    """The application that shows a store to those whom `access` admits.

    play
        The folder of the tables; by default beside the store.

    Raises JournalError if another server uses it.
    """
    builder = Builder(store)
    rooms = Rooms(store, play, builder.stored)
    site = Site(store, asking, builder, rooms)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await rooms.start()
        builder.start()
        yield
        await rooms.stop()
        await builder.stop()

    return Starlette(
        routes=[*_pages(site), *_play(site)],
        middleware=[
            Middleware(Guard, access=access, admits=rooms.admits),
            Middleware(GZipMiddleware, minimum_size=LEAST_GZIP),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _http_error, Exception: _bug},
    )


def _pages(site: Site) -> list[BaseRoute]:
    """The routes that show the store."""

    def route(view: Callable[[Site, Request], Response], path: str, *methods: str) -> Route:
        def respond(request: Request) -> Response:
            try:
                return view(site, request)
            except Exception as error:
                return _failure(request, error)

        return Route(path, respond, methods=list(methods or ("GET",)), name=view.__name__)

    return [
        route(overview.show, "/"),
        route(lists.hands, "/hands"),
        route(hand.show, "/hand/{hand_id}"),
        route(hand.log, "/hand/{hand_id}/log"),
        route(deals.of_hand, "/hand/{hand_id}/deal"),
        route(deals.of_day, "/daily"),
        route(share.show, "/hand/{hand_id}/share"),
        route(share.file, "/hand/{hand_id}/share/{form}"),
        route(share.shared, "/shared/{hand_id}/{signature}"),
        route(lists.matches, "/matches"),
        route(lists.match, "/match/{match_id:path}"),
        route(lists.players, "/players"),
        route(player.show, "/player"),
        route(player.puzzles, "/puzzles"),
        route(charts.show, "/charts"),
        route(sql.show, "/sql"),
        route(sql.csv, "/sql.csv"),
        route(quarantine.show, "/quarantine"),
        route(quarantine.retry, "/quarantine/retry", "POST"),
        route(quarantine.one, "/quarantine/{entry_id}"),
        WebSocketRoute("/live", overview.Live(site).serve),
        Mount("/static", StaticFiles(directory=STATIC, follow_symlink=True)),
    ]


def _play(site: Site) -> list[BaseRoute]:
    """The routes of the tables, of what thinks like them, and of the button that builds the marts."""

    async def build(request: Request) -> Response:
        game, back = (request.query_params.get(name, "") for name in ("analyse", "back"))
        site.builder.ask(game if game in models.GAMES and models.game(game).has_solver else "")
        is_page = back.partition("?")[0] in dict(SECTIONS) or HAND.fullmatch(back)
        return RedirectResponse(back if is_page else "/", 303)

    def health(request: Request) -> Response:
        """Whether the tables can be read, for monitors."""
        with suppress(CardlogError):
            site.now("events")
            return PlainTextResponse("ok\n")
        return PlainTextResponse("the store can't be read\n", 503)

    return [
        Route(HEALTH, health),
        Route("/tables", partial(tables.show, site), methods=["GET"]),
        Route("/tables", partial(tables.make, site), methods=["POST"]),
        Route("/tables/{table}/close", partial(tables.close, site), methods=["POST"]),
        Route("/play/{table}", partial(tables.play, site), methods=["GET"]),
        Route("/join/{key}", partial(tables.join, site), methods=["GET"]),
        WebSocketRoute("/play/{table}/socket", partial(tables.socket, site)),
        Route("/puzzles/values", partial(player.values, site), methods=["GET"]),
        Route("/build", build, methods=["POST"]),
    ]


def _failure(request: Request, error: Exception) -> Response:
    """The page for an error whose text is for the user; re-raises any other."""
    user_error = for_user(error)
    if isinstance(error, HTTPException) or user_error is None:
        raise error
    status = 404 if isinstance(user_error, NOT_FOUND) else 400
    entry = user_error.entry if isinstance(user_error, HandNotFound) else ""
    values = {"title": _("That can't be shown"), "text": str(user_error), "entry": entry}
    return page(request, "error.html", values, status)


def _http_error(request: Request, error: Any) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(str(error.detail), error.status_code)
    text = _("There is nothing at %(path)s.", path=request.url.path)
    values = {"title": _(str(error.detail)), "text": text}
    return page(request, "error.html", values, error.status_code)


def _bug(request: Request, error: Exception) -> Response:
    values = {"title": _("This is a bug in cardlog"), "text": f"{type(error).__name__}: {error}"}
    return page(request, "error.html", values, 500)
