"""Compiled parsers of single lines of the five-card draw transcript: their kinds, names, numbers and cards.

A name may contain anything, so a line is parsed from its end, where the program's own words are; what is left
is the name.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.ranks import CATEGORIES, HAND_CARDS
from cardlog.pipelines.readers.bytes import as_word, digits_start, ends_with, equals, parse_int, starts_with
from cardlog.pipelines.readers.five_card_draw_transcript import phrases
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.cards import PACK_RANKS, RANK_OF_BYTE, SUIT_STRIDE

NONE: Final = -1


class Text(NamedTuple):
    """A text and its lines.

    buffer
        The text, followed by the names from the context of a hand that is read again.
    starts, ends
        Offsets of each line in the buffer.
    """

    buffer: Bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


class Line(NamedTuple):
    """A classified line.

    number
        Index among the lines of the text.
    kind
        One of the kinds below.
    start, end
        Offsets of its variable part.
    prompt
        The prompt that it directly follows, or `NONE`.
    """

    number: Int
    kind: Int
    start: Int
    end: Int
    prompt: Int


# ---------------------------------------------------------------- kinds of lines

(
    UNREADABLE, BLANK, SETUP, NEW_ROUND, BUTTON, ANTE, CARDS, ACTION, INFO, SHOWDOWN, REWARDS, STANDINGS,
    PLAYER, END, WARNING, ASKS_GAME, ASKS_NAME, ASKS_BET, ASKS_SWAP, TRACEBACK,
) = range(20)  # fmt: skip

_BEGINNINGS: Final = [
    (SETUP, as_word("[SETUP] ")),
    (BUTTON, as_word("[BUTTON] The button was given to ")),
    (ANTE, as_word("[ANTE] ")),
    (CARDS, as_word("[CARDS] ")),
    (ACTION, as_word("[ACTION] ")),
    (INFO, as_word("[INFO] ")),
    (SHOWDOWN, as_word("[SHOWDOWN] ")),
    (REWARDS, as_word("[REWARDS] ")),
    (STANDINGS, as_word("[STANDINGS] ")),
    (PLAYER, as_word("[PLAYER] ")),
    (END, as_word("[END] ")),
    (WARNING, as_word("[WARNING] ")),
    (ASKS_GAME, as_word("Press 1 to play, or 0 to spectate.")),
    (ASKS_NAME, as_word("What's your name?")),
    (ASKS_BET, as_word("How much would you like to put in the pot?")),
    (ASKS_SWAP, as_word("Which cards would you like to swap? (00000 for none, 11111 for all)")),
]
_BEGINNINGS.sort(key=lambda beginning: int(beginning[1][1]))
_KINDS: Final = np.array([kind for kind, _ in _BEGINNINGS], np.int64)
_WORDS: Final = np.concatenate([word for _, word in _BEGINNINGS])
_LENGTHS: Final = np.array([len(word) for _, word in _BEGINNINGS], np.int64)
_OFFSETS: Final = np.cumsum(_LENGTHS) - _LENGTHS
_CANDIDATES: Final = np.searchsorted([word[1] for _, word in _BEGINNINGS], np.arange(257))
"""Index of the first beginning by its second byte; the first one is the same in most."""
_CARET: Final = 94


@compiled
def kind_of(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The kind of a line, and the offset of its variable part."""
    if start == end:
        return BLANK, end
    second = np.int64(buffer[start + 1]) if end - start > 1 else 0
    for number in range(_CANDIDATES[second], _CANDIDATES[second + 1]):
        length = _LENGTHS[number]
        if starts_with(buffer, start, end, _WORDS[_OFFSETS[number] : _OFFSETS[number] + length]):
            return _KINDS[number], start + length
    if equals(buffer, start, end, phrases.NEW_ROUND):
        return NEW_ROUND, end
    if ends_with(buffer, start, end, phrases.TRACEBACK) and (
        end - start == len(phrases.TRACEBACK) or buffer[start] == _CARET
    ):
        return TRACEBACK, end  # perhaps after the ^C of a terminal
    return UNREADABLE, start


# ---------------------------------------------------------------- names, numbers, cards


@compiled
def name_before(buffer: Bytes, start: Int, end: Int, after: Any) -> Int:
    """``<name><after>`` → the end of the name, `NONE` if the line has another form."""
    return end - len(after) if ends_with(buffer, start, end, after) else NONE


@compiled
def name_and_number(buffer: Bytes, start: Int, end: Int, between: Any, after: Any) -> tuple[Int, Int]:
    """``<name><between><number><after>`` → the end of the name, and the number; else (`NONE`, 0)."""
    if not ends_with(buffer, start, end, after):
        return NONE, 0
    stop = end - len(after)
    digits = digits_start(buffer, start, stop)
    number = parse_int(buffer, digits, stop)
    if number < 0 or not ends_with(buffer, start, digits, between):
        return NONE, 0
    return digits - len(between), number


