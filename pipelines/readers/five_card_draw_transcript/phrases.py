"""Compiled parsers of single lines of the five-card draw transcript.

A name may hold anything, so every line is taken apart from its end, where the program's own words are;
what is left is a name as it stands there.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.cards import PACK_RANKS, RANK_OF_BYTE, SUIT_STRIDE

NONE: Final = -1


def as_bytes(text: str) -> NDArray[np.uint8]:
    """A word as compiled code compares it."""
    return np.array(list(text.encode()), np.uint8)


# The kinds of lines, by how they begin.
(
    UNREADABLE, BLANK, SETUP, NEW_ROUND, BUTTON, ANTE, CARDS, ACTION, INFO, SHOWDOWN, REWARDS, STANDINGS,
    PLAYER, END, WARNING, ASKS_GAME, ASKS_NAME, ASKS_BET, ASKS_SWAP, TRACEBACK,
) = range(20)  # fmt: skip

_BEGINNINGS: Final = (
    (SETUP, as_bytes("[SETUP] ")),
    (BUTTON, as_bytes("[BUTTON] The button was given to ")),
    (ANTE, as_bytes("[ANTE] ")),
    (CARDS, as_bytes("[CARDS] ")),
    (ACTION, as_bytes("[ACTION] ")),
    (INFO, as_bytes("[INFO] ")),
    (SHOWDOWN, as_bytes("[SHOWDOWN] ")),
    (REWARDS, as_bytes("[REWARDS] ")),
    (STANDINGS, as_bytes("[STANDINGS] ")),
    (PLAYER, as_bytes("[PLAYER] ")),
    (END, as_bytes("[END] ")),
    (WARNING, as_bytes("[WARNING] ")),
    (ASKS_GAME, as_bytes("Press 1 to play, or 0 to spectate.")),
    (ASKS_NAME, as_bytes("What's your name?")),
    (ASKS_BET, as_bytes("How much would you like to put in the pot?")),
    (ASKS_SWAP, as_bytes("Which cards would you like to swap? (00000 for none, 11111 for all)")),
)
_KINDS: Final = np.array([kind for kind, _ in _BEGINNINGS], np.int64)
_WORDS: Final = np.concatenate([word for _, word in _BEGINNINGS])
_WORD_ENDS: Final = np.cumsum([len(word) for _, word in _BEGINNINGS])
_LENGTHS: Final = np.array([len(word) for _, word in _BEGINNINGS], np.int64)
_NEW_ROUND: Final = as_bytes("[NEW ROUND]")
CRASHED: Final = as_bytes("Traceback (most recent call last):")
CRASHED_IN: Final = as_bytes("  File ")
"""How a traceback goes on."""
_CARET: Final = 94


@compiled
def is_word(buffer: Bytes, start: Int, end: Int, word: Any) -> bool:
    """Whether a stretch of the text is a word and nothing else."""
    if end - start != len(word):
        return False
    place = 0
    while place < len(word) and buffer[start + place] == word[place]:
        place += 1
    return place == len(word)


@compiled
def ends_with(buffer: Bytes, start: Int, end: Int, word: Any) -> bool:
    """Whether a stretch of the text ends with a word."""
    return bool(end - start >= len(word) and is_word(buffer, end - len(word), end, word))


@compiled
def kind_of(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The kind of a line, and where what varies in it begins."""
    if start == end:
        return BLANK, end
    for number in range(len(_KINDS)):
        length = _LENGTHS[number]
        first = _WORD_ENDS[number] - length
        if end - start < length or buffer[start] != _WORDS[first] or buffer[start + 1] != _WORDS[first + 1]:
            continue
        same = True
        for place in range(length):
            if buffer[start + place] != _WORDS[first + place]:
                same = False
                break
        if same:
            return _KINDS[number], start + length
    if is_word(buffer, start, end, _NEW_ROUND):
        return NEW_ROUND, end
    if ends_with(buffer, start, end, CRASHED) and (end - start == len(CRASHED) or buffer[start] == _CARET):
        return TRACEBACK, end  # perhaps behind the ^C of a terminal
    return UNREADABLE, start


