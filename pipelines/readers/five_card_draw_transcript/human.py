"""Compiled parts of the five-card draw reader on the human: what it is asked and told, and what it types.

A terminal echoes what is typed behind a prompt. Input from a pipe is not echoed: the next line runs on behind
the prompt, and nothing tells what was typed, not even the human's name.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.ranks import HAND_CARDS
from cardlog.pipelines.readers.five_card_draw_transcript import phrases as words
from cardlog.pipelines.readers.five_card_draw_transcript.phrases import (
    NONE,
    card_list,
    ends_with,
    is_word,
    kind_of,
    name_and_number,
    number_before,
)
from cardlog.pipelines.readers.five_card_draw_transcript.state import (
    FINE,
    LINES_MISSING,
    NO_CARD,
    NO_HUMAN,
    SAYS_OTHER,
    SEATS,
    UNREADABLE,
    UNTOLD,
    WRONG_PLACE,
    seat_of,
)
from cardlog.pipelines.readers.scan import Bytes

_BACKSPACE: Final = 8
_CARET: Final = 94
_TYPED_IN_NUMBERS: Final = words.as_bytes("0123456789+-_ ")


# ---------------------------------------------------------------- prompts


@compiled
def behind_prompts(
    buffer: Bytes, starts: Any, ends: Any, line: Int, kind: Int, place: Int, piped: bool
) -> tuple[Int, Int, Int]:
    """What runs on behind the prompts of a line: its kind, where what varies in it begins, and the prompt
    before it, `NONE` if nothing runs on and the line is that of a prompt."""
    end = ends[line]
    asked: Int = NONE
    while words.ASKS_GAME <= kind <= words.ASKS_SWAP:
        if ends_with(buffer, place, end, words.CRASHED) and (
            kind != words.ASKS_NAME or _is_crash(buffer, starts, ends, line)
        ):
            return words.TRACEBACK, end, kind
        start = place
        if kind != words.ASKS_NAME:  # a number may be typed without the enter key
            while start < end and _is_one_of(buffer[start], _TYPED_IN_NUMBERS):
                start += 1
        behind, after = kind_of(buffer, start, end)
        if not _may_follow(kind, behind) or (
            kind == words.ASKS_NAME and not _sets_up(buffer, starts, ends, line)
        ):
            break
        next_line = line + 1
        if not piped and next_line < len(starts):
            following, _ = kind_of(buffer, starts[next_line], ends[next_line])
            if following == words.TRACEBACK:
                break  # the program has refused it: it is what somebody typed
        asked, kind, place = kind, behind, after
    return kind, place, asked


@compiled
def _is_one_of(byte: Int, word: Any) -> bool:
    found = False
    for place in range(len(word)):
        found |= bool(byte == word[place])
    return found


@compiled
def _may_follow(prompt: Int, kind: Int) -> bool:
    """Whether the program prints a line of this kind after it has got an answer, or when it is run again
    after it has ended at the prompt. (But a name may be anything.)"""
    if prompt == words.ASKS_NAME:
        return bool(kind == words.SETUP)
    if kind == words.ASKS_GAME or kind == words.ASKS_NAME:
        return True
    if prompt == words.ASKS_GAME:
        return bool(kind == words.SETUP)
    return bool(kind == words.INFO or kind == (words.ACTION if prompt == words.ASKS_BET else words.CARDS))


@compiled
def _sets_up(buffer: Bytes, starts: Any, ends: Any, line: Int) -> bool:
    """Whether a line ``What's your name?[SETUP] …`` tells the chips, and not a name that looks so: then the
    line with the chips comes next."""
    if line + 1 >= len(starts):
        return True
    kind, place = kind_of(buffer, starts[line + 1], ends[line + 1])
    length = len(words.GIVEN)
    return not (kind == words.SETUP and is_word(buffer, place, place + length, words.GIVEN))


@compiled
def _is_crash(buffer: Bytes, starts: Any, ends: Any, line: Int) -> bool:
    """Whether a line that ends as the first one of a traceback is one, and not a name."""
    if line + 1 >= len(starts):
        return True
    start = starts[line + 1]
    return is_word(buffer, start, min(start + len(words.CRASHED_IN), ends[line + 1]), words.CRASHED_IN)


@compiled
def asked(buffer: Bytes, place: Int, end: Int, kind: Int, now: Any) -> Int:
    """What the human typed: a number of chips, or the cards to put away."""
    if kind == words.ASKS_BET:
        number, start = number_before(buffer, place, end)
        now.bet_answer = number if start == place else NONE
        return FINE
    if kind == words.ASKS_SWAP:
        now.swap_answer = 0
        for card in range(end - place):
            digit = np.int64(buffer[place + card]) - 48
            if digit < 0 or digit > 9:
                now.swap_answer = UNTOLD  # what the program takes for digits may be written in other scripts
                break
            if digit > 0 and card < HAND_CARDS:
                now.swap_answer |= 1 << card
        return FINE
    return FINE if kind == words.WARNING else UNREADABLE


# ---------------------------------------------------------------- who the human is


@compiled
def seat_of_human(buffer: Bytes, table: Any) -> Int:
    """The seat of the human, `NONE` if its name is not told or nobody at the table has it."""
    start, end = table.human_from, table.human_to
    if end <= start or table.seats == 0:
        return NONE
    seat = seat_of(buffer, table, start, end)
    if seat != NONE:
        return seat
    for whole in (True, False):
        typed = np.empty(end - start, np.int64)
        length = _on_screen(buffer, start, end, whole, typed)
        for other in range(table.seats):
            first, last = table.name_from[other], table.name_to[other]
            name = np.empty(2 * (last - first), np.int64)
            if _as_echoed(buffer, first, last, whole, name) == length:
                place = 0
                while place < length and name[place] == typed[place]:
                    place += 1
                if place == length:
                    return other
    return NONE


@compiled
def _character(buffer: Bytes, place: Int, end: Int, whole: bool) -> tuple[Int, Int]:
    """A number for the character at a place, and where the next one begins; a terminal that is not told of
    UTF-8 takes each byte for one, so that `whole` is False."""
    character = np.int64(buffer[place])
    place += 1
    while whole and place < end and buffer[place] & 0xC0 == 0x80:
        character = (character << 8 | np.int64(buffer[place])) & 0xFFFFFFFF
        place += 1
    return character, place


@compiled
def _on_screen(buffer: Bytes, start: Int, end: Int, whole: bool, shown: Any) -> Int:
    """What a terminal shows of a stretch in which somebody has corrected himself, a number for each
    character; returns how many they are. A backspace moves back, what comes then is written over it."""
    count: Int = 0
    place = start
    while place < end:
        character, place = _character(buffer, place, end, whole)
        if character == _BACKSPACE:
            count = max(count - 1, 0)
        else:
            shown[count] = character
            count += 1
    return count


@compiled
def _as_echoed(buffer: Bytes, start: Int, end: Int, whole: bool, shown: Any) -> Int:
    """What a terminal shows of a name that is typed, as `_on_screen`: of a control character ``^`` and a
    letter."""
    count: Int = 0
    place = start
    while place < end:
        character, place = _character(buffer, place, end, whole)
        if character < 32 and character != 9:
            shown[count] = _CARET
            count += 1
            character += 64
        shown[count] = character
        count += 1
    return count


@compiled
def _find_human(table: Any, now: Any, hand: Any, events: Any) -> bool:
    """Of a human whose name is not told, find the seat when it is first asked in a hand, and whether
    that can be: in the first round everyone is asked once before anyone is asked again, so it sits after
    the last who has acted, and if nobody has, it begins."""
    last = events[now.filled - 1]
    if last.action == game.DEAL_HAND:
        seat: Int = np.int64(hand.dealer)
        players = 0
        for other in range(SEATS):
            players += now.present >> other & 1
        for _ in range(2 % players + 1):
            seat = game.next_seat(now.present, seat)
    else:
        seat = game.next_seat(now.present, np.int64(last.seat))
    hand.human = seat
    hand.human_from = table.name_from[seat]
    hand.human_to = table.name_to[seat]
    for place in range(hand.first_event, now.filled):
        if events[place].action == game.DEAL_HAND and events[place].seat == seat:
            now.human_deal = place
            return True
    return False


# ---------------------------------------------------------------- what the human is told


@compiled
def owed(now: Any, seat: Int) -> Int:
    """What a seat must pay to call."""
    most = np.int64(0)
    for other in range(SEATS):
        most = max(most, now.staked[other])
    return most - np.int64(now.staked[seat])


@compiled
def info(buffer: Bytes, place: Int, end: Int, table: Any, now: Any, hand: Any, events: Any) -> Int:
    """What the human is told before it acts: its cards, the pot, its chips, what to call."""
    length = len(words.YOUR_CARDS)
    shows_cards = is_word(buffer, place, min(place + length, end), words.YOUR_CARDS)
    asked_first = table.piped == 1 and now.human_known == 0 and shows_cards and now.dealt == 1
    if asked_first and not _find_human(table, now, hand, events):
        return WRONG_PLACE
    if hand.human == NONE:
        return NO_HUMAN
    if now.human_deal == NONE:
        return WRONG_PLACE
    if shows_cards:
        return _your_cards(buffer, place + length, end, now, events)
    stop, number = name_and_number(buffer, place, end, words.THERE_ARE, words.IN_POT)
    if stop == place:
        return FINE if number == now.staked.sum() else SAYS_OTHER
    stop, number = name_and_number(buffer, place, end, words.YOU_HAVE, words.REMAINING)
    if stop == place:
        return FINE if number == now.stack[hand.human] else SAYS_OTHER
    stop, number = name_and_number(buffer, place, end, words.TO_CALL, words.CHIPS_DOT)
    if stop == place:
        return FINE if number == owed(now, hand.human) else SAYS_OTHER
    return UNREADABLE


@compiled
def _your_cards(buffer: Bytes, place: Int, end: Int, now: Any, events: Any) -> Int:
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, place, end, held)
    if found != 1:
        return NO_CARD if found == 0 else UNREADABLE
    if now.human_known == 0 and now.human_swapped == 0:
        now.human_known = 1
        for card in range(HAND_CARDS):
            now.human_cards[card] = held[card]
            events[now.human_deal].cards[card] = held[card]
        return FINE
    for card in range(HAND_CARDS):
        if held[card] != now.human_cards[card]:
            return SAYS_OTHER
    return FINE


# ---------------------------------------------------------------- what the human exchanges


@compiled
def put_away(now: Any, event: Any, number: Int) -> Int:
    """Note which cards the human puts away, where it has told that; otherwise its new hand will."""
    if now.swap_answer == NONE:
        return LINES_MISSING
    now.human_swapped = 1
    if now.swap_answer == UNTOLD:
        return FINE
    kept, gone = 0, 0
    for card in range(HAND_CARDS):
        if now.swap_answer >> card & 1:
            if gone < number:
                event.cards[gone] = now.human_cards[card]
            gone += 1
        else:
            now.human_cards[kept] = now.human_cards[card]
            kept += 1
    return FINE if gone == number else SAYS_OTHER


@compiled
def new_hand(buffer: Bytes, place: Int, end: Int, now: Any, events: Any) -> Int:
    """What the human holds after its draw: the cards it kept, in their order, then those it drew."""
    length = len(words.NEW_HAND)
    if now.human_known == 0 or not is_word(buffer, place, min(place + length, end), words.NEW_HAND):
        return LINES_MISSING
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, place + length, end, held)
    if found != 1:
        return NO_CARD if found == 0 else UNREADABLE
    event = events[now.human_draw]
    kept = HAND_CARDS - np.int64(event.count)
    if now.swap_answer == UNTOLD and not _tell_apart(now, held, kept, events[now.human_draw - 1]):
        return SAYS_OTHER
    for card in range(HAND_CARDS):
        if card < kept:
            if held[card] != now.human_cards[card]:
                return SAYS_OTHER
        else:
            event.cards[card - kept] = held[card]
        now.human_cards[card] = held[card]
    now.human_draw = NONE
    return FINE


@compiled
def _tell_apart(now: Any, held: Any, kept: Int, event: Any) -> bool:
    """Find out which of the human's cards it has put away: those that are not the first `kept` ones of its
    new hand; whether that can be."""
    stays, gone = 0, 0
    for card in range(HAND_CARDS):
        code = now.human_cards[card]
        if stays < kept and code == held[stays]:
            now.human_cards[stays] = code
            stays += 1
        elif gone < event.count:
            event.cards[gone] = code
            gone += 1
    return bool(stays == kept)
