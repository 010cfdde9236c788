"""Ruter Sju: the reader of its transcripts, and its bots at play."""

import gzip
from collections.abc import Iterator
from typing import Final

from benchmarks.data import ROOT, Data
from benchmarks.figures import Figure
from benchmarks.timing import interleaved, one_core
from cardlog.models.simulation import Simulation
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.ruter_sju_transcript import reader as ruter_sju_transcript

LOG: Final = ROOT / "tests" / "fixtures" / "ruter_sju" / "transcripts.txt.gz"
COPIES: Final = 8
HANDS: Final = 10_000
ROUNDS: Final = 7
SMALLER: Final = 10
"""How much smaller it is under --quick."""


def ruter_sju(data: Data) -> Iterator[Figure]:
    """Read the 200 transcripts of the fixture eight times over; play games of bots; on one core.

    Read is from text in memory to a batch, games named and lines accounted for; judged is the fold on
    top. Played are games of four smart bots and of three of a kind each, legality included, in memory.
    """
    quick = data.sizes.hands < 100_000
    text = gzip.decompress(LOG.read_bytes()) * (1 if quick else COPIES)
    hands = HANDS // (SMALLER if quick else 1)
    source = Source("0" * 64, str(LOG), "bench")
    with one_core():
        found = interleaved(
            ROUNDS,
            read=lambda: ruter_sju_transcript.read(text, source),
            judged=lambda: [judge(read) for read in ruter_sju_transcript.read(text, source)],
            smart=lambda: Simulation("ruter_sju", 1, ("smart",)).play(hands),
            mixed=lambda: Simulation("ruter_sju", 1, ("smart", "dumb", "random")).play(hands),
        )
    size = len(text) / 1e6
    for name, what, amount, unit, target in (
        ("read", "Ruter Sju transcripts read, one core", size, "MB/s", 20.0),
        ("judged", "the same, and judged", size, "MB/s", None),
        ("smart", "Ruter Sju played by four smart bots, one core", float(hands), "hands/s", 50_000.0),
        ("mixed", "the same by a smart, a dumb and a random one", float(hands), "hands/s", 50_000.0),
    ):
        rounds = found[name]
        yield Figure(what, rounds.rate(amount), unit, target, cpu=rounds.cpu_rate(amount))
