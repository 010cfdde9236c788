"""Pinochle: reading its protocol, judging its hands, and playing."""

import gzip
from collections.abc import Iterator
from typing import Final

import numpy as np

from benchmarks.data import FULL, ROOT, Data
from benchmarks.figures import Figure
from benchmarks.timing import interleaved, one_core
from cardlog.models.fold import fold
from cardlog.models.pinochle import rules as model
from cardlog.models.pinochle.players import RULES
from cardlog.models.simulation import Simulation
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.pinochle_protocol import reader as pinochle_protocol
from cardlog.pipelines.storage.folding import initial_states

FIXTURES: Final = ROOT / "tests" / "fixtures" / "pinochle"
LOGS: Final = ("jan2013", "head2014")
TEXT_BYTES: Final = 12 * 2**20
"""About the size of a block when a large log is ingested."""
HANDS: Final = 20_000
MEGABYTE: Final = 1_000_000


def _text(name: str, size: int) -> bytes:
    """A log of about that size, made of a fixture's sessions, each under many names."""
    with gzip.open(FIXTURES / f"{name}_transcripts.txt.gz") as file:
        text = file.read()
    copies = [
        text.replace(b"=== SESSION ", b"=== SESSION %d-" % number) for number in range(size // len(text))
    ]
    return b"".join(copies) or text


def pinochle(data: Data) -> Iterator[Figure]:
    """Read Pinochle's protocol, judge the hands and play new ones, in memory on one core.

    Reading is from bytes to events with names and openings, no hand judged; judging is the compiled
    fold alone; playing is `Simulation.play`, hands of random legal cards with scores and openings.
    """
    full = data.sizes == FULL
    texts = {name: _text(name, TEXT_BYTES if full else 0) for name in LOGS}
    source = Source("0" * 64, "-", "benchmark", final=True)
    hands = HANDS if full else 2000
    simulations = {rules: Simulation(model.GAME, 1, rules=rules) for rules in RULES}
    batch = pinochle_protocol.read(texts["jan2013"], source)[0].batch
    begun, _ = initial_states(batch)
    states, reasons, at = begun.copy(), np.zeros(len(batch), np.int8), np.zeros(len(batch), np.int64)

    def again() -> None:
        states[:] = begun

    with one_core():
        found = interleaved(
            data.sizes.rounds * 3,
            prepare=again,
            fold=lambda: fold(model, batch.events, batch.offsets, states, reasons, at),
            jan2013=lambda: pinochle_protocol.read(texts["jan2013"], source),
            head2014=lambda: pinochle_protocol.read(texts["head2014"], source),
            **{f"play {rules}": lambda rules=rules: simulations[rules].play(hands) for rules in RULES},
        )
    if reasons.any():
        raise AssertionError("hands of the fixtures are illegal")
    for name, text in texts.items():
        size = len(text) / MEGABYTE
        yield Figure(
            f"read Pinochle's protocol, {name}",
            found[name].rate(size),
            "MB/s",
            20,
            cpu=found[name].cpu_rate(size),
        )
    events = len(batch.events)
    yield Figure(
        "fold of Pinochle", found["fold"].rate(events), "events/s", cpu=found["fold"].cpu_rate(events)
    )
    for rules in RULES:
        rounds = found[f"play {rules}"]
        yield Figure(
            f"play Pinochle by {rules}", rounds.rate(hands), "hands/s", 200_000, cpu=rounds.cpu_rate(hands)
        )
