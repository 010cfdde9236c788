"""A table that can't be reopened costs no other one, and its lines stay."""

import asyncio
import json
import random
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.storage.store import Store
from cardlog.web.play import rooms as all_rooms
from cardlog.web.play.journal import NAME
from cardlog.web.play.rooms import Rooms
from tests.support.tables import Viewer, form_of

GAMES = ("kaiser", "belote", "pinochle")
Lines = list[bytes]


def served(folder: Path, body: Callable[[Rooms], Awaitable[Any]]) -> Any:
    """Do something at a server's tables, from its start to its end."""

    async def run() -> Any:
        rooms = Rooms(Store(str(folder / "store")), folder / "play")
        await rooms.start()
        found = await body(rooms)
        await rooms.stop()
        return found

    return asyncio.run(run())


async def said(rooms: Rooms) -> dict[str, Any]:
    """What has happened at each table."""
    return {room.table_id: room.table.hand.lines() for room in await rooms.all()}  # type: ignore[union-attr]


@pytest.fixture(autouse=True)
def warm(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compiled is compiled once, not for each server."""
    monkeypatch.setattr(all_rooms, "warm_up", lambda game: None)


@pytest.fixture
def played(tmp_path: Path) -> dict[str, Any]:
    """Tables at which a few choices were made, in `tmp_path`."""

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

    found: dict[str, Any] = served(tmp_path, play)
    return found


def under_other_rules(lines: Lines) -> Lines:
    """An event that is illegal since the rules were changed."""
    entry = json.loads(lines[2])
    return [*lines[:2], json.dumps(entry | {"events": entry["events"] * 2}).encode(), *lines[3:]]


DAMAGE: dict[str, Callable[[Lines], Lines]] = {
    "garbled": lambda lines: [*lines[:3], lines[3][:40] + b"\xff" + lines[3][41:], *lines[4:]],
    "with nulls": lambda lines: [*lines[:3], lines[3][:60] + bytes(100) + lines[4], *lines[5:]],
    "with a gap": lambda lines: lines[:3] + lines[4:],
    "without its hand": lambda lines: lines[:1] + lines[2:],
    "without its plan": lambda lines: lines[1:],
    "under other rules": under_other_rules,
    "of rules that are gone": lambda lines: [lines[0].replace(b':"book"', b':"gone"'), *lines[1:]],
    "of a game that is gone": lambda lines: [lines[0].replace(b'"game":"', b'"game":"../../'), *lines[1:]],
    "with other fields": lambda lines: [lines[0].replace(b'"patience"', b'"temper"'), *lines[1:]],
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_table_is_set_aside_and_the_others_go_on(
    tmp_path: Path,
    played: dict[str, Any],
    damage: Callable[[Lines], Lines],
    capsys: pytest.CaptureFixture[str],
) -> None:
    journal = tmp_path / "play" / NAME
    bad, *good = played
    lines = journal.read_bytes().splitlines()
    own = [line for line in lines if bad.encode() in line]
    damaged = damage(own)
    rest = [line for line in lines if line not in own]
    journal.write_bytes(b"".join(line + b"\n" for line in [*rest[:3], *damaged, *rest[3:]]))

    async def go_on(rooms: Rooms) -> str:
        assert await rooms.find(bad) is None
        assert await said(rooms) == {table: played[table] for table in good}
        return (await rooms.open(form_of("kaiser"))).table_id

    new = served(tmp_path, go_on)
    [aside] = journal.parent.glob("set-aside-*")
    assert aside.read_bytes().splitlines() == damaged
    told = capsys.readouterr().err
    assert str(aside) in told
    assert "can't be reopened (" in told
    after = served(tmp_path, said)
    assert {table: after[table] for table in good} == {table: played[table] for table in good}
    assert set(after) == {*good, new}
    assert capsys.readouterr().err == ""
    with journal.open("ab") as file:  # mended by somebody
        file.writelines(line + b"\n" for line in own)
    assert served(tmp_path, said)[bad] == played[bad]


def test_a_line_that_names_no_table_is_kept_too(
    tmp_path: Path, played: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    journal = tmp_path / "play" / NAME
    strays = [b"\0\0\xfe", b"[1]", b'{"table":"../../../x"}', b'{"table":3}', b"", b"[" * 100_000]
    with journal.open("ab") as file:
        file.writelines(line + b"\n" for line in strays)
    assert served(tmp_path, said) == played
    [aside] = journal.parent.glob("set-aside-*")
    assert aside.read_bytes() == b"".join(line + b"\n" for line in strays)
    assert f"{len(strays)} damaged lines of the journal are set aside: {aside}" in capsys.readouterr().err


def test_a_table_that_was_cut_before_its_first_hand_is_dealt_one(
    tmp_path: Path, played: dict[str, Any]
) -> None:
    journal = tmp_path / "play" / NAME
    journal.write_bytes(journal.read_bytes().splitlines()[0] + b"\n")

    async def look(rooms: Rooms) -> None:
        [room] = await rooms.all()
        viewer = Viewer(room, 0)
        await rooms._journal.drain()
        assert viewer.newest["hand_no"] == 0

    served(tmp_path, look)


def test_if_no_table_can_be_reopened_the_journal_stays(
    tmp_path: Path, played: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with too little memory for the games."""
    journal = tmp_path / "play" / NAME
    before = journal.read_bytes()

    def fail(game: str) -> None:
        raise MemoryError

    async def look(rooms: Rooms) -> None:
        with pytest.raises(MemoryError):
            await rooms.open(form_of("kaiser"))
        with pytest.raises(MemoryError):
            await rooms.all()

    with monkeypatch.context() as patch:
        patch.setattr(all_rooms, "warm_up", fail)
        served(tmp_path, look)
    assert journal.read_bytes() == before
    assert served(tmp_path, said) == played
