"""Poker hands: the rank of the best five of five to seven cards among the 7462 classes, from 1, the royal
flush; hands that tie have the same rank. [R12] is rule 12 of docs/rules/five_card_draw.md. The tables follow
from the rule: every pattern of ranks is listed once, best first, and its position is its rank."""

from itertools import combinations
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.schemas import cards

HAND_CARDS: Final = 5
FLUSH_CARDS: Final = 5
MOST_CARDS: Final = 7  # of which the best five count
PACK_RANKS: Final = len(cards.PACK_RANKS)

CATEGORIES: Final = (
    "royal flush", "straight flush", "four of a kind", "full house", "flush", "straight",
    "three of a kind", "two pair", "pair", "high card",
)  # fmt: skip
"""[R12] The categories, best first. A royal flush is one of its own here."""

_WHEEL: Final = (12, 3, 2, 1, 0)  # [R12] A-2-3-4-5, the lowest straight: the ace is low in it


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

# ---------------------------------------------------------------- tables

# A card's key is a number; the sum of a hand's keys says all that its rank depends on but the ranks within a
# flush: first two numbers to the base of 5, whose digits are how many cards of each low and of each high
# rank there are; then the number of cards of each suit, from 3, so that the fourth bit says five or more;
# then that of all cards.
_BASE: Final = 5
_LOW_RANKS: Final = 7  # deuce to eight
_HIGH_AT: Final = 17  # the first bit of each part
_SUITS_AT: Final = 31
_COUNT_AT: Final = 47
_SUIT_BITS: Final = 4
_LOW: Final = (1 << _HIGH_AT) - 1
_HIGH: Final = (1 << _SUITS_AT - _HIGH_AT) - 1
IN_SUIT: Final = (1 << PACK_RANKS) - 1  # all ranks as a mask
_FLUSH: Final = 0x8888 << _SUITS_AT
NO_CARDS: Final = 0x3333 << _SUITS_AT
"""The sum of no keys."""
RANK_KEYS: Final = np.array(
    [_BASE**n for n in range(_LOW_RANKS)] + [_BASE**n << _HIGH_AT for n in range(PACK_RANKS - _LOW_RANKS)]
)  # the key of each rank, without its suit


def _keys() -> NDArray[np.int64]:
    table = np.zeros(256, np.int64)
    for suit, letter in enumerate(cards.SUITS):
        of_suit = 1 << _SUITS_AT + _SUIT_BITS * suit | 1 << _COUNT_AT
        table[cards.codes("".join(rank + letter for rank in cards.PACK_RANKS))] = RANK_KEYS + of_suit
    return table


KEYS: Final = _keys()  # the key of each card's code, 0 for other codes: shape (256,)
PACK: Final = np.flatnonzero(KEYS).astype(np.int64)  # all card codes, ascending


