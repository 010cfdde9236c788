"""The page: how soon it is there, a hand of the large store, a step in the browser, and many tables that are
played at."""

import tempfile
import time
from collections.abc import Iterator
from contextlib import closing

from playwright.sync_api import Browser

from benchmarks.data import Data
from benchmarks.figures import Figure
from benchmarks.tables import Site, tables
from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.store import Store
from tests.support.browser import CHROMIUM, chromium, opened, served
from tests.support.csv_rows import EDGE
from tests.support.seated import choose, is_over, sit_down
from tests.support.stores import ingest

HANDS = 40
STARTS = 5
STEPS = """() => {
    const last = Number(document.getElementById('slide').max), times = [];
    for (let step = 0; step < last; step += 1) {
        const began = performance.now();
        document.dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowRight'}));
        document.body.offsetHeight;
        times.push(performance.now() - began);
    }
    return times;
}"""


TIME_VIEWS = """
window.times = [];
WebSocket.prototype.addEventListener = function (type, on) {
    EventTarget.prototype.addEventListener.call(this, type, type !== "message" ? on : (event) => {
        const began = performance.now();
        on(event);
        document.body.offsetHeight;
        times.push(performance.now() - began);
    });
};"""
"""Measures from the arrival of a table's view to its layout."""


def web(data: Data) -> Iterator[Figure]:
    """`cardlog serve` over the large store: start, a hand, a step in Chromium, and 200 tables."""
    yield from _page(data)
    yield from tables(data)


def _page(data: Data) -> Iterator[Figure]:
    hands = data.sizes.hands
    store = data.store(hands)
    starts = []
    for _ in range(STARTS):
        began = time.perf_counter()
        with served(store.root):
            starts.append(time.perf_counter() - began)
    yield Figure("cardlog serve, until it prints its address", starts, "s", 1.0, at_most=True)
    ids = _some_ids(store)
    with served(store.root) as address:
        yield Figure(f"page of a hand among {hands:,}", _page_times(address, ids), "ms", 100.0, at_most=True)
        if CHROMIUM is None:
            return
        with chromium() as browser, opened(browser, address) as visit:
            page = visit.to(f"/hand/{ids[0]}?step=0")
            times = page.evaluate(STEPS)
            away = [url for url in visit.requests if not url.startswith(visit.base)]
            at_table = _table_times(browser)
        yield Figure("step of a hand in Chromium", times, "ms", 16.0, at_most=True)
        yield Figure("view of a table in Chromium", at_table, "ms", 16.0, at_most=True)
        yield Figure("requests to other machines", [float(len(away))], "")


def _table_times(browser: Browser) -> list[float]:
    """Milliseconds that the views of a hand take when it is played at a table."""
    with tempfile.TemporaryDirectory() as scratch:
        store = Store(f"{scratch}/store")
        ingest(store, EDGE)
        with served(store.root) as address, opened(browser, address.replace("/?", "/tables?")) as visit:
            visit.page.add_init_script(TIME_VIEWS)
            page = sit_down(visit, "kaiser")
            while choose(page) and not is_over(page):
                pass
            times: list[float] = page.evaluate("times")
    return times


def _some_ids(store: Store) -> list[str]:
    """Ids of hands all over the store, in no order."""
    sql = "select hand_id from events where seq = 0 order by hash(hand_id) limit ?"
    with closing(query.connect(store, ["events"])) as connection:
        return [hand_id for (hand_id,) in connection.execute(sql, [HANDS]).fetchall()]


def _page_times(address: str, ids: list[str]) -> list[float]:
    """Milliseconds until a page has arrived, each of a hand that was not asked for before; the first few, for
    which code is loaded, don't count."""
    site, times = Site(address), []
    for hand_id in ids:
        began = time.perf_counter()
        assert site.ask("GET", f"/hand/{hand_id}").status == 200
        times.append((time.perf_counter() - began) * 1000)
    return times[3:]
