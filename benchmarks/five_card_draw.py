"""Five-card draw: ranking hands, reading transcripts, playing."""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from typing import Any, Final

import numpy as np

from benchmarks.data import ROOT, Data
from benchmarks.figures import Figure
from benchmarks.timing import Rounds, interleaved, one_core
from cardlog.models.five_card_draw import ranks
from cardlog.models.five_card_draw import rules as game
from cardlog.models.simulation import Simulation
from cardlog.pipelines.ingest.sources import open_text
from cardlog.pipelines.readers.base import Source
from cardlog.pipelines.readers.five_card_draw_transcript import reader
from cardlog.schemas import cards

TRANSCRIPTS: Final = ROOT / "tests" / "fixtures" / "five_card_draw" / "games_transcripts.txt.gz"
LIBRARIES: Final = ("treys", "phevaluator")
"""What ranks are held against where it is installed; the fixtures have their ranks."""
ROUNDS: Final = 5
MANY_HANDS: Final = 1_000_000
FEW_HANDS: Final = 5_000
"""Hands that slower ways are timed on; their rate is the same for more."""
PLAYED_HANDS: Final = 20_000
TEXT_BYTES: Final = 8_000_000


def _original_tables() -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """The original way to rank: dictionaries by the bits of the ranks, for flushes and for others without a
    pair, and by the product of the primes."""
    flushes, mixed, products = {}, {}, {}
    for rank, (_, numbers, suited) in enumerate(ranks.patterns(), 1):
        bits, product = 0, 1
        for number in numbers:
            bits |= 1 << number
            product *= ranks.PRIMES[number]
        if suited:
            flushes[bits] = rank
        elif len(set(numbers)) == len(numbers):
            mixed[bits] = rank
        else:
            products[product] = rank
    return flushes, mixed, products


def _plain_ranker() -> Callable[[list[int]], int]:
    """One hand after the other in plain Python, cards as the original program encodes them."""
    flushes, mixed, products = _original_tables()

    def rank(hand: list[int]) -> int:
        a, b, c, d, e = hand
        bits = (a | b | c | d | e) >> 16
        if a & b & c & d & e & 0xF000:
            return flushes[bits]
        if bits in mixed:
            return mixed[bits]
        return products[(a & 255) * (b & 255) * (c & 255) * (d & 255) * (e & 255)]

    return rank


def _hands(count: int) -> np.ndarray[Any, Any]:
    """Random hands, encoded: shape (count, 5)."""
    deck = np.array([number for number in ranks.ENCODED if number], np.int32)
    indices = np.array(list(combinations(range(len(deck)), 5)), np.int8)
    chosen = np.random.default_rng(1).integers(0, len(indices), count)
    return deck[indices[chosen]]


def _others(hands: list[list[int]]) -> dict[str, Callable[[], object]]:
    """Libraries that rank hands, as far as they are installed."""
    found: dict[str, Callable[[], object]] = {}
    if find_spec("treys"):
        evaluate = import_module("treys").Evaluator()._five
        found["treys"] = lambda: [evaluate(hand) for hand in hands]
    if find_spec("phevaluator"):
        five = import_module("phevaluator").evaluate_cards
        texts = [[cards.text(ranks.decode(number)) for number in hand] for hand in hands]
        named = [[text[0] + text[1].lower() for text in hand] for hand in texts]
        found["phevaluator"] = lambda: [five(*hand) for hand in named]
    return found


def rank_hands(data: Data) -> Iterator[Figure]:
    """Rank five-card hands: our arrays, the original way in plain Python, and libraries if installed."""
    many = _hands(MANY_HANDS)
    few = many[:FEW_HANDS].tolist()
    out = np.zeros(len(many), np.int16)
    plain = _plain_ranker()
    works: dict[str, Callable[[], object]] = {
        "arrays": lambda: ranks.ranks_of(many, out),
        "plain": lambda: [plain(hand) for hand in few],
        **_others(few),
    }
    with one_core():
        found = interleaved(ROUNDS, **works)
    if [plain(hand) for hand in few] != out[: len(few)].tolist():
        raise AssertionError("the two ways to rank do not agree")
    yield _rate("hands ranked in arrays, one core", found["arrays"], len(many), "hands/s", 20e6)
    missing = [name for name in LIBRARIES if name not in found]
    note = f" ({', '.join(missing)} not installed)" if missing else ""
    yield _rate(f"hands ranked the original way, plain Python{note}", found["plain"], len(few), "hands/s")
    for name in LIBRARIES:
        if name in found:
            yield _rate(f"hands ranked by {name}, from Python", found[name], len(few), "hands/s")


def _rate(what: str, rounds: Rounds, amount: float, unit: str, target: float | None = None) -> Figure:
    return Figure(what, rounds.rate(amount), unit, target, cpu=rounds.cpu_rate(amount))


def read_transcripts(data: Data) -> Iterator[Figure]:
    """Read five-card draw transcripts into events: the reader alone, nothing judged or written."""
    with open_text(str(TRANSCRIPTS)) as stream:
        text = stream.read()
    text *= max(TEXT_BYTES // len(text), 1)
    source = Source("0" * 64, "-", reader.FORMAT)
    with one_core():
        found = interleaved(ROUNDS, read=lambda: reader.read(text, source))["read"]
    yield _rate("five-card draw transcripts read, one core", found, len(text) / 1e6, "MB/s", 20)


def play_hands(data: Data) -> Iterator[Figure]:
    """Play five-card draw hands: `Simulation.play` alone, every event judged."""

    def play() -> object:
        return Simulation(game.GAME, 1).play(PLAYED_HANDS)

    with one_core():
        found = interleaved(ROUNDS, play=play)["play"]
    yield _rate(f"{game.GAME} hands played, one core", found, PLAYED_HANDS, "hands/s")
