"""The page: how fast the server starts, a hand of the large store, and many tables in play."""

import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.data import Data
from benchmarks.figures import Figure
from benchmarks.tables import tables
from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.store import Store
from tests.support.pages import Server

HANDS = 40
STARTS = 5
TABLES = 200


def web(data: Data) -> Iterator[Figure]:
    """`cardlog serve` over the large store: its start, and a hand; over an empty store 200 tables."""
    store = data.store(data.hands)
    starts = []
    for _ in range(STARTS):
        began = time.perf_counter()
        with _served(store):
            starts.append(time.perf_counter() - began)
    yield Figure("cardlog serve, until it prints its address", starts, "s", 1.0, at_most=True)
    with _served(store) as server:
        times = _page_times(server, _some_ids(store))
    yield Figure(f"page of a hand among {data.hands:,}", times, "ms", 100.0, at_most=True)
    with data.scratch() as folder:
        empty = Store(str(folder / "store"))
        empty.create()
        with _served(empty) as server:
            yield from tables(server, data.part(TABLES))


@contextmanager
def _served(store: Store) -> Iterator[Server]:
    server = Server(store.root)
    try:
        yield server
    finally:
        server.end()


def _some_ids(store: Store) -> list[str]:
    """Ids of hands from all over the store, in random order."""
    sql = "select hand_id from events where seq = 0 order by hash(hand_id) limit ?"
    with query.connect(store, ["events"]) as connection:
        return [hand_id for (hand_id,) in connection.execute(sql, [HANDS]).fetchall()]


def _page_times(server: Server, ids: list[str]) -> list[float]:
    """Milliseconds until a page has arrived, each of another hand; the first few, for which code has to be
    loaded, don't count."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.open(server.address).close()
    times = []
    for hand_id in ids:
        began = time.perf_counter()
        with browser.open(f"{server.base}/hand/{hand_id}") as answer:
            answer.read()
        times.append((time.perf_counter() - began) * 1000)
    return times[3:]
