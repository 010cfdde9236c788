"""Messages of Pinochle's protocol: sentences that contain numbers and cards."""

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

MOST_VALUES: Final = 8
"""Most numbers and cards in a message."""
_NUMBER, _CARD = 1, 2
_MINUS: Final = ord("-")
_WIDTH: Final = max(len(text) for _, text in MESSAGES) + 1
_TEXTS: Final = np.array([list(text.ljust(_WIDTH, b"\0")) for _, text in MESSAGES], np.uint8)


@compiled
def parse_message(line: Any, text: Bytes, start: Int, end: Int, values: NDArray[np.int64]) -> None:
    """Set a line's fields by its message, if it is one of `MESSAGES`. values: a buffer, (MOST_VALUES,)."""
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
    """Find the numbers and cards of a message with this pattern; returns their count, -1 if it does not
    match."""
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
            values[count] = deck_card(text, offset, min(offset + 2, end))
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
def deck_card(text: Bytes, start: Int, end: Int) -> Int:
    """The code of a card of the deck of 48, `NO_CARD` for anything else."""
    card = parse_card(text, start, end)
    return card if card >= 0 and DECK >> card & 1 else np.int64(NO_CARD)
