"""Poker hands: cards as 32-bit integers, and the rank of five cards among the 7462 classes, from 1, the royal
flush; hands that tie have the same rank. [R12] is rule 12 of docs/rules/five_card_draw.md. The tables follow
from the rule: every pattern of ranks is listed once, best first, and its position is its rank."""

from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.schemas import cards

HAND_CARDS: Final = 5
PACK_RANKS: Final = len(cards.PACK_RANKS)
SUITS: Final = "SHDC"  # the suits in the order of the encoding: spades, hearts, diamonds, clubs
PRIMES: Final = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
"""One for each rank, deuce to ace: a product of primes identifies the ranks."""
ACE: Final = PRIMES[-1]
NO_CARD: Final = 0  # the encoding of an unknown card; no card has it

CATEGORIES: Final = (
    "royal flush", "straight flush", "four of a kind", "full house", "flush", "straight",
    "three of a kind", "two pair", "pair", "high card",
)  # fmt: skip
"""[R12] The categories, best first. A royal flush is one of its own here."""

_WHEEL: Final = (12, 3, 2, 1, 0)  # [R12] A-2-3-4-5, the lowest straight: the ace is low in it


# ---------------------------------------------------------------- cards


def _encoded() -> NDArray[np.int32]:
    """A card's rank as one of thirteen bits, its suit as one of four, its rank as a number from 0, its prime:
    ``xxxAKQJT98765432CDHSrrrrxxpppppp``."""
    table = np.full(256, NO_CARD, np.int32)
    for bit, suit in enumerate(SUITS):
        for rank, letter in enumerate(cards.PACK_RANKS):
            table[cards.code(letter + suit)] = 1 << 16 + rank | 1 << 12 + bit | rank << 8 | PRIMES[rank]
    return table


ENCODED: Final = _encoded()  # the integer of each card's code, `NO_CARD` for other codes: shape (256,)


# ---------------------------------------------------------------- the 7462 classes


def patterns() -> list[tuple[str, tuple[int, ...], bool]]:
    """[R12] Every class of hands, best first; its position, from 1, is its rank. Of each: its category, the
    five ranks in the order in which they are compared, and whether all cards are of one suit."""
    high_first = range(PACK_RANKS - 1, -1, -1)

    def others(count: int, *taken: int) -> list[tuple[int, ...]]:
        return list(combinations([rank for rank in high_first if rank not in taken], count))

    straights = [tuple(range(top, top - 5, -1)) for top in range(12, 3, -1)] + [_WHEEL]
    in_a_row = {frozenset(ranks) for ranks in straights}
    mixed = [ranks for ranks in others(5) if frozenset(ranks) not in in_a_row]
    classes: list[tuple[str, tuple[int, ...], bool]] = [("royal flush", straights[0], True)]
    classes += [("straight flush", ranks, True) for ranks in straights[1:]]
    classes += [("four of a kind", (a, a, a, a, b), False) for a in high_first for (b,) in others(1, a)]
    classes += [("full house", (a, a, a, b, b), False) for a in high_first for (b,) in others(1, a)]
    classes += [("flush", ranks, True) for ranks in mixed]
    classes += [("straight", ranks, False) for ranks in straights]
    classes += [("three of a kind", (a, a, a, *rest), False) for a in high_first for rest in others(2, a)]
    classes += [("two pair", (a, a, b, b, c), False) for a, b in others(2) for (c,) in others(1, a, b)]
    classes += [("pair", (a, a, *rest), False) for a in high_first for rest in others(3, a)]
    classes += [("high card", ranks, False) for ranks in mixed]
    return classes


CLASSES: Final = 7462  # how many ranks there are
_MASKS: Final = 1 << PACK_RANKS


def _indices() -> NDArray[np.int16]:
    """The index of each set of ranks among the sets of equal size: shape (8192,)."""
    counts = [0] * (PACK_RANKS + 1)
    indices = np.zeros(_MASKS, np.int16)
    for mask in range(_MASKS):
        indices[mask] = counts[mask.bit_count()]
        counts[mask.bit_count()] += 1
    return indices


