"""Sources that a later text contains whole, such as the pieces of a log that were ingested one by one.

What was cut in two between them, and so is in quarantine, has come whole: it is resolved.
"""

import fcntl
import hashlib
import mmap
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


def resolve_parts(store: Store, files: list[SourceFile]) -> None:
    """Resolve what quarantine has, without a lasting id, of sources that make up these files."""
    for file in files:
        own = file.source.source_id
        held = {row["source_id"] for row in _by_place(store, file, ["source_id"])} - {own}
        if is_remote(file.path) or not held:
            continue
        known = valid_ingests(store).filter(_of(file)).sort_by("attempt").to_pylist()
        last = {row["source_path"]: row["source_id"] for row in known}.values()
        wanted = {*last, *held} - {own}
        sizes = {row["source_id"]: row["source_bytes"] for row in known if row["source_id"] in wanted}
        with Path(file.path).open("rb") as raw, mmap.mmap(raw.fileno(), 0, access=mmap.ACCESS_READ) as text:
            parts = parts_of(text, sizes, last)
        rows = _by_place(store, file, None, {*parts, own}) if parts & held else []
        digests = {digest_of(row) for row in rows if row["source_id"] != own}
        digests -= {digest_of(row) for row in rows if row["source_id"] == own}
        if digests - resolutions(store).keys():
            said = Resolution(
                datetime.now(UTC).isoformat(timespec="seconds"), NOTE.format(path=file.source.path)
            )
            with locked(store, fcntl.LOCK_EX):
                write(store, dict.fromkeys(digests, said) | resolutions(store))


def _of(file: SourceFile) -> pc.Expression:
    return (pc.field("format") == file.format) & (pc.field("dataset") == file.source.dataset)


def _by_place(
    store: Store, file: SourceFile, columns: list[str] | None, sources: Collection[str] | None = None
) -> list[dict[str, Any]]:
    """The rows of `quarantine` of hands that may have no lasting id, of the file's format and data set; only
    those of some sources."""
    if not store.rows("quarantine"):
        return []
    by_place = pc.field("hand_id").is_null() | (pc.field("reason") == Reason.INCOMPLETE.code)
    table = store.dataset("quarantine", store.paths("quarantine"))
    chosen = _of(file) & by_place
    if sources is not None:
        chosen &= pc.field("source_id").isin([*sources])
    found: list[dict[str, Any]] = table.to_table(columns, chosen).to_pylist()
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
