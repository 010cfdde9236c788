"""The journal: on disk before anybody is told, whole after a crash."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cardlog.web.play import journal as journals
from cardlog.web.play.journal import NAME, Journal, JournalError
from tests.support.tables import on_loop


def lines(folder: Path) -> list[Any]:
    return [json.loads(line) for line in (folder / NAME).read_text().splitlines()]


def written(folder: Path, entries: list[dict[str, Any]], snapshot: list[dict[str, Any]]) -> list[Any]:
    """What lies on disk when each entry's callback comes."""
    seen = []

    async def run() -> None:
        journal = Journal(folder, lambda: snapshot)
        assert journal.read() == []
        journal.start()
        for entry in entries:
            snapshot.append(entry)
            journal.add(entry)
            journal.then(lambda entry=entry: seen.append(entry in lines(folder)))
            if entry["n"] % 3 == 0:
                await asyncio.sleep(0.002)
        await journal.stop()

    asyncio.run(run())
    return seen


def test_a_callback_comes_once_the_entry_is_on_disk_and_in_order(tmp_path: Path) -> None:
    entries = [{"n": number} for number in range(20)]
    assert written(tmp_path / "play", entries, []) == [True] * 20
    assert lines(tmp_path / "play") == entries
    assert (tmp_path / "play").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "play" / NAME).stat().st_mode & 0o777 == 0o600


def test_a_torn_last_line_is_dropped(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('{"n":1}\n{"n":\n{"n":3')
    assert Journal(tmp_path, list).read() == [b'{"n":1}', b'{"n":']


def test_two_servers_can_not_have_the_same_tables(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("")
    first, second = Journal(tmp_path, list), Journal(tmp_path, list)
    assert first.read() == []
    with pytest.raises(JournalError, match="another server"):
        second.read()


@on_loop
async def test_a_server_that_came_first_is_not_overwritten_by_one_that_had_read_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both began when there was no journal; the first has written one since, and ended."""
    second = Journal(tmp_path, lambda: [{"n": 2}])
    assert second.read() == []
    second.start()
    (tmp_path / NAME).write_text('{"n":1}\n')
    second.add({"n": 2})
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(second.drain(), 0.1)
    second._task.cancel()  # type: ignore[union-attr]
    assert lines(tmp_path) == [{"n": 1}]
    assert "another server has used" in capsys.readouterr().err


class Disk:
    """Takes the place of `os.pwrite`: writes as much as there is room for, like a disk that fills up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.room, self._write = 1 << 20, os.pwrite
        monkeypatch.setattr(os, "pwrite", self)

    def __call__(self, number: int, data: bytes, offset: int) -> int:
        if not self.room:
            raise OSError(28, "No space left on device")
        count = self._write(number, data[: self.room], offset)
        self.room -= count
        return count


@pytest.mark.parametrize("most_bytes", [journals.MOST_BYTES, 0], ids=["appended", "replaced"])
@on_loop
async def test_a_full_disk_delays_what_is_told_and_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], most_bytes: int
) -> None:
    monkeypatch.setattr(journals, "RETRY_SECONDS", 0.001)
    monkeypatch.setattr(journals, "MOST_BYTES", most_bytes)
    disk, entries = Disk(monkeypatch), [{"n": number} for number in range(30)]
    told: list[int] = []
    added = entries[:1]
    journal = Journal(tmp_path, lambda: added)
    journal.start()
    journal.add(entries[0])
    journal.then(lambda: told.append(0))
    await journal.drain()
    for number, entry in enumerate(entries[1:], 1):
        disk.room = number % len('{"n":1}')  # too little for any entry
        added.append(entry)
        journal.add(entry)
        journal.then(lambda number=number: told.append(number))
        await asyncio.sleep(0.005)
        there = (tmp_path / NAME).read_bytes().splitlines(keepends=True)
        whole = [json.loads(line) for line in there if line.endswith(b"\n")]
        assert whole == entries[: len(told)]
        assert told == list(range(number))
        disk.room = 1 << 20
        await journal.drain()
        assert lines(tmp_path) == entries[: number + 1]
    await journal.stop()
    assert told == list(range(30))
    assert "moves wait, the journal can't be written: [Errno 28] No space left" in capsys.readouterr().err


@on_loop
async def test_a_server_can_end_on_a_full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(journals, "END_SECONDS", 0.01)
    Disk(monkeypatch).room = 0
    told: list[int] = []
    journal = Journal(tmp_path, lambda: [{"n": 1}])
    journal.start()
    journal.add({"n": 1})
    journal.then(lambda: told.append(1))
    await journal.stop()
    assert told == []
    assert not (tmp_path / NAME).exists()


@on_loop
async def test_lines_are_set_aside_before_the_journal_is_written_without_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "RETRY_SECONDS", 0.001)
    (tmp_path / NAME).write_text('{"n":1}\nbad\n')
    disk = Disk(monkeypatch)
    journal = Journal(tmp_path, lambda: [{"n": 2}])
    read = journal.read()
    disk.room = 0
    path = journal.set_aside("t", read)
    assert path == journal.set_aside("t", read) != journal.set_aside("t", [b"other"])
    journal.start()
    journal.add({"n": 2})
    await asyncio.sleep(0.02)
    assert (tmp_path / NAME).read_text() == '{"n":1}\nbad\n'
    disk.room = 1 << 20
    await journal.stop()
    assert path.read_text() == '{"n":1}\nbad\n'
    assert lines(tmp_path) == [{"n": 2}]
    assert len(list(tmp_path.glob("set-aside-*"))) == 2


@on_loop
async def test_a_journal_that_has_grown_is_replaced_by_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "MOST_BYTES", 50)
    needed: list[dict[str, Any]] = []
    journal = Journal(tmp_path, lambda: needed)
    journal.start()
    for number in range(30):
        needed[:] = [{"n": number}]
        journal.add({"n": number})
        await journal.drain()
    await journal.stop()
    assert (tmp_path / NAME).stat().st_size < 70
    assert lines(tmp_path)[-1] == {"n": 29}
