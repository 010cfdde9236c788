"""Splitting a text that streams in: whole lines, marks, and what is longer than it may be."""

import gzip
import hashlib
import io
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.pipelines import readers
from cardlog.pipelines.ingest import blocks
from cardlog.pipelines.ingest.blocks import Block, split
from cardlog.pipelines.ingest.read import item_reads
from cardlog.pipelines.ingest.sources import examine, plan
from cardlog.pipelines.readers import lengths
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.lengths import TooLong
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from tests.support.csv_rows import dump, dump_lines
from tests.support.formats import FORMATS, pieces
from tests.support.jsonl_logs import hand, text_of
from tests.support.soak import soak
from tests.support.stores import check_books, dicts, ingest_text, one

MARK = b"=== "
ROWS = dump_lines()[:6]
TRANSCRIPTS = [name for name, form in FORMATS.items() if form.is_transcript]


class Small:
    """Limits small enough for a test to exceed, and a stream that gives a few bytes at a time."""

    LINE, MATCH, LINES = 40, 120, 12

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        limits = {"LINE_BYTES": self.LINE, "MATCH_BYTES": self.MATCH, "MATCH_LINES": self.LINES}
        for name, value in {**limits, "BEGINNING_BYTES": 5}.items():
            patch.setattr(lengths, name, value)


def whole(found: list[Block], text: bytes) -> None:
    """Blocks follow each other without gaps, and have the text that they say but for what was cut."""
    start, line = 0, 1
    for block in found:
        assert (block.start, block.first_line) == (start, line)
        mine = text[start : start + block.length]
        for cut in block.too_long:
            assert (cut.length, cut.sha256) == expected(mine, block, cut)
        if not block.too_long:
            assert block.text == mine
        if block.text:
            assert block.text.rstrip(b"\n").count(b"\n") == mine.rstrip(b"\n").count(b"\n")
        start += block.length
        line += mine.count(b"\n")
    assert start == len(text)
    assert [block.is_last for block in found] == [False] * (len(found) - 1) + [True] * bool(found)


def expected(mine: bytes, block: Block, cut: TooLong) -> tuple[int, str]:
    """Length and digest of what was cut, from the text itself."""
    lines = mine.split(b"\n")
    if block.text:
        line = lines[cut.first_line - block.first_line]
        return len(line), hashlib.sha256(line).hexdigest()
    if any(len(line) > Small.LINE for line in lines):
        return cut.length, cut.sha256
    return len(mine), hashlib.sha256(mine).hexdigest()


TEXTS = st.lists(
    st.one_of(
        st.binary(max_size=10),
        st.just(MARK + b"GAME"),
        st.integers(30, 100).map(lambda size: b"x" * size),
        st.integers(30, 60).map(lambda size: MARK + b"y" * size),
    ).map(lambda line: line.replace(b"\n", b"")),
    max_size=40,
)


@settings(deadline=None, max_examples=300)
@given(TEXTS, st.booleans(), st.sampled_from([None, b"", MARK]), st.integers(1, 200), st.integers(1, 40))
def test_any_text_in_any_blocks(
    lines: list[bytes], ended: bool, mark: bytes | None, size: int, chunk: int
) -> None:
    text = b"\n".join(lines) + b"\n" * ended
    with pytest.MonkeyPatch.context() as patch:
        Small(patch)
        patch.setattr(blocks, "CHUNK_BYTES", chunk)
        found = list(split(io.BytesIO(text), mark, size))
        whole(found, text)
        assert all(mark is not None and text[block.start :].startswith(mark) for block in found[1:])
        assert all(block.length and text[: block.start].endswith(b"\n") for block in found[1:])
        if mark == b"":  # a block is longer than it should be by no more than its first line
            assert all(len(block.text.partition(b"\n")[2]) <= size for block in found)
        # What is too long is the same however the text comes in and wherever blocks end.
        patch.setattr(blocks, "CHUNK_BYTES", 7)
        other = list(split(io.BytesIO(text), mark, 50))
        assert cut_of(found) == cut_of(other)
        # A block by itself is the same block, which is how workers know that it has not changed.
        for block in found:
            mine = io.BytesIO(text[block.start : block.start + block.length])
            (again,) = split(mine, mark, sys.maxsize, block.first_line, sys.maxsize)
            assert (again.text, again.sha256, again.too_long) == (block.text, block.sha256, block.too_long)


