"""What hold'em hands can expect to win of the chips that are in when nobody can bet any more, over all boards
that may come: exact, with side pots.

Most boards make no flush, and then only ranks matter, of which there are few choices: each stands for all
boards with these ranks. The boards that make a flush correct that, by the cards of its suit."""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.poker.cards import BOARD_CARDS
from cardlog.models.poker.ranks import (
    FLUSH_CARDS,
    PACK,
    PACK_RANKS,
    RANK_KEYS,
    flush_ranks,
    mixed_ranks,
)
from cardlog.schemas import cards

_OF_RANK: Final = len(cards.SUITS)
_CHOICES: Final = np.array(
    [[comb(left, some) for some in range(_OF_RANK + 1)] for left in range(_OF_RANK + 1)]
)

Codes = NDArray[np.int64]
"""Codes of cards."""


class Pot(NamedTuple):
    """Chips, and the hands that can win them, as indices."""

    chips: float
    hands: list[int]


def expected_chips(hands: Codes, board: Codes, dead: Codes, pots: list[Pot]) -> NDArray[np.float64]:
    """The mean of the chips that each hand wins, shape (hands,), over all ways to complete a board.

    hands
        Shape (hands, 2).
    board
        Fewer than five cards.
    dead
        Other cards that can't come.
    """
    gone = np.concatenate([hands.ravel(), board, dead])
    left = PACK[~np.isin(PACK, gone)]
    missing = BOARD_CARDS - len(board)
    own = RANK_KEYS[hands % cards.SUIT_STRIDE].sum(axis=1) + RANK_KEYS[board % cards.SUIT_STRIDE].sum()
    keys, weights = _by_rank(left, missing)
    ranks, weight = [mixed_ranks(own[:, None] + keys)], [weights]
    for suit in range(len(cards.SUITS)):
        held = _ranks_of(suit, hands) | _ranks_of(suit, board)
        least = FLUSH_CARDS - int(np.bitwise_count(held).max())
        for keys, suited, weights in _flush_boards(left, missing, suit, least):
            mixed = mixed_ranks(own[:, None] + keys)
            flushes = flush_ranks(held[:, None] | suited)
            ranks += [np.where(flushes > 0, flushes, mixed), mixed]
            weight += [weights, -weights]
    won = _shares(np.hstack(ranks), pots) @ np.concatenate(weight)
    return np.asarray(won / comb(len(left), missing))


def _ranks_of(suit: int, codes: Codes) -> Codes:
    """The ranks of the cards of a suit, one bit each, of each row of cards."""
    bits = np.where(codes // cards.SUIT_STRIDE == suit, 1 << codes % cards.SUIT_STRIDE, 0)
    return np.asarray(bits.sum(axis=-1))


def _by_rank(left: Codes, count: int) -> tuple[Codes, Codes]:
    """All choices of ranks for some of the cards that are left: the sum of the keys, and how many choices of
    cards have these ranks."""
    chosen = _rank_choices(count)
    of_rank = np.bincount(left % cards.SUIT_STRIDE, minlength=PACK_RANKS)
    weights = _CHOICES[of_rank, chosen].prod(axis=1)
    return np.asarray((chosen @ RANK_KEYS)[weights > 0]), weights[weights > 0]


@cache
def _rank_choices(count: int) -> NDArray[np.int64]:
    """All choices of ranks for some cards: how many there are of each, shape (choices, 13)."""
    found = np.zeros((1, 0), np.int64)
    for _ in range(PACK_RANKS):
        found = np.vstack([np.column_stack([found, np.full(len(found), n)]) for n in range(_OF_RANK + 1)])
        found = found[found.sum(axis=1) <= count]
    return np.asarray(found[found.sum(axis=1) == count])


@cache
def _combinations(size: int, count: int) -> NDArray[np.int64]:
    """All choices of some of the numbers below `size`: shape (choices, count)."""
    return np.array(list(combinations(range(size), count)), np.int64).reshape(comb(size, count), count)


def _flush_boards(left: Codes, missing: int, suit: int, least: int) -> Iterator[tuple[Codes, Codes, Codes]]:
    """The boards that at least so many cards of a suit complete, by the ranks of the others: the sum of the
    keys of these cards, the ranks of those of the suit, one bit each, and how many boards that are."""
    is_suited = left // cards.SUIT_STRIDE == suit
    ranks = left[is_suited] % cards.SUIT_STRIDE
    for count in range(max(least, 0), min(missing, len(ranks)) + 1):
        some = ranks[_combinations(len(ranks), count)]
        keys, weights = _by_rank(left[~is_suited], missing - count)
        sums = RANK_KEYS[some].sum(axis=1)[:, None] + keys
        bits = (1 << some).sum(axis=1)
        yield sums.ravel(), np.repeat(bits, len(keys)), np.tile(weights, len(some))


def _shares(ranks: NDArray[np.int16], pots: list[Pot]) -> NDArray[np.float64]:
    """What each hand wins on each board: shape (hands, boards), as the ranks."""
    won = np.zeros(ranks.shape)
    for chips, hands in pots:
        best = ranks[hands] == ranks[hands].min(axis=0)
        won[hands] += chips * best / best.sum(axis=0)
    return won
