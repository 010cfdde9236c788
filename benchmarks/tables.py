"""Tables in play: how long an answer takes while many people play at full speed, and what it costs."""

import asyncio
import json
import os
import random
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from benchmarks.figures import Figure
from cardlog.web.play.dealing import games_offered
from tests.support.pages import Server, table_at

SECONDS = 10.0
LEFT = 2  # processes of an idle server: itself, and the one from which queries are forked
MOST_IDLE = 600.0
THINKING = 5.0  # mean seconds that a person thinks in the second run


def tables(server: Server, count: int) -> Iterator[Figure]:
    """Tables of a scripted person and computers: first everyone acts at once, then after some seconds."""
    others = {f"seat{seat}": "computer:random" for seat in range(1, 4)}
    form = {"seat0": "me", "patience": "600", **others}
    games = games_offered()
    table_at(server, form | {"game": games[0], **dict.fromkeys(others, "computer:search-5")})
    seats = [table_at(server, form | {"game": games[number % len(games)]}) for number in range(count)]
    for label, thinking in (("at once", 0.0), (f"after {THINKING:g} s", THINKING)):
        times, cpu = asyncio.run(_play(server, seats, thinking))
        milliseconds = sorted(1000 * seconds for seconds in times)
        name = f"{count} tables, each person acts {label}"
        yield Figure(f"{name}: answers", [len(times) / SECONDS], "/s")
        p50, p99 = (milliseconds[int(len(milliseconds) * part)] for part in (0.5, 0.99))
        yield Figure(f"{name}: answer, p50", [p50], "ms")
        yield Figure(f"{name}: answer, p99", [p99], "ms", 50.0, at_most=True)
        yield Figure(f"{name}: processor per answer", [1000 * cpu / len(times)], "ms")
    yield Figure("memory of the server and its helpers", [_memory_of(server)], "MiB")
    ends = time.monotonic() + MOST_IDLE
    while len(_processes(server.process.pid)) > LEFT and time.monotonic() < ends:
        time.sleep(1.0)
    yield Figure("the same once they are idle", [_memory_of(server)], "MiB", 400.0, at_most=True)


class Player:
    """A scripted person at a table."""

    def __init__(self, base: str, path: str, cookie: str) -> None:
        self._url = base.replace("http", "ws") + path + "/socket"
        self._headers = {"origin": base, "additional_headers": {"Cookie": cookie}, "compression": None}
        self._rng = random.Random(path)
        self.times: list[float] = []

    async def __aenter__(self) -> "Player":
        self._socket = await connect(self._url, **self._headers)
        self._view = await self._newest()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._socket.close()

    async def _newest(self, after: tuple[int, int] = (-1, -1)) -> dict[str, Any]:
        """The next view that is the newest and asks for something; records how long the first view after a
        hand and version took."""
        began, is_waiting = time.perf_counter(), after[0] >= 0
        while True:
            view: dict[str, Any] = json.loads(await self._socket.recv())
            if is_waiting and (view.get("hand_no", -1), view["version"]) > after:
                self.times.append(time.perf_counter() - began)
                is_waiting = False
            if not is_waiting and view.get("newest") and (view["choice"] or view["over"]):
                return view

    async def play(self, thinking: float, ends: float) -> None:
        """Act at random until a time, by `time.monotonic`."""
        while time.monotonic() < ends:
            if thinking:
                await asyncio.sleep(self._rng.expovariate(1 / thinking))
            hand_no, version = self._view["hand_no"], self._view["version"]
            message = {"type": "next"}
            if self._view["choice"]:
                action = self._rng.choice(self._view["choice"]["actions"])["action"]
                message = {"type": "act", "version": version, "hand_no": hand_no, "action": action}
            await self._socket.send(json.dumps(message))
            self._view = await self._newest((hand_no, version))


async def _play(server: Server, seats: list[tuple[str, str]], thinking: float) -> tuple[list[float], float]:
    """Seconds from each choice to the view that shows it, at all tables; and the server's CPU time."""
    async with AsyncExitStack() as stack:
        players = [await stack.enter_async_context(Player(server.base, *seat)) for seat in seats]
        before, ends = _cpu_of(server.process.pid), time.monotonic() + SECONDS
        await asyncio.gather(*(player.play(thinking, ends) for player in players))
        cpu = _cpu_of(server.process.pid) - before
    return [seconds for player in players for seconds in player.times], cpu


def _processes(pid: int) -> list[int]:
    """A process and all below it."""
    below = " ".join(path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/children"))
    return [pid, *(each for child in below.split() for each in _processes(int(child)))]


def _memory_of(server: Server) -> float:
    """Memory of a server and all processes below it, in MiB; what they share counts once."""
    rollups = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in _processes(server.process.pid)]
    return sum(int(text.partition("\nPss:")[2].split()[0]) for text in rollups) / 1024


def _cpu_of(pid: int) -> float:
    """Seconds of CPU time of a process and of its children that have ended."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
