"""The lines of Ruter Sju transcripts: their kinds, and the cards and prompts in them."""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.ruter_sju.state import NO_CARD, SUITS
from cardlog.pipelines.readers.bytes import as_word, ends_with, equals, starts_with
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.events import NO_SEAT

SUIT_WORDS: Final = (b"diamonds", b"spades", b"hearts", b"clubs", b"4", b"5")
"""The suits in the names of cards; a row of the board has the first letter."""
PROMPTS: Final = (
    b"Which player starts?: ",
    b"Which card will you place (number, suit separated by space): ",
    b"Place another? (y/n): ",
)
OTHER_LINES: Final = (
    b"CARDS",
    b"GAME",
    b"GAME OVER",
    b"Final Order:",
    b"Enter a valid card!",
    b"Going back to last player input...",
)
NAMED_LINES: Final = (b":", b" takes the block...", b" is blocked...", b" is out!")
"""What follows a name at the end of a line."""

BEGINS, PLACES, TAKES, BLOCKED, OUT, GAME_OVER, STARTER, WHICH_CARD, ANOTHER, INVALID, BACK, UNKNOWN = range(
    12
)
"""Kinds of lines in and between turns; see `classify`."""

NO_SUIT: Final = -1
BAD_SUIT: Final = -2
"""Stand for the suit if there is no card, and if the card has no known suit."""


STARTER_PROMPT, CARD_PROMPT, ANOTHER_PROMPT = (as_word(word) for word in PROMPTS)
CARDS_WORD, GAME_WORD, _OVER_WORD, ORDER_WORD, _INVALID, _BACK = (as_word(word) for word in OTHER_LINES)
_COLON, _TAKES, _BLOCKED, _OUT = (as_word(word) for word in NAMED_LINES)
_PLACES = as_word(b" places ")
_DOTS = as_word(b"...")
_OF = as_word(b" of ")
_WORDS = np.zeros((SUITS, 8), np.uint8)
_WORD_SIZES = np.zeros(SUITS, np.int64)
for _suit, _word in enumerate(SUIT_WORDS):
    _WORDS[_suit, : len(_word)] = list(_word)
    _WORD_SIZES[_suit] = len(_word)
_SUIT_OF_LETTER = np.full(256, NO_SUIT, np.int8)
_SUIT_OF_LETTER[_WORDS[:, 0]] = np.arange(SUITS)


@compiled
def classify(buffer: Bytes, start: Int, end: Int, names: Any, likely: Int) -> tuple[Int, Int, Int]:
    """The kind of a line in or between turns, the seat that it names, and the offset after the name or
    prompt.

    likely
        The seat whose name is tried first, before those after it.
    """
    garbled = False
    for step in range(names.seats):
        seat = (max(int(likely), 0) + step) % np.int64(names.seats)
        after = after_name(buffer, start, end, names, seat)
        if after < 0:
            continue
        if equals(buffer, after, end, _COLON):
            return BEGINS, seat, after
        if starts_with(buffer, after, end, _PLACES):
            suit, _, stop = card(buffer, after + len(_PLACES), end)
            if suit != NO_SUIT and equals(buffer, stop, end, _DOTS):
                return PLACES, seat, after + len(_PLACES)
            garbled = True  # unless another name begins like this one
        if equals(buffer, after, end, _TAKES):
            return TAKES, seat, after
        if equals(buffer, after, end, _BLOCKED):
            return BLOCKED, seat, after
        if equals(buffer, after, end, _OUT):
            return OUT, seat, after
    if garbled:
        return UNKNOWN, NO_SEAT, start
    kind, after = _classify_nameless(buffer, start, end)
    return kind, NO_SEAT, after


