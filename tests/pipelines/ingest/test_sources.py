"""Finding files, telling formats, refusing what can't be read, and cutting text into blocks."""

import bz2
import contextlib
import gzip
import hashlib
import io
import lzma
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from pyarrow import fs

from cardlog.pipelines import runs
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.ingest.sources import SourceError, examine, expand, plan, texts
from cardlog.pipelines.storage import remote
from cardlog.pipelines.storage.store import Store
from tests.support.csv_rows import dump, dump_lines
from tests.support.stores import ingest, one

ROWS = dump_lines()[:40]
PLAIN = dump(*ROWS)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for name in ("b.csv", "a.csv", "deep/er/c.csv.gz", ".hidden.csv", "deep/.DS_Store", "[x].csv"):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gzip.compress(PLAIN) if name.endswith("gz") else PLAIN + f"{name}\n".encode())
    return folder


def names(paths: list[str], folder: Path) -> list[str]:
    return [str(Path(path).relative_to(folder)) for path in paths]


ALL = ["[x].csv", "a.csv", "b.csv", "deep/er/c.csv.gz"]


@pytest.mark.parametrize(
    ("given_paths", "found"),
    [
        (["{}"], ALL),
        (["{}/*.csv"], ALL[:3]),
        (["{}/**/*.gz"], ALL[3:]),
        (["{}/[ab].csv"], ALL[1:3]),
        (["file://{}/a.csv"], ["a.csv"]),
        (["{}/b.csv", "{}", "{}/a.csv"], ["b.csv", "[x].csv", "a.csv", "deep/er/c.csv.gz"]),
    ],
)
def test_folders_globs_and_uris(given_paths: list[str], found: list[str], logs: Path) -> None:
    """Hidden files are left out; every file comes once, in the order given."""
    paths = [path.format(logs) for path in given_paths]
    assert names(expand(paths), logs) == found
    assert expand(["-", *paths, "-"]) == ["-", *expand(paths)]


def test_hidden_folders_links_loops_and_stores(logs: Path, store: Store) -> None:
    """A bin of deleted files, a folder elsewhere, a folder that contains itself, and a store."""
    elsewhere = logs.parent / "elsewhere"
    for path in (logs / ".Trash-1000/files/old.csv", elsewhere / "far.csv", logs / "empty/.hidden/b.csv"):
        path.parent.mkdir(parents=True)
        path.write_bytes(PLAIN)
    (logs / "deep/loop").symlink_to(logs)
    (logs / "deep/far").symlink_to(elsewhere)
    (logs / "deep/again").symlink_to(logs / "deep/er")
    (logs / "nowhere").symlink_to(logs.parent / "nowhere")
    inside = Store(str(logs / "deep/store"))
    runs.ingest(inside, [str(elsewhere)])
    found = [*ALL, "deep/far/far.csv"]
    assert names(expand([str(logs)]), logs) == found
    assert names(expand([f"{logs}/**/*"]), logs) == found
    assert runs.ingest(inside, [str(logs)]).passed_over == []
    for folder in (logs / "empty", logs / "deep/store"):
        with pytest.raises(SourceError, match="there is no log in the folder"):
            expand([str(folder)])


@pytest.mark.parametrize("path", ["{}/nowhere.csv", "{}/*.nothing", "{}/deep/er/empty", "file://{}/z*.csv"])
def test_what_stands_for_nothing_is_told(path: str, logs: Path) -> None:
    (logs / "deep/er/empty").mkdir()
    with pytest.raises(SourceError, match=r"there is no such file|there is no log in the folder"):
        expand([path.format(logs)])
    with pytest.raises(SourceError, match=r"zz://a/\*\.csv: can't be reached: .*zz://a/\*\.csv can't be"):
        expand(["zz://a/*.csv"])


