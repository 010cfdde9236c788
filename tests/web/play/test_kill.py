"""A server killed at any moment loses no move that it has sent, goes on with the same keys, and stores each
hand once."""

import json
import random
import signal
import time
from collections import Counter, defaultdict
from typing import Any

import pytest

from cardlog.pipelines.storage.store import Store
from tests.support.pages import Server, asked, seat_at, table_at
from tests.support.tables import form_of

pytestmark = pytest.mark.long


@pytest.mark.parametrize("count", [2, pytest.param(50, marks=pytest.mark.soak)])
def test_a_server_that_is_killed_loses_nothing(store: Store, count: int) -> None:
    """Kill a server so many times while someone plays; after each the table is as far as it was sent."""
    rng, server = random.Random(count), Server(store.root)
    path, cookie = table_at(server, form_of("kaiser"))
    newest, logs, sizes = (0, 0), defaultdict[int, list[Any]](list), Counter[int]()
    for number in range(count + 1):
        with seat_at(server, path, cookie) as socket:
            until = time.monotonic() + rng.uniform(0, 0.4) if number < count else None
            first = True
            while until is None or time.monotonic() < until:
                try:
                    view = json.loads(socket.recv(timeout=None if until is None else 0.05))
                except TimeoutError:
                    continue
                if view["type"] == "refused":
                    continue
                hand, version = here = view["hand_no"], view["version"]
                assert here >= newest or not first, "a move that was sent is lost"
                first, newest = False, max(newest, here)
                assert all(one == other for one, other in zip(view["log"], logs[hand], strict=False))
                logs[hand] = max(view["log"], logs[hand], key=len)
                sizes[hand] = max(sizes[hand], version)
                if view["choice"]:
                    action = rng.choice(view["choice"]["actions"])["action"]
                    told = {"type": "act", "version": version, "hand_no": hand, "action": action}
                    socket.send(json.dumps(told))
                elif view["over"] and (until is not None or hand < 1):
                    socket.send('{"type":"next"}')
                elif view["over"] and view["over"]["hand_id"]:
                    break
        server.end(signal.SIGKILL if number < count else signal.SIGINT)
        if number < count:
            server = Server(store.root, server.port)
    check_store(store, sizes, newest[0])


def check_store(store: Store, sizes: dict[int, int], last: int) -> None:
    """Every hand is stored, once and whole."""
    sql = "select hand_no, count(*), count(distinct hand_id), max(seq) from events group by match_id, hand_no"
    rows = asked(store, ["events"], sql)
    assert len(rows) == last + 1
    assert sorted(count for _, count, _, _ in rows) == sorted(sizes.values())
    assert all(hands == 1 and count == most + 1 for _, count, hands, most in rows)
    sql = "select sum(hands_read), sum(hands_stored), sum(duplicates), sum(quarantined) from ingests"
    [(read, stored, twice, bad)] = asked(store, ["ingests"], sql)
    assert (read - twice, stored, bad) == (last + 1, last + 1, 0)
