"""The compiled outer part of the five-card draw reader: the lines of a game become hands.

A hand's text begins at ``[NEW ROUND]`` (the first one's at the game's first line) and ends with the empty
line before the next one or with the game's last line.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.pipelines.readers.five_card_draw_transcript import phrases as words
from cardlog.pipelines.readers.five_card_draw_transcript.human import behind_prompts, seat_of_human
from cardlog.pipelines.readers.five_card_draw_transcript.outside import add_junk, before_hand, begins_game
from cardlog.pipelines.readers.five_card_draw_transcript.parser import hand_line
from cardlog.pipelines.readers.five_card_draw_transcript.phrases import NONE, is_word, kind_of, name_before
from cardlog.pipelines.readers.five_card_draw_transcript.state import (
    CHIPS_MISSING,
    FINE,
    GOES_ON,
    LINES_MISSING,
    MOST_NAMES,
    NO_ANTES,
    NO_BEGINNING,
    NO_CHIPS,
    OVER,
    SAME_NAMES,
    SEATS,
    TOO_MANY_PLAYERS,
    UNREADABLE,
    UNTOLD,
    WRONG_BUTTON,
    add_event,
    ante_line,
    any_standing,
    same_text,
    seat_of,
    stands,
    wrong,
)
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT

# ---------------------------------------------------------------- a game's lines


@compiled
def read_game(
    buffer: Bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    line: Int,
    stop: Int,
    unfinished: bool,
    final: bool,
    table: Any,
    now: Any,
    hands: Any,
    events: Any,
    junk: Any,
) -> None:
    """Read the lines of one section, from `line` to before `stop`.

    unfinished
        Whether the last line of the text has no end, and so may be a part of one.
    final
        Whether the text will not go on. Until then such a line outside of hands waits for its end.
    table, now
        Go on as they come out; `hands`, `events` and `junk` are filled in.
    """
    now.open = 0
    now.preamble = NONE
    now.preamble_wrong = NONE
    while line < stop:
        fragment = unfinished and line == len(starts) - 1
        kind, place = kind_of(buffer, starts[line], ends[line])
        prompt: Int = NONE
        if words.ASKS_GAME <= kind <= words.ASKS_SWAP:
            kind, place, prompt = behind_prompts(buffer, starts, ends, line, kind, place, table.piped == 1)
        if now.open == 1 and _begins_anew(buffer, ends, line, kind, place, prompt, now):
            _close(table, now, hands[now.hands - 1], line, False)
        if now.open == 0 and not before_hand(
            buffer, starts, ends, line, kind, place, prompt, fragment and not final, table, now, junk
        ):
            sure = stop - 1 if unfinished and stop == len(starts) else stop
            _open(buffer, starts, ends, line, sure, kind, table, now, hands, events)
        if now.open == 1:
            hand = hands[now.hands - 1]
            if kind == words.BLANK:
                now.ended = stands(now)
            elif now.crashed == 0 and kind != words.NEW_ROUND:
                if prompt == words.ASKS_BET:
                    now.bet_answer = NONE
                elif prompt == words.ASKS_SWAP:
                    now.swap_answer = UNTOLD
                hand_line(buffer, starts, ends, line, kind, place, fragment, table, now, hand, events)
            if now.ended == 1:
                _close(table, now, hand, line + 1, False)
        line += 1
    if now.open == 1:
        _close(table, now, hands[now.hands - 1], stop, stop == len(starts))
    elif now.preamble != NONE and now.preamble_wrong != NONE:
        add_junk(now, junk, now.preamble, stop)


@compiled
def _begins_anew(buffer: Bytes, ends: Any, line: Int, kind: Int, place: Int, prompt: Int, now: Any) -> bool:
    """Whether a line can't belong to the hand that is open: it begins another one, or another game."""
    if kind == words.NEW_ROUND or begins_game(kind, prompt):
        return True
    if now.crashed == 1 or not any_standing(now):
        return False
    return kind == words.BUTTON or (
        kind == words.CARDS and is_word(buffer, place, ends[line], words.SHUFFLED)
    )


# ---------------------------------------------------------------- the beginning and end of a hand


