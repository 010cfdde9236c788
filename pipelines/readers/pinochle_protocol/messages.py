"""Messages of Pinochle's protocol: sentences with numbers and cards in them."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.pinochle.cards import DECK
from cardlog.models.pinochle.state import SEATS
from cardlog.pipelines.readers.bytes import NO_CARD, is_digit, parse_card
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    MESSAGES,
    NUMBERED_TRICK,
    PLAIN_TRICK,
    SCORES,
    THROW_IN,
    WINNER,
)
from cardlog.pipelines.readers.scan import BAD_NUMBER, Bytes, whole_number

DECK_BITS: Final = 64
MOST_VALUES: Final = 8
"""Numbers and cards that a message has at most."""
_NUMBER, _CARD = 1, 2
_MINUS: Final = ord("-")
_WIDTH: Final = max(len(text) for _, text in MESSAGES) + 1
_TEXTS: Final = np.array([list(text.ljust(_WIDTH, b"\0")) for _, text in MESSAGES], np.uint8)


@compiled
def parse_message(line: Any, text: Bytes, start: Int, end: Int, values: NDArray[np.int64]) -> None:
    """Set what a message says, if it is one of `MESSAGES`. values: (MOST_VALUES,), to work with."""
    for index in range(len(_TEXTS)):
        count = _values(_TEXTS[index], text, start, end, values)
        if count < 0:
            continue
        line.message = index
        if index == NUMBERED_TRICK:
            line.number = values[1]
            line.card = values[2]
            line.amount = values[3]
        elif index == PLAIN_TRICK:
            line.card = values[1]
        elif index == WINNER:
            line.amount = values[1]
        elif index in (SCORES, THROW_IN):
            line.scores[0] = values[count - 3]
            line.scores[1] = values[count - 2]
            line.number = values[count - 1]
        if index in (NUMBERED_TRICK, PLAIN_TRICK, THROW_IN, WINNER):
            line.seat = values[0] if 0 <= values[0] < SEATS else -1
        return


@compiled
def _values(pattern: Bytes, text: Bytes, start: Int, end: Int, values: NDArray[np.int64]) -> Int:
    """Find the numbers and cards of a message with this pattern; returns how many, -1 if it is another."""
    count = 0
    offset = start
    for letter in pattern:
        if letter == 0:
            return count if offset == end else -1
        if letter == _NUMBER:
            close = offset
            while close < end and (is_digit(text[close]) or (close == offset and text[close] == _MINUS)):
                close += 1
            values[count] = whole_number(text, offset, close)
            if values[count] == BAD_NUMBER:
                return -1
            count += 1
            offset = close
        elif letter == _CARD:
            values[count] = pack_card(text, offset, min(offset + 2, end))
            if values[count] < 0:
                return -1
            count += 1
            offset += 2
        else:
            if offset >= end or text[offset] != letter:
                return -1
            offset += 1
    return -1


@compiled
def pack_card(text: Bytes, start: Int, end: Int) -> Int:
    """The code of the card of the pack that a stretch is, `NO_CARD` if it is none."""
    card = parse_card(text, start, end)
    return card if 0 <= card < DECK_BITS and DECK >> card & 1 else np.int64(NO_CARD)
