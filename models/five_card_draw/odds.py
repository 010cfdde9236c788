"""Odds of five-card draw: what each discard makes, and how often that wins, counted over all unseen cards."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw.ranks import (
    CATEGORIES,
    CATEGORY_OF,
    CLASSES,
    ENCODED,
    HAND_CARDS,
    NO_CARD,
    rank_of,
)
from cardlog.schemas import cards

DRAWS: Final = 1 << HAND_CARDS  # the sets of cards to discard: bit n is card n of the hand
PACK: Final = np.flatnonzero(ENCODED != NO_CARD).astype(np.int64)  # all card codes, ascending


@compiled
def list_unseen(hand: Any, dead: Int, left: Any) -> Int:
    """Write the encoded cards that are not in a hand, nor in the mask `dead`; returns how many."""
    seen = dead
    for index in range(HAND_CARDS):
        seen |= np.int64(1) << np.int64(hand[index])
    count = 0
    for code in PACK:
        if seen >> code & 1 == 0:
            left[count] = ENCODED[code]
            count += 1
    return count


@compiled
def count_draws(hand: Any, gone: Int, left: Any, size: Int, counts: Any) -> None:
    """Add to `counts`, by rank, the hands that some of the first `size` encoded cards `left` make for those
    that are discarded of a hand of card codes, shape (5,)."""
    made = np.zeros(HAND_CARDS, np.int64)
    kept = 0
    for index in range(HAND_CARDS):
        if gone >> index & 1 == 0:
            made[kept] = ENCODED[hand[index]]
            kept += 1
    drawn = HAND_CARDS - kept
    at = np.arange(HAND_CARDS)  # which of the cards left are drawn, ascending
    if drawn > size:
        return
    while True:
        for index in range(drawn):
            made[kept + index] = left[at[index]]
        counts[rank_of(made[0], made[1], made[2], made[3], made[4])] += 1
        index = drawn - 1
        while index >= 0 and at[index] == size - drawn + index:
            index -= 1
        if index < 0:
            return
        at[index] += 1
        for other in range(index + 1, drawn):
            at[other] = at[other - 1] + 1


@dataclass(frozen=True)
class Draw:
    """What a discard makes."""

    discard: str  # the cards discarded, as text
    hands: int  # how many different hands can come of it
    categories: dict[str, float]  # how likely each category is; those that can't come are left out
    mean_rank: float  # the mean of the ranks, from 1, the best, to 7462
    # how often the hand beats five random cards of those that are not seen, a tie counting half. What they
    # may be is counted as if nothing had been drawn.
    win: float


def draws(hand: str, dead: str = "") -> list[Draw]:
    """What each of the 32 discards of a hand makes, the likeliest to win first; also those that the rules
    forbid. `hand` is five cards, such as ``AS AH 5C 6D 7D``; `dead` cards are seen and can't be drawn.

    Raises ValueError if these are not different cards of the pack.
    """
    held, mask = _checked(hand, dead)
    left = np.zeros(len(PACK), np.int64)
    size = list_unseen(held, mask, left)
    beaten = share_beaten(_counted(held, DRAWS - 1, left, size))
    found = []
    for gone in range(DRAWS):
        counts = _counted(held, gone, left, size)
        total = int(counts.sum())
        by_category = np.bincount(CATEGORY_OF[1:], counts[1:], len(CATEGORIES))
        found.append(
            Draw(
                cards.texts([int(card) for index, card in enumerate(held) if gone >> index & 1]),
                total,
                {name: n / total for name, n in zip(CATEGORIES, by_category.tolist(), strict=True) if n},
                float((counts * np.arange(CLASSES + 1)).sum()) / total,
                float((counts * beaten).sum()) / total,
            )
        )
    return sorted(found, key=lambda draw: -draw.win)


def _checked(hand: str, dead: str) -> tuple[NDArray[np.int64], int]:
    held, others = (cards.codes(text.replace(" ", "")) for text in (hand, dead))
    if len(held) != HAND_CARDS:
        raise ValueError(f"{hand!r} has {len(held)} cards; a hand has {HAND_CARDS}")
    both = held + others
    if len(set(both)) < len(both) or (ENCODED[both] == NO_CARD).any():
        raise ValueError(f"{cards.texts(both)} are not different cards of the usual pack")
    return np.array(held, np.int64), sum(1 << card for card in others)


def _counted(held: NDArray[np.int64], gone: int, left: NDArray[np.int64], size: Int) -> NDArray[np.int64]:
    """The hands that come of a discard, by rank: shape (7463,)."""
    counts = np.zeros(CLASSES + 1, np.int64)
    count_draws(held, gone, left, size, counts)
    return counts


def share_beaten(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """How many of some hands each rank beats, those that tie counting half: shape (7463,)."""
    worse = counts.sum() - np.cumsum(counts)
    return np.asarray((worse + counts / 2) / counts.sum())


def _any_hand() -> NDArray[np.float64]:
    """What share of five random cards each rank beats, see `share_beaten`. A rank's number of hands follows
    from its category."""
    ways = {
        "royal flush": 4, "straight flush": 4, "four of a kind": 4, "full house": 24, "flush": 4,
        "straight": 1020, "three of a kind": 64, "two pair": 144, "pair": 384, "high card": 1020,
    }  # fmt: skip
    counts = np.array([ways[CATEGORIES[number]] for number in CATEGORY_OF])
    counts[0] = 0
    return share_beaten(counts)


ANY_HAND: Final = _any_hand()
