"""Cards as the programs print them: ``HERC ♥ VII``.

Only ASCII is relied on, which is the same in every encoding: the symbols of suits and other letters may be
missing or garbled.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.bytes import NO_CARD, SPACE, as_word, equals, starts_with
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas import cards

_SUIT_NAMES: Final = (as_word("KARO"), as_word("HERC"), as_word("PIK"), as_word("TREF"))
"""The suits in the order of their numbers in the transcripts."""
SUITS: Final = np.array([cards.SUITS.index(suit) for suit in "DHSC"], np.int64)
"""The suit's number in the codec, by its number in the transcripts."""
_SYMBOL_START: Final = as_word(b"\xe2\x99")
_SYMBOL_ENDS: Final = np.array([0xA6, 0xA5, 0xA0, 0xA3], np.uint8)
"""The common beginning of the suits' symbols in UTF-8, and the last byte of each."""
_RANK_NAMES: Final = (
    as_word("VII"), as_word("VIII"), as_word("IX"), as_word("X"), as_word("Bube"), as_word("DAMA"),
    as_word("King"), as_word("KRALJ"), as_word("AS"),
)  # fmt: skip
_RANKS: Final = np.array([cards.RANKS.index(rank) for rank in "789TJQKKA"], np.int64)
_JACK: Final = cards.RANKS.index("J")
_DE: Final = as_word("DE")
_KO: Final = as_word("KO")
_C, _COMMA, _QUESTION_MARK = 67, 44, 63
_WIDEST_GAP: Final = 16
"""Most bytes between the words: a symbol that was decoded wrongly takes more."""


def _suits_by_letter() -> NDArray[np.int8]:
    numbers = np.full(256, -1, np.int8)
    for number, name in enumerate(_SUIT_NAMES):
        numbers[name[0]] = number
    return numbers


_SUIT_BY_LETTER: Final = _suits_by_letter()
"""The number of the suit whose name begins with a byte, or -1: shape (256,)."""


@compiled
def parse_suit(text: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The number of the suit that a span begins with, and the offset after its name; else (-1, start)."""
    if start < end:
        number = np.int64(_SUIT_BY_LETTER[text[start]])
        if number >= 0 and starts_with(text, start, end, _SUIT_NAMES[number]):
            return number, start + len(_SUIT_NAMES[number])
    return -1, start


@compiled
def parse_card(text: Bytes, start: Int, end: Int) -> Int:
    """The code of a card, `NO_CARD` if the span is not one.

    Between the words there may be the suit's symbol, garbled or not, or only a space, but not the symbol of
    another suit.
    """
    suit, gap = parse_suit(text, start, end)
    if suit < 0:
        return NO_CARD
    rank = gap
    while rank < end and not _is_letter_or_digit(text[rank]):
        byte = text[rank]
        if (byte != SPACE and byte != _QUESTION_MARK and byte < 128) or rank - gap > _WIDEST_GAP:
            return NO_CARD
        rank += 1
    if (
        rank == gap
        or text[gap] != SPACE
        or text[rank - 1] != SPACE
        or _is_other_symbol(text, gap, rank, suit)
    ):
        return NO_CARD
    code: Int = SUITS[suit] * cards.SUIT_STRIDE
    for number in range(len(_RANK_NAMES)):
        if equals(text, rank, end, _RANK_NAMES[number]):
            return code + np.int64(_RANKS[number])
    return code + _JACK if _is_jack(text, rank, end) else NO_CARD


@compiled
def _is_letter_or_digit(byte: Int) -> bool:
    return bool(48 <= byte <= 57 or 65 <= byte <= 90 or 97 <= byte <= 122)


@compiled
def _is_other_symbol(text: Bytes, gap: Int, rank: Int, suit: Int) -> bool:
    """Whether the symbol of another suit is between the words."""
    if rank - gap != 5 or not starts_with(text, gap + 1, rank, _SYMBOL_START):
        return False
    last = text[gap + 3]
    return bool(last != _SYMBOL_ENDS[suit] and (last == _SYMBOL_ENDS).any())


@compiled
def _is_jack(text: Bytes, start: Int, end: Int) -> bool:
    """Whether a span is ``DEČKO``, its third letter intact, garbled or missing."""
    if end - start < 4 or end - start > 10:
        return False
    if not starts_with(text, start, end, _DE) or not starts_with(text, end - 2, end, _KO):
        return False
    if end - start == 5 and text[start + 2] == _C:
        return True
    garbled = start + 2
    while garbled < end - 2 and (text[garbled] >= 128 or text[garbled] == _QUESTION_MARK):
        garbled += 1
    return bool(garbled == end - 2)


@compiled
def parse_cards(text: Bytes, start: Int, end: Int, codes: Any) -> Int:
    """The number of cards in a list separated by ``, ``; -1 if one is not a card or there are too many.

    codes
        Out: their codes.
    """
    count: Int = 0
    while start < end:
        stop = start
        while stop < end and text[stop] != _COMMA:
            stop += 1
        card = parse_card(text, start, stop)
        if card == NO_CARD or count == len(codes):
            return -1
        codes[count] = card
        count += 1
        start = stop + 1
        if start < end and text[start] == SPACE:
            start += 1
        elif stop < end:
            return -1
    return count
