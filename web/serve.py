"""`cardlog serve`: listen, print the address, and serve until stopped."""

import socket
from dataclasses import replace
from pathlib import Path
from typing import Final

from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError
from cardlog.web.access import Access

MOST_MESSAGE: Final = 2**16
"""Bytes of a message over a websocket."""


class ServeError(CardlogError):
    """The server can't listen; the text is for the user."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket at an address of this machine; port 0 is any free port. Raises ServeError."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        return socket.create_server(address[:2], family=family, backlog=2048)
    except (OSError, UnicodeError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "that can't be the name of a machine"
        text = f"can't listen at {host}, port {port}: {reason}; --host and --port name another"
        raise ServeError(text) from error


def run(store: Store, wanted: Access, limits: Limits, play: Path | None) -> None:
    """Serve a store until a signal ends it; prints the address to open. Raises ServeError, JournalError.

    wanted
        Where to listen, and to whom; port 0 is any free port.
    limits
        Of a query.
    play
        The folder of the tables; by default beside the store.
    """
    with listen(wanted.host, wanted.port) as listener:
        access = replace(wanted, port=listener.getsockname()[1])
        print(access.address, flush=True)
        # Loaded after the address is printed, while the user opens it; earlier requests wait at the socket.
        import uvicorn

        from cardlog.web.app import create
        from cardlog.web.asking import Asking
        from cardlog.web.connections import Connection, calm_down

        app = create(store, access, Asking(limits), play)
        config = uvicorn.Config(
            app,
            http=Connection,
            log_level="error",
            access_log=False,  # addresses may contain the token
            server_header=False,
            proxy_headers=False,
            ws="websockets-sansio",
            ws_max_size=MOST_MESSAGE,
            ws_per_message_deflate=False,  # views are small, and there are many of them
        )
        calm_down()
        uvicorn.Server(config).run(sockets=[listener])