def _choices(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """All choices of up to four cards of each of some ranks and up to seven in all, those of few cards first:
    the sum of their keys, how many they are and the set of their ranks, shape (3, choices)."""
    found = np.zeros((3, 1), np.int64)
    for rank, key in enumerate(keys):
        more = [(n * key, n, (n > 0) << rank) for n in range(_BASE)]
        found = np.hstack([found + np.reshape(added, (3, 1)) for added in more])
        found = found[:, found[1] <= MOST_CARDS]
    return found[:, np.argsort(found[1], kind="stable")]


def _row_tables() -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """A number for the low and one for the high part of a sum of keys: together they say where in `_MIXED`
    the hand's rank is. There, all low cards that make five to seven cards with the same high cards are in a
    row."""
    low_keys, low_counts, _ = _choices(RANK_KEYS[:_LOW_RANKS])
    high_keys, high_counts, _ = _choices(RANK_KEYS[_LOW_RANKS:] >> _HIGH_AT)
    with_fewer = np.searchsorted(low_counts, np.arange(MOST_CARDS + 2))
    first = with_fewer[np.maximum(HAND_CARDS - high_counts, 0)]
    sizes = with_fewer[MOST_CARDS + 1 - high_counts] - first
    by_low = np.zeros(_BASE**_LOW_RANKS, np.int32)
    by_low[low_keys] = np.arange(len(low_keys))
    by_high = np.zeros(_BASE ** (PACK_RANKS - _LOW_RANKS), np.int32)
    by_high[high_keys] = np.cumsum(sizes) - sizes - first
    return by_low, by_high


_BY_LOW, _BY_HIGH = _row_tables()
_MIXED = np.zeros(73_775, np.int16)  # the rank of each choice of ranks, by the sum of its two numbers
_FLUSHES = np.zeros(1 << PACK_RANKS, np.int16)  # the rank of cards of one suit, by the set of their ranks
CATEGORY_OF: Final = np.zeros(CLASSES + 1, np.int8)
"""The category of each rank, an index into `CATEGORIES`: shape (7463,), from rank 1 on."""


def _row_of(key: Any) -> Any:
    """Where in `_MIXED` a sum of keys is."""
    return _BY_LOW[key & _LOW] + _BY_HIGH[key >> _HIGH_AT & _HIGH]


def _fill_tables() -> None:
    """Five cards have the rank of their pattern; more have the best rank without one of them."""
    categories, ranks, suited = map(np.array, zip(*patterns(), strict=True))
    numbers = np.arange(1, CLASSES + 1)
    CATEGORY_OF[1:] = [CATEGORIES.index(category) for category in categories]
    _FLUSHES[(1 << ranks).sum(axis=1)[suited]] = numbers[suited]
    _MIXED[_row_of(RANK_KEYS[ranks].sum(axis=1))[~suited]] = numbers[~suited]
    choices, sets = _choices(RANK_KEYS), np.arange(len(_FLUSHES))
    for count in range(HAND_CARDS + 1, MOST_CARDS + 1):
        keys, _, held = choices[:, choices[1] == count]
        best = np.full(len(keys), CLASSES, np.int16)
        for rank, key in enumerate(RANK_KEYS):
            has = held >> rank & 1 == 1
            best[has] = np.minimum(best[has], _MIXED[_row_of(keys[has] - key)])
        _MIXED[_row_of(keys)] = best
        held = sets[np.bitwise_count(sets) == count]
        fewer = _FLUSHES[held & ~(1 << np.arange(PACK_RANKS)[:, None])]
        _FLUSHES[held] = np.where(fewer > 0, fewer, CLASSES).min(axis=0)


_fill_tables()


def category(rank: int) -> str:
    """The category of a rank, such as ``full house``. Raises ValueError for any other number."""
    if not 1 <= rank <= CLASSES:
        raise ValueError(f"{rank} is no rank of a hand; they go from 1 to {CLASSES}")
    return CATEGORIES[CATEGORY_OF[rank]]


# ---------------------------------------------------------------- ranking hands


def mixed_ranks(keys: NDArray[np.int64]) -> NDArray[np.int16]:
    """The ranks of hands, each the sum of the `RANK_KEYS` of five to seven cards, without flushes."""
    return np.asarray(_MIXED[_row_of(keys)])


def flush_ranks(suited: NDArray[np.int64]) -> NDArray[np.int16]:
    """The ranks of cards of one suit, each a set of ranks with one bit a card; 0 for fewer than five."""
    return np.asarray(_FLUSHES[suited])


@compiled
def mask_of(hand: Any) -> Int:
    """Card codes, shape (cards,), as a mask."""
    mask = np.int64(0)
    for index in range(len(hand)):
        mask |= np.int64(1) << np.int64(hand[index])
    return mask


@compiled
def next_choice(indices: Any, size: Int) -> bool:
    """Go from some of the numbers below `size`, ascending, to the next such choice; False after the last."""
    count = len(indices)
    at = count - 1
    while at >= 0 and indices[at] == size - count + at:
        at -= 1
    if at < 0:
        return False
    indices[at] += 1
    for other in range(at + 1, count):
        indices[other] = indices[other - 1] + 1
    return True


@compiled
def rank_of_key(key: Int, mask: Int) -> Int:
    """[R12] The rank of the best five of five to seven different cards: `NO_CARDS` and the sum of their keys,
    and, only looked at if there is a flush, their mask."""
    if key & _FLUSH:
        for suit in range(len(cards.SUITS)):
            if key >> _SUITS_AT + _SUIT_BITS * suit & 8:
                return np.int64(_FLUSHES[mask >> cards.SUIT_STRIDE * suit & IN_SUIT])
    return np.int64(_MIXED[_BY_LOW[key & _LOW] + _BY_HIGH[key >> _HIGH_AT & _HIGH]])


@compiled
def rank_of(hand: Any, count: Int) -> Int:
    """The rank of the best five of the first `count` of a hand's card codes, five to seven different cards; 0
    if one is not a card of the usual pack."""
    key = np.int64(NO_CARDS)
    for index in range(count):
        key += KEYS[hand[index]]
    if key >> _COUNT_AT != count:
        return np.int64(0)
    return rank_of_key(key, mask_of(hand[:count]) if key & _FLUSH else np.int64(0))


@compiled
def rank_of_codes(hand: Any) -> Int:
    """The rank of five card codes, shape (5,); 0 if one is not a card of the usual pack."""
    return rank_of(hand, HAND_CARDS)


@compiled
def ranks_of(hands: Any) -> NDArray[np.int16]:
    """The ranks of many hands of five to seven card codes, shape (hands, cards): shape (hands,)."""
    ranks = np.zeros(len(hands), np.int16)
    count = hands.shape[1]
    for row in range(len(hands)):
        key = np.int64(NO_CARDS)
        for index in range(count):
            key += KEYS[hands[row, index]]
        if key >> _COUNT_AT == count:
            ranks[row] = rank_of_key(key, mask_of(hands[row]) if key & _FLUSH else np.int64(0))
    return ranks
