"""The addresses of the page, and what each is answered by."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.sql.hand_lookup import HandNotFound
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.quarantine import NoSuchEntry
from cardlog.web.access import Access, Guard
from cardlog.web.asking import Asking
from cardlog.web.pages import SECTIONS, STATIC, page
from cardlog.web.play.building import Builder
from cardlog.web.play.rooms import Rooms
from cardlog.web.site import Site
from cardlog.web.texts import _
from cardlog.web.views import (
    charts,
    deals,
    find,
    hand,
    matches,
    overview,
    player,
    quarantine,
    share,
    sql,
    tables,
)

NOT_FOUND: Final = (HandNotFound, NoSuchEntry)
LEAST_GZIP: Final = 1000
"""Bytes of an answer from which on it is compressed."""


def create(store: Store, access: Access, asking: Asking, play: Path | None = None) -> Starlette:
    """The application that shows a store to whom `access` allows.

    play
        Where the tables are kept; by default beside the store.

    Raises JournalError if another server has them.
    """
    builder = Builder(store)
    rooms = Rooms(store, play, builder.stored)
    site = Site(store, asking, builder, rooms.links)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await rooms.start()
        builder.start()
        yield
        await rooms.stop()
        await builder.stop()

    return Starlette(
        routes=[*_pages(site), *_play(tables.Tables(rooms, site)), _build(builder)],
        middleware=[
            Middleware(Guard, access=access, admits=rooms.admits),
            Middleware(GZipMiddleware, minimum_size=LEAST_GZIP),
        ],
        lifespan=lifespan,
        exception_handlers={HTTPException: _http_error, Exception: _bug},
    )


def _pages(site: Site) -> list[BaseRoute]:
    """What shows the store."""

    def of(view: Callable[[Site, Request], Response], path: str, *methods: str) -> Route:
        def answer(request: Request) -> Response:
            try:
                return view(site, request)
            except Exception as error:
                return _failure(request, error)

        return Route(path, answer, methods=list(methods or ("GET",)), name=view.__name__)

    return [
        of(overview.show, "/"),
        of(find.show, "/hands"),
        of(hand.show, "/hand/{hand_id}"),
        of(hand.log, "/hand/{hand_id}/log"),
        of(deals.of_hand, "/hand/{hand_id}/deal"),
        of(deals.of_day, "/daily"),
        of(share.show, "/hand/{hand_id}/share"),
        of(share.file, "/hand/{hand_id}/share/{form}"),
        of(share.shared, "/shared/{hand_id}/{signature}"),
        of(matches.show, "/matches"),
        of(matches.one, "/match/{match_id:path}"),
        of(matches.players, "/players"),
        of(player.show, "/player"),
        of(player.puzzles, "/puzzles"),
        of(charts.show, "/charts"),
        of(sql.show, "/sql"),
        of(sql.csv, "/sql.csv"),
        of(quarantine.show, "/quarantine"),
        of(quarantine.retry, "/quarantine/retry", "POST"),
        of(quarantine.one, "/quarantine/{entry_id}"),
        WebSocketRoute("/live", overview.Live(site).serve),
        Mount("/static", StaticFiles(directory=STATIC, follow_symlink=True)),
    ]


def _play(at_tables: tables.Tables) -> list[BaseRoute]:
    """What people play at."""
    return [
        Route("/tables", at_tables.show, methods=["GET"]),
        Route("/tables", at_tables.make, methods=["POST"]),
        Route("/play/{table}", at_tables.play, methods=["GET"]),
        Route("/join/{key}", at_tables.join, methods=["GET"]),
        WebSocketRoute("/play/{table}/socket", at_tables.socket),
    ]


def _build(builder: Builder) -> BaseRoute:
    """The button that builds the marts."""

    async def answer(request: Request) -> Response:
        builder.ask()
        back = request.query_params.get("back", "")
        return RedirectResponse(back if back.partition("?")[0] in dict(SECTIONS) else "/", 303)

    return Route("/build", answer, methods=["POST"])


def _failure(request: Request, error: Exception) -> Response:
    """The page for an error whose text is for the user; raises any other again."""
    found = for_user(error)
    if isinstance(error, HTTPException) or found is None:
        raise error
    status = 404 if isinstance(found, NOT_FOUND) else 400
    return page(request, "error.html", {"title": _("That can't be shown"), "text": str(found)}, status)


def _http_error(request: Request, error: Any) -> Response:
    if request.method not in ("GET", "HEAD"):
        return Response(str(error.detail), error.status_code)
    text = _("There is nothing at %(path)s.", path=request.url.path)
    values = {"title": _(str(error.detail)), "text": text}
    return page(request, "error.html", values, error.status_code)


def _bug(request: Request, error: Exception) -> Response:
    values = {"title": _("This is a bug in cardlog"), "text": f"{type(error).__name__}: {error}"}
    return page(request, "error.html", values, 500)
