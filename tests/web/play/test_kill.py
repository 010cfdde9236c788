"""A server killed at any moment loses no move that it has sent, goes on with the same keys, and stores each
hand once."""

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from websockets.sync.client import ClientConnection

from cardlog.pipelines.storage.store import Store
from tests.support.pages import WAIT, Server, asked, seat_at, table_at
from tests.support.tables import form_of

pytestmark = pytest.mark.long


def kills(tmp_path: Path, count: int) -> None:
    """Kill a server so many times while someone plays; after each the table is as far as it was sent."""
    store, rng = Store(str(tmp_path / "store")), random.Random(count)
    store.create()
    server = Server(store.root)
    path, cookie = table_at(server, form_of("kaiser"))
    newest: tuple[int, int] = (0, 0)
    logs: dict[int, list[Any]] = {}
    sizes: dict[int, int] = {}
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
                here = view["hand_no"], view["version"]
                if first:
                    assert here >= newest, "a move that was sent is lost"
                    first = False
                newest = max(newest, here)
                old = logs.get(here[0], [])
                assert all(one == other for one, other in zip(view["log"], old, strict=False))
                logs[here[0]] = max(view["log"], old, key=len)
                sizes[here[0]] = max(sizes.get(here[0], 0), here[1])
                if view["choice"]:
                    action = rng.choice(view["choice"]["actions"])["action"]
                    told = {"type": "act", "version": here[1], "hand_no": here[0], "action": action}
                    socket.send(json.dumps(told))
                elif view["over"] and (until is not None or here[0] < 1):
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


def test_a_server_that_is_killed_loses_nothing(tmp_path: Path) -> None:
    kills(tmp_path, 2)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 512 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k,mode=700", "cardlog", str(folder)]
    if os.geteuid() or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("only root can mount a small file system")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(path: Path) -> None:
    """Write a file until the disk is full."""
    with suppress(OSError), path.open("wb", buffering=0) as file:
        while file.write(bytes(256)):
            pass


def play_until_silence(socket: ClientConnection, text: str | bytes | None = None) -> tuple[int, int]:
    """Play until no more views come; returns the hand and the event of the last one.

    text
        A view that came already.
    """
    here = (-1, -1)
    while True:
        try:
            view = json.loads(text or socket.recv(timeout=2))
        except TimeoutError:
            return here
        text = None
        if view["type"] == "view":
            here = view["hand_no"], view["version"]
            if view["choice"]:
                action = view["choice"]["actions"][-1]["action"]
                told = {"type": "act", "version": here[1], "hand_no": here[0], "action": action}
                socket.send(json.dumps(told))
            elif view["over"]:
                socket.send('{"type":"next"}')


def test_a_full_disk_delays_moves_and_a_server_killed_on_it_loses_none(
    tmp_path: Path, small_disk: Path
) -> None:
    store, ballast, said = Store(str(tmp_path / "store")), small_disk / "ballast", tmp_path / "said"
    store.create()
    options = ("--play", str(small_disk / "play"))
    with said.open("w") as stderr:
        server = Server(store.root, 0, *options, stderr=stderr)
        path, cookie = table_at(server, form_of("kaiser"))
        with seat_at(server, path, cookie) as socket:
            view = socket.recv(timeout=WAIT)
            fill(ballast)
            first = play_until_silence(socket, view)
            assert "moves wait, the journal can't be written" in said.read_text()
            with ballast.open("r+b") as file:
                file.truncate(ballast.stat().st_size - 8192)
            second = play_until_silence(socket)
            assert second > first
        server.end(signal.SIGKILL)
    ballast.unlink()
    server = Server(store.root, server.port, *options)
    with seat_at(server, path, cookie) as socket:
        view = json.loads(socket.recv(timeout=WAIT))
        assert (view["hand_no"], view["version"]) >= second
    server.end(signal.SIGINT)


@pytest.mark.soak
def test_a_server_that_is_killed_fifty_times_loses_nothing(tmp_path: Path) -> None:
    kills(tmp_path, 50)
