"""Pseudonyms: players' names replaced by keyed digests before anything is written, so that a person has the
same pseudonym in all ingests with the same key."""

import hashlib
import hmac
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np

from cardlog.pipelines.ingest.source_bytes import SourceError
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.storage.player_names import human_names, renamed
from cardlog.schemas.events import NO_DETAIL
from cardlog.schemas.reasons import MEANING

LEAST_BYTES: Final = 16
"""The minimum length of a key."""
_DIGITS: Final = 16


def key_in(path: str) -> bytes:
    """The key in a file. Raises SourceError if it can't be read or is too short."""
    try:
        key = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise SourceError(f"the key file {path} can't be read: {reason}") from error
    if len(key) < LEAST_BYTES:
        raise SourceError(
            f"the key in {path} has {len(key)} bytes and needs at least {LEAST_BYTES}; "
            f"head -c 32 /dev/urandom > FILE makes one"
        )
    return key


@lru_cache(maxsize=65536)
def pseudonym(key: bytes, name: str) -> str:
    """The pseudonym of a player."""
    return f"player-{keyed_digest(key, name)}"


def keyed_digest(key: bytes, text: str) -> str:
    """A digest of a text, which can't be compared with a guess without the key."""
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest()[:_DIGITS]


def pseudonymised(read: Read, key: bytes) -> Read:
    """A read whose details have no names of a hand's humans; those of computers stay."""
    batch, of_detail = read.batch, read.batch.events["detail"]
    names = [human_names(detail) for detail in batch.details]
    hands = np.repeat(np.arange(len(batch)), np.diff(batch.offsets))
    later = of_detail != NO_DETAIL
    later[batch.offsets[:-1]] = False
    for detail, opening in zip(of_detail[later], of_detail[batch.offsets[hands[later]]], strict=True):
        names[detail] = names[detail] | names[opening]
    details = [_without(detail, known, key) for detail, known in zip(batch.details, names, strict=True)]
    return replace(read, batch=replace(batch, details=details))


def _without(detail: str, names: set[str], key: bytes) -> str:
    pseudonyms = {name: pseudonym(key, name) for name in names}
    return renamed(detail, pseudonyms, computers=False) if names else detail


def withheld(entry: Reject) -> Reject:
    """A reject without its text, which may have names in it, and without its message, which may quote the
    text, but with a digest to tell it from others."""
    digest = hashlib.sha256(entry.raw).hexdigest()
    meaning = MEANING[entry.reason]
    message = f"{meaning[:1].upper()}{meaning[1:]}. "
    message += f"Its text was not kept: {len(entry.raw):,} bytes, sha256 {digest}."
    return replace(entry, message=message, raw=b"", context="")
