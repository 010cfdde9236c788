"""What belote's cards and declarations are worth, and whose declarations count. [R3] is rule 3 of
docs/rules/belote.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SUIT_BITS
from cardlog.schemas import cards

TRICKS: Final = 8

SEVEN, EIGHT, NINE, TEN, JACK, QUEEN, KING, ACE = (cards.RANKS.index(rank) for rank in "789TJQKA")
PLAIN_ORDER: Final = "789JQKTA"  # [R2] Ranks of a suit that is not trump, lowest first
TRUMP_ORDER: Final = "78QKTA9J"  # [R2] Ranks of trump, lowest first
PLAIN_VALUES: Final = {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2}
"""[R10] What a card that is not trump is worth; the others nothing."""
TRUMP_VALUES: Final = {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3}
"""[R10] What a trump is worth; the others nothing."""
LAST_TRICK: Final = 10
HAND_POINTS: Final = 3 * sum(PLAIN_VALUES.values()) + sum(TRUMP_VALUES.values()) + LAST_TRICK
"""[R10] 162, whatever the deal."""
ALL_TRICKS: Final = 90  # [R15] For the side that takes all eight tricks
BELA: Final = 20  # [R9] King and queen of trump

RUN_VALUES: Final = np.array([0, 0, 0, 20, 50, 100, 100, 100, 100], np.int16)
"""[R7] What a run of a suit is worth, by its length."""
BELOT: Final = 1001  # [R7] Eight cards of a suit: as much as a match, in rules that have this declaration
FOUR_VALUES: Final = {"J": 200, "9": 150, "A": 100, "K": 100, "Q": 100, "T": 100}
"""[R7] What four cards of a rank are worth; four sevens or eights are worth nothing."""
FOUR_ORDER: Final = "QKTA9J"  # [R8] The ranking of fours of the same value, lowest first
MOST_DECLARATIONS: Final = 3  # declarations that eight cards can hold: two runs and a four that crosses both
FEWEST_CARDS: Final = 3  # of a declaration


def _by_rank(values: dict[str, int], dtype: Any) -> np.ndarray[Any, Any]:
    table = np.zeros(16, dtype)
    for rank, value in values.items():
        table[cards.RANKS.index(rank)] = value
    return table


def _higher(order: str) -> np.ndarray[Any, Any]:
    """For each rank the ranks that beat it, as a mask of 16 bits: shape (16,)."""
    table = np.zeros(16, np.int64)
    for index, rank in enumerate(order):
        table[cards.RANKS.index(rank)] = sum(1 << cards.RANKS.index(above) for above in order[index + 1 :])
    return table


_VALUES: Final = np.stack([_by_rank(PLAIN_VALUES, np.int16), _by_rank(TRUMP_VALUES, np.int16)])
_HIGHER: Final = np.stack([_higher(PLAIN_ORDER), _higher(TRUMP_ORDER)])
_FOURS: Final = _by_rank(FOUR_VALUES, np.int16)
_FOUR_ORDER: Final = _by_rank({rank: index for index, rank in enumerate(FOUR_ORDER)}, np.int8)
ONE_PER_SUIT: Final = np.int64(1 | 1 << 16 | 1 << 32 | 1 << 48)  # cards of rank 0; shifted for other ranks


@compiled
def card_value(card: Int, trump: Int) -> Int:
    """[R10] What a card is worth in a trick."""
    return np.int64(_VALUES[np.int64(card >> 4 == trump), card & 15])


@compiled
def above(card: Int, trump: Int) -> Int:
    """[R2] The cards of the same suit that beat a card, as a mask."""
    return np.int64(_HIGHER[np.int64(card >> 4 == trump), card & 15]) << (card & 0x30)


@compiled
def run_value(length: Int, eight_is_belot: Int) -> Int:
    """[R7] What a run of cards is worth."""
    if length == 8 and eight_is_belot:
        return BELOT
    return np.int64(RUN_VALUES[length])


@compiled
def declaration_value(shown: Int, ace_ends_runs: Int, eight_is_belot: Int) -> Int:
    """[R7] What a set of cards is worth as one declaration, 0 if it is none."""
    for rank in range(SEVEN, ACE + 1):
        if shown == ONE_PER_SUIT << rank:
            return np.int64(_FOURS[rank])
    for suit in range(4):
        own = shown >> (suit << 4) & SUIT_BITS
        if own << (suit << 4) != shown or own == 0:
            continue
        if own >> ACE & 1 and not ace_ends_runs:
            return 0
        length: Int = np.int64(0)
        while own & 1 == 0:
            own >>= 1
        while own & 1:
            own >>= 1
            length += 1
        return run_value(length, eight_is_belot) if own == 0 else np.int64(0)
    return 0


@compiled
def find_declarations(
    hand: Int, ace_ends_runs: Int, eight_is_belot: Int, declarations: Any, values: Any
) -> int:
    """[R7] The declarations of a hand, the longest runs and the fours: writes their cards as masks, and what
    each is worth, both of shape (`MOST_DECLARATIONS`,); returns how many."""
    count = 0
    length: Int = np.int64(0)
    top = ACE if ace_ends_runs else KING
    for suit in range(4):
        own = hand >> (suit << 4) & SUIT_BITS
        if own & own >> 1 & own >> 2 == 0:
            continue
        length = 0
        for rank in range(SEVEN, top + 2):
            if rank <= top and own >> rank & 1:
                length += 1
                continue
            if length >= FEWEST_CARDS:
                declarations[count] = np.int64((1 << length) - 1) << (16 * suit + rank - length)
                values[count] = run_value(length, eight_is_belot)
                count += 1
            length = 0
    in_all_suits = hand & hand >> 16 & hand >> 32 & hand >> 48
    if in_all_suits:
        for rank in range(NINE, ACE + 1):
            if in_all_suits >> rank & 1:
                declarations[count] = ONE_PER_SUIT << rank
                values[count] = _FOURS[rank]
                count += 1
    return count


@compiled
def weight(shown: Int, value: Int, trump: Int, by_value_only: Int) -> Int:
    """[R8] The rank of a declaration, higher is better: by value, and among equal values, by the book, a four
    before a run, the longer run, the higher card, and trump."""
    if by_value_only:
        return np.int64(value)
    top: Int = np.int64(0)
    while shown >> (top + 1):
        top += 1
    length: Int = np.int64(0)
    for rank in range(SEVEN, ACE + 1):
        length += shown >> ((top & 0x30) + rank) & 1
    if length == 1:
        return np.int64(value) << 10 | 1 << 9 | np.int64(_FOUR_ORDER[top & 15])
    return np.int64(value) << 10 | length << 5 | (top & 15) << 1 | (top >> 4 == trump)
