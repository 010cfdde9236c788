"""All tables of a server: made, found, and reopened after a restart."""

import asyncio
import os
import secrets
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from cardlog.pipelines.storage.store import Store
from cardlog.web.play.allowed import NOBODY
from cardlog.web.play.dealing import rules_offered
from cardlog.web.play.journal import Entry, Journal
from cardlog.web.play.recording import Recorder, text_of
from cardlog.web.play.room import Office, Room
from cardlog.web.play.seats import BadTable, Plan, plan_of
from cardlog.web.play.table import Table
from cardlog.web.play.views import Eyes

MOST_TABLES: Final = 1_000
IDLE_SECONDS: Final = 3600.0
"""A table that nobody has used for so long may give way to a new one."""
COOKIE: Final = "cardlog-seat-"
"""Beginning of the name of a seat's cookie, which the table's id follows."""
PATHS: Final = ("", "/socket")
"""What the holder of a seat's key may open, below the table's address."""


def folder_of(store: Store) -> Path:
    """Where a store's tables are kept by default: beside it, since a store has nothing but what was
    committed; for a remote one in the user's folder for such things."""
    if store.is_local:
        root = Path(store.root).absolute()
        return root.with_name(root.name + ".play")
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    return state / "cardlog" / (blake2b(store.root.encode(), digest_size=8).hexdigest() + ".play")


class Rooms:
    """The tables that are kept in a folder."""

    def __init__(self, store: Store, folder: Path | None = None) -> None:
        self.folder = folder or folder_of(store)
        self._rooms: dict[str, Room] = {}
        self._keys: dict[str, tuple[str, int]] = {}
        self._office = Office(Journal(self.folder, self._snapshot), Recorder(store, self.folder))
        self._ready = asyncio.Event()
        self._opening: asyncio.Task[None] | None = None
        self._warm: set[str] = set()
        self._entries: list[Entry] | None = None

    # ------------------------------------------------------------ start and end

    def load(self) -> None:
        """Read the journal. Raises JournalError."""
        self._entries = self._office.journal.read()

    async def start(self) -> None:
        """Reopen the tables of the journal. Raises JournalError."""
        if self._entries is None:
            self.load()
        entries, self._entries = self._entries or [], None
        self._office.journal.start()
        self._office.recorder.start()
        self._opening = asyncio.create_task(self._reopen(entries))

    async def stop(self) -> None:
        """Write and record what is left."""
        if self._opening is not None:
            with suppress(Exception):
                await self._opening
        await self._office.journal.drain()
        await self._office.recorder.stop()
        await self._office.journal.stop()

    async def _reopen(self, entries: list[Entry]) -> None:
        try:
            for game in {entry["plan"]["game"] for entry in entries if "plan" in entry}:
                await self._warm_up(game)
            for entry in entries:
                self._replay(entry)
            for room in list(self._rooms.values()):
                room.resume()
        except Exception as error:
            print(f"cardlog: the tables in {self.folder} can't be reopened: {error!r}", file=sys.stderr)
            raise
        finally:
            self._ready.set()

    def _replay(self, entry: Entry) -> None:
        table_id = entry["table"]
        if "plan" in entry:
            self._seat(Room(table_id, Plan.restored(entry["plan"]), self._office))
        if "closed" in entry:
            self._forget(table_id)
        else:
            self._rooms[table_id].replay(entry)

    def _snapshot(self) -> Iterable[Entry]:
        return [entry for room in self._rooms.values() for entry in room.snapshot()]

    # ------------------------------------------------------------ tables

    async def open(self, form: Mapping[str, str]) -> Room:
        """A new table. Raises BadTable."""
        await self._ready.wait()
        plan = plan_of(form)
        if len(self._rooms) >= MOST_TABLES and not self._close_one():
            raise BadTable(f"There are {MOST_TABLES:,} tables already.")
        await self._warm_up(plan.game)
        room = Room(secrets.token_hex(8), plan, self._office)
        self._seat(room)
        room.open()
        return room

    def _close_one(self) -> bool:
        """Close the table that nobody has used for longest, if it is long."""
        idle = [room for room in self._rooms.values() if not room.audience.connections]
        room = min(idle, key=lambda room: room.used_at, default=None)
        if room is None or asyncio.get_running_loop().time() - room.used_at < IDLE_SECONDS:
            return False
        self._office.journal.add({"table": room.table_id, "closed": True})
        self._forget(room.table_id)
        return True

    async def _warm_up(self, game: str) -> None:
        """Load a game's compiled functions while others play."""
        if game not in self._warm:
            await asyncio.to_thread(warm_up, game)
            self._warm.add(game)

    def _seat(self, room: Room) -> None:
        self._rooms[room.table_id] = room
        for number, seat in enumerate(room.plan.seats):
            if seat.key:
                self._keys[seat.key] = room.table_id, number

    def _forget(self, table_id: str) -> None:
        room = self._rooms.pop(table_id)
        for seat in room.plan.seats:
            self._keys.pop(seat.key, None)

    async def find(self, table_id: str) -> Room | None:
        """The table of this id."""
        await self._ready.wait()
        return self._rooms.get(table_id)

    async def all(self) -> list[Room]:
        """All tables, the newest first."""
        await self._ready.wait()
        return list(reversed(self._rooms.values()))

    # ------------------------------------------------------------ keys

    async def seat_of(self, key: str) -> tuple[str, int] | None:
        """The table and the seat that a key is for."""
        await self._ready.wait()
        return self._keys.get(key)

    async def admits(self, cookies: Mapping[str, str], path: str) -> bool:
        """Whether someone with these cookies may open an address: that of a table at which a seat is theirs,
        and what its page is made of."""
        start, _, key = path.rpartition("/")
        if start.endswith("/pinochle"):
            found = await self.seat_of(key)
            return found is not None and start == f"/play/{found[0]}/pinochle"
        if not any(name.startswith(COOKIE) for name in cookies):
            return False
        await self._ready.wait()
        own = [table for table in self._rooms if self.seat_in(cookies, table) is not None]
        if path.startswith("/static/"):
            return bool(own)
        return any(path == f"/play/{table}{rest}" for table in own for rest in PATHS)

    def seat_in(self, cookies: Mapping[str, str], table_id: str) -> int | None:
        """The seat at a table that cookies give."""
        found = self._keys.get(cookies.get(COOKIE + table_id, ""))
        return found[1] if found is not None and found[0] == table_id else None


def warm_up(game: str) -> None:
    """Play a hand, so that all compiled functions are loaded; the first time ever it takes seconds."""
    counts = Table(game, next(iter(rules_offered(game))), [0] * 4)
    counts.computers[0] = None
    hand = counts.deal([{"kind": "human"}, *[{"kind": "computer"}] * 3])
    opening: dict[str, Any] = hand.lines()[0]["detail"]
    eyes = [Eyes(game, hand, seat, opening) for seat in (0, NOBODY)]
    while not hand.is_over:
        for each in eyes:
            each.look_on()
        choice = eyes[0].choice()
        if choice is not None:
            counts.act(0, choice["actions"][0]["action"])
        else:
            counts.computer_acts()
    for each in eyes:
        each.look_on()
        each.about()
    text_of(game, "", hand)
