"""Ranks of five-card hands, against the libraries that people pick for them."""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from itertools import combinations
from typing import Any, Final

import numpy as np

from benchmarks.data import Data
from benchmarks.figures import Figure, rate
from benchmarks.timing import interleaved, one_core
from cardlog.models.five_card_draw import ranks
from cardlog.schemas import cards

HANDS: Final = 1_000_000
FEW_HANDS: Final = 5_000
"""Hands that the libraries are timed on; their rate is the same for more."""


def rank_hands(data: Data) -> Iterator[Figure]:
    """Rank five-card hands in arrays, on one core; and by treys and phevaluator, where installed."""
    hands = _hands(HANDS)
    out = np.zeros(len(hands), np.int16)
    works: dict[str, Callable[[], object]] = {"arrays": lambda: ranks.ranks_of(hands, out)}
    works |= _others(hands[:FEW_HANDS].tolist())
    with one_core():
        found = interleaved(data.sizes.rounds, **works)
    for name, rounds in found.items():
        count, target = (HANDS, 20e6) if name == "arrays" else (FEW_HANDS, None)
        what = f"five-card hands ranked, {name}, one core"
        yield rate(what, rounds, count, "hands/s", target)


def _hands(count: int) -> np.ndarray[Any, Any]:
    """Random hands, encoded: shape (count, 5)."""
    deck = np.array([number for number in ranks.ENCODED if number], np.int32)
    indices = np.array(list(combinations(range(len(deck)), 5)), np.int8)
    return deck[indices[np.random.default_rng(1).integers(0, len(indices), count)]]


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