_INDEX: Final = _indices()
_FLUSHES = np.zeros(_MASKS, np.int16)  # by the set of five ranks
_MIXED = np.zeros(_MASKS, np.int16)  # the same for cards of several suits
_PAIRS = np.zeros((PACK_RANKS, 286), np.int16)  # by the pair, and the index of the three other ranks
_TWO_PAIRS = np.zeros((78, PACK_RANKS), np.int16)  # by the index of the pairs, and the fifth card
_TRIPLES = np.zeros((PACK_RANKS, 78), np.int16)  # by the triple, and the index of the two other ranks
_FULL_HOUSES = np.zeros((PACK_RANKS, PACK_RANKS), np.int16)  # by the triple, and the pair
_FOURS = np.zeros((PACK_RANKS, PACK_RANKS), np.int16)  # by the four, and the fifth card
CATEGORY_OF: Final = np.zeros(CLASSES + 1, np.int8)
"""The category of each rank, an index into `CATEGORIES`: shape (7463,), from rank 1 on."""


def _fill_tables() -> None:
    for rank, (category, ranks, suited) in enumerate(patterns(), 1):
        CATEGORY_OF[rank] = CATEGORIES.index(category)
        held = sum(1 << number for number in set(ranks))
        first, last = ranks[0], ranks[-1]
        rest = held & ~(1 << first)
        if suited:
            _FLUSHES[held] = rank
        elif category == "four of a kind":
            _FOURS[first, last] = rank
        elif category == "full house":
            _FULL_HOUSES[first, last] = rank
        elif category == "three of a kind":
            _TRIPLES[first, _INDEX[rest]] = rank
        elif category == "two pair":
            _TWO_PAIRS[_INDEX[held & ~(1 << last)], last] = rank
        elif category == "pair":
            _PAIRS[first, _INDEX[rest]] = rank
        else:
            _MIXED[held] = rank


_fill_tables()


def category(rank: int) -> str:
    """The category of a rank, such as ``full house``. Raises ValueError for any other number."""
    if not 1 <= rank <= CLASSES:
        raise ValueError(f"{rank} is no rank of a hand; they go from 1 to {CLASSES}")
    return CATEGORIES[CATEGORY_OF[rank]]


# ---------------------------------------------------------------- ranking hands


@compiled
def rank_of(a: Int, b: Int, c: Int, d: Int, e: Int) -> Int:
    """[R12] The rank of five different cards, given as 32-bit integers."""
    first, second, third, fourth, fifth = a >> 16, b >> 16, c >> 16, d >> 16, e >> 16
    held = first | second | third | fourth | fifth
    twice = first & second
    seen = first | second
    thrice = twice & third
    twice |= seen & third
    seen |= third
    thrice |= twice & fourth
    twice |= seen & fourth
    seen |= fourth
    thrice |= twice & fifth
    twice |= seen & fifth
    if twice == 0:
        if a & b & c & d & e & 0xF000:
            return np.int64(_FLUSHES[held])
        return np.int64(_MIXED[held])
    if thrice == 0:
        if twice & (twice - 1) == 0:
            return np.int64(_PAIRS[_INDEX[twice], _INDEX[held ^ twice]])
        return np.int64(_TWO_PAIRS[_INDEX[twice], _INDEX[held ^ twice]])
    rest = held ^ thrice
    if rest & (rest - 1):
        return np.int64(_TRIPLES[_INDEX[thrice], _INDEX[rest]])
    if twice ^ thrice:
        return np.int64(_FULL_HOUSES[_INDEX[thrice], _INDEX[rest]])
    return np.int64(_FOURS[_INDEX[thrice], _INDEX[rest]])


@compiled
def rank_of_codes(hand: Any) -> Int:
    """The rank of five card codes, shape (5,); 0 if one is not a card of the usual pack."""
    a, b, c, d, e = (
        ENCODED[hand[0]], ENCODED[hand[1]], ENCODED[hand[2]], ENCODED[hand[3]], ENCODED[hand[4]]
    )  # fmt: skip
    if a == NO_CARD or b == NO_CARD or c == NO_CARD or d == NO_CARD or e == NO_CARD:
        return 0
    return rank_of(a, b, c, d, e)


@compiled
def mask_of(hand: Any) -> Int:
    """Five card codes, shape (5,), as a mask."""
    mask = np.int64(0)
    for index in range(HAND_CARDS):
        mask |= np.int64(1) << np.int64(hand[index])
    return mask


@compiled
def ranks_of(hands: NDArray[np.int32], ranks: NDArray[np.int16]) -> None:
    """Write the ranks of many hands: encoded cards of shape (hands, 5) to ranks of shape (hands,)."""
    for row in range(len(hands)):
        ranks[row] = rank_of(hands[row, 0], hands[row, 1], hands[row, 2], hands[row, 3], hands[row, 4])
