"""`cardlog serve`: listen, print the address, and answer until it is stopped."""

import logging
import socket
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final

from cardlog.pipelines.storage.store import Store
from cardlog.schemas.errors import CardlogError
from cardlog.web.access import Access

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


def run(store: Store, host: str, port: int, limits: tuple[float, int | None], play: Path | None) -> None:
    """Serve a store until a signal ends it; prints the address to open. Raises ServeError, JournalError.

    limits
        Seconds and bytes of memory that a query may use.
    play
        Where tables are kept; by default beside the store.
    """
    with listen(host, port) as listening:
        access = Access(host, listening.getsockname()[1])
        print(access.address, flush=True)
        # Only here: what they load takes as long as it takes to open an address, and who comes earlier waits.
        import uvicorn

        from cardlog.web.app import create
        from cardlog.web.asking import Asking
        from cardlog.web.protocol import Websocket

        app = create(store, access, Asking(*limits), play)
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,  # addresses may have the token
            server_header=False,
            proxy_headers=False,
            ws=Websocket,
            ws_max_size=MOST_MESSAGE,
            ws_per_message_deflate=False,  # views are small, and there are many of them
        )
        logging.getLogger("uvicorn.error").addFilter(_is_news)
        threading.Thread(target=_warm_up, args=(store,), daemon=True).start()
        uvicorn.Server(config).run(sockets=[listening])


def _is_news(record: logging.LogRecord) -> bool:
    """Whether uvicorn's log has something to say. A websocket's text that is not UTF-8 is not: the connection
    ends with 1007, which tells the other side what it did."""
    return not str(record.msg).startswith("Invalid UTF-8")


def _warm_up(store: Store) -> None:
    """Load what the first page needs while the user opens the address."""
    from cardlog.web import hands

    with suppress(CardlogError, OSError):  # which the page that needs it will report
        hands.warm_up(store)
