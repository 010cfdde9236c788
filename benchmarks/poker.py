"""Hold'em hands in PHH beside PokerKit, the format's reference implementation."""

import gzip
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.data import ROOT, Data
from benchmarks.figures import ROUNDS, Figure, Rounds, interleaved, one_core
from cardlog.pipelines import readers, runs
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.storage.store import Store

FIXTURES: Final = ROOT / "tests" / "fixtures"
READER: Final = readers.get("phh")
POKERKIT_HANDS: Final = 200
INGESTED: Final = 500_000
FILES: Final = 10_000
PUBLISHED: Final = 21_600_000  # hands of the largest set in PHH
_NUMBER: Final = re.compile(rb"(?m)^hand = \d+$")


def phh(data: Data) -> Iterator[Figure]:
    """Read, judge and ingest hold'em hands in PHH, in turn with PokerKit, which loads and replays them.

    The hands are those that PokerKit played for the tests, repeated under other numbers.
    """
    texts = [gzip.decompress(path.read_bytes()) for path in sorted(FIXTURES.glob("*/*.phhs.gz"))]
    bodies = [hand.split(b"\n", 1)[1] for text in texts for hand in text.rstrip().split(b"\n\n")]
    hands = [b"[%d]\n%b" % (number, body) for number, body in enumerate(bodies, 1)]
    text, source = b"\n\n".join(hands), Source("0" * 64, "-", "benchmark", final=True)
    some = b"\n\n".join(hands[:: len(hands) // POKERKIT_HANDS][:POKERKIT_HANDS]).decode()
    with one_core():
        timings = interleaved(
            ROUNDS,
            pokerkit=lambda: _replay(some),
            read=lambda: READER.read(text, source),
            judged=lambda: [judge(read) for read in READER.read(text, source)],
        )
    baseline = timings["pokerkit"]
    yield baseline.rate("PokerKit loads and replays PHH, one core", POKERKIT_HANDS, "hands/s")
    yield timings["read"].rate("PHH read, one core", len(hands), "hands/s")
    yield from _against(baseline, timings["judged"], "PHH read and judged, one core", len(hands), 60)
    with data.scratch() as folder:
        count, files = data.part(INGESTED), data.part(FILES)
        _write(folder, hands, count, files)
        timings = interleaved(
            1 if count == INGESTED else ROUNDS,
            pokerkit=lambda: _replay(some),
            large=lambda: _ingest(data, folder / "large.phhs"),
            many=lambda: _ingest(data, folder / "many"),
        )
        name = f"ingest of {count:,} hands of PHH"
        yield from _against(timings["pokerkit"], timings["large"], name, count, 100)
        seconds = timings["large"].walls[0] / count * PUBLISHED
        yield Figure(f"the same for the {PUBLISHED:,} hands of HandHQ", [seconds / 60], "min")
        yield Figure(f"ingest of {files:,} files of one hand", timings["many"].walls, "s", 8, at_most=True,
                     cpu=timings["many"].cpus[0])  # fmt: skip


def _against(baseline: Rounds, ours: Rounds, name: str, hands: int, target: float) -> Iterator[Figure]:
    yield ours.rate(name, hands, "hands/s")
    scale = hands / POKERKIT_HANDS
    yield baseline.over(ours, "the same against PokerKit", target, at_most=False, scale=scale)


def _replay(text: str) -> None:
    from pokerkit import HandHistory

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for history in HandHistory.loads_all(text):
            for _ in history:
                pass


def _write(folder: Path, hands: list[bytes], count: int, files: int) -> None:
    """Write many hands to one file, and some to a file each."""
    (folder / "many").mkdir()
    with (folder / "large.phhs").open("wb") as large:
        for number in range(count):
            hand = _NUMBER.sub(b"hand = %d" % number, hands[number % len(hands)], count=1)
            large.write(hand + b"\n\n")
            if number < files:
                (folder / "many" / f"{number}.phh").write_bytes(hand.split(b"\n", 1)[1])


def _ingest(data: Data, log: Path) -> None:
    """Ingest a log into a new store, and remove the store."""
    with data.scratch() as folder:
        runs.ingest(Store(str(folder / "store")), [str(log)])