@compiled
def _open(
    buffer: Bytes, starts: Any, ends: Any, line: Int, stop: Int, kind: Int, table: Any, now: Any, hands: Any,
    events: Any,
) -> None:  # fmt: skip
    """A hand begins: find out who plays, with what chips."""
    hand = hands[now.hands]
    now.hands += 1
    now.open = 1
    now.crashed = now.ended = now.thanked = now.game_over = 0
    now.button = now.dealt = now.collected = 0
    now.leaving = now.present = now.mucked = 0
    now.human_deal = now.human_draw = now.bet_answer = now.swap_answer = NONE
    now.human_known = now.human_swapped = 0
    hand.match = table.match
    hand.number = table.number
    hand.first = line if now.preamble == NONE else now.preamble
    hand.first_event = now.filled
    hand.cut = 0
    hand.wrong = FINE
    hand.shuffled = 0
    table.number += 1
    if now.preamble_wrong != NONE:
        wrong(hand, UNREADABLE, now.preamble_wrong)
    elif kind != words.NEW_ROUND:
        wrong(hand, NO_BEGINNING, line)
    now.preamble = now.preamble_wrong = NONE
    _sit(buffer, starts, ends, line, stop, table, hand)
    hand.seats = table.seats
    hand.human = seat_of_human(buffer, table)
    hand.piped = table.piped
    hand.human_from = table.human_from
    hand.human_to = table.human_to
    hand.ante = table.ante
    hand.given = table.given
    for seat in range(SEATS):
        hand.name_from[seat] = table.name_from[seat]
        hand.name_to[seat] = table.name_to[seat]
        hand.chips[seat] = table.before[seat] if seat < table.seats else 0
        now.category[seat] = NONE
        now.standing[seat] = NONE
        now.staked[seat] = 0
        now.stack[seat] = hand.chips[seat]
        if seat < table.seats and hand.chips[seat] != 0:
            now.present |= 1 << seat
    table.left = 0
    add_event(events, now, line, game.OPEN, NO_SEAT, NO_AMOUNT)


@compiled
def _sit(buffer: Bytes, starts: Any, ends: Any, line: Int, stop: Int, table: Any, hand: Any) -> None:
    """Look ahead at the button and the antes. Where it is not known yet who plays, those are the players:
    the one with the button has seat 0, the others follow in dealing order."""
    names = np.zeros((MOST_NAMES, 2), np.int64)
    count: Int = 0
    button_from: Int = 0
    button_to: Int = NONE
    dealt = crashed = False
    ante = table.ante
    first = line
    while line < stop and not dealt:
        kind, place = kind_of(buffer, starts[line], ends[line])
        if kind == words.BUTTON and button_to < 0:
            button_from, button_to = place, max(name_before(buffer, place, ends[line], words.DOT), place)
        elif kind == words.ANTE:
            start, end, amount, forced = ante_line(buffer, place, ends[line])
            if end != NONE and count < MOST_NAMES:
                names[count, 0] = start
                names[count, 1] = end
                count += 1
            if end != NONE and not forced and ante == NONE:
                ante = amount
        elif kind == words.CARDS:
            dealt = is_word(buffer, place, ends[line], words.DEALT)
        elif kind == words.TRACEBACK:
            crashed = True
            break
        elif kind != words.BLANK and kind != words.UNREADABLE and (kind != words.NEW_ROUND or line > first):
            break
        line += 1
    table.ante = ante
    if table.seats > 0 and table.trusted == 0 and dealt and hand.wrong == FINE:
        for place in range(count):
            if seat_of(buffer, table, names[place, 0], names[place, 1]) == NONE:
                table.seats = 0  # it came from a hand that was damaged
                break
    if table.seats == 0:
        if crashed and 0 < count < MOST_NAMES and button_to >= 0:
            count = _seat_button(buffer, names, count, button_from, button_to)
        _first_seats(buffer, names, count, button_from, button_to, dealt or crashed, first, table, hand)
        if table.seats == 0:
            return
    hand.dealer = seat_of(buffer, table, button_from, button_to) if button_to >= 0 else NONE
    if hand.dealer == NONE or table.before[hand.dealer] == 0:
        hand.dealer = max(hand.dealer, 0)
        wrong(hand, WRONG_BUTTON if dealt or button_to >= 0 else NO_ANTES, first)
    for seat in range(table.seats):
        if table.before[seat] == NONE:
            wrong(hand, NO_CHIPS, first)
    if ante == NONE:
        wrong(hand, NO_ANTES, first)


