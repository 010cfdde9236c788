"""Rules and readers on one core: the fold, random players, ranks of poker hands, text to events."""

import gzip
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from itertools import islice
from statistics import median
from typing import Final

import numpy as np

from benchmarks.data import ROOT, SEED, Data
from benchmarks.figures import ROUNDS, Figure, interleaved, one_core
from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.fold import fold
from cardlog.models.poker import ranks
from cardlog.models.poker.odds import odds
from cardlog.pipelines import readers
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import initial_states
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.storage.stored_hands import stored_batches
from cardlog.schemas import cards

# ---------------------------------------------------------------- the fold

FOLDS: Final = 15
MOST_GROUPS: Final = 12


def fold_alone(data: Data) -> Iterator[Figure]:
    """Fold a prepared batch through the rules: `cardlog.models.engine.fold.fold`, every event judged.

    Only the compiled loop is timed; the batch is in memory, and its initial states are copied back before
    each round.
    """
    store = data.store(data.some_hands)
    groups = (group for path in store.paths("events") for group in stored_batches(store, path))
    batch = Batch.joined(list(islice(groups, MOST_GROUPS)))
    game = models.game(batch.game)
    initial, _ = initial_states(batch)
    states, reasons, at = initial.copy(), np.zeros(len(batch), np.int8), np.zeros(len(batch), np.int64)

    def reset() -> None:
        states[:] = initial

    with one_core():
        timings = interleaved(
            FOLDS,
            prepare=reset,
            fold=lambda: fold(game, batch.events, batch.offsets, states, reasons, at),
        )
    if reasons.any():
        raise AssertionError("hands that were stored are illegal")
    yield timings["fold"].rate("fold alone, legality included, one core", len(batch.events), "events/s", 40e6)


# ---------------------------------------------------------------- players

PLAYED_HANDS: Final = 20_000
ORIGINALS: Final = {"belote": 2790, "ruter_sju": 65, "pinochle": 860}
"""The most hands per second that the original programs played on a machine like this one, with random players
and their output dropped, by the timings in the fixtures."""


def players(data: Data) -> Iterator[Figure]:
    """Play every game with random players, and compare with the original programs."""
    for game in models.GAMES:
        hands = data.part(PLAYED_HANDS)

        def play(game: str = game, hands: int = hands) -> None:
            Simulation(game, SEED).play(hands)

        with one_core():
            timing = interleaved(5, compiled=play)["compiled"]
        yield timing.rate(f"{game}: hands played, one core", hands, "hands/s")
        if game in ORIGINALS:
            yield timing.rate(f"{game}: against the original's best figure", hands / ORIGINALS[game], "×")


# ---------------------------------------------------------------- ranks

RANKED_HANDS: Final = 1_000_000
RANKED_ONE_BY_ONE: Final = 50_000  # by libraries that take a hand at a time


def rank_hands(data: Data) -> Iterator[Figure]:
    """Rank hands of five and seven cards in arrays, on one core, and by eval7 and phevaluator if
    installed."""
    order = np.random.default_rng(SEED).random((data.part(RANKED_HANDS), len(ranks.PACK))).argsort(axis=1)
    hands = ranks.PACK.astype(np.uint8)[order[:, : ranks.MOST_CARDS]]
    fives = hands[:, : ranks.HAND_CARDS].copy()
    texts = [
        [text[0] + text[1].lower() for text in map(cards.text, hand)] for hand in hands[:RANKED_ONE_BY_ONE]
    ]
    work = {"five": lambda: ranks.ranks_of(fives), "seven": lambda: ranks.ranks_of(hands)}
    if find_spec("eval7"):
        import eval7

        of_eval7 = [[*map(eval7.Card, hand)] for hand in texts]
        work["eval7"] = lambda: [*map(eval7.evaluate, of_eval7)]
    if find_spec("phevaluator"):
        import phevaluator

        of_phevaluator = [[phevaluator.Card(text).id_ for text in hand] for hand in texts]
        work["phevaluator"] = lambda: [phevaluator.evaluate_cards(*hand) for hand in of_phevaluator]
    with one_core():
        timings = interleaved(ROUNDS, **work)
    yield timings.pop("five").rate("five-card hands ranked, one core", len(fives), "hands/s", 20e6)
    yield timings.pop("seven").rate("seven-card hands ranked, one core", len(hands), "hands/s", 40e6)
    for name, timing in timings.items():
        yield timing.rate(f"seven-card hands ranked by {name}", len(texts), "hands/s")


def equity(_: Data) -> Iterator[Figure]:
    """Count the odds of hands and ranges in hold'em before the flop, on one core."""
    matches = (("AhKh", "QcQd"), ("AA", "KK"), ("TT+, AQ+", "QQ+, AK", "TT"), ("AA", "random"))
    with one_core():
        timings = interleaved(ROUNDS, **{" – ".join(hands): partial(odds, *hands) for hands in matches})
    for name, timing in timings.items():
        yield Figure(f"odds of {name}", timing.walls, "s", 1.0, at_most=True, cpu=median(timing.cpus))


# ---------------------------------------------------------------- readers

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
"""The target of formats that are not in `TARGETS`, in MB/s."""
TEXT_BYTES: Final = 8_000_000
SIMULATED_HANDS: Final = 5_000


def read(data: Data) -> Iterator[Figure]:
    """Read logs of every format on one core: from text to events in memory, and then judged too.

    The logs are the fixtures, with their games repeated under other names; for `cardlog-jsonl`, simulated
    belote.
    """
    size = data.part(TEXT_BYTES)
    texts = {log: (form, _repeated(log, size)) for log, form in LOGS.items()}
    texts["belote, simulated"] = ("cardlog-jsonl", _simulated(data))
    for log, (form, text) in texts.items():
        source = Source("0" * 64, "-", "benchmark", head=text[: text.find(b"\n")], final=True)
        parse = partial(readers.get(form).read, text, source)
        with one_core():
            timings = interleaved(ROUNDS, read=parse, judged=lambda parse=parse: [*map(judge, parse())])
        amount, target = len(text) / 1e6, TARGETS.get(form, TRANSCRIPT)
        yield timings["read"].rate(f"{form}: {log} read, one core", amount, "MB/s", target)
        yield timings["judged"].rate("the same, and judged, one core", amount, "MB/s")


def _repeated(log: str, size: int) -> bytes:
    """A log with its games repeated up to about a size, each time under other names; rows of a dump are just
    repeated."""
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
        simulate("belote", data.part(SIMULATED_HANDS), SEED, str(path))
        return path.read_bytes()
