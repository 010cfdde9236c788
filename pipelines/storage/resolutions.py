"""Hands in quarantine that somebody has looked at and resolved: they alarm nobody any more.

The file names digests, never hands or texts, so that a verdict with another text is open again.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import pyarrow as pa

from cardlog.pipelines.storage.errors import Damaged
from cardlog.pipelines.storage.store import Store

RESOLVED: Final = "resolved.jsonl"
"""File beside the tables with a line for each resolved hand: the digest of the verdict on it, and a
`Resolution`."""


@dataclass(frozen=True)
class Resolution:
    """When a hand was resolved, as ISO 8601 in UTC, and what was noted."""

    at: str
    note: str


def digest_of(row: Mapping[str, Any]) -> str:
    """The digest of the verdict in a row of `quarantine`, as `quarantined.DIGEST` computes it."""
    hand = row["hand_id"] or f"{row['source_path']}\0{row['first_line']}"
    words = (row["format"], row["dataset"], hand, row["reason"], row["message"], row["raw"])
    return hashlib.sha256("\0".join(words).encode()).hexdigest()[:32]


def resolutions(store: Store) -> dict[str, Resolution]:
    """By the digest of the verdict. Raises Damaged."""
    lines = (store.folder.read(RESOLVED) or b"").splitlines()
    try:
        rows = [json.loads(line) for line in lines]
        return {row["digest"]: Resolution(str(row["at"]), str(row["note"])) for row in rows}
    except (ValueError, KeyError, TypeError) as error:
        raise Damaged(
            f"{store.root}/{RESOLVED} is damaged: {error}",
            "restore it from a backup, or remove it: the hands that it resolved are open again",
        ) from error


def write(store: Store, resolved: Mapping[str, Resolution]) -> None:
    """Replace the file; without resolutions there is none."""
    if not resolved:
        store.folder.remove(RESOLVED)
        return
    lines = [json.dumps({"digest": digest, **asdict(row)}) for digest, row in resolved.items()]
    store.folder.put(RESOLVED, pa.py_buffer("".join(f"{line}\n" for line in lines).encode()))