@compiled
def number_in(buffer: Bytes, start: Int, end: Int, before: Any, after: Any) -> Int:
    """``<before><number><after>`` → the number, else `NONE`."""
    stop, number = name_and_number(buffer, start, end, before, after)
    return number if stop == start else NONE


_SUITS: Final = np.array([3, 2, 1, 0], np.int64)
"""Suits by the last byte of ♠ ♡ ♢ ♣, from 0xA0."""


@compiled
def card_list(buffer: Bytes, start: Int, end: Int, hand: Any) -> Int:
    """``[10♢, 2♡, …]`` → five codes in `hand`. Returns 1, or 0 if one is not a card, -1 if it is not such
    a list."""
    if end - start < 2 or buffer[start] != 91 or buffer[end - 1] != 93:
        return -1
    offset = start + 1
    last = end - 1
    for number in range(5):
        if number > 0:
            if last - offset < 2 or buffer[offset] != 44 or buffer[offset + 1] != 32:
                return -1
            offset += 2
        stop = offset
        while stop < last and buffer[stop] != 44:
            stop += 1
        card = _card(buffer, offset, stop)
        if card < 0:
            return 0
        hand[number] = card
        offset = stop
    return 1 if offset == last else -1


@compiled
def _card(buffer: Bytes, start: Int, end: Int) -> Int:
    """``10♢`` → its code, -1 if it is not a card."""
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


# ---------------------------------------------------------------- lines of one kind


@compiled
def ante_line(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int, Int, bool]:
    """Start and end (or `NONE`) of the name in a line on the ante, the chips, and whether they were the
    player's last."""
    stop, amount = name_and_number(buffer, start, end, phrases.PAID, phrases.FOR_ANTE)
    if stop != NONE:
        return start, stop, amount, False
    stop, amount = name_and_number(buffer, start, end, phrases.ALL_IN_WITH, phrases.CHIPS_BANG)
    first = start + len(phrases.FORCED)
    if stop > first and starts_with(buffer, start, stop, phrases.FORCED):
        return first, stop, amount, True
    return start, NONE, 0, False


@compiled
def bet_line(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int, Int, bool]:
    """The action of a line, the end of the name (or `NONE`), the raise (`NONE` if the player could not even
    call), and whether it is all-in."""
    stop = name_before(buffer, start, end, phrases.CHECKED)
    if stop != NONE:
        return game.BID_CHECK, stop, 0, False
    stop = name_before(buffer, start, end, phrases.FOLDED)
    if stop != NONE:
        return game.BID_FOLD, stop, 0, False
    stop, number = name_and_number(buffer, start, end, phrases.RAISED, phrases.DOT)
    if stop != NONE:
        return game.BID_RAISE, stop, number, False
    stop, number = name_and_number(buffer, start, end, phrases.RAISED, phrases.AND_ALL_IN)
    if stop != NONE:
        return game.BID_RAISE, stop, number, True
    stop = name_before(buffer, start, end, phrases.CALLED)
    if stop != NONE:
        return game.BID_CALL, stop, 0, False
    stop = name_before(buffer, start, end, phrases.CALLED_ALL_IN)
    if stop != NONE:
        return game.BID_CALL, stop, 0, True
    return game.BID_CALL, name_before(buffer, start, end, phrases.SHORT_ALL_IN), NONE, True


@compiled
def swap_line(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """The end of the name (or `NONE`) in a line on the draw, and the number of cards swapped."""
    stop = name_before(buffer, start, end, phrases.NO_SWAP)
    if stop != NONE:
        return stop, 0
    stop, number = name_and_number(buffer, start, end, phrases.SWAPPED, phrases.CARDS_DOT)
    return (stop, number) if 1 <= number <= HAND_CARDS else (NONE, number)


_WITH_A: Final = [as_word(f" with a {name}") for name in CATEGORIES]
_CATEGORY_WORDS: Final = np.concatenate(_WITH_A)
_CATEGORY_ENDS: Final = np.cumsum([len(word) for word in _WITH_A])


@compiled
def reward_line(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int, Int]:
    """``won`` with a category, or ``got … back``: the end of the name (or `NONE`), the chips, and the
    category (or `NONE`)."""
    stop, amount = name_and_number(buffer, start, end, phrases.GOT, phrases.BACK)
    if stop != NONE:
        return stop, amount, NONE
    first = 0
    category = NONE
    for number in range(len(_CATEGORY_ENDS)):
        word = _CATEGORY_WORDS[first : _CATEGORY_ENDS[number]]
        if ends_with(buffer, start, end, word):
            category = number
            stop, amount = name_and_number(buffer, start, end - len(word), phrases.WON, phrases.NOTHING)
        first = _CATEGORY_ENDS[number]
    return stop, amount, category


@compiled
def lost_line(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int]:
    """Start and end (or `NONE`) of the name in ``Game over X, better luck next time.``"""
    first = start + len(phrases.GAME_OVER)
    stop = name_before(buffer, start, end, phrases.BETTER_LUCK)
    if stop < first or not starts_with(buffer, start, stop, phrases.GAME_OVER):
        return first, NONE
    return first, stop
