"""The journal: on disk before anybody is told, whole after a crash."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from cardlog.web.play import journal as journals
from cardlog.web.play.journal import NAME, Journal, JournalError


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


def test_a_torn_last_line_is_dropped_and_any_other_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / NAME
    path.write_text('{"n":1}\n{"n":2}\n{"n":3')
    journal = Journal(tmp_path, list)
    assert journal.read() == [{"n": 1}, {"n": 2}]
    path.write_text('{"n":1}\n{"n":\n{"n":3}\n')
    with pytest.raises(JournalError, match="line 2"):
        journal.read()


def test_two_servers_can_not_have_the_same_tables(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("")
    first, second = Journal(tmp_path, list), Journal(tmp_path, list)
    assert first.read() == []
    with pytest.raises(JournalError, match="another server"):
        second.read()


def test_a_disk_that_is_full_delays_what_is_told_and_leaves_no_half_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(journals, "RETRY_SECONDS", 0.01)
    real, failures = os.pwrite, []

    def half(number: int, data: bytes, offset: int) -> int:
        if len(failures) < 2 and b'"n":1' in data:
            failures.append(data)
            real(number, data[: len(data) // 2], offset)
            raise OSError(28, "No space left on device")
        return real(number, data, offset)

    monkeypatch.setattr(os, "pwrite", half)
    assert written(tmp_path, [{"n": 0}, {"n": 1}, {"n": 3}, {"n": 4}], []) == [True] * 4
    assert len(failures) == 2
    assert [entry["n"] for entry in lines(tmp_path)] == [0, 1, 3, 4]
    assert "No space left" in capsys.readouterr().err


def test_a_journal_that_has_grown_is_replaced_by_what_is_needed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journals, "MOST_BYTES", 50)
    needed: list[dict[str, Any]] = []

    async def run() -> None:
        journal = Journal(tmp_path, lambda: needed)
        journal.start()
        for number in range(30):
            needed[:] = [{"n": number}]
            journal.add({"n": number})
            await journal.drain()
        await journal.stop()

    asyncio.run(run())
    assert (tmp_path / NAME).stat().st_size < 70
    assert lines(tmp_path)[-1] == {"n": 29}
