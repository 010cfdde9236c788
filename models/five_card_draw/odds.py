"""Odds of five-card draw: what each discard makes, and how often that wins, counted over all unseen cards."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.ranks import (
    CATEGORIES,
    CATEGORY_OF,
    CLASSES,
    HAND_CARDS,
    KEYS,
    PACK,
    mask_of,
    next_choice,
    rank_of,
)
from cardlog.schemas import cards

DRAWS: Final = 1 << HAND_CARDS  # the sets of cards to discard: bit n stands for card n of the hand


@compiled
def list_unseen(hand: Any, dead: Int, unseen: Any) -> Int:
    """Write the cards that are neither in a hand nor in the mask `dead`; returns how many."""
    seen = dead | mask_of(hand)
    count = 0
    for code in PACK:
        if seen >> code & 1 == 0:
            unseen[count] = code
            count += 1
    return count


@compiled
def count_draws(hand: Any, discard: Int, unseen: Any, size: Int, counts: Any) -> None:
    """Add to `counts`, by rank, all hands that a discard can lead to: `hand` has card codes, shape (5,), and
    the cards are drawn from the first `size` of `unseen`."""
    made = np.zeros(HAND_CARDS, np.int64)
    kept = 0
    for index in range(HAND_CARDS):
        if discard >> index & 1 == 0:
            made[kept] = hand[index]
            kept += 1
    drawn = HAND_CARDS - kept
    indices = np.arange(drawn)  # of the cards drawn, ascending
    if drawn > size:
        return
    while True:
        for index in range(drawn):
            made[kept + index] = unseen[indices[index]]
        counts[rank_of(made, HAND_CARDS)] += 1
        if not next_choice(indices, size):
            return


@dataclass(frozen=True)
class Draw:
    """What a discard leads to."""

    discard: str  # the cards discarded, as text
    hands: int  # how many different hands are possible after it
    categories: dict[str, float]  # how likely each category is, without impossible ones
    mean_rank: float  # the mean of the ranks, from 1, the best, to 7462
    # how often the hand beats five random unseen cards, a tie counting half. These are counted as if nothing
    # had been drawn.
    win: float


def draws(hand: str, dead: str = "") -> list[Draw]:
    """What each of the 32 discards of a hand leads to, the likeliest to win first; discards that the rules
    forbid are included. `hand` is five cards, such as ``AS AH 5C 6D 7D``; `dead` cards can't be drawn.

    Raises ValueError if these are not different cards of the pack.
    """
    held, mask = _checked(hand, dead)
    unseen = np.zeros(len(PACK), np.int64)
    size = list_unseen(held, mask, unseen)
    beaten = share_beaten(_counted(held, DRAWS - 1, unseen, size))
    results = []
    for discard in range(DRAWS):
        counts = _counted(held, discard, unseen, size)
        total = int(counts.sum())
        by_category = np.bincount(CATEGORY_OF[1:], counts[1:], len(CATEGORIES))
        results.append(
            Draw(
                cards.texts([int(card) for index, card in enumerate(held) if discard >> index & 1]),
                total,
                {name: n / total for name, n in zip(CATEGORIES, by_category.tolist(), strict=True) if n},
                float((counts * np.arange(CLASSES + 1)).sum()) / total,
                float((counts * beaten).sum()) / total,
            )
        )
    return sorted(results, key=lambda draw: -draw.win)


def _checked(hand: str, dead: str) -> tuple[NDArray[np.int64], int]:
    """The codes of a hand, and a mask of the dead cards."""
    held, dead_cards = (cards.codes(text.replace(" ", "")) for text in (hand, dead))
    if len(held) != HAND_CARDS:
        raise ValueError(f"{hand!r} has {len(held)} cards; a hand has {HAND_CARDS}")
    both = held + dead_cards
    if len(set(both)) < len(both) or not KEYS[both].all():
        raise ValueError(f"{cards.texts(both)} are not different cards of the usual pack")
    return np.array(held, np.int64), sum(1 << card for card in dead_cards)


def _counted(
    held: NDArray[np.int64], discard: int, unseen: NDArray[np.int64], size: Int
) -> NDArray[np.int64]:
    """The hands that a discard can lead to, by rank: shape (7463,)."""
    counts = np.zeros(CLASSES + 1, np.int64)
    count_draws(held, discard, unseen, size, counts)
    return counts


def share_beaten(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share of some hands that each rank beats, those that tie counting half: shape (7463,)."""
    worse = counts.sum() - np.cumsum(counts)
    return np.asarray((worse + counts / 2) / counts.sum())


def _any_hand() -> NDArray[np.float64]:
    """`share_beaten` of five random cards. A rank's number of hands follows from its category."""
    ways = {
        "royal flush": 4, "straight flush": 4, "four of a kind": 4, "full house": 24, "flush": 4,
        "straight": 1020, "three of a kind": 64, "two pair": 144, "pair": 384, "high card": 1020,
    }  # fmt: skip
    counts = np.array([ways[CATEGORIES[number]] for number in CATEGORY_OF])
    counts[0] = 0
    return share_beaten(counts)


ANY_HAND: Final = _any_hand()
