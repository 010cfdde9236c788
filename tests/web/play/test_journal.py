"""The journal: on disk before anybody is told, whole after a crash, also of the server."""

import asyncio
import json
import os
import random
import shutil
import signal
import sqlite3
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines.storage.journal import BEFORE, NAME, JournalError, JournalFile, TableChange, entries_in
from cardlog.pipelines.storage.store import Store
from cardlog.web.play import journal as journals
from cardlog.web.play.journal import Journal
from tests.support.pages import Server, asked, seat_at, table_at
from tests.support.tables import form_of, on_loop


def lines(folder: Path, table: str = "t") -> list[Any]:
    """A table's entries, as another process reads them."""
    return [json.loads(entry) for entry in entries_in(folder).get(table, [])]


@on_loop
async def test_a_callback_comes_once_the_entry_is_on_disk_and_in_order(tmp_path: Path) -> None:
    folder, seen, entries = tmp_path / "play", list[bool](), [{"n": number} for number in range(20)]
    journal = Journal(folder)
    assert journal.read() == {}
    journal.start()
    for entry in entries:
        journal.add("t", entry)
        journal.then(lambda entry=entry: seen.append(entry in lines(folder)))  # type: ignore[misc]
        if entry["n"] % 3 == 0:
            await asyncio.sleep(0.002)
    await journal.drain()
    assert [path.stat().st_mode & 0o777 for path in (folder, folder / NAME)] == [0o700, 0o600]
    journal.replace("other", [{"m": 1}])
    journal.replace("t", [{"n": 20}])
    await journal.stop()
    assert seen == [True] * 20
    assert (lines(folder), lines(folder, "other")) == ([{"n": 20}], [{"m": 1}])
    assert b'"n":1' not in (folder / NAME).read_bytes(), "what was replaced is overwritten"


def test_what_was_committed_outlives_a_crash_while_it_writes(tmp_path: Path) -> None:
    """The files as they are then, and a torn entry after them."""
    journal, image = JournalFile(tmp_path / "play"), tmp_path / "image"
    for number in range(30):
        journal.write([TableChange("t", [str(number)])])
    shutil.copytree(tmp_path / "play", image)
    journal.close()
    wal = image / f"{NAME}-wal"
    with wal.open("ab") as file:
        file.write(wal.read_bytes()[-5000:-700])
    journal = JournalFile(image)
    assert [int(entry) for entry in journal.entries()["t"]] == [*range(30)]
    journal.close()
    assert not wal.exists()


@on_loop
async def test_a_server_that_came_first_keeps_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both began when there was no journal."""
    monkeypatch.setattr(journals, "RETRY_SECONDS", 0.001)
    second = Journal(tmp_path)
    second.start()
    first = JournalFile(tmp_path)
    first.write([TableChange("one", ['{"n":1}'])])
    second.add("two", {"n": 2})
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(second.drain(), 0.1)
    assert "moves wait, the journal can't be written: another server has" in capsys.readouterr().err
    first.close()
    await second.stop()
    assert (lines(tmp_path, "one"), lines(tmp_path, "two")) == ([{"n": 1}], [{"n": 2}])


@on_loop
async def test_a_full_disk_delays_what_is_told_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A full disk is a file that may not grow."""
    monkeypatch.setattr(journals, "RETRY_SECONDS", 0.001)
    monkeypatch.setattr(journals, "END_SECONDS", 0.05)
    told: list[int] = []
    journal = Journal(tmp_path)
    journal.start()
    for number in range(8):
        entry = {"n": number, "text": "x" * 5000}
        if number:
            full(journal, True)
        journal.add("t", entry)
        journal.then(lambda number=number: told.append(number))  # type: ignore[misc]
        if number:
            await asyncio.sleep(0.02)
            assert told == [line["n"] for line in lines(tmp_path)] == list(range(number))
            full(journal, False)
        await journal.drain()
    full(journal, True)
    journal.add("t", {"n": 8, "text": "x" * 5000})
    await journal.stop()
    assert told == [line["n"] for line in lines(tmp_path)] == list(range(8))
    assert "moves wait, the journal can't be written: database or disk is full" in capsys.readouterr().err


def full(journal: Journal, is_full: bool) -> None:
    """Let the journal's file grow no more, or again."""
    assert journal._file is not None
    [pages] = journal._file._db.execute("pragma page_count").fetchone()
    journal._file._db.execute(f"pragma max_page_count = {pages if is_full else 1 << 30}")


def garbled(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:4096] + os.urandom(64) + file.read_bytes()[4160:])


def with_a_wrong_index(file: Path) -> None:
    db = sqlite3.connect(file)
    with db:
        db.execute("pragma writable_schema = on")
        db.execute("update sqlite_schema set sql = replace(sql, 'table_id)', 'entry)') where type = 'index'")
    db.close()


DAMAGE = {
    "garbled": garbled,
    "cut": lambda file: os.truncate(file, 9000),
    "replaced": lambda file: file.write_bytes(b"not a database" * 1000),
    "with a wrong index": with_a_wrong_index,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_file_is_set_aside_and_said(
    tmp_path: Path, damage: Callable[[Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    for number in (1, 2):
        journal = JournalFile(tmp_path)
        assert journal.entries() == {}
        journal.write([TableChange(f"t{n}", [json.dumps({"n": "x" * 500})]) for n in range(50)])
        journal.close()
        damage(tmp_path / NAME)
        before = (tmp_path / NAME).read_bytes()
        journal = JournalFile(tmp_path)
        assert journal.entries() == {}
        journal.close()
        aside = tmp_path / f"set-aside-{number}-{NAME}"
        assert aside.read_bytes() == before
        told = capsys.readouterr().err
        assert told.startswith("cardlog: the journal of the tables is damaged (")
        assert f"it is kept: {aside}\n" in told
        assert {path.name for path in tmp_path.iterdir()} >= {aside.name, NAME}


def test_a_file_that_is_not_damaged_is_never_set_aside(tmp_path: Path) -> None:
    (tmp_path / NAME).mkdir()
    with pytest.raises(JournalError, match="can't be opened"):
        JournalFile(tmp_path)
    assert not list(tmp_path.glob("set-aside-*"))


def test_the_journal_of_cardlog_1_0_is_moved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = tmp_path / BEFORE
    first, *_, third = texts = ['{"table":"a","n":1}', '{"table":"b","n":2}', '{"table":"a","n":3}']
    for _time in range(2):  # the second one as if it had been killed before the old file was removed
        old.write_text("\n".join([*texts, '{"table":"b","closed":true}', '{"table']))
        file = JournalFile(tmp_path)
        assert file.entries() == {"a": [first, third]}
        file.close()
        assert not old.exists()
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------- a server that is killed


@pytest.mark.long
@pytest.mark.parametrize("count", [2, pytest.param(50, marks=pytest.mark.soak)])
def test_a_server_that_is_killed_loses_nothing(store: Store, count: int) -> None:
    """It has each table, with the same keys, as far as that was sent, and stores each hand once and whole."""
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
    last = newest[0]
    sql = "select hand_no, count(*), count(distinct hand_id), max(seq) from events group by match_id, hand_no"
    rows = asked(store, ["events"], sql)
    assert len(rows) == last + 1
    assert sorted(count for _, count, _, _ in rows) == sorted(sizes.values())
    assert all(hands == 1 and count == most + 1 for _, count, hands, most in rows)
    sql = "select sum(hands_read), sum(hands_stored), sum(duplicates), sum(quarantined) from ingests"
    [(read, stored, twice, bad)] = asked(store, ["ingests"], sql)
    assert (read - twice, stored, bad) == (last + 1, last + 1, 0)
