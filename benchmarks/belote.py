"""Belote: reading its transcripts, and playing."""

import gzip
from collections.abc import Iterator
from typing import Final

from benchmarks.data import ROOT, SEED, Data
from benchmarks.figures import Figure
from benchmarks.timing import interleaved, one_core
from cardlog.models.simulation import Simulation
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.belot_transcript import reader as belot_transcript

FIXTURES: Final = ROOT / "tests" / "fixtures" / "belote"
WORDINGS: Final = ("cesmak", "bornabesic", "readme")
TEXT_BYTES: Final = 8_000_000
ROUNDS: Final = 7
PLAYED_HANDS: Final = 50_000
PLAYED_AT_A_TIME: Final = 10_000


def _log(wording: str, size: int) -> bytes:
    """A log's games over and over, each time under other names."""
    with gzip.open(FIXTURES / f"{wording}_transcripts.txt.gz") as file:
        text = file.read()
    times = max(size // len(text), 1)
    return b"".join(text.replace(b"=== GAME ", b"=== GAME %d-" % time) for time in range(times))


def _read(text: bytes) -> Read:
    [read] = belot_transcript.read(text, Source("0" * 64, "-", belot_transcript.FORMAT))
    return read


def transcripts(data: Data) -> Iterator[Figure]:
    """Read belote's transcripts: text to events with names, in memory, one core.

    Each wording by itself, its fixture repeated. Judging the hands is not in it; that is the fold.
    """
    size = data.sizes.part(TEXT_BYTES)
    texts = {wording: _log(wording, size) for wording in WORDINGS}
    for wording, text in texts.items():
        verdicts = judge(_read(text))
        if verdicts.rejects or not verdicts.done.all():
            raise AssertionError(f"hands of {wording} were not stored")
    with one_core():
        found = interleaved(
            ROUNDS, cesmak=lambda: _read(texts["cesmak"]), bornabesic=lambda: _read(texts["bornabesic"]),
            readme=lambda: _read(texts["readme"]),
        )  # fmt: skip
    for wording, text in texts.items():
        megabytes = len(text) / 1e6
        rate, cpu = found[wording].rate(megabytes), found[wording].cpu_rate(megabytes)
        yield Figure(f"belote: {wording}'s transcripts read, one core", rate, "MB/s", 20, cpu=cpu)


def _play(scores: bool) -> None:
    simulation = Simulation("belote", SEED, scored=scores)
    for _ in range(PLAYED_HANDS // PLAYED_AT_A_TIME):
        simulation.play(PLAYED_AT_A_TIME)


def playing(data: Data) -> Iterator[Figure]:
    """Play belote: random players by the rule book, every event judged; nothing is written."""
    with one_core():
        found = interleaved(ROUNDS, scored=lambda: _play(True), silent=lambda: _play(False))
    for name, what in (("scored", "with scores"), ("silent", "without scores")):
        rate, cpu = found[name].rate(PLAYED_HANDS), found[name].cpu_rate(PLAYED_HANDS)
        yield Figure(f"belote: hands played {what}, one core", rate, "hands/s", 300_000, cpu=cpu)
