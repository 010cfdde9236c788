"""Pinochle's fixtures: transcripts read and folded, and their oracles."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from cardlog.pipelines.events.folding import Folded, fold_batch
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.pinochle_protocol import reader as pinochle_protocol
from tests.support.logs import json_lines, text_of

FIXTURES = Path(__file__).parents[1] / "fixtures" / "pinochle"
LOGS = ("jan2013", "head2014", "jan2013_edge_menu", "jan2013_edge_throwin")


@cache
def sample() -> bytes:
    return (FIXTURES / "protocol_sample.txt").read_bytes()


@cache
def sessions() -> tuple[bytes, ...]:
    """The sessions of the sample, each with its mark."""
    mark = b"=== SESSION"
    return tuple(mark + part for part in sample().split(mark)[1:])


@dataclass(frozen=True)
class Log:
    """A transcript that was read, judged and folded, and its oracle for each hand."""

    read: Read
    judged: Judged
    folded: Folded
    oracle: list[dict[str, Any]]


def read_text(text: bytes, final: bool = False, context: str = "") -> Read:
    [found] = pinochle_protocol.read(text, Source("0" * 64, "-", "test", final=final, context=context))
    return found


@cache
def log(name: str) -> Log:
    found = read_text(text_of(f"pinochle/{name}_transcripts.txt.gz"))
    oracle = [*json_lines(f"pinochle/{name}_oracle.jsonl.gz")]
    return Log(found, judge(found), fold_batch(found.batch), oracle)
