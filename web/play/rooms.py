"""All tables of a server: making them, finding them, and reopening them after a restart."""

import asyncio
import secrets
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from cardlog import models
from cardlog.models.engine.visible import NOBODY
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.storage.journal import JournalError, folder_of
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.texts import _
from cardlog.schemas.errors import CardlogError
from cardlog.web.access import Links
from cardlog.web.play.background import Background, say
from cardlog.web.play.dealing import games_offered, rules_offered
from cardlog.web.play.journal import Journal
from cardlog.web.play.recording import Recorder, text_of
from cardlog.web.play.room import Room
from cardlog.web.play.seats import BadTable, Plan
from cardlog.web.play.starts import planned
from cardlog.web.play.table import Table
from cardlog.web.play.thinking import NICENESS, values_at
from cardlog.web.play.views import Observer

MOST_TABLES: Final = 1_000
IDLE_SECONDS: Final = 3600.0
"""A table that nobody has used for this long may be closed in favour of a new one."""
COOKIE: Final = "cardlog-seat-"
"""Prefix of the name of a seat's cookie, before the table's id."""
PATHS: Final = ("", "/socket")
"""Paths below a table's address that the holder of a seat's key may open."""


class Rooms:
    """The tables that are kept in a folder. Raises JournalError if its journal can't be used.

    stored
        Called after finished hands were stored.
    links
        Links to single hands; their key is kept in the folder.
    """

    def __init__(
        self, store: Store, folder: Path | None = None, stored: Callable[[], None] = lambda: None
    ) -> None:
        self.folder = folder or folder_of(store)
        self._rooms: dict[str, Room] = {}
        self._journal = Journal(self.folder)
        self._recorder = Recorder(store, self.folder, stored)
        self._thinker = Background(NICENESS)
        self.links = Links(self.folder)
        self._opening: asyncio.Task[None] | None = None
        self._warm: set[str] = set()
        self._entries = self._journal.read()

    # ------------------------------------------------------------ start and end

    async def start(self) -> None:
        """Start to reopen the tables of the journal."""
        entries, self._entries = self._entries, {}
        self._opening = asyncio.create_task(self._reopen(entries))

    async def stop(self) -> None:
        """Write and record what is left."""
        if self._opening is not None:
            with suppress(Exception):
                await self._opening
        self._thinker.stop()
        await self._journal.finish()
        await self._recorder.stop()
        await self._journal.stop()

    async def _ready(self) -> None:
        """Wait until the tables are reopened; raises what prevented it, in which case nothing is ever
        written."""
        assert self._opening is not None
        await asyncio.shield(self._opening)

    async def _reopen(self, tables: dict[str, list[str]]) -> None:
        plans = {table_id: _plan_in(entries[0]) for table_id, entries in tables.items()}
        try:
            for game in {plan.game for plan in plans.values() if plan} & set(games_offered()):
                await self._warm_up(game)
        except Exception as error:
            say(f"the tables in {self.folder} can't be reopened: {error!r}")
            raise
        for table_id, entries in tables.items():
            self._reopen_one(table_id, plans[table_id], entries)
        self._journal.start()
        self._recorder.start()

    def _reopen_one(self, table_id: str, plan: Plan | None, entries: list[str]) -> None:
        """Reopen a table; if that fails, continue without it, and leave its entries where they are."""
        try:
            if plan is None:
                raise JournalError("its settings can't be read")
            room = Room(table_id, plan, self._journal, self._recorder, self._thinker)
            for entry in entries:
                room.replay(msgspec.json.decode(entry))
            self._rooms[table_id] = room
            room.resume()
        except Exception as error:  # whatever a damaged entry or changed rules lead to
            self._rooms.pop(table_id, None)
            reason = str(error) if isinstance(error, (CardlogError, ValueError)) else repr(error)
            game = plan.game if plan else "an unknown game"
            say(f"table {table_id} of {game} can't be reopened ({reason}); the journal keeps its entries")

    # ------------------------------------------------------------ tables

    async def open(self, form: Mapping[str, str], batch: Batch | None = None) -> Room:
        """A new table, see `starts.planned`. Raises BadTable."""
        await self._ready()
        game = batch.game if batch else form.get("game")
        if game in games_offered():
            await self._warm_up(game)
        plan = planned(form, batch)
        if len(self._rooms) >= MOST_TABLES and not self._close_one():
            raise BadTable(_("There are %(n)s tables already.", n=f"{MOST_TABLES:,}"))
        room = Room(secrets.token_hex(8), plan, self._journal, self._recorder, self._thinker)
        self._rooms[room.table_id] = room
        room.next()
        return room

    def _close_one(self) -> bool:
        """Close the table that has been idle for longest, if that is `IDLE_SECONDS`; returns whether it
        did."""
        idle = [room for room in self._rooms.values() if not room.audience.browsers]
        room = min(idle, key=lambda room: room.used_at, default=None)
        if room is None or asyncio.get_running_loop().time() - room.used_at < IDLE_SECONDS:
            return False
        self._close(room)
        return True

    async def close(self, table_id: str) -> None:
        """Close a table: its links lead nowhere any more, a hand that is not over is forgotten, and those
        that are stay stored. Raises BadTable if one of them is not stored yet."""
        room = await self.find(table_id)
        if room is not None and room.is_recorded:
            self._close(room)
        elif room is not None:
            raise BadTable(_("The last hand of that table is being stored; close it when it is."))

    def _close(self, room: Room) -> None:
        room.close()
        self._journal.replace(room.table_id, [])
        del self._rooms[room.table_id]

    async def _warm_up(self, game: str) -> None:
        """Load a game's compiled functions in a thread, while other tables go on."""
        if game not in self._warm:
            await asyncio.to_thread(warm_up, game)
            self._warm.add(game)

    async def find(self, table_id: str) -> Room | None:
        """The table of this id."""
        await self._ready()
        return self._rooms.get(table_id)

    async def all(self) -> list[Room]:
        """All tables, the newest first."""
        await self._ready()
        return list(reversed(self._rooms.values()))

    async def values_at(self, batch: Batch, event: int) -> dict[str, float]:
        """See `thinking.values_at`; raises RuntimeError if the process that thinks was killed."""
        return await self._thinker.run(values_at, (batch, event))

    # ------------------------------------------------------------ keys

    async def seat_of(self, key: str) -> tuple[str, int] | None:
        """The table and the seat that a key is for, see `Plan.seat_of`."""
        await self._ready()
        seats = ((table_id, room.plan.seat_of(key)) for table_id, room in self._rooms.items())
        return next(((table_id, seat) for table_id, seat in seats if seat is not None), None)

    async def admits(self, cookies: Mapping[str, str], path: str) -> bool:
        """Whether someone with these cookies may open an address: a table of which they have a key, and the
        files of its page; or a signed link to a hand."""
        if self.links.reads(path) is not None:
            return True
        if not any(name.startswith(COOKIE) for name in cookies):
            return False
        await self._ready()
        table_ids = [table_id for table_id in self._rooms if self.seat_in(cookies, table_id) is not None]
        if path.startswith("/static/"):
            return bool(table_ids)
        return any(path == f"/play/{table_id}{rest}" for table_id in table_ids for rest in PATHS)

    def seat_in(self, cookies: Mapping[str, str], table_id: str) -> int | None:
        """The seat at a table whose key is among the cookies, see `Plan.seat_of`."""
        room = self._rooms.get(table_id)
        return room.plan.seat_of(key_in(cookies, table_id)) if room else None

    def of_day(self, cookies: Mapping[str, str], game: str, day: str) -> Room | None:
        """The newest table for the deal of a day at which someone with these cookies plays."""
        for table_id, room in reversed(list(self._rooms.items())):
            start = room.plan.start
            if room.plan.game == game and start and start.day == day and self.seat_in(cookies, table_id) == 0:
                return room
        return None


def key_in(cookies: Mapping[str, str], table_id: str) -> str:
    """The key of a table among cookies; "" if there is none."""
    return cookies.get(COOKIE + table_id, "")


class _First(msgspec.Struct):
    """The first entry of a table."""

    plan: Plan


def _plan_in(entry: str) -> Plan | None:
    """The settings of a table, by its first entry; None if they can't be read."""
    try:
        return msgspec.json.decode(entry, type=_First).plan
    except (msgspec.MsgspecError, RecursionError):
        return None


def warm_up(game: str) -> None:
    """Play a hand, so that all compiled functions are loaded; the very first time this takes seconds."""
    computer = models.game(game).playing().substitute
    table = Table(game, next(iter(rules_offered(game))), [None, computer, computer, computer])
    hand = table.deal([{"kind": "human"}, *[{"kind": "computer"}] * 3])
    observers = [Observer(game, hand, seat) for seat in (0, NOBODY)]
    while not hand.is_over:
        for observer in observers:
            observer.catch_up()
        choice = observers[0].choice()
        if choice is not None:
            table.act(0, choice["actions"][0]["action"])
        else:
            table.computer_acts()
    for observer in observers:
        observer.catch_up()
        observer.about()
    text_of(game, "", hand)