@compiled
def _seat_button(buffer: Bytes, names: Any, count: Int, button_from: Int, button_to: Int) -> Int:
    """If the program has crashed before all have paid the ante, those who have and the one with the button
    are all of whom it is known that they play; returns how many they are."""
    for place in range(count):
        if same_text(buffer, names[place, 0], names[place, 1], button_from, button_to):
            return count
    names[count, 0] = button_from
    names[count, 1] = button_to
    return count + 1


@compiled
def _first_seats(
    buffer: Bytes, names: Any, count: Int, button_from: Int, button_to: Int, dealt: bool, line: Int,
    table: Any, hand: Any,
) -> None:  # fmt: skip
    """Give seats to those who have paid the ante, if that can be: they stay for the whole game."""
    if hand.wrong != FINE:
        return
    if not dealt or button_to == NONE or count < game.LEAST_SEATS:
        wrong(hand, NO_ANTES, line)
        return
    if count > SEATS:
        wrong(hand, TOO_MANY_PLAYERS, line)
        return
    for one in range(count):
        for other in range(one):
            if same_text(buffer, names[one, 0], names[one, 1], names[other, 0], names[other, 1]):
                wrong(hand, SAME_NAMES, line)
                return
    if not same_text(buffer, names[count - 1, 0], names[count - 1, 1], button_from, button_to):
        wrong(hand, WRONG_BUTTON, line)
        return
    table.seats = count
    table.total = 0
    for place in range(count):
        seat = (place + 1) % count
        table.name_from[seat] = names[place, 0]
        table.name_to[seat] = names[place, 1]
        chips = table.given if table.number == 1 else NONE
        for other in range(table.left):
            if same_text(
                buffer, names[place, 0], names[place, 1], table.left_from[other], table.left_to[other]
            ):
                chips = table.left_chips[other]
        table.before[seat] = chips
        table.total = NONE if chips == NONE or table.total == NONE else table.total + chips


@compiled
def _close(table: Any, now: Any, hand: Any, line: Int, at_end: bool) -> None:
    """A hand's text ends before `line`: see whether it is all there, and what chips the players have."""
    now.open = 0
    hand.last = line
    hand.cut = at_end and now.ended == 0 and now.crashed == 0
    if now.human_draw != NONE:  # what the human drew was not shown any more, nor perhaps what it put away
        now.filled -= 2 if now.swap_answer == UNTOLD else 1
    if not at_end and now.crashed == 0 and any_standing(now):
        broke = 0
        for seat in range(SEATS):
            if now.present >> seat & 1 and now.standing[seat] == 0:
                broke |= 1 << seat
        if not stands(now) or (now.game_over == 0 and now.leaving != broke):
            wrong(hand, LINES_MISSING, line - 1)
        if now.stack.sum() < hand.chips.sum():
            wrong(hand, CHIPS_MISSING, line - 1)
    if hand.wrong != FINE:
        now.filled = hand.first_event
    elif not at_end:
        table.trusted |= now.dealt
    if table.piped == 1 and hand.wrong == FINE and hand.human != NONE:
        table.human_from = hand.human_from
        table.human_to = hand.human_to
    hand.last_event = now.filled
    table.over = OVER if now.thanked == 1 else GOES_ON
    _chips_after(table, now)


@compiled
def _chips_after(table: Any, now: Any) -> None:
    """What the players have before the next hand: by the standings, or what the lines before them give if
    those are not whole or have other chips than there are; one missing number follows from the rest."""
    standing, counted, unknown, missing = np.int64(0), np.int64(0), 0, 0
    for seat in range(table.seats):
        if now.present >> seat & 1:
            counted += now.stack[seat]
            if now.standing[seat] == NONE:
                unknown += 1
                missing = seat
            else:
                standing += now.standing[seat]
    by_standings = unknown == 0 and (table.total == NONE or standing == table.total)
    by_count = not by_standings and table.total != NONE and counted == table.total
    for seat in range(table.seats):
        chips: Int = np.int64(0)
        if now.present >> seat & 1:
            chips = now.stack[seat] if by_count else now.standing[seat]
            if not by_standings and not by_count:
                chips = NONE
                if unknown == 1 and table.total != NONE and standing <= table.total:
                    chips = table.total - standing if seat == missing else now.standing[seat]
        table.before[seat] = chips
    if by_standings and table.total == NONE and table.seats > 0:
        table.total = standing