def cut_of(found: list[Block]) -> list[TooLong]:
    return [cut for block in found for cut in block.too_long]


def test_what_is_too_long_is_told_by_its_size(monkeypatch: pytest.MonkeyPatch) -> None:
    Small(monkeypatch)
    fits, not_so = b"a" * Small.LINE + b"\n", b"a" * (Small.LINE + 1) + b"\n"
    (block,) = split(io.BytesIO(fits + not_so + fits[:-1]), b"", 1000)
    (cut,) = block.too_long
    assert (cut.first_line, cut.last_line, cut.length, cut.beginning) == (2, 2, Small.LINE + 1, b"aaaaa")
    assert block.text == fits + cut.raw + b"\n" + fits[:-1]
    match = MARK + b"\n" + b"b" * 9 + b"\n"
    large = match + (b"c" * 10 + b"\n") * 10
    found = list(split(io.BytesIO(match + large + match), MARK, 1000))
    assert [block.text for block in found] == [match, b"", match]
    (cut,) = found[1].too_long
    assert (cut.first_line, cut.last_line, cut.sha256) == (3, 14, hashlib.sha256(large).hexdigest())
    many_lines = match + b"\n" * (Small.LINES - 1)
    assert [block.text for block in split(io.BytesIO(many_lines + match), MARK, 1000)] == [b"", match]


# ---------------------------------------------------------------- through the store


@pytest.mark.parametrize("packed", [False, True])
def test_a_row_that_is_too_long_is_kept_aside_and_reading_goes_on(
    packed: bool, store: Store, tmp_path: Path
) -> None:
    long = b"7," + b"a" * 3 * 2**20
    text = dump(*ROWS[:3], long, *ROWS[3:])
    result = ingest_text(store, tmp_path, gzip.compress(text) if packed else text)
    counts = result.counts
    assert (counts.hands_stored, counts.quarantined, counts.lines_read) == (6, 1, text.count(b"\n"))
    (row,) = dicts(store, "from quarantine where reason = 'too_long'")
    assert (row["first_line"], row["last_line"]) == (5, 5)
    assert hashlib.sha256(long).hexdigest() in row["message"]
    assert f"{len(long):,} bytes" in row["message"]
    assert row["raw"].startswith(long[: lengths.BEGINNING_BYTES].decode())
    assert len(row["raw"]) < 2 * lengths.BEGINNING_BYTES
    assert quarantine.retry(store).sources == []


def reads_of(text: bytes, form: str, folder: Path) -> list[Read]:
    """What is read of a file, which is read to its last line."""
    (folder / "log.txt").write_bytes(text)
    (item,) = plan([examine(str(folder / "log.txt"), form, None, True)])
    reads = [read for _, read, _ in item_reads(item)]
    assert sum(read.lines_read for read in reads) == len(text.splitlines())
    return reads


