"""A table that can't be reopened costs no other one, and its entries stay."""

import json
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from cardlog.pipelines.storage.journal import JournalFile, TableChange, entries_in, folder_of
from cardlog.pipelines.storage.store import Store
from cardlog.web.play import rooms as all_rooms
from cardlog.web.play.rooms import Rooms
from tests.support.tables import Viewer, form_of, served, until

pytestmark = pytest.mark.usefixtures("warm")

GAMES = ("kaiser", "belote", "pinochle")
Texts = list[str]


async def said(rooms: Rooms) -> dict[str, Any]:
    """What has happened at each table."""
    return {room.table_id: room.hand.lines() for room in await rooms.all()}


@pytest.fixture
def played(store: Store) -> dict[str, Any]:
    """Tables at which a few choices were made, of a store."""

    async def play(rooms: Rooms) -> dict[str, Any]:
        rng = random.Random(5)
        tables = [await rooms.open(form_of(game, people=2)) for game in GAMES]
        for room in tables:
            viewers = [Viewer(room, 0), Viewer(room, 1)]
            for number in range(5):
                await rooms._journal.drain()
                if not any(viewer.act(rng) for viewer in viewers):
                    assert number  # a hand of poker may be over by then
                    break
            for viewer in viewers:
                room.leave(viewer)
        return await said(rooms)

    return served(store, play)


def twice(text: str) -> str:
    """An entry with events that are illegal, as if the rules were changed."""
    entry = json.loads(text)
    return json.dumps(entry | {"events": entry["events"] * 2})


DAMAGE: dict[str, Callable[..., Texts]] = {
    "garbled": lambda a, b, c, d, *rest: [a, b, c, d[:40] + "\N{REPLACEMENT CHARACTER}" + d[41:], *rest],
    "cut": lambda a, b, c, d, *rest: [a, b, c, d[:60], *rest],
    "nested": lambda *texts: [*texts, "[" * 100_000],
    "another value": lambda *texts: [*texts, "1"],
    "with a gap": lambda a, b, c, *rest: [a, b, *rest],
    "from another place": lambda *texts: [*texts[:-1], texts[-1].replace('"from":', '"from":1')],
    "without its hand": lambda a, b, *rest: [a, *rest],
    "without its plan": lambda a, *rest: [*rest],
    "under other rules": lambda *texts: [*texts[:-1], twice(texts[-1])],
    "of rules that are gone": lambda a, *rest: [a.replace(':"book"', ':"gone"'), *rest],
    "of a game that is gone": lambda a, *rest: [a.replace('"game":"', '"game":"../../'), *rest],
    "with other fields": lambda a, *rest: [a.replace('"patience"', '"temper"'), *rest],
}
"""What is made of the entries of a table."""


def change(store: Store, table_id: str, texts: Texts) -> None:
    """Give a table other entries, as damage or a person would."""
    file = JournalFile(folder_of(store))
    file.write([TableChange(table_id, texts, is_all=True)])
    file.close()


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_table_costs_no_other_one_and_its_entries_stay(
    store: Store, played: dict[str, Any], damage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, *good = played
    own = entries_in(folder_of(store))[bad]
    damaged = DAMAGE[damage](*own)
    assert damaged != own
    change(store, bad, damaged)
    others = {table: played[table] for table in good}

    async def go_on(rooms: Rooms) -> str:
        assert await rooms.find(bad) is None
        assert await said(rooms) == others
        return (await rooms.open(form_of("kaiser"))).table_id

    new = served(store, go_on)
    told = r"cardlog: table %s of .* can't be reopened \(.*\); the journal keeps its entries\n"
    assert re.fullmatch(told % bad, capsys.readouterr().err, re.DOTALL)
    after = served(store, said)
    assert after.pop(new)
    assert after == others
    assert entries_in(folder_of(store))[bad] == damaged
    change(store, bad, own)  # mended by somebody
    assert served(store, said)[bad] == played[bad]


def test_a_new_hand_takes_the_place_of_what_is_no_longer_needed(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At a table and in the whole file, from which a closed table vanishes."""
    monkeypatch.setattr("cardlog.web.play.room.NEXT_SECONDS", 3600.0)  # however long a hand is recorded
    numbers, rng = list[int](), random.Random(4)

    async def play(rooms: Rooms) -> None:
        room, other = [await rooms.open(form_of("kaiser", patience=3600)) for _ in range(2)]
        viewer = Viewer(room, 0)
        for _ in range(4):
            while not room.hand.is_over:
                await rooms._journal.drain()
                assert viewer.act(rng)  # never too late
            await until(lambda: room.sheet.recorded == room.hand.number)
            await rooms._journal.drain()
            numbers.append(len(entries_in(rooms.folder)[room.table_id]))
            room.next()
        await rooms._journal.drain()
        kinds = [next(iter(json.loads(text))) for text in entries_in(rooms.folder)[room.table_id]]
        assert kinds[:3] == ["plan", "hand", "recorded"]
        room.leave(viewer)
        room.used_at = other.used_at = -all_rooms.IDLE_SECONDS
        assert rooms._close_one()
        await rooms._journal.drain()
        assert len(entries_in(rooms.folder)) == 1

    served(store, play)
    assert max(numbers) < 2 * numbers[0]


def test_if_no_table_can_be_reopened_the_journal_stays(
    store: Store, played: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with too little memory for the games."""
    before = entries_in(folder_of(store))

    def fail(game: str) -> None:
        raise MemoryError

    async def look(rooms: Rooms) -> None:
        for asked in (rooms.open(form_of("kaiser")), rooms.all()):
            with pytest.raises(MemoryError):
                await asked

    with monkeypatch.context() as patch:
        patch.setattr(all_rooms, "warm_up", fail)
        served(store, look)
    assert entries_in(folder_of(store)) == before
    assert served(store, said) == played