@compiled
def number_before(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The decimal number that ends at a place, `NONE` if there is none, and where it begins."""
    place = end
    value: Int = np.int64(0)
    scale: Int = np.int64(1)
    while place > start and 48 <= buffer[place - 1] <= 57 and end - place < 10:
        place -= 1
        value += scale * (np.int64(buffer[place]) - 48)
        scale *= 10
    if place == end or (end - place > 1 and buffer[place] == 48) or value >= 2**31:
        return NONE, end
    return value, place


@compiled
def name_and_number(buffer: Bytes, start: Int, end: Int, between: Any, after: Any) -> tuple[Int, Int]:
    """``<name><between><number><after>`` → where the name ends and the number; (`NONE`, 0) if the line
    is not of that form."""
    if not ends_with(buffer, start, end, after):
        return NONE, 0
    number, place = number_before(buffer, start, end - len(after))
    if number == NONE or not ends_with(buffer, start, place, between):
        return NONE, 0
    return place - len(between), number


@compiled
def name_before(buffer: Bytes, start: Int, end: Int, after: Any) -> Int:
    """``<name><after>`` → where the name ends, `NONE` if the line is not of that form."""
    return end - len(after) if ends_with(buffer, start, end, after) else NONE


_SUITS: Final = np.array([3, 2, 1, 0], np.int64)
"""The numbers of spade, white heart, white diamond and club, in the order of their last bytes."""


@compiled
def card_list(buffer: Bytes, start: Int, end: Int, hand: Any) -> Int:
    """``[10♢, 2♡, …]`` → five codes in `hand`; whether it is such a list: 1, or 0 if a card is none, -1
    if it has another form."""
    if end - start < 2 or buffer[start] != 91 or buffer[end - 1] != 93:
        return -1
    place = start + 1
    last = end - 1
    for number in range(5):
        if number > 0:
            if last - place < 2 or buffer[place] != 44 or buffer[place + 1] != 32:
                return -1
            place += 2
        stop = place
        while stop < last and buffer[stop] != 44:
            stop += 1
        card = _card(buffer, place, stop)
        if card < 0:
            return 0
        hand[number] = card
        place = stop
    return 1 if place == last else -1


@compiled
def _card(buffer: Bytes, start: Int, end: Int) -> Int:
    """``10♢`` → its code, -1 if it is no card."""
    if end - start == 5 and buffer[start] == 49 and buffer[start + 1] == 48:
        rank = np.int64(8)
        start += 2
    elif end - start == 4:
        rank = np.int64(RANK_OF_BYTE[buffer[start]])
        if rank < 0 or rank >= len(PACK_RANKS) or rank == 8:
            return -1
        start += 1
    else:
        return -1
    last = np.int64(buffer[start + 2])
    if buffer[start] != 0xE2 or buffer[start + 1] != 0x99 or last < 0xA0 or last > 0xA3:
        return -1
    return np.int64(_SUITS[last - 0xA0]) * SUIT_STRIDE + rank


PAID: Final = as_bytes(" paid ")
FOR_ANTE: Final = as_bytes(" chips for the ante.")
FORCED: Final = as_bytes("The ante forced ")
ALL_IN_WITH: Final = as_bytes(" to go all-in with ")
CHIPS_BANG: Final = as_bytes(" chips!")
GIVEN: Final = as_bytes("All players have been given ")
CHIPS_DOT: Final = as_bytes(" chips.")
ANTE_SET: Final = as_bytes("The ante has been set to ")
DOT: Final = as_bytes(".")
DEALT: Final = as_bytes("Hands have been dealt.")
COLLECTED: Final = as_bytes("Cards have been collected.")
SHUFFLED: Final = as_bytes("The deck has been shuffled.")
NEW_HAND: Final = as_bytes("Your new hand is ")
NO_SWAP: Final = as_bytes(" didn't swap any cards.")
SWAPPED: Final = as_bytes(" swapped ")
CARDS_DOT: Final = as_bytes(" cards.")
CHECKED: Final = as_bytes(" has checked.")
FOLDED: Final = as_bytes(" has folded.")
CALLED: Final = as_bytes(" has called.")
CALLED_ALL_IN: Final = as_bytes(" has gone all-in to call!")
SHORT_ALL_IN: Final = as_bytes(" couldn't call but has gone all-in.")
RAISED: Final = as_bytes(" has raised by ")
AND_ALL_IN: Final = as_bytes(" and gone all-in!")
YOUR_CARDS: Final = as_bytes("Your cards are ")
THERE_ARE: Final = as_bytes("There are ")
IN_POT: Final = as_bytes(" chips in the pot.")
YOU_HAVE: Final = as_bytes("You have ")
REMAINING: Final = as_bytes(" chips remaining.")
TO_CALL: Final = as_bytes("The amount to call is ")
HOLDING: Final = as_bytes(" is holding ")
MUCKED: Final = as_bytes(" mucked.")
WON: Final = as_bytes(" won ")
GOT: Final = as_bytes(" got ")
BACK: Final = as_bytes(" chips back.")
WITH_A: Final = as_bytes(" with a ")
HAS_GOT: Final = as_bytes(" has got ")
LEAVING: Final = as_bytes(" is leaving the table.")
THANKS: Final = as_bytes("Thanks for playing!")
HAS_WON: Final = as_bytes(" has won!")
GAME_OVER: Final = as_bytes("Game over ")
BETTER_LUCK: Final = as_bytes(", better luck next time.")
NOTHING: Final = as_bytes("")