@pytest.mark.parametrize("form", TRANSCRIPTS)
@pytest.mark.parametrize("place", ["first", "middle", "last", "between"])
def test_a_long_line_anywhere_in_a_transcript_takes_its_hand_with_it(
    form: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the line's place, in the middle of a hand, at the end without a line end, between two games."""
    monkeypatch.setattr(lengths, "LINE_BYTES", 5000)
    games = pieces(form)[:4]
    lines = games[1].splitlines(keepends=True)
    long = b"z" * 6000
    places = {"first": 1, "middle": len(lines) // 2, "between": len(lines)}
    if place != "last":
        lines.insert(places[place], long + b"\n")
    last = [*games[2:], long] if place == "last" else games[2:]
    [read] = reads_of(b"".join([games[0], *lines, *last]), form, tmp_path)
    aside = [entry for entry in read.rejects if entry.reason.code == "too_long"]
    assert len(aside) == 1
    assert b"cardlog left out" in aside[0].raw
    assert hashlib.sha256(long).hexdigest() in aside[0].message
    assert all(b"cardlog left out" not in read.raw_of(hand) for hand in range(len(read.batch)))
    assert len(read.batch) > 0


@pytest.mark.parametrize("form", TRANSCRIPTS)
def test_a_match_without_end_is_kept_aside(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = pieces(form)[:4]
    size = max(len(game) for game in games)
    monkeypatch.setattr(lengths, "MATCH_BYTES", 3 * size)
    endless = MARK + b"GAME endless ===\n" + b"and so on\n" * (size // 2)
    reads = reads_of(b"".join([games[0], endless, *games[1:]]), form, tmp_path)
    (entry,) = [entry for read in reads for entry in read.rejects if entry.reason.code == "too_long"]
    lines = games[0].count(b"\n")
    assert (entry.first_line, entry.last_line) == (lines + 1, lines + endless.count(b"\n"))
    assert hashlib.sha256(endless).hexdigest() in entry.message
    assert entry.raw.startswith(endless[:1000])
    right = [read for game in games for read in readers.get(form).read(game, Source("0" * 64, "-", form))]
    assert sum(len(read.batch) for read in reads) == sum(len(read.batch) for read in right) > 0


def test_a_long_line_of_jsonl_takes_only_its_own_hand_with_it(store: Store, tmp_path: Path) -> None:
    first, second = (text_of(hand(name)).splitlines(keepends=True) for name in "ab")
    first[9] = first[9].rstrip(b"}\n") + b',"detail":{"x":"' + b"y" * 2**20 + b'"}}\n'
    mixed = [line for pair in zip(first, second, strict=True) for line in pair]
    counts = ingest_text(store, tmp_path, b"".join(mixed), "log.jsonl", final=True).counts
    assert (counts.hands_stored, counts.quarantined, counts.lines_read) == (1, 2, len(mixed))
    reasons = dicts(store, "select reason, first_line from quarantine order by first_line")
    assert [(row["reason"], row["first_line"]) for row in reasons] == [("incomplete", 1), ("too_long", 19)]


# ---------------------------------------------------------------- memory

MOST_KIB = 900 * 2**10
"""What an ingest may need, of which some 400 MiB are for what it loads."""
LARGE = 320 * 2**20
BOMBS = {
    "one line of csv": ("playedhand-csv", b"7," + b"a" * 1022, LARGE),
    "rows of csv": ("playedhand-csv", b"a,b\n", 2**20),
    "blank lines of csv": ("playedhand-csv", b"\n" * 1024, LARGE),
    "one line of jsonl": ("cardlog-jsonl", b"a" * 1024, LARGE),
    "lines of jsonl": ("cardlog-jsonl", b"{}\n", 2**20),
    "one hand of jsonl": (
        "cardlog-jsonl",
        b'{"game":"kaiser","hand_id":"a","kind":"play","action":"card","seat":1,"cards":"5H"}\n',
        LARGE // 4,
    ),
    "one match of belot": ("belot-transcript", b"hello\n", LARGE),
    "the longest match of belot": ("belot-transcript", b"hello again and again\n", lengths.MATCH_BYTES - 1),
    "the most lines of pinochle": ("pinochle-protocol", b"\n", lengths.MATCH_LINES - 1),
    "one line of five-card draw": ("five-card-draw-transcript", b"a" * 1024, LARGE),
    "one match of ruter sju": ("ruter-sju-transcript", b"x\n", LARGE // 2),
}
"""Logs that are small when packed: format, what is repeated, and bytes."""
MEASURE = """
import re, sys
from pathlib import Path
from cardlog.pipelines import runs
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.storage.store import Store
counts = runs.ingest(Store(sys.argv[1]), [sys.argv[2]], Reading(format=sys.argv[3])).counts
assert counts.balanced and counts.hands_read == counts.quarantined, counts
# Not ru_maxrss: that begins with what the process had before it became this program, which is the parent's.
peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(counts.hands_read, counts.lines_read, peak)
"""


@pytest.mark.long
@pytest.mark.parametrize("name", ["one line of csv", *soak(*[*BOMBS][1:])])
def test_a_bomb_is_kept_aside_in_bounded_memory(name: str, store: Store, tmp_path: Path) -> None:
    form, piece, size = BOMBS[name]
    piece *= max(2**16 // len(piece), 1)
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb", compresslevel=1) as out:
        for _ in range(size // len(piece)):
            out.write(piece)
    # In a process of its own, because what the others here have needed counts too.
    command = [sys.executable, "-W", "ignore", "-c", MEASURE, store.root, str(path), form]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    hands, lines, kibibytes = map(int, ran.stdout.split())
    assert kibibytes < MOST_KIB
    assert lines == max(size // len(piece) * piece.count(b"\n"), 1)
    assert one(store, "select count(*) from quarantine") == hands
    assert hands >= (b"\n" * len(piece) != piece)
    check_books(store)
