"""Ruter Sju's logs and oracles."""

import gzip
import json
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.ruter_sju_transcript import reader as ruter_sju_transcript
from cardlog.schemas.events import Action

FIXTURES = Path(__file__).parents[1] / "fixtures" / "ruter_sju"
TRANSCRIPTS = ("transcripts", "variants_transcripts", "edge_human_transcripts")
ODD = "odd_transcripts"
"""Games of all shapes, with odd names and several humans, and some that never end."""
SOURCE = Source("0" * 64, "log.txt", "data")


@lru_cache
def text_of(name: str) -> bytes:
    """A transcript, decompressed."""
    return gzip.decompress((FIXTURES / f"{name}.txt.gz").read_bytes())


@cache
def games_of(name: str) -> dict[str, dict[str, Any]]:
    """The games of an oracle by their ids."""
    rows = gzip.decompress((FIXTURES / f"{name}.jsonl.gz").read_bytes()).splitlines()
    return {game["gid"]: game for game in map(json.loads, rows)}


def read_text(text: bytes, source: Source = SOURCE, first_line: int = 1) -> Read:
    [read] = ruter_sju_transcript.read(text, source, first_line)
    return read


def whole_batch() -> Batch:
    """All games of all logs."""
    return Batch.joined([read_text(text_of(name)).batch for name in TRANSCRIPTS])


def word(event: Any) -> str | None:
    """The action of a play event; None for any other event."""
    words = {
        Action.PLAY_CARD: "card",
        Action.PLAY_BLOCK: "block",
        Action.PLAY_BLOCKED: "blocked",
        Action.PLAY_PASS: "pass",
    }
    return words.get(int(event["action"]))
