"""The scanner of Pinochle's protocol: parses lines in the form in which the servers write them.

Fields in any order, but no space between tokens and no escape in a string.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.pinochle.state import MOST_SHOWN
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    TYPES,
    Field,
    Kind,
    classify,
    clear,
    set_card,
    set_number,
    set_suit,
)
from cardlog.pipelines.readers.pinochle_protocol.messages import MOST_VALUES, deck_card, parse_message
from cardlog.pipelines.readers.scan import BAD_NUMBER, Bytes, whole_number
from cardlog.schemas.cards import NO_TRUMP, SUIT_OF_BYTE

_QUOTE, _COMMA, _COLON, _BACKSLASH = (np.uint8(ord(letter)) for letter in '",:\\')
_OPEN_ARRAY, _CLOSE_ARRAY, _OPEN_OBJECT, _CLOSE_OBJECT = (np.uint8(ord(letter)) for letter in "[]{}")
_SPACE: Final = np.uint8(32)
_TAB: Final = np.uint8(9)


def _words(words: tuple[str, ...]) -> NDArray[np.uint8]:
    """Words as rows of bytes, padded with at least one 0."""
    width = max(map(len, words)) + 1
    return np.array([list(word.encode().ljust(width, b"\0")) for word in words], np.uint8)


_FIELDS: Final = _words(tuple(Field.__members__))
_TYPES: Final = _words(TYPES)
_TRUTH: Final = _words(("false", "true"))
_ARROWS: Final = _words(("--> {", "<-- {"))


@compiled
def scan(text: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], lines: NDArray[Any]) -> None:
    """Fill a record for each line, `Kind.BAD` if it is not in that form."""
    values = np.zeros(MOST_VALUES, np.int64)
    for index in range(len(starts)):
        line = lines[index]
        clear(line)
        start = starts[index]
        end = ends[index]
        if _is_blank(text, start, end):
            continue
        line.kind = Kind.BAD
        if _object(text, start, end, line, values):
            classify(line)


@compiled
def _is_blank(text: Bytes, start: Int, end: Int) -> bool:
    while start < end and (text[start] == _SPACE or text[start] == _TAB):
        start += 1
    return bool(start == end)


@compiled
def _object(text: Bytes, start: Int, end: Int, line: Any, values: NDArray[np.int64]) -> bool:
    """Parse the arrow and the object; returns whether both are in that form."""
    arrow = _word(_ARROWS, text, start, min(start + 5, end))
    if arrow < 0 or text[end - 1] != _CLOSE_OBJECT:
        return False
    line.answer = arrow
    offset = start + 5
    while offset < end:
        if text[offset] != _QUOTE:
            return False
        close = _string_end(text, offset + 1, end)
        if close < 0 or close + 1 >= end or text[close + 1] != _COLON:
            return False
        field = _word(_FIELDS, text, offset + 1, close)
        if field < 0 or line.fields >> field & 1:
            return False
        line.fields |= 1 << field
        offset = _value(text, close + 2, end, field, line, values)
        if offset < 0 or offset >= end:
            return False
        if text[offset] == _CLOSE_OBJECT:
            return bool(offset == end - 1)
        if text[offset] != _COMMA:
            return False
        offset += 1
    return False


@compiled
def _string_end(text: Bytes, offset: Int, end: Int) -> Int:
    """The offset of the quote that ends a string, -1 without one or if there is an escape before it."""
    while offset < end:
        if text[offset] == _QUOTE:
            return offset
        if text[offset] == _BACKSLASH or text[offset] < _SPACE:
            return -1
        offset += 1
    return -1


@compiled
def _word(words: NDArray[np.uint8], text: Bytes, start: Int, end: Int) -> Int:
    """The index of a span among the words, or -1."""
    size = end - start
    if size <= 0 or size >= words.shape[1]:
        return -1
    for index in range(len(words)):
        if words[index, 0] != text[start] or words[index, size] != 0:
            continue
        same = True
        for offset in range(size):
            if words[index, offset] != text[start + offset]:
                same = False
                break
        if same:
            return index
    return -1


# ---------------------------------------------------------------- values: each returns the offset after it


@compiled
def _value(text: Bytes, start: Int, end: Int, field: Int, line: Any, values: NDArray[np.int64]) -> Int:
    """Parse the value of a field; -1 if it is not in that form."""
    if field == Field.Hand:
        return _hand(text, start, end, line)
    if field == Field.Score:
        return _scores(text, start, end, line)
    if field in (Field.MyTable, Field.Tables, Field.TableId) or start >= end:
        return -1
    if field in (Field.GameOver, Field.Win):
        return _truth(text, start, end, field, line)
    if text[start] != _QUOTE:
        close = _number_end(text, start, end)
        value = whole_number(text, start, close)
        return close if value != BAD_NUMBER and set_number(line, field, value) else -1
    close = _string_end(text, start + 1, end)
    if close < 0:
        return -1
    if field == Field.Type:
        line.type = _word(_TYPES, text, start + 1, close)
        return close + 1 if line.type >= 0 else -1
    if field == Field.Message:
        parse_message(line, text, start + 1, close, values)
        return close + 1
    if field in (Field.PlayedCard, Field.WinningCard):
        card = deck_card(text, start + 1, close)
        if card < 0:
            return -1
        set_card(line, field, card)
        return close + 1
    if field in (Field.Trump, Field.Lead) and close == start + 2:
        suit = np.int64(SUIT_OF_BYTE[text[start + 1]])
        if 0 <= suit < NO_TRUMP:
            set_suit(line, field, suit)
            return close + 1
    return -1


@compiled
def _number_end(text: Bytes, offset: Int, end: Int) -> Int:
    while offset < end and text[offset] not in (_COMMA, _CLOSE_OBJECT, _CLOSE_ARRAY):
        offset += 1
    return offset


@compiled
def _truth(text: Bytes, start: Int, end: Int, field: Int, line: Any) -> Int:
    """true or false."""
    close = _number_end(text, start, end)
    value = _word(_TRUTH, text, start, close)
    if value < 0:
        return -1
    if field == Field.Win:
        line.win = value
    else:
        line.over = value
    return close


@compiled
def _hand(text: Bytes, start: Int, end: Int, line: Any) -> Int:
    """An array of cards."""
    if start + 1 >= end or text[start] != _OPEN_ARRAY:
        return -1
    offset = start + 1
    if text[offset] == _CLOSE_ARRAY:
        return offset + 1
    while offset + 4 < end and line.count < MOST_SHOWN:
        if text[offset] != _QUOTE or text[offset + 3] != _QUOTE:
            return -1
        card = deck_card(text, offset + 1, offset + 3)
        if card < 0:
            return -1
        line.cards[line.count] = card
        line.count += 1
        if text[offset + 4] == _CLOSE_ARRAY:
            return offset + 5
        if text[offset + 4] != _COMMA:
            return -1
        offset += 5
    return -1


@compiled
def _scores(text: Bytes, start: Int, end: Int, line: Any) -> Int:
    """An array of two numbers."""
    if start >= end or text[start] != _OPEN_ARRAY:
        return -1
    offset = start + 1
    for team in range(2):
        close = _number_end(text, offset, end)
        value = whole_number(text, offset, close)
        if value == BAD_NUMBER or close >= end or text[close] != (_COMMA if team == 0 else _CLOSE_ARRAY):
            return -1
        line.scores[team] = value
        offset = close + 1
    return offset
