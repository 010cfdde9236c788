"""The store at a glance, and what changes in it while an ingest runs."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket

from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.ledger import COUNTS, valid_ingests
from cardlog.pipelines.storage.lock import someone_at_work
from cardlog.pipelines.storage.moment import PinnedStore
from cardlog.pipelines.storage.moment import pinned as at_a_moment
from cardlog.pipelines.text.visible import shown
from cardlog.pipelines.upkeep.status import status
from cardlog.schemas.errors import CardlogError
from cardlog.web import hands
from cardlog.web.pages import page
from cardlog.web.site import Site

LIVE_SECONDS: Final = 1.0
LATEST: Final = 12
"""Number of ingests that are listed."""


def show(site: Site, request: Request) -> Response:
    """``/``."""
    now = contents(at_a_moment(site.store)) | {"at_work": someone_at_work(site.store)}
    return page(request, "store.html", {"now": now, "hand_title": hands.title})


def contents(pinned: PinnedStore) -> dict[str, Any]:
    """The contents of a store, as plain values."""
    state = status(pinned)
    ingests = valid_ingests(pinned).sort_by([("ingested_at", "descending")])
    latest = [
        {
            "at": _utc(row["ingested_at"]),
            "source": shown(row["source_path"].rpartition("/")[2], 80),
            "dataset": shown(row["dataset"]),
            **{name: row[name] for name in COUNTS},
        }
        for row in ingests.slice(0, LATEST).to_pylist()
    ]
    counts = state["hands"]
    return {
        "store": shown(state["store"], 200),
        "hands": counts,
        "balanced": counts["hands_read"]
        == counts["hands_stored"] + counts["duplicates"] + counts["quarantined"],
        "erased": state["erased"],
        "sources": state["sources"],
        "marts": state["marts"],
        "tables": [
            {"name": name, "bytes": sum(pinned.bytes_of(name).values()), **state["tables"][name]}
            for name in state["tables"]
        ],
        "latest": latest,
        "fresh": latest[0]["at"] if latest else None,
    }


def _utc(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


class Live:
    """A websocket over which the page gets the store's state when it changes."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self._contents: tuple[Any, dict[str, Any]] = (None, {})

    async def serve(self, socket: WebSocket) -> None:
        """Send the store's state whenever it differs from what was sent last, until the page is closed."""
        await socket.accept()
        last: dict[str, Any] = {}
        while True:
            now = await run_sync(self._glance)
            if now and now != last:
                await socket.send_json(now)
                last = now
            with suppress(TimeoutError, KeyError):  # messages of the page are ignored
                await asyncio.wait_for(socket.receive_text(), LIVE_SECONDS)

    def _glance(self) -> dict[str, Any]:
        """The store's state; empty if it can't be read, for example while it is being replaced. The contents
        are read again only after a commit or a build."""
        store = self._site.store
        try:
            pinned = at_a_moment(store)
            versions = pinned.moment.versions, warehouse.note_of(pinned)
            if self._contents[0] != versions:
                self._contents = versions, contents(pinned)
            return self._contents[1] | {"at_work": someone_at_work(store)}
        except (CardlogError, OSError):
            return {}
