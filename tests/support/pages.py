"""A page over a store, for tests: as Starlette's test client sees it, and as a process that serves it."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import httpx2
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send
from websockets.exceptions import WebSocketException
from websockets.sync.client import ClientConnection, connect

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.web.access import Access
from cardlog.web.app import create
from cardlog.web.asking import Asking
from cardlog.web.views import share

HOST, PORT = "127.0.0.1", 8765
BASE = f"http://{HOST}:{PORT}"
ORIGIN = {"origin": BASE}
WAIT = 60


def made(store: Store, batch: Batch, form: str, *, anonymous: bool) -> str:
    """A hand of a store as it is shared."""
    return share.made(Asking(), pinned(store, ["analysis"]), batch, form, anonymous=anonymous)


class Unencrypted:
    """Middleware: requests come as the server gets them, also from a proxy with TLS."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["scheme"] = {"https": "http", "wss": "ws"}.get(scope.get("scheme", ""), scope.get("scheme"))
        await self._app(scope, receive, send)


@contextmanager
def client_of(
    store: Store,
    play: Path | None = None,
    *,
    enter: bool = True,
    asking: Asking | None = None,
    access: Access | None = None,
    reached: tuple[str, str] = (BASE, f"{HOST}:{PORT}"),
) -> Iterator[TestClient]:
    """A client of a store's page, with the cookie unless it must not `enter`.

    reached
        The origin that it sees, and the ``Host`` that the server is sent.
    """
    access = access or Access(HOST, PORT)
    base, host = reached
    app = create(store, access, asking or Asking(), play)
    app.add_middleware(Unencrypted)
    with TestClient(app, base_url=base, follow_redirects=False) as client:
        client.headers["host"] = host
        if enter:
            assert client.get(f"/?token={access.token}").status_code == 303
        client.access = access  # type: ignore[attr-defined]
        yield client


def hand_of(store: Store, game: str, sql: str = "true") -> str:
    """The id of a hand of a game whose row of `playedhand` is such."""
    text = f"select hand_id from playedhand where game = ? and ({sql}) order by hand_id limit 1"
    [(found,)] = asked(store, ["playedhand"], text, game)
    return str(found)


def asked(store: Store, tables: list[str], sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query of a test's own."""
    return query.connect(store, tables).execute(sql, values).fetchall()


DEALT_ALIKE = "import random; random.SystemRandom.getrandbits = random.Random(1).getrandbits\n"
"""Makes tables deal the same cards in every run."""


class Server:
    """A process that serves a store, and its tables.

    before
        Code that it runs first.
    """

    before = DEALT_ALIKE

    def __init__(self, root: str, port: int = 0, *options: str, stderr: IO[str] | None = None) -> None:
        code = f"{self.before}from cardlog.pipelines.terminal.cli import main; main()"
        command = [sys.executable, "-c", code, "serve", "--store", root, "--port", str(port)]
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=stderr, text=True, env=environment
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip()
        self.base = self.address.partition("/?")[0]
        self.port = int(self.base.rpartition(":")[2])

    def end(self, number: int = signal.SIGTERM) -> None:
        """End it by a signal."""
        self.process.send_signal(number)
        self.process.wait(WAIT)
        assert self.process.stdout is not None
        self.process.stdout.close()


def table_at(server: Server, form: dict[str, str]) -> tuple[str, str]:
    """A new table's path, and the cookie of its host's seat."""
    with httpx2.Client(base_url=server.base, headers={"origin": server.base}, timeout=WAIT) as client:
        client.get(server.address)
        headers = client.post("/tables", data=form).headers
    [cookie] = re.findall(r"cardlog-seat-\w+=[\w-]+", headers["set-cookie"])
    return headers["location"], cookie


@contextmanager
def seat_at(server: Server, path: str, cookie: str) -> Iterator[ClientConnection]:
    address = server.base.replace("http", "ws") + path + "/socket"
    deadline = time.monotonic() + WAIT
    while True:
        try:
            found = connect(address, origin=server.base, additional_headers={"Cookie": cookie})
            break
        except (OSError, WebSocketException):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
    with found:
        yield found
