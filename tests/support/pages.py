"""A page over a store, for tests: as Starlette's test client sees it, and as a process that serves it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from starlette.testclient import TestClient

from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.store import Store
from cardlog.web.access import Access
from cardlog.web.app import create
from cardlog.web.asking import Asking

HOST, PORT = "127.0.0.1", 8765
BASE = f"http://{HOST}:{PORT}"


@contextmanager
def client_of(store: Store, *, enter: bool = True, asking: Asking | None = None) -> Iterator[TestClient]:
    """A client of a store's page, with the cookie unless it must not `enter`."""
    access = Access(HOST, PORT)
    app = create(store, access, asking or Asking())
    with TestClient(app, base_url=BASE, follow_redirects=False) as client:
        client.headers["host"] = f"{HOST}:{PORT}"
        if enter:
            assert client.get(access.address.removeprefix(BASE)).status_code == 303
        client.access = access  # type: ignore[attr-defined]
        yield client


def hand_of(store: Store, game: str, sql: str = "true") -> str:
    """The id of a hand of a game whose row of `playedhand` is such."""
    text = f"select hand_id from playedhand where game = ? and ({sql}) order by hand_id limit 1"
    [(found,)] = query.connect(store, ["playedhand"]).execute(text, [game]).fetchall()
    return str(found)


def asked(store: Store, tables: list[str], sql: str, *values: Any) -> list[tuple[Any, ...]]:
    """The rows of a query of a test's own."""
    return query.connect(store, tables).execute(sql, values).fetchall()
