"""All logs among the fixtures, and what the readers and the judge make of a text."""

import gzip
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from cardlog.pipelines import readers
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Source

FIXTURES = Path(__file__).parents[1] / "fixtures"

BEGINNINGS = {
    "kaiser": ("kaiser/playedhand_sample.csv", 20_000),
    "belote": ("belote/transcripts_sample.txt", 60_000),
    "ruter_sju": ("ruter_sju/sample.txt", 60_000),
    "pinochle": ("pinochle/protocol_sample.txt", 60_000),
    "five_card_draw": ("five_card_draw/games_sample.txt", 30_000),
    "hold_em": ("hold_em/sample.phhs", 20_000),
}
"""A log of each game, and about how many bytes of it are taken."""


def beginnings(folder: Path) -> list[Path]:
    """The beginning of a log of each game, in files of a folder."""
    for game, (name, size) in BEGINNINGS.items():
        text = (FIXTURES / name).read_bytes()
        (folder / f"{game}.log").write_bytes(text[: text.index(b"\n", size) + 1])
    return [folder / f"{game}.log" for game in BEGINNINGS]


@cache
def logs() -> dict[str, str]:
    """The format of each log, by its path below the fixtures."""
    found = {}
    for path in sorted(FIXTURES.glob("*/**/*")):
        if path.suffix in (".txt", ".csv", ".gz", ".jsonl") and not path.name.endswith(".tar.gz"):
            form = readers.detect(text_of(str(path.relative_to(FIXTURES)))[: 2**16].lstrip(b"\r\n"))
            if form is not None:
                found[str(path.relative_to(FIXTURES))] = form
    return found


def json_lines(log: str) -> Iterator[dict[str, Any]]:
    """The objects of an oracle, one per line."""
    yield from map(json.loads, text_of(log).splitlines())


def text_of(log: str) -> bytes:
    content = (FIXTURES / log).read_bytes()
    return gzip.decompress(content) if log.endswith(".gz") else content


def judged(text: bytes, form: str, final: bool = False) -> list[Judged]:
    """What comes of a text, by game."""
    head = text.lstrip(b"\r\n").split(b"\n", 1)[0].rstrip(b"\r")
    return [judge(read) for read in readers.get(form).read(text, Source("0" * 64, "-", form, head, final))]


def short_logs(game: str) -> Iterator[Batch]:
    """The legal hands of each of a game's short logs that were played to their end."""
    for path in sorted((FIXTURES / game).glob("*sample*")):
        text = text_of(f"{game}/{path.name}")
        found = judged(text, readers.detect(text[: 2**16]) or "")
        yield from (one.batch.take(np.flatnonzero(one.done)) for one in found if one.batch.game == game)
