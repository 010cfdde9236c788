"""Tables to play at, for tests: without a server, and through one."""

import asyncio
import functools
import json
import random
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
from starlette.testclient import TestClient

from cardlog.pipelines.storage.store import Store
from cardlog.web.play.background import Background
from cardlog.web.play.event_json import dumped
from cardlog.web.play.journal import Entry
from cardlog.web.play.recording import Finished
from cardlog.web.play.room import Room
from cardlog.web.play.rooms import Rooms
from cardlog.web.play.seats import Plan, plan_of
from cardlog.web.play.table import Table
from cardlog.web.play.thinking import NICENESS
from cardlog.web.play.views import Browser
from tests.support.pages import BASE, HOST, ORIGIN, PORT

SEATS = {"five_card_draw": 5}


def form_of(
    game: str, rules: str = "book", people: int = 1, patience: int = 60, **more: str
) -> dict[str, str]:
    """A table's form: a host, friends, and computers at the other seats."""
    who = ["me", *["friend"] * (people - 1), *["computer:random"] * 6][: SEATS.get(game, 4)]
    seats = {f"seat{number}": seat for number, seat in enumerate(who)}
    return {"game": game, "rules": rules, "name": "Ann", "patience": str(patience), **seats, **more}


class Paper:
    """Takes the place of journal and recorder."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.finished: list[Finished] = []

    def add(self, finished_or_table: Finished | str, *entries: Entry) -> None:
        if isinstance(finished_or_table, Finished):
            self.finished.append(finished_or_table)
        self.entries += json.loads(dumped(entries))

    def replace(self, table_id: str, entries: list[Entry]) -> None:
        self.entries = json.loads(dumped(entries))

    def then(self, callback: Callable[[], None]) -> None:
        callback()


class Viewer(Browser):
    """Someone at a seat of a room, with what they were sent."""

    def __init__(self, room: Room, seat: int) -> None:
        self.room, self.texts, self.codes = room, list[str](), list[int]()
        super().__init__(seat, self.texts.append, self.codes.append)
        room.enter(self)

    @property
    def newest(self) -> dict[str, Any]:
        """The last view, after changes that wait for others are shown too."""
        if self.room._showing is not None:
            self.room._show_now()
        found: dict[str, Any] = json.loads(self.texts[-1])
        return found

    def act(self, rng: random.Random) -> bool:
        """Do something legal if it is this seat's turn."""
        view = self.newest
        if view["choice"] is None:
            return False
        action = rng.choice(view["choice"]["actions"])
        self.room.act(self.seat, (view["hand_no"], view["version"]), action["action"], None)
        return True


def games(*names: str) -> list[Any]:
    """Parameters: games, of which the first is tested always."""
    return [names[0], *(pytest.param(name, marks=pytest.mark.long) for name in names[1:])]


class Inline(Background):
    """Thinks in this process, at once."""

    def __init__(self) -> None:
        super().__init__(NICENESS)

    async def run(self, function: Callable[..., Any], argument: Any) -> Any:
        return function(argument)


def _room(table_id: str, plan: Plan, paper: Paper, thinker: Background) -> Room:
    return Room(table_id, plan, paper, paper, thinker)  # type: ignore[arg-type]


def room_of(
    form: dict[str, str], paper: Paper, table_id: str = "t", thinker: Background | None = None
) -> Room:
    """A new table's room."""
    return planned_room(plan_of(form), paper, table_id, thinker)


def planned_room(plan: Plan, paper: Paper, table_id: str = "t", thinker: Background | None = None) -> Room:
    room = _room(table_id, plan, paper, thinker or Background(NICENESS))
    room.next()
    return room


def seated(game: str, thinker: Background | None = None, **more: Any) -> tuple[Room, Viewer, Paper]:
    """A new table's room, who sits there, and its paper."""
    paper = Paper()
    room = room_of(form_of(game, **more), paper, thinker=thinker)
    return room, Viewer(room, 0), paper


def reopened(entries: list[Entry], paper: Paper | None = None, table_id: str = "t") -> Room:
    """The room that a journal's entries give."""
    plan = msgspec.convert(entries[0]["plan"], Plan)
    room = _room(table_id, plan, paper or Paper(), Background(NICENESS))
    for entry in entries:
        room.replay(entry)
    return room


def experts_at(wanted: Callable[[Any], object], game: str = "kaiser", seats: int = 4) -> Table:
    """A hand that experts have played until its state is as wanted."""
    while True:
        table = Table(game, "book", ["expert"] * seats)
        hand = table.deal([{"kind": "computer"}] * seats)
        while not hand.state["done"]:
            if wanted(hand.state):
                return table
            table.computer_acts()


def at_trick(number: int) -> Table:
    """A hand of Kaiser between tricks."""
    return experts_at(lambda state: state["tricks"] == number and not state["trick_cards"])


def play_hand(viewers: list[Viewer], rng: random.Random) -> None:
    while viewers[0].newest["over"] is None:
        assert any(viewer.act(rng) for viewer in viewers)


def in_loop(body: Callable[[], Any]) -> Any:
    """Run a function on an event loop, which rooms need for their clocks."""

    async def run() -> Any:
        found = body()
        return await found if asyncio.iscoroutine(found) else found

    return asyncio.run(run())


def on_loop(test: Callable[..., Any]) -> Callable[..., None]:
    """Run a test on an event loop."""

    @functools.wraps(test)
    def run(*args: Any, **kwargs: Any) -> None:
        in_loop(lambda: test(*args, **kwargs))

    return run


def served(store: Store, body: Callable[[Rooms], Awaitable[Any]]) -> Any:
    """Do something at the tables of a server, from its start to its end."""

    async def run() -> Any:
        rooms = Rooms(store)
        await rooms.start()
        try:
            return await body(rooms)
        finally:
            await rooms.stop()

    return asyncio.run(run())


async def until(wanted: Callable[[], object]) -> None:
    """Wait on an event loop for something that is to come soon."""
    for _ in range(60_000):
        if wanted():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come")


# ---------------------------------------------------------------- through a server


def stranger_to(client: TestClient) -> TestClient:
    """Another browser at the same server."""
    found = TestClient(client.app, base_url=BASE, follow_redirects=False)
    found.headers["host"] = f"{HOST}:{PORT}"
    found.portal = client.portal
    return found


def new_table(client: TestClient, form: dict[str, str]) -> str:
    answer = client.post("/tables", data=form, headers=ORIGIN)
    assert answer.status_code == 303, answer.text
    return str(answer.headers["location"])


def socket_of(client: TestClient, address: str, end: str = "/socket", **headers: str) -> Any:
    """The websocket of a table."""
    return client.websocket_connect(f"ws://{HOST}:{PORT}{address}{end}", headers=ORIGIN | headers)


def newest(socket: Any, wanted: Callable[[dict[str, Any]], Any] = lambda view: True) -> dict[str, Any]:
    """The next newest view that is as wanted."""
    while True:
        message: dict[str, Any] = socket.receive_json()
        if message["type"] == "view" and message["newest"] and wanted(message):
            return message


def act(socket: Any, view: dict[str, Any], action: int) -> None:
    """Send a choice."""
    socket.send_json(
        {"type": "act", "version": view["version"], "hand_no": view["hand_no"], "action": action}
    )
