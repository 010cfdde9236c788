"""What is erased from a store is erased at the tables of its server, too."""

import json
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.sql.hand_lookup import find
from cardlog.pipelines.storage.journal import BEFORE, NAME, JournalFile, entries_in, folder_of
from cardlog.pipelines.storage.store import Store, StoreError
from cardlog.pipelines.upkeep.verify import verify
from cardlog.web.play.rooms import Rooms
from tests.support.persons import FORMS, forget, saying
from tests.support.persons import NAME as PERSON
from tests.support.stores import ask
from tests.support.tables import Viewer, form_of, served, until

pytestmark = pytest.mark.usefixtures("warm")


async def play(rooms: Rooms) -> None:
    """The person and Bo play two hands and begin another; Ida and one who takes the person's name play one,
    which is played again at a third table."""
    rng = random.Random(3)
    for name, other, count in ((PERSON, "Bo", 2), ("Ida", PERSON, 1)):
        room = await rooms.open(form_of("kaiser", people=2) | {"name": name})
        viewers = [Viewer(room, 0), Viewer(room, 1)]
        room.rename(1, other)
        for _ in range(count):
            if room.hand.is_over:
                room.next()
            while not room.hand.is_over:
                await rooms._journal.drain()
                await until(
                    lambda room=room, viewers=viewers: room.hand.is_over or any(v.act(rng) for v in viewers)
                )
            await until(lambda room=room: room.sheet.recorded == room.hand.number)
        if name == PERSON:
            room.next()
        for viewer in viewers:
            room.leave(viewer)
    batch = find(rooms._recorder._store, room.hand.hand_id)
    await rooms.open({"name": "Ada", "step": "0", "seat": "0"}, batch)
    await rooms._journal.drain()


async def at(rooms: Rooms) -> dict[str, Any]:
    """Each table, the newest first: the people, the events of its hand, and the hands on its sheet."""
    found = {}
    for room in await rooms.all():
        names, hands = [seat.name for seat in room.plan.seats], [row["hand_id"] for row in room.sheet.rows]
        found[room.table_id] = names, room.hand.lines(), hands
    return found


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store and its tables."""
    folder = tmp_path_factory.mktemp("forget")
    Store(str(folder / "store")).create()
    served(Store(str(folder / "store")), play)
    return folder


@pytest.fixture
def store(played: Path, tmp_path: Path) -> Store:
    return Store(str(shutil.copytree(played, tmp_path / "copy") / "store"))


def test_a_name_is_replaced_in_every_file_of_the_tables(store: Store) -> None:
    """By the pseudonym that the store has; and it can be played on."""
    folder = folder_of(store)
    before = served(store, at)
    (folder / f"set-aside-1-{NAME}").write_bytes(b"\0\xff" + f'"{PERSON}"'.encode() + b"\0")
    (folder / "journal.new").write_text(PERSON)
    (folder / "set-aside-2-journal.jsonl").write_text(f'{{"name":"Bo"}}\n{json.dumps({"name": PERSON})}\n')
    said = forget(store, player=PERSON, dry_run=True)
    assert len(saying(str(folder), FORMS)) >= 4
    other = sqlite3.connect(folder / NAME)  # so that closing does not remove the log of SQLite
    other.execute("select * from entries").fetchall()
    done = forget(store, player=PERSON)
    # Two tables, two hands, two files that were set aside, and a draft of cardlog 1.0.
    assert (said.tables, done.tables, done.hands) == (7, 7, 2)
    assert saying(str(folder), FORMS) == saying(store.root, FORMS) == set()
    other.close()
    name = "detail ->> '$.players[0].name'"
    [(pseudonym,)] = ask(store, f"select distinct {name} from events where seq = 0 and {name} <> 'Ida'")
    assert pseudonym.startswith("player-")
    kept = f'{{"name":"Bo"}}\n{{"name":"{pseudonym}"}}\n'
    assert (folder / "set-aside-2-journal.jsonl").read_text() == kept
    renamed = json.dumps(before).replace(json.dumps(PERSON), json.dumps(pseudonym))
    assert json.dumps(served(store, at)) == renamed
    assert verify(store).problems == []
    assert forget(store, player=PERSON).tables == 0


def test_erased_hands_are_on_no_sheet_and_at_no_table(store: Store) -> None:
    folder = folder_of(store)
    copy, last, first = served(store, at).items()
    erased = first[1][2][0]
    assert forget(store, hand=erased).tables == 2
    assert saying(str(folder), (erased,)) == set()
    assert served(store, at) == dict([copy, last, (first[0], (*first[1][:2], first[1][2][1:]))])
    done = forget(store, dataset="play")
    assert (done.hands, done.tables) == (2, 5)
    assert saying(str(folder), (*first[1][2], *last[1][2])) == set()
    assert set(served(store, at)) == {first[0]}
    assert forget(store, older_than=1).tables == 0
    assert (forget(store, older_than=0).tables, served(store, at)) == (1, {})


def test_while_a_server_has_what_is_to_be_erased_nothing_is(store: Store) -> None:
    async def look(rooms: Rooms) -> None:
        assert forget(store, player="Bobo").tables == 0
        assert forget(store, player="Bo", dry_run=True).tables == 2
        with pytest.raises(StoreError, match="a running server has tables with what is to be erased, 1: /"):
            forget(store, player="Bo")
        assert '"name":"Bo"' in str(entries_in(rooms.folder))
        assert ask(store, "select count(*) from events where detail like '%Bo\"%'") != [(0,)]

    served(store, look)
    assert forget(store, player="Bo").hands == 1
    assert not saying(str(folder_of(store)), ('"Bo"',))


def test_a_name_that_only_tables_have_is_replaced(store: Store) -> None:
    """Here Ada's, at the table where a hand is played again; also in a journal of cardlog 1.0, and where an
    entry is damaged. The store stays as it is."""
    folder = folder_of(store)
    assert forget(store, player="ADA").why_nothing.endswith("another spelling of the name is $'Ada'")
    version = store.table("events").version()
    assert (forget(store, player="Ada").tables, saying(str(folder), ("Ada",))) == (1, set())
    assert store.table("events").version() == version
    (folder / NAME).unlink()
    entries = ['{"table":"a","name":"Ada"}', '{"table":"b","name":"Ida"}', '{"table":"b","hand_id":"ff"}']
    note = '{"table":"a","events":[{"detail":{"note":"Ada was late"}}]}'
    (folder / BEFORE).write_text("\n".join([*entries, note, ""]))
    file = JournalFile(folder)
    file._db.execute("insert into entries (table_id, entry) values ('c', '{\"name\":\"Ada')")
    file._db.commit()
    file.close()
    done = forget(store, player="Ada")
    assert (done.hands, done.files, done.tables, done.why_nothing) == (0, 0, 2, "")
    assert saying(str(folder), ("Ada",)) == set()
    assert set(entries_in(folder)) == {"a", "b"}
    assert forget(store, hand="ff").tables == 1
    assert set(entries_in(folder)) == {"a"}