@compiled
def _classify_nameless(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The kind of a line without a name, and the offset after its prompt."""
    if equals(buffer, start, end, _OVER_WORD):
        return GAME_OVER, end
    if begins_prompt(buffer, start, end, STARTER_PROMPT):
        return STARTER, start + len(STARTER_PROMPT)
    if begins_prompt(buffer, start, end, CARD_PROMPT):
        return WHICH_CARD, start + len(CARD_PROMPT)
    if begins_prompt(buffer, start, end, ANOTHER_PROMPT):
        return ANOTHER, start + len(ANOTHER_PROMPT)
    if equals(buffer, start, end, _INVALID):
        return INVALID, end
    if equals(buffer, start, end, _BACK):
        return BACK, end
    return UNKNOWN, start


@compiled
def end_of_prompt(buffer: Bytes, start: Int, end: Int, names: Any, actor: Int) -> Int:
    """The offset after a prompt if another line directly follows it, since input from a file is not echoed;
    else the end of the line.

    actor
        The seat whose turn it is.
    """
    after = start + len(CARD_PROMPT)
    if after < end and starts_with(buffer, start, end, CARD_PROMPT):
        return after if _tells_act(buffer, after, end, names, actor) else end
    for prompt in (STARTER_PROMPT, ANOTHER_PROMPT):
        after = start + len(prompt)
        if after >= end or not starts_with(buffer, start, end, prompt):
            continue
        if starts_with(buffer, after, end, CARD_PROMPT):
            return after
        for seat in range(names.seats):
            rest = after_name(buffer, after, end, names, seat)
            if rest >= 0 and (equals(buffer, rest, end, _COLON) or equals(buffer, rest, end, _BLOCKED)):
                return after
    return end


@compiled
def _tells_act(buffer: Bytes, start: Int, end: Int, names: Any, actor: Int) -> bool:
    """Whether a line says that the seat in turn places a card, takes the block or passes."""
    if equals(buffer, start, end, _BACK):
        return True
    after = after_name(buffer, start, end, names, max(int(actor), 0))
    if after < 0:
        return False
    places = starts_with(buffer, after, end, _PLACES) and ends_with(buffer, after, end, _DOTS)
    return bool(places or equals(buffer, after, end, _TAKES))


# ---------------------------------------------------------------- parts of lines


@compiled
def begins_prompt(buffer: Bytes, start: Int, end: Int, prompt: Bytes) -> bool:
    """Whether a line begins with this prompt, without its last space if nothing follows."""
    return starts_with(buffer, start, end, prompt) or equals(buffer, start, end, prompt[:-1])


@compiled
def after_name(buffer: Bytes, start: Int, end: Int, names: Any, seat: Int) -> Int:
    """The offset after the name of a seat, -1 if the span does not begin with it."""
    size = np.int64(names.sizes[seat])
    if end - start < size:
        return -1
    for offset in range(size):
        if buffer[start + offset] != names.letters[seat, offset]:
            return -1
    return start + size


@compiled
def card(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int, Int]:
    """A card, ``10 of hearts``: its suit or `NO_SUIT` or `BAD_SUIT`, its number, and the offset after it."""
    number = np.int64(0)
    at = start
    while at < end and 48 <= buffer[at] <= 57 and at - start < 4:
        number = 10 * number + np.int64(buffer[at]) - 48
        at += 1
    if at == start or not starts_with(buffer, at, end, _OF):
        return NO_SUIT, 0, at
    if buffer[start] == 48:  # no number begins with 0
        number = np.int64(0)
    at += len(_OF)
    suit = np.int64(_SUIT_OF_LETTER[buffer[at]]) if at < end else np.int64(NO_SUIT)
    if suit >= 0:
        after = at + _WORD_SIZES[suit]
        same = at
        while same < after and after <= end and buffer[same] == _WORDS[suit, same - at]:
            same += 1
        if same == after:
            return suit, number, after
    word = at
    while at < end and (97 <= buffer[at] <= 122 or 48 <= buffer[at] <= 57):
        at += 1
    return (NO_SUIT if at == word else BAD_SUIT), number, at


@compiled
def card_of_hand(buffer: Bytes, start: Int, at: Int, end: Int) -> tuple[Int, Int, Int]:
    """The next card, as `card`, of a hand that begins at `start`, after the comma."""
    if at > start:
        if end - at < 2 or buffer[at] != 44 or buffer[at + 1] != 32:
            return NO_SUIT, 0, at
        at += 2
    return card(buffer, at, end)


@compiled
def board_row(
    buffer: Bytes, start: Int, end: Int, suit: Int, numbers: tuple[Int, Int, Int]
) -> tuple[bool, bool]:
    """Whether a line is a row of the board, ``d: 6 7 8``, of this suit, and whether it has these numbers (or
    `NO_CARD`)."""
    while end > start and buffer[end - 1] == 32:
        end -= 1
    if end - start < 2 or buffer[start] != _WORDS[suit, 0] or buffer[start + 1] != 58:
        return False, False
    at: Int = start + 2
    for number in numbers:
        if number != NO_CARD and at >= 0:
            at = _after_number(buffer, at, end, number)
    if at == end:
        return True, True
    for offset in range(start + 2, end):
        if buffer[offset] != 32 and not 48 <= buffer[offset] <= 57:
            return False, False
    return True, False


@compiled
def _after_number(buffer: Bytes, start: Int, end: Int, number: Int) -> Int:
    """The offset after a space and this number, else -1."""
    digits = 2 if number > 9 else 1
    if end - start <= digits or buffer[start] != 32 or buffer[start + digits] != 48 + number % 10:
        return -1
    if digits == 2 and buffer[start + 1] != 49:
        return -1
    return start + 1 + digits
