"""The readers of all formats: text to events in memory, and judged."""

import gzip
from collections.abc import Iterator
from functools import partial
from typing import Final

from benchmarks.data import ROOT, SEED, Data
from benchmarks.figures import Figure
from benchmarks.timing import interleaved, one_core
from cardlog.pipelines import readers
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source

FIXTURES: Final = ROOT / "tests" / "fixtures"
LOGS: Final = {
    "belote/cesmak_transcripts.txt.gz": "belot-transcript",
    "belote/bornabesic_transcripts.txt.gz": "belot-transcript",
    "belote/readme_transcripts.txt.gz": "belot-transcript",
    "ruter_sju/transcripts.txt.gz": "ruter-sju-transcript",
    "five_card_draw/games_transcripts.txt.gz": "five-card-draw-transcript",
    "pinochle/jan2013_transcripts.txt.gz": "pinochle-protocol",
    "pinochle/head2014_transcripts.txt.gz": "pinochle-protocol",
    "kaiser/playedhand.csv.gz": "playedhand-csv",
}
TARGETS: Final = {"pinochle-protocol": 40.0, "cardlog-jsonl": 40.0, "playedhand-csv": 100.0}
TRANSCRIPT: Final = 5.0
"""The target of formats that `TARGETS` does not name, MB/s."""
TEXT_BYTES: Final = 8_000_000
SIMULATED_HANDS: Final = 5_000


def read(data: Data) -> Iterator[Figure]:
    """Read logs of every format on one core: from text to events in memory, and then judged too.

    The fixtures, their games over and over under other names; for `cardlog-jsonl` simulated belote.
    """
    size = data.sizes.part(TEXT_BYTES)
    texts = {log: (form, _repeated(log, size)) for log, form in LOGS.items()}
    texts["belote, simulated"] = ("cardlog-jsonl", _simulated(data))
    for log, (form, text) in texts.items():
        source = Source("0" * 64, "-", "benchmark", head=text[: text.find(b"\n")], final=True)
        reading = partial(readers.get(form).read, text, source)
        with one_core():
            found = interleaved(
                data.sizes.rounds, read=reading, judged=lambda reading=reading: [*map(judge, reading())]
            )
        for name, what in (("read", f"{form}: {log} read"), ("judged", "the same, and judged")):
            target = TARGETS.get(form, TRANSCRIPT) if name == "read" else None
            amount = len(text) / 1e6
            cpu = found[name].cpu_rate(amount)
            yield Figure(f"{what}, one core", found[name].rate(amount), "MB/s", target, cpu=cpu)


def _repeated(log: str, size: int) -> bytes:
    """The games of a log over and over, each time under other names; rows of a dump just repeated."""
    text = gzip.decompress((FIXTURES / log).read_bytes())
    if text.startswith(b"=== "):
        copies = range(max(size // len(text), 1))
        return b"".join(_renamed(text, number) for number in copies)
    head, rows = text.split(b"\n", 1)
    return head + b"\n" + rows * max(size // len(rows), 1)


def _renamed(text: bytes, number: int) -> bytes:
    for word in (b"=== GAME ", b"=== SESSION "):
        text = text.replace(word, word + b"%d-" % number)
    return text


def _simulated(data: Data) -> bytes:
    with data.scratch() as folder:
        path = folder / "log.jsonl"
        simulate("belote", data.sizes.part(SIMULATED_HANDS), SEED, str(path))
        return path.read_bytes()
