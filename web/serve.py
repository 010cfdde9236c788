"""`cardlog serve`: listen, print the address, and answer until it is stopped."""

import socket
import threading
from contextlib import suppress
from typing import Final

import uvicorn

from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError
from cardlog.web import hands
from cardlog.web.access import Access
from cardlog.web.app import create
from cardlog.web.asking import Asking

MOST_MESSAGE: Final = 2**16
"""Bytes of a message over a websocket."""


class ServeError(CardlogError):
    """The server can't listen; the text is for the user."""


def listen(host: str, port: int) -> socket.socket:
    """A socket at an address of this machine; port 0 is any that is free. Raises ServeError."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except OSError as error:
        why = error.strerror or str(error)
        raise ServeError(f"can't listen at {host}, port {port}: {why}; --port names another") from error


def run(store: Store, host: str, port: int, asking: Asking) -> None:
    """Serve a store until a signal ends it; prints the address to open. Raises ServeError."""
    with listen(host, port) as listening:
        access = Access(host, listening.getsockname()[1])
        config = uvicorn.Config(
            create(store, access, asking),
            log_level="warning",
            access_log=False,  # addresses may have the token
            server_header=False,
            proxy_headers=False,
            ws="websockets-sansio",
            ws_max_size=MOST_MESSAGE,
        )
        print(access.address, flush=True)
        threading.Thread(target=_warm_up, args=(store,), daemon=True).start()
        uvicorn.Server(config).run(sockets=[listening])


def _warm_up(store: Store) -> None:
    """Load what the first page needs while the user opens the address."""
    with suppress(CardlogError, OSError):  # which the page that needs it will report
        hands.warm_up(store)
