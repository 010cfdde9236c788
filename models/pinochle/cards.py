"""Pinochle's cards: the pack, what may be played, and what a hand melds. There are two of each card, so a set
of cards is two masks: `firsts` has a bit for each card in it at least once, `seconds` for each in it twice.
[R3] is rule 3 of docs/rules/pinochle.md."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import of_suit, suit_of
from cardlog.schemas import cards

RANKS: Final = "ATKQJ9"  # [R1] From high to low: the ten is above the king
SUITS: Final = "DCHS"  # the order in which the original program sorts a hand
DECK_TEXT: Final = "".join(rank + suit for suit in SUITS for rank in RANKS)
"""[R1] The 24 different cards, of which the pack has two each, as the original program sorts them.
The order is the order of actions in training rows."""
KINDS: Final = len(RANKS) * len(SUITS)
DECK_CODES: Final = np.array(cards.codes(DECK_TEXT), np.int64)
DECK: Final = np.int64(cards.mask(DECK_TEXT))

NO_CARDS: Final = np.int64(0)
ONE: Final = np.int64(1)
NINE: Final = np.int64(cards.mask("9C"))  # the nine of suit 0; shifted for the others


def _higher() -> NDArray[np.int64]:
    higher = np.zeros(64, np.int64)
    for suit in SUITS:
        for index, rank in enumerate(RANKS):
            higher[cards.code(rank + suit)] = cards.mask("".join(above + suit for above in RANKS[:index]))
    return higher


HIGHER: Final = _higher()
"""[R9] For each card code the cards of its suit that beat it, as a mask: shape (64,). An equal card
does not."""

COUNTERS: Final = np.int64(cards.mask("".join(rank + suit for suit in SUITS for rank in "ATK")))
"""[R11] Aces, tens and kings are worth one point each when they are taken."""

# ---------------------------------------------------------------- play


@compiled
def beats(card: Int, best: Int, trump: Int) -> bool:
    """[R9] Whether `card`, played later, takes the trick from `best`: higher in the same suit, or a trump on
    a plain card. `trump` may be no suit."""
    if suit_of(card) == suit_of(best):
        return bool(HIGHER[best] >> card & 1)
    return bool(suit_of(card) == trump)


@compiled
def playable(firsts: Int, led: Int, best: Int, trump: Int) -> Int:
    """[R10] The cards of a hand that may follow a lead, as a mask; `best` takes the trick so far. A player
    must follow suit, or else trump; and of the cards allowed then, must play one that beats the best of the
    same suit, if there is one."""
    allowed = of_suit(firsts, led)
    if allowed == 0 and trump >= 0:
        allowed = of_suit(firsts, trump)
    if allowed == 0:
        return firsts
    higher = allowed & HIGHER[best]
    return higher if higher != 0 else allowed


# ---------------------------------------------------------------- sets with up to two of each card


@compiled
def masks_of(codes: Any, count: Int) -> tuple[Int, Int]:
    """The two masks of some cards, (-1, -1) if a card occurs three times; unknown cards are skipped."""
    firsts = NO_CARDS
    seconds = NO_CARDS
    for index in range(count):
        if codes[index] == cards.UNKNOWN:
            continue
        bit = ONE << np.int64(codes[index])
        if seconds & bit:
            return np.int64(-1), np.int64(-1)
        seconds |= firsts & bit
        firsts |= bit
    return firsts, seconds


@compiled
def spread(firsts: Int, seconds: Int, codes: Any) -> Int:
    """Write the cards of a set in the original program's order; returns how many there are."""
    count = 0
    for index in range(KINDS):
        for mask in (firsts, seconds):
            if mask >> DECK_CODES[index] & 1:
                codes[count] = DECK_CODES[index]
                count += 1
    return count


# ---------------------------------------------------------------- meld

NINE_POINTS: Final = 1  # [R7] Each nine of trump
MARRIAGE_POINTS: Final = 2  # [R7] King and queen of a plain suit, each pair
TRUMP_MARRIAGE_POINTS: Final = 4  # [R7] King and queen of trump, each pair, if they are in no run
RUN_POINTS: Final = 15  # [R7] Ace, ten, king, queen and jack of trump
RUN_PAIR_POINTS: Final = 4  # [R7] A second king and queen of trump besides a run
DOUBLE_RUN_POINTS: Final = 150  # [R7] Both runs; marriages in them do not count
PINOCHLE_POINTS: Final = 4  # [R7] The jack of diamonds and the queen of spades
DOUBLE_PINOCHLE_POINTS: Final = 30  # [R7] Both of both
AROUND_POINTS: Final = (("A", 10), ("K", 8), ("Q", 6), ("J", 4))  # [R7] One of a rank in each suit
DOUBLE_AROUND_FACTOR: Final = 10  # [R7] Both of a rank in each suit

