"""Compiled parsers over the bytes of a text: words, whole numbers and cards.

They take a span of the text: the offset of its first byte, and of the byte after its last.
"""

from typing import Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.cards import NO_TRUMP, PACK_RANKS, RANK_OF_BYTE, SUIT_OF_BYTE, SUIT_STRIDE

NOT_FOUND: Final = -1
NO_NUMBER: Final = -1
NO_CARD: Final = -1
SPACE: Final = 32
_ZERO, _NINE = 48, 57
_PACK_RANKS: Final = np.where(np.less(RANK_OF_BYTE, len(PACK_RANKS)), RANK_OF_BYTE, -1)
_PACK_SUITS: Final = np.where(np.less(SUIT_OF_BYTE, NO_TRUMP), SUIT_OF_BYTE, -1)
"""The rank and the suit that a byte is in a pack of 52 cards, -1 if it is none: shape (256,)."""


def as_word(text: str | bytes) -> Bytes:
    """A word as the array of bytes that the functions below compare with."""
    return np.frombuffer(text.encode() if isinstance(text, str) else text, np.uint8)


@compiled
def matches(text: Bytes, offset: Int, word: Bytes) -> bool:
    """Whether the text has a word at an offset."""
    return starts_with(text, offset, len(text), word)


@compiled
def starts_with(text: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether a span begins with a word."""
    if end - start < len(word):
        return False
    same = 0
    while same < len(word) and text[start + same] == word[same]:
        same += 1
    return same == len(word)


@compiled
def ends_with(text: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether a span ends with a word."""
    return bool(end - start >= len(word) and starts_with(text, end - len(word), end, word))


@compiled
def equals(text: Bytes, start: Int, end: Int, word: Bytes) -> bool:
    """Whether a span is exactly this word."""
    return bool(end - start == len(word) and starts_with(text, start, end, word))


@compiled
def find(text: Bytes, start: Int, end: Int, word: Bytes) -> Int:
    """Offset of a word's first occurrence in a span, `NOT_FOUND` if there is none."""
    for offset in range(start, end - len(word) + 1):
        if starts_with(text, offset, end, word):
            return offset
    return NOT_FOUND


@compiled
def find_last(text: Bytes, start: Int, end: Int, word: Bytes) -> Int:
    """Offset of a word's last occurrence in a span, `NOT_FOUND` if there is none."""
    for offset in range(end - len(word), start - 1, -1):
        if starts_with(text, offset, end, word):
            return offset
    return NOT_FOUND


@compiled
def strip(text: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The span without the spaces at its ends."""
    while start < end and text[start] == SPACE:
        start += 1
    while end > start and text[end - 1] == SPACE:
        end -= 1
    return start, end


@compiled
def is_digit(byte: Int) -> bool:
    """Whether a byte is a decimal digit."""
    return bool(_ZERO <= byte <= _NINE)


@compiled
def digits_start(text: Bytes, start: Int, end: Int) -> Int:
    """Offset of the digits at the end of a span; its end if there are none."""
    while end > start and _ZERO <= text[end - 1] <= _NINE:
        end -= 1
    return end


@compiled
def parse_int(text: Bytes, start: Int, end: Int, most_digits: Int = 10) -> Int:
    """A whole number below 2**31, without sign and leading zeros; `NO_NUMBER` for anything else."""
    size = end - start
    if size < 1 or size > most_digits or (text[start] == _ZERO and size > 1):
        return NO_NUMBER
    value: Int = np.int64(0)
    for offset in range(start, end):
        digit = np.int64(text[offset]) - _ZERO
        if digit < 0 or digit > 9:
            return NO_NUMBER
        value = 10 * value + digit
    return value if value < 2**31 else np.int64(NO_NUMBER)


@compiled
def parse_card(text: Bytes, start: Int, end: Int) -> Int:
    """The code of a card of the pack of 52, rank then suit as in `cardlog.schemas.cards` (``8S``): always
    below 64. `NO_CARD` for anything else, also for ranks and suits that only Ruter Sju has."""
    if end - start != 2:
        return NO_CARD
    rank, suit = np.int64(_PACK_RANKS[text[start]]), np.int64(_PACK_SUITS[text[start + 1]])
    if rank < 0 or suit < 0:
        return NO_CARD
    return suit * SUIT_STRIDE + rank
