"""Logs that change while they are read: what is stored is what the file was at one instant, or nothing."""

import gzip
import hashlib
import io
import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.ingest import ingest as ingesting
from cardlog.pipelines.ingest import read, source_bytes, sources
from cardlog.pipelines.ingest.source_bytes import SourceError
from cardlog.pipelines.storage.store import Store, StoreError
from tests.support.csv_rows import dump, dump_lines
from tests.support.jsonl_logs import simulated
from tests.support.soak import soak
from tests.support.stores import ask, ingest, one

ROWS = dump_lines()[:60]
OTHERS = dump_lines()[60:120]
BEFORE, AFTER = dump(*ROWS), dump(*OTHERS)


def truncate(path: Path) -> None:
    """As logrotate's copytruncate does."""
    with path.open("r+b") as log:
        log.truncate(0)


def rotate(path: Path) -> None:
    """Truncated, and written to again up to its old size and beyond."""
    truncate(path)
    append(path, packed(path, AFTER + AFTER))


def append(path: Path, more: bytes = b"") -> None:
    with path.open("ab") as log:
        log.write(more or packed(path, AFTER))


def replace(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(packed(path, AFTER))
    other.replace(path)


def packed(path: Path, text: bytes) -> bytes:
    return gzip.compress(text, mtime=0) if path.suffix == ".gz" else text


CHANGES: dict[str, Callable[[Path], None]] = {
    "truncate": truncate, "rotate": rotate, "append": append, "replace": replace, "delete": Path.unlink,
}  # fmt: skip


def changing(patch: pytest.MonkeyPatch, path: Path, change: Callable[[Path], None], *, at: str) -> None:
    """Change a file once: when it was looked at and is to be read, or after some of it was read."""
    if at == "plan":
        plan = sources.plan

        def plan_then_change(files: Any, **how: Any) -> Any:
            patch.setattr(sources, "plan", plan)
            found = plan(files, **how)
            change(path)
            return found

        patch.setattr(sources, "plan", plan_then_change)
    else:
        reads, turns = read.item_reads, count()  # pieces are read in threads

        def read_then_change(item: Any) -> Any:
            for number, found in enumerate(reads(item)):
                if number == 1 or (item.piece and item.piece.start):
                    patch.setattr(read, "item_reads", reads)
                    if next(turns) == 0:
                        change(path)
                yield found

        patch.setattr(read, "item_reads", read_then_change)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(("name", "block"), [("a.csv", 2000), *soak(("a.csv", 2**24), ("a.csv.gz", 2000))])
@pytest.mark.parametrize("at", ["plan", "read"])
def test_a_log_that_changes(
    at: str, name: str, block: int, change: str, store: Store, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    path = tmp_path / name
    path.write_bytes(packed(path, BEFORE))
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    with monkeypatch.context() as patch:
        patch.setattr(sources, "BLOCK_BYTES", block)
        changing(patch, path, CHANGES[change], at=at)
        try:
            result, said = runs.ingest(store, [str(path)]), ""
        except (SourceError, StoreError) as error:
            result, said = None, str(error)
    if result is None:
        assert "nothing of it was stored" in said
        assert one(store, "select count(*) from ingests") == 0
        assert one(store, "select count(*) from events") == 0
    else:
        assert ask(store, "select source_id, hands_stored from ingests") == [(digest, len(ROWS))]
        assert result.counts.hands_read == len(ROWS)
        assert change == "append" or at == "read"
    # What the file is now is ingested whole: nothing of it was taken for known.
    if path.exists() and path.stat().st_size:
        text = path.read_bytes()
        text = gzip.decompress(text) if path.suffix == ".gz" else text
        ingest(store, path)
        stored = one(store, "select count(*) from events where seq = 0")
        now = len(ROWS) if text.startswith(BEFORE) else 0
        now += len(OTHERS) if AFTER in text else 0
        before = len(ROWS) if digest in dict(ask(store, "select source_id, 1 from ingests")) else 0
        assert stored == max(now, before + len(OTHERS) * (AFTER in text))


def test_a_conflict_is_read_again_from_the_same_bytes(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text of a hand that contradicts what is stored is fetched last; if the log is another one by
    then, the ingest fails rather than keep a text that was never judged."""
    path = tmp_path / "a.csv"
    path.write_bytes(BEFORE)
    ingest(store, path)
    path.write_bytes(BEFORE.replace(b",f,", b",t,"))
    finish = ingesting.finish

    def change_then_finish(*arguments: Any) -> Any:
        path.write_bytes(AFTER)
        return finish(*arguments)

    monkeypatch.setattr(ingesting, "finish", change_then_finish)
    with pytest.raises(SourceError, match="changed while it was being read"):
        runs.ingest(store, [str(path)])
    assert one(store, "select count(*) from ingests") == 1


def writing(patch: pytest.MonkeyPatch, path: Path, *deeds: Callable[[], None]) -> list[Callable[[], None]]:
    """Do something to a log whenever it is read from, the first times; gives what is not done yet."""
    left = list(deeds)

    class Watched(io.FileIO):
        def read(self, size: int | None = -1, /) -> Any:
            found = super().read(size)
            if left:
                left.pop(0)()
                os.utime(path, ns=(len(left), len(left)))
            return found

    patch.setattr(sources, "open_raw", Watched)
    return left


def test_what_is_appended_while_a_log_is_looked_at_is_left_for_the_next_time(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(BEFORE)
    with monkeypatch.context() as patch:
        left = writing(patch, path, lambda: append(path, b"\n".join(OTHERS) + b"\n"))
        first = ingest(store, path)
    assert left == []
    assert (first.counts.hands_stored, first.sources[0]["source_bytes"]) == (len(ROWS), len(BEFORE))
    assert first.sources[0]["source_id"] == hashlib.sha256(BEFORE).hexdigest()
    assert ingest(store, path).counts.hands_stored == len(OTHERS)


def test_a_log_that_is_cut_while_it_is_looked_at_is_refused(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(BEFORE * 30)
    with monkeypatch.context() as patch:
        patch.setattr(source_bytes, "HEAD_BYTES", 1000)
        writing(patch, path, lambda: truncate(path), lambda: truncate(path))
        with pytest.raises((SourceError, StoreError), match="changed while it was being read"):
            runs.ingest(store, [str(path)])


@pytest.mark.parametrize("block", [2**24, 20_000])
def test_a_log_in_jsonl_that_changes(
    block: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(simulated(60))
    monkeypatch.setattr(sources, "BLOCK_BYTES", block)
    with monkeypatch.context() as patch:
        changing(patch, path, lambda log: log.write_bytes(simulated(60, seed=2)), at="plan")
        with pytest.raises(SourceError, match=r"log\.jsonl changed while it was being read"):
            runs.ingest(store, [str(path)])
    assert one(store, "select count(*) from ingests") == 0
    assert ingest(store, path).counts.hands_stored == 60
