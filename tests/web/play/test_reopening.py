"""A table that can't be reopened costs no other one, and its entries stay."""

import json
import random
from collections.abc import Callable
from pathlib import Path
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
    return {room.table_id: room.table.hand.lines() for room in await rooms.all()}  # type: ignore[union-attr]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


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

    found: dict[str, Any] = served(store, play)
    return found


def under_other_rules(texts: Texts) -> Texts:
    """An event that is illegal since the rules were changed."""
    entry = json.loads(texts[2])
    return [*texts[:2], json.dumps(entry | {"events": entry["events"] * 2}), *texts[3:]]


DAMAGE: dict[str, Callable[[Texts], Texts]] = {
    "garbled": lambda texts: [
        *texts[:3],
        texts[3][:40] + "\N{REPLACEMENT CHARACTER}" + texts[3][41:],
        *texts[4:],
    ],
    "cut": lambda texts: [*texts[:3], texts[3][:60], *texts[4:]],
    "nested": lambda texts: [*texts, "[" * 100_000],
    "another value": lambda texts: [*texts, "1"],
    "with a gap": lambda texts: texts[:2] + texts[3:],
    "without its hand": lambda texts: texts[:1] + texts[2:],
    "without its plan": lambda texts: texts[1:],
    "under other rules": under_other_rules,
    "of rules that are gone": lambda texts: [texts[0].replace(':"book"', ':"gone"'), *texts[1:]],
    "of a game that is gone": lambda texts: [texts[0].replace('"game":"', '"game":"../../'), *texts[1:]],
    "with other fields": lambda texts: [texts[0].replace('"patience"', '"temper"'), *texts[1:]],
}


def change(store: Store, table_id: str, texts: Texts) -> None:
    """Give a table other entries, as damage or a person would."""
    file = JournalFile(folder_of(store))
    file.write([TableChange(table_id, texts, is_all=True)])
    file.close()


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table_costs_no_other_one_and_its_entries_stay(
    store: Store,
    played: dict[str, Any],
    damage: Callable[[Texts], Texts],
    capsys: pytest.CaptureFixture[str],
) -> None:
    bad, *good = played
    own = entries_in(folder_of(store))[bad]
    damaged = damage(own)
    assert damaged != own
    change(store, bad, damaged)

    async def go_on(rooms: Rooms) -> str:
        assert await rooms.find(bad) is None
        assert await said(rooms) == {table: played[table] for table in good}
        return (await rooms.open(form_of("kaiser"))).table_id

    new = served(store, go_on)
    told = capsys.readouterr().err
    assert told.startswith(f"cardlog: table {bad} of ")
    assert told.endswith("; the journal keeps its entries\n")
    assert "can't be reopened (" in told
    after = served(store, said)
    assert {table: after[table] for table in good} == {table: played[table] for table in good}
    assert set(after) == {*good, new}
    assert entries_in(folder_of(store))[bad] == damaged
    change(store, bad, own)  # mended by somebody
    assert served(store, said)[bad] == played[bad]


def test_a_new_hand_takes_the_place_of_what_is_no_longer_needed(store: Store) -> None:
    """At a table and in the whole file, from which a closed table vanishes."""
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
        assert [next(iter(json.loads(text))) for text in entries_in(rooms.folder)[room.table_id]][:3] == [
            "plan", "hand", "recorded",
        ]  # fmt: skip
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
        with pytest.raises(MemoryError):
            await rooms.open(form_of("kaiser"))
        with pytest.raises(MemoryError):
            await rooms.all()

    with monkeypatch.context() as patch:
        patch.setattr(all_rooms, "warm_up", fail)
        served(store, look)
    assert entries_in(folder_of(store)) == before
    assert served(store, said) == played