def test_files_of_an_object_store(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Shown on a folder that stands for a bucket."""
    buckets = fs.SubTreeFileSystem(str(logs.parent), fs.LocalFileSystem())
    monkeypatch.setattr(remote, "_s3", lambda: buckets)
    bucket = f"s3://{logs.name}"
    found = [f"{bucket}/{name}" for name in ALL]
    assert expand([f"{bucket}/*.csv"]) == found[:3]
    assert expand([f"{bucket}/[a-b].csv", f"{bucket}/?.csv"]) == found[1:3]
    assert expand([f"{bucket}/[!b].csv"]) == found[1:2]
    assert expand([f"{bucket}/**/*.csv*"]) == expand([bucket]) == expand([f"{bucket}/"]) == found
    assert expand([f"{bucket}/[x].csv"]) == found[:1]
    for nothing in ("z*.csv", "z.csv", "z/"):
        with pytest.raises(SourceError, match="there is no such file"):
            expand([f"{bucket}/{nothing}"])
    there, here = (examine(f"{folder}/a.csv", None, None, False) for folder in (bucket, logs))
    assert there.source.source_id == here.source.source_id
    contents = [[block.text for block, _ in texts(plan([file])[0])] for file in (there, here)]
    assert contents[0] == contents[1]


# ---------------------------------------------------------------- looking at a file


def broken_files() -> dict[str, bytes]:
    """Cut at the last byte, before and after its sums, in the middle, after the head and the magic number;
    with other bytes in its sum and its data; with something after it."""
    whole = gzip.compress(PLAIN, mtime=0)
    found = {f"cut at {at}": whole[:at] for at in (-1, -8, len(whole) // 2, 10, 2)}
    for what, at in (("sum", -6), ("data", len(whole) // 2)):
        wrong = bytearray(whole)
        wrong[at] ^= 0xFF
        found[f"wrong {what}"] = bytes(wrong)
    return found | {"second member cut": whole + whole[:-20], "text after it": whole + b"not gzip"}


@pytest.mark.parametrize("damage", broken_files())
def test_a_broken_gzip_leaves_the_store_as_it_was(damage: str, tmp_path: Path) -> None:
    path, good = tmp_path / "broken.csv.gz", tmp_path / "good.csv"
    path.write_bytes(broken_files()[damage])
    good.write_bytes(PLAIN)
    store = Store(str(tmp_path / "store"))
    with pytest.raises(SourceError, match=r"broken\.csv\.gz: can't be read: .*; nothing of it was stored"):
        runs.ingest(store, [str(good), str(path)], Reading(format="playedhand-csv"))
    assert not store.exists


PACKS = lzma.compress, bz2.compress, lambda text: pa.compress(text, "zstd", asbytes=True)


@pytest.mark.parametrize("pack", PACKS)
def test_other_compressions(pack: Callable[[bytes], bytes], tmp_path: Path, store: Store) -> None:
    """They are known by the content, whatever the file's name."""
    path = tmp_path / "a.csv.gz"
    path.write_bytes(packed := pack(PLAIN))
    assert ingest(store, path).counts.hands_stored == len(ROWS)
    assert one(store, "select source_id from ingests") == hashlib.sha256(packed).hexdigest()
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises(SourceError, match=r"can't be read: .*; nothing of it was stored"):
        ingest(store, path, format="playedhand-csv")


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_other_encodings_with_their_mark(
    order: str, pack: Callable[[bytes], bytes], tmp_path: Path, store: Store
) -> None:
    """Its lines have the same numbers, and its last character may be half written. The name says nothing."""
    path, text = tmp_path / ("a.csv.gz" if pack is bytes else "a.csv"), dump(*ROWS, end=b"\r\n").decode()
    path.write_bytes(pack(f"\ufeff{text}zoë".encode(order) + b"\x0a"))
    counts = ingest(store, path).counts
    assert (counts.hands_stored, counts.quarantined) == (len(ROWS), 1)
    assert one(store, "select raw from quarantine") == "zoë"
    assert one(store, "select max(source_line) from events") == len(ROWS) + 1


JSON = b'{"game":"kaiser","hand_id":"a","kind":"deal","action":"open"}\n'


def objects(stream: str = "stdout", **values: list[bytes]) -> bytes:
    """Lines, or parts of long ones, as values in objects of JSON; one that is no text is a list of bytes.
    Docker's are between those of another stream."""
    [(key, lines)] = values.items()
    shown = [[*line] if b"\x1b" in line else line.decode() for line in lines]
    noise = {key: "Dear diary,\n", "stream": "stdout" if stream == "stderr" else "stderr"}
    found = ([{key: line, "stream": stream}, noise][: 1 + (key == "log" and bool(stream))] for line in shown)
    return b"".join(msgspec.json.encode(one) + b"\n" for both in found for one in both)


def kubernetes(text: bytes, stream: bytes = b"stdout") -> bytes:
    """Lines as a container's runtime logs them: in parts, between lines of another stream."""
    mark, other = b"2026-01-01T00:00:00.1Z ", b"stdout" if stream == b"stderr" else b"stderr"
    parts = [(line[:20] + b"\n", line[20:]) for line in text.splitlines(keepends=True)]
    noise = mark + other + b" F Dear diary,\n"
    return b"".join(
        mark + stream + b" P " + first + noise + mark + stream + b" F " + rest for first, rest in parts
    )


SYSLOG = b"Jan  5 10:00:01 host cards[123]: "
GAME = b"=== GAME F1 ===\n[SETUP] All players\n"
PAIRS = "PAR A: Ana i Iva\nPAR B: \x1b[1mEma\x1b[0m i Čedo\n".encode()


@pytest.mark.parametrize(
    ("text", "advice", "log"),
    [
        (b"PK\x03\x04" + PLAIN, "zip file; read what is in it: unzip -p ", None),
        *(
            (PLAIN.decode().encode(order), f"like {order[:6]} without its mark.* iconv -f {order} ", PLAIN)
            for order in ("UTF-16BE", "UTF-16LE", "UTF-32BE", "UTF-32LE")
        ),
        (PLAIN.replace(b"\n", b"\r"), r"lines end in CR alone; tr '\\r' '\\n' ", PLAIN),
        (bytes(100_000) + PLAIN, r"begins with NUL bytes, .* tr -d '\\0' ", PLAIN),
        (PLAIN.replace(b",", b";"), "semicolons instead of commas; tr ';' , ", PLAIN),
        (PLAIN.replace(b",", b"\t"), r"tabs instead of commas; tr '\\t' , ", PLAIN),
        (kubernetes(JSON), "Kubernetes.*; awk .*stdout", JSON),
        (kubernetes(PLAIN, b"stderr"), "Kubernetes.*; awk .*stderr", PLAIN),
        (SYSLOG + JSON, r"5 words before .* sed -E 's/\^\(\[\^ \]\+ \+\)\{4\}\[\^ \]\+ \?//' ", JSON),
        (SYSLOG + PLAIN.replace(b"\n", b"\n" + SYSLOG, len(ROWS)), "5 words before ", PLAIN),
        (SYSLOG + PAIRS[:17], "5 words before ", PAIRS[:17]),
        (SYSLOG + b"PokerStars Hand #1: Hold'em\n", "5 words before ", b"PokerStars Hand #1: Hold'em\n"),
        (SYSLOG + JSON.replace(b"\n", b"#015\n"), "5 words before ", JSON.replace(b"\n", b"\r\n")),
        (SYSLOG + JSON[:-1] + b"#012" + JSON, "5 words before .*#012", JSON + JSON),
        (SYSLOG + GAME.replace(b"\n", b"#012") + b"\n", "message of syslog, with escapes", GAME + b"\n"),
        (b"INFO:cards:" + JSON, r"a level and a name before .* sed -E 's/\^\[A-Z\]\+:\[\^:\]\*://' ", JSON),
        *(
            (objects(stream, log=[GAME[:16], GAME[16:24], GAME[24:]]), f"; jq -j {lines} ", GAME)
            for stream, lines in (("stdout", "'.*stdout.*log'"), ("stderr", "'.*stderr.*log'"), ("", ".log"))
        ),
        (objects(MESSAGE=PAIRS.splitlines()), "journalctl .*; python3 ", PAIRS),
        (objects(MESSAGE=PLAIN.splitlines()), "journalctl .*; python3 ", PLAIN),
        (objects(message=[JSON[:-1]]), "shipper; jq -r .message ", JSON),
    ],
)
def test_logs_in_disguise_are_named_with_what_to_do(
    text: bytes, advice: str, log: bytes | None, tmp_path: Path, store: Store
) -> None:
    """And that makes the log of it."""
    path = tmp_path / "a b.log"
    path.write_bytes(text)
    forced = "playedhand-csv" if b"\0" in text or text.startswith(b"PK") or b"\r" in text else None
    for format_name in {None, forced}:
        with pytest.raises(SourceError, match=rf"{advice}.*'{path}' \| cardlog ingest -") as error:
            ingest(store, path, format=format_name)
    command = re.sub(r"^.*?; (convert it: |remove them: )?(.*) \| cardlog ingest -$", r"\2", str(error.value))
    if log and shutil.which(command.split()[0]):
        assert subprocess.run(["sh", "-c", command], capture_output=True, check=True).stdout == log
    path.rename(packed := path.with_suffix(".gz"))
    packed.write_bytes(gzip.compress(text))
    [(_, reason)] = runs.ingest(store, [str(tmp_path)]).passed_over
    first = "unzip -p" if text.startswith(b"PK") else "zcat"
    assert re.search(rf"; .*\b{first} '{packed}' \| .*cardlog ingest -", reason)


@pytest.mark.parametrize(
    "text", [PLAIN, b"Dear diary,\n", gzip.compress(PLAIN)[:-5]], ids=["good", "unknown", "broken"]
)
def test_no_copy_of_standard_input_is_left(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(copies))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text)))
    store = Store(str(tmp_path / "store"))
    refused = contextlib.nullcontext() if text == PLAIN else pytest.raises(SourceError, match=r"^-: ")
    with refused:
        assert runs.ingest(store, ["-"]).counts.hands_stored == len(ROWS)
    assert list(copies.iterdir()) == []


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("size", [1, 100, 2_000, 2**20])
def test_items_have_the_whole_text_in_order(
    size: int, packed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in a block is in test_blocks.py."""
    path = tmp_path / "text"
    path.write_bytes(gzip.compress(PLAIN) if packed else PLAIN)
    monkeypatch.setattr(sources, "BLOCK_BYTES", size)
    items = plan([examine(str(path), "playedhand-csv", None, False)])
    found = [part for item in items for part in texts(item)]
    assert b"".join(block.text for block, _ in found) == PLAIN
    assert [item.key for item in items] == sorted({item.key for item in items})
    assert (len(items) > 1) == (not packed and size < len(PLAIN))
    lines = [block.text.count(b"\n") for block, _ in found]
    assert [block.first_line for block, _ in found] == [*accumulate(lines[:-1], initial=1)]
    assert [block.is_last for block, _ in found] == [False] * (len(found) - 1) + [True]
    assert packed or sum(taken for _, taken in found) == len(PLAIN)