_KING_QUEEN = np.int64(cards.mask("KCQC"))
_RUN = np.int64(cards.mask("ACTCKCQCJC"))
_PINOCHLE = np.int64(cards.mask("JDQS"))
_AROUNDS = np.array(
    [cards.mask("".join(rank + suit for suit in SUITS)) for rank, _ in AROUND_POINTS], np.int64
)
_AROUND_POINTS = np.array([points for _, points in AROUND_POINTS], np.int64)


@compiled
def meld(firsts: Int, seconds: Int, trump: Int, shows_both_nines: bool) -> tuple[Int, Int, Int]:
    """[R7] What a hand melds: its worth, and the cards that count towards it, as two masks. With a negative
    `trump`, nines and runs do not count, and all marriages are common ones. If a double run shows both nines
    of trump, held or not, only those held count."""
    points, once, twice = _in_suits(firsts, seconds, trump, shows_both_nines)
    for index in range(len(_AROUNDS)):
        around = _AROUNDS[index]
        if seconds & around == around:
            points += DOUBLE_AROUND_FACTOR * _AROUND_POINTS[index]
            once |= around
            twice |= around
        elif firsts & around == around:
            points += _AROUND_POINTS[index]
            once |= around
    if seconds & _PINOCHLE == _PINOCHLE:
        points += DOUBLE_PINOCHLE_POINTS
        once |= _PINOCHLE
        twice |= _PINOCHLE
    elif firsts & _PINOCHLE == _PINOCHLE:
        points += PINOCHLE_POINTS
        once |= _PINOCHLE
    return points, once, twice


@compiled
def _in_suits(firsts: Int, seconds: Int, trump: Int, shows_both_nines: bool) -> tuple[Int, Int, Int]:
    """The melds within a suit: nines, runs and marriages."""
    points = NO_CARDS
    once = NO_CARDS
    twice = NO_CARDS
    for suit in range(4):
        shift = suit * cards.SUIT_STRIDE
        pair = _KING_QUEEN << shift
        marriages = np.int64(firsts & pair == pair) + np.int64(seconds & pair == pair)
        if suit != trump:
            points += MARRIAGE_POINTS * marriages
        else:
            nine = NINE << shift
            run = _RUN << shift
            points += NINE_POINTS * (np.int64(firsts & nine != 0) + np.int64(seconds & nine != 0))
            once |= firsts & nine
            twice |= seconds & nine
            if seconds & run == run:
                points += DOUBLE_RUN_POINTS
                once |= run
                twice |= run
                if shows_both_nines:
                    once |= nine
                    twice |= nine
            elif firsts & run == run:
                points += RUN_POINTS + RUN_PAIR_POINTS * (marriages - 1)
                once |= run
            else:
                points += TRUMP_MARRIAGE_POINTS * marriages
        if marriages > 0:
            once |= pair
        if marriages > 1:
            twice |= pair
    return points, once, twice


@compiled
def held_of_shown(
    firsts: Int, seconds: Int, amount: Int, trump: Int, shows_both_nines: bool
) -> tuple[Int, Int]:
    """The cards that a seat certainly holds if it shows these, worth `amount`: all except nines of trump that
    were shown with a double run and are not counted in the amount."""
    if not shows_both_nines or trump < 0:
        return firsts, seconds
    nine = NINE << (np.int64(trump) * cards.SUIT_STRIDE)
    surplus = meld(firsts, seconds, trump, shows_both_nines)[0] - amount
    if surplus > 0:
        seconds &= ~nine
    if surplus > 1:
        firsts &= ~nine
    return firsts, seconds


@compiled
def missing(firsts: Int, seconds: Int, more_firsts: Int, more_seconds: Int) -> tuple[Int, Int]:
    """The cards of the second set that the first one lacks, as two masks."""
    once = (more_firsts & ~firsts) | (more_seconds & ~seconds)
    return once, more_seconds & ~firsts
