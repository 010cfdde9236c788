"""Ranges of starting hands, as players write them: ``AhKh``, ``QQ+``, ``A5s-A2s, KQo``."""

import re
from itertools import combinations
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.poker.ranks import KEYS, PACK
from cardlog.schemas import cards
from cardlog.schemas.errors import CardlogError

RANDOM: Final = "random"
HOLE_CARDS: Final = 2
_PART: Final = re.compile(r"([2-9TJQKA]{2})([SO]?)(\+|-([2-9TJQKA]{2})([SO]?))?")
GRAMMAR: Final = (
    "two cards (AhKh), a pair (QQ), two ranks (AK, AKs, AKo), such with + (ATs+), a run (99-66), random"
)
"""What a part of a range may be."""

Combos = NDArray[np.int64]


def card_codes(text: str) -> list[int]:
    """The codes of different cards of the pack, such as ``AhTc 2D``. Raises CardlogError."""
    try:
        codes = cards.codes(re.sub(r"[\s,]", "", text).upper())
    except ValueError:
        codes = [cards.UNKNOWN]
    if not KEYS[codes].all():
        ranks, suits = cards.PACK_RANKS, cards.SUITS.lower()
        raise CardlogError(
            f"{text!r} is not cards: each is a rank of {ranks} and a suit of {suits}, such as Ah"
        )
    if len(set(codes)) < len(codes):
        raise CardlogError(f"{text!r} has a card twice")
    return codes


def combos_of(text: str) -> Combos:
    """The hands of a range, each once: shape (hands, 2), of card codes, ascending. Raises CardlogError."""
    found = {combo for part in text.split(",") for combo in _of_part(part.strip())}
    return np.array(sorted(found), np.int64).reshape(-1, HOLE_CARDS)


def _of_part(part: str) -> list[tuple[int, int]]:
    if part.lower() == RANDOM:
        return list(combinations(PACK.tolist(), HOLE_CARDS))
    match = _PART.fullmatch(part.upper())
    if match:
        return [combo for high, low in _shapes(part, match) for combo in _suited(high, low, match[2])]
    if not re.fullmatch(r"(\w\w)\s*(\w\w)", part):
        raise CardlogError(f"{part!r} is no range; its parts, with commas between them, are {GRAMMAR}")
    low_card, high_card = sorted(card_codes(part))
    return [(low_card, high_card)]


def _shapes(part: str, match: re.Match[str]) -> list[tuple[int, int]]:
    """The ranks of the hands of a part, the higher first: a pair with + goes up to aces, other hands up to
    the kicker below the high card; both ends of a run are of one kind."""
    high, low = _ranks(match[1])
    if high == low and match[2]:
        raise CardlogError(f"{part!r}: a pair is neither suited nor offsuit")
    if match[3] is None:
        return [(high, low)]
    if match[3] == "+":
        aces = len(cards.PACK_RANKS) - 1
        return (
            [(n, n) for n in range(low, aces + 1)] if high == low else [(high, n) for n in range(low, high)]
        )
    other_high, other_low = _ranks(match[4])
    step = 0 if high == other_high else 1
    is_run = high - low == other_high - other_low if step else (high == low) == (other_high == other_low)
    if match[2] != match[5] or not is_run:
        raise CardlogError(
            f"{part!r} is no run: its ends are pairs, or have the same high card or the same gap"
        )
    lowest, highest = sorted((low, other_low))
    return [(high + step * (n - low), n) for n in range(lowest, highest + 1)]


def _ranks(text: str) -> tuple[int, int]:
    low, high = sorted(map(cards.PACK_RANKS.index, text))
    return high, low


def _suited(high: int, low: int, kind: str) -> list[tuple[int, int]]:
    """The hands of two ranks: suited (``S``), offsuit (``O``) or both."""
    found = []
    for first in range(len(cards.SUITS)):
        for second in range(len(cards.SUITS)):
            if (first > second) if high == low else (kind != "SO"[first == second]):
                both = cards.SUIT_STRIDE * first + high, cards.SUIT_STRIDE * second + low
                found.append((min(both), max(both)))
    return found
