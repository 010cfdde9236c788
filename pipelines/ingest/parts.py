"""Sources that a later text contains whole, such as the pieces of a log that were ingested one by one.

What was cut in two between them, and so is in quarantine, has come whole: it is resolved.
"""

import fcntl
import hashlib
import mmap
from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from operator import itemgetter
from pathlib import Path
from typing import Any, Final

import pyarrow.compute as pc

from cardlog.pipelines.ingest.sources import SourceFile
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.lock import locked
from cardlog.pipelines.storage.remote import is_remote
from cardlog.pipelines.storage.resolutions import Resolution, digest_of, resolutions, write
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.reasons import Reason

NOTE: Final = "its text came whole in {path}"
_MARK_BYTES: Final = 200


def resolve_parts(store: Store, files: list[SourceFile]) -> None:
    """Resolve what quarantine has, without a lasting id, of sources that make up these files."""
    if not store.rows("quarantine"):
        return
    held = defaultdict[tuple[str, str], dict[str, bytes]](dict)
    for row in _by_place(store, pc.scalar(True), ["format", "dataset", "source_id", "raw", "raw_encoding"]):
        lines = row["raw"].encode(row["raw_encoding"]).split(b"\n")
        held[row["format"], row["dataset"]][row["source_id"]] = _mark(max(lines, key=len))
    by_line = {key: _inverted(lines) for key, lines in held.items()}
    for file in files:
        key = file.format, file.source.dataset
        if key not in held or is_remote(file.path):
            continue
        others = {*held[key]}
        if file.is_small:  # of many such files, few have to be looked at
            text = Path(file.path).read_bytes().split(b"\n")
            others = set().union(*(by_line[key].get(_mark(line), ()) for line in text))
        if others - {file.source.source_id}:
            _resolve(store, file, others - {file.source.source_id})


def _mark(line: bytes) -> bytes:
    """What a line of a source in quarantine has in common with that of a text with this source in it."""
    return line.strip()[:_MARK_BYTES]


def _inverted(lines: Mapping[str, bytes]) -> dict[bytes, set[str]]:
    """The sources of each line."""
    sources = defaultdict[bytes, set[str]](set)
    for source, line in lines.items():
        sources[line].add(source)
    return sources


def _resolve(store: Store, file: SourceFile, held: set[str]) -> None:
    """Resolve what quarantine has of those of some sources that make up a file."""
    own = file.source.source_id
    of_file = (pc.field("format") == file.format) & (pc.field("dataset") == file.source.dataset)
    known = valid_ingests(store).filter(of_file).sort_by("attempt").to_pylist()
    last = {row["source_path"]: row["source_id"] for row in known}.values()
    wanted = {*last, *held} - {own}
    sizes = {row["source_id"]: row["source_bytes"] for row in known if row["source_id"] in wanted}
    with Path(file.path).open("rb") as raw, mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as text:
        parts = parts_of(text, sizes, last)
    if not parts & held:
        return
    rows = _by_place(store, of_file & pc.field("source_id").isin([*parts, own]))
    digests = {digest_of(row) for row in rows if row["source_id"] != own}
    digests -= {digest_of(row) for row in rows if row["source_id"] == own}
    if digests - resolutions(store).keys():
        at = datetime.now(UTC).isoformat(timespec="seconds")
        said = Resolution(at, NOTE.format(path=file.source.path))
        with locked(store, fcntl.LOCK_EX):
            write(store, dict.fromkeys(digests, said) | resolutions(store))


def _by_place(store: Store, chosen: pc.Expression, columns: list[str] | None = None) -> list[dict[str, Any]]:
    """The chosen rows of `quarantine` of hands that may have no lasting id."""
    by_place = pc.field("hand_id").is_null() | (pc.field("reason") == Reason.INCOMPLETE.code)
    table = store.dataset("quarantine", store.paths("quarantine"))
    found: list[dict[str, Any]] = table.to_table(columns, chosen & by_place).to_pylist()
    return found


def parts_of(text: mmap.mmap, sizes: Mapping[str, int], last: Collection[str]) -> set[str]:
    """Which sources, by their digests and sizes in bytes, a text begins with, or goes on with after one of
    the `last` versions of files."""
    found, starts = set[str](), [0]
    while starts:
        start = end = starts.pop()
        digest = hashlib.sha256()
        for source, size in sorted(sizes.items(), key=itemgetter(1)):
            if source not in found and start + size <= len(text):
                digest.update(text[end : start + size])
                end = start + size
                if digest.hexdigest() == source:
                    found.add(source)
                    starts += [end] if source in last else []
    return found
