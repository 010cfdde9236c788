"""The compiled heart of the five-card draw reader: the lines of a game become hands and events.

A hand's text begins at ``[NEW ROUND]`` (the first one's at the game's first line) and ends with the empty
line before the next one or with the game's last line. Chips are followed along, because the log names
no amount of a call; what a line says of them is compared.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models import five_card_draw as game
from models.compiled import Int, compiled
from models.five_card_draw_ranks import CATEGORIES, CATEGORY_OF, HAND_CARDS, rank_of_codes
from pipelines.readers import five_card_draw_words as words
from pipelines.readers.five_card_draw_words import (
    NONE,
    card_list,
    ends_with,
    is_word,
    kind_of,
    name_and_number,
    name_before,
    number_before,
)
from pipelines.readers.scan import Bytes
from schemas.cards import UNKNOWN
from schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype

SEATS: Final = game.SEATS
MOST_NAMES: Final = 10
"""Names that are followed, so that a table with more players than seats is told from others."""

# What may be wrong with a hand, besides what the rules forbid.
(
    FINE, UNREADABLE, NO_SUCH_PLAYER, NO_CARD, SAYS_OTHER, NO_ANTES, NO_CHIPS, LINES_MISSING, NO_BEGINNING,
    TOO_MANY_PLAYERS, SAME_NAMES, WRONG_PLACE, WRONG_BUTTON,
) = range(13)  # fmt: skip

TABLE: Final = compiled_dtype(
    [
        ("match", np.int32),  # index of the game among those of the text
        ("number", np.int32),  # hands of it so far
        ("over", np.int8),  # whether its last line has been seen
        ("seats", np.int8),  # 0 before a hand has told who plays
        ("trusted", np.int8),  # whether a hand was read whole that bears it out
        ("name_from", np.int64, (SEATS,)),  # where the name of each seat is written, in the buffer
        ("name_to", np.int64, (SEATS,)),
        ("human_from", np.int64),
        ("human_to", np.int64),  # equal to human_from if nobody was asked for a name
        ("given", np.int64),  # chips at the beginning, NONE if not known
        ("ante", np.int64),
        ("total", np.int64),  # chips of all players
        ("before", np.int64, (SEATS,)),  # chips before the next hand, NONE if not known
        ("left", np.int8),  # players named in the last standings
        ("left_from", np.int64, (MOST_NAMES,)),
        ("left_to", np.int64, (MOST_NAMES,)),
        ("left_chips", np.int64, (MOST_NAMES,)),
    ]
)
"""What is known at a table before a hand."""

HAND: Final = compiled_dtype(
    [
        ("match", np.int32),
        ("number", np.int32),
        ("first", np.int32),  # its first line, from 0
        ("last", np.int32),  # the line after its last
        ("cut", np.int8),  # whether the text ends before it does
        ("wrong", np.int8),  # FINE, or what is wrong
        ("wrong_line", np.int32),
        ("shuffled", np.int8),
        ("dealer", np.int8),
        ("human", np.int8),  # seat of the human, -1 if there is none
        ("seats", np.int8),
        ("name_from", np.int64, (SEATS,)),
        ("name_to", np.int64, (SEATS,)),
        ("human_from", np.int64),
        ("human_to", np.int64),
        ("ante", np.int64),
        ("given", np.int64),
        ("chips", np.int64, (SEATS,)),  # before the hand
        ("first_event", np.int64),
        ("last_event", np.int64),  # the event after its last
    ]
)
"""A hand that was found."""

NOW: Final = compiled_dtype(
    [
        ("hands", np.int32),  # found so far; the last one is open if `open` is 1
        ("open", np.int8),
        ("filled", np.int64),  # events so far
        ("junk", np.int32),  # stretches of lines that belong to nothing
        ("preamble", np.int32),  # first line of what stands before a game's first hand, NONE if nothing
        ("preamble_wrong", np.int32),  # a line of it that can't be read, NONE if all can
        # Of the open hand:
        ("crashed", np.int8),
        ("ended", np.int8),
        ("thanked", np.int8),
        ("game_over", np.int8),
        ("button", np.int8),
        ("dealt", np.int8),
        ("collected", np.int8),
        ("leaving", np.int8),  # seats, as a mask
        ("present", np.int8),
        ("mucked", np.int8),
        ("category", np.int8, (SEATS,)),  # of the hand a seat has shown, NONE before
        ("standing", np.int64, (SEATS,)),
        ("stack", np.int64, (SEATS,)),
        ("staked", np.int64, (SEATS,)),
        ("human_deal", np.int64),  # event in which the human is dealt cards, NONE before
        ("human_known", np.int8),
        ("human_swapped", np.int8),
        ("human_cards", np.uint8, (HAND_CARDS,)),
        ("human_draw", np.int64),  # event in which it draws, while its new hand has not been shown
        ("bet_answer", np.int64),  # the last number the human typed, NONE if it was none
        ("swap_answer", np.int64),  # the cards it named, as bits, NONE before
    ]
)
"""Where the reading is."""

_CATEGORY_WORDS: Final = np.concatenate([words._word(f" with a {name}") for name in CATEGORIES])
_CATEGORY_ENDS: Final = np.cumsum([len(f" with a {name}") for name in CATEGORIES])
_CATEGORY_LENGTHS: Final = np.array([len(f" with a {name}") for name in CATEGORIES], np.int64)


# ---------------------------------------------------------------- a game's lines


@compiled
def read_game(
    buffer: Bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    line: Int,
    stop: Int,
    unfinished: bool,
    table: Any,
    now: Any,
    hands: Any,
    events: Any,
    junk: Any,
) -> None:
    """Read the lines of one section, from `line` to before `stop`.

    unfinished
        Whether the last line of the text has no end, and so may be a part of one.
    table, now
        Go on as they come out; `hands`, `events` and `junk` are filled in.
    """
    now.open = 0
    now.preamble = NONE
    now.preamble_wrong = NONE
    while line < stop:
        fragment = unfinished and line == len(starts) - 1
        kind, place = kind_of(buffer, starts[line], ends[line])
        if now.open == 1 and _begins_anew(buffer, ends, line, kind, place, now):
            _close(table, now, hands[now.hands - 1], line, False)
        if now.open == 0 and not _before_hand(
            buffer, starts, ends, line, kind, place, fragment, table, now, junk
        ):
            sure = stop - 1 if unfinished and stop == len(starts) else stop
            _open(buffer, starts, ends, line, sure, kind, table, now, hands, events)
        if now.open == 1:
            hand = hands[now.hands - 1]
            if kind == words.BLANK:
                now.ended = _stands(now)
            elif now.crashed == 0 and kind != words.NEW_ROUND:
                _hand_line(buffer, starts, ends, line, kind, place, fragment, table, now, hand, events)
            if now.ended == 1:
                _close(table, now, hand, line + 1, False)
        line += 1
    if now.open == 1:
        _close(table, now, hands[now.hands - 1], stop, stop == len(starts))
    elif now.preamble != NONE and now.preamble_wrong != NONE:
        _add_junk(now, junk, now.preamble, stop)


@compiled
def _begins_anew(buffer: Bytes, ends: Any, line: Int, kind: Int, place: Int, now: Any) -> bool:
    """Whether a line can't belong to the hand that is open: it begins another one, or another game."""
    if kind == words.NEW_ROUND or kind == words.SETUP or kind == words.ASKS_NAME:
        return True
    if now.crashed == 1 or not _any_standing(now):
        return False
    return kind == words.BUTTON or (
        kind == words.CARDS and is_word(buffer, place, ends[line], words.SHUFFLED)
    )


@compiled
def _any_standing(now: Any) -> bool:
    found = False
    for seat in range(SEATS):
        found |= bool(now.standing[seat] != NONE)
    return found


@compiled
def _stands(now: Any) -> bool:
    """Whether the standings of all players have been told."""
    for seat in range(SEATS):
        if now.present >> seat & 1 and now.standing[seat] == NONE:
            return False
    return bool(now.present != 0)


@compiled
def _add_junk(now: Any, junk: Any, first: Int, last: Int) -> None:
    """Note lines that belong to nothing, together with those just before them."""
    if now.junk > 0 and junk[now.junk - 1, 1] == first:
        junk[now.junk - 1, 1] = last
        return
    junk[now.junk, 0] = first
    junk[now.junk, 1] = last
    now.junk += 1


@compiled
def _before_hand(
    buffer: Bytes, starts: Any, ends: Any, line: Int, kind: Int, place: Int, fragment: bool, table: Any,
    now: Any, junk: Any,
) -> bool:  # fmt: skip
    """Take a line outside of hands; False if a hand begins with it."""
    if kind == words.SETUP or kind == words.ASKS_NAME:
        if table.over == 1 or table.number > 0:
            _clear(table)
            table.match += 1
        if now.preamble == NONE:
            now.preamble = line
        if not fragment and not _settle_down(buffer, place, ends[line], kind, table):
            now.preamble_wrong = line
        return True
    if kind == words.BLANK or fragment or (table.over == 1 and kind == words.WARNING):
        return True
    if kind == words.NEW_ROUND:
        if table.over == 1:
            _clear(table)
            table.match += 1
        return False
    if table.over == 1:
        _add_junk(now, junk, line, line + 1)
        return True
    if table.number == 0 and kind != words.BUTTON and kind != words.CARDS and kind != words.ANTE:
        if now.preamble == NONE:
            now.preamble = line
        if kind != words.WARNING:
            now.preamble_wrong = line
        return True
    return False


@compiled
def _clear(table: Any) -> None:
    """Forget a game, for another one follows in the same text."""
    table.number = 0
    table.over = 0
    table.seats = 0
    table.trusted = 0
    table.human_from = 0
    table.human_to = 0
    table.given = NONE
    table.ante = NONE
    table.total = NONE
    table.left = 0


@compiled
def _settle_down(buffer: Bytes, place: Int, end: Int, kind: Int, table: Any) -> bool:
    """A line before the first hand: who the human is, the chips given to all, the ante."""
    if kind == words.ASKS_NAME:
        table.human_from = place
        table.human_to = end
        return bool(end > place)
    stop, number = name_and_number(buffer, place, end, words.GIVEN, words.CHIPS_DOT)
    if stop == place:
        table.given = number
        return True
    stop, number = name_and_number(buffer, place, end, words.ANTE_SET, words.CHIPS_DOT)
    if stop == place:
        table.ante = number
        return True
    return False


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
        _wrong(hand, UNREADABLE, now.preamble_wrong)
    elif kind != words.NEW_ROUND:
        _wrong(hand, NO_BEGINNING, line)
    now.preamble = now.preamble_wrong = NONE
    _sit(buffer, starts, ends, line, stop, table, hand)
    hand.seats = table.seats
    hand.human = NONE
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
    if table.human_to > table.human_from and table.seats > 0:
        hand.human = _seat_of(buffer, table, table.human_from, table.human_to)
    table.left = 0
    _add(events, now, line, game.OPEN, NO_SEAT, NO_AMOUNT)


@compiled
def _wrong(hand: Any, what: Int, line: Int) -> None:
    """Note what is wrong with a hand; the first thing counts."""
    if hand.wrong == FINE:
        hand.wrong = what
        hand.wrong_line = line


@compiled
def _same(buffer: Bytes, start: Int, end: Int, other: Int, other_end: Int) -> bool:
    """Whether two stretches of the text are the same."""
    if end - start != other_end - other:
        return False
    place = 0
    while place < end - start and buffer[start + place] == buffer[other + place]:
        place += 1
    return bool(place == end - start)


@compiled
def _seat_of(buffer: Bytes, table: Any, start: Int, end: Int) -> Int:
    """The seat of a name, `NONE` if nobody at the table has it."""
    for seat in range(table.seats):
        if _same(buffer, start, end, table.name_from[seat], table.name_to[seat]):
            return seat
    return NONE


@compiled
def _sit(buffer: Bytes, starts: Any, ends: Any, line: Int, stop: Int, table: Any, hand: Any) -> None:
    """Look ahead at the button and the antes. Where it is not known yet who plays, those are the players:
    the one with the button has seat 0, the others follow in dealing order."""
    names = np.zeros((MOST_NAMES, 2), np.int64)
    count = 0
    button_from: Int = 0
    button_to: Int = NONE
    dealt = False
    ante = table.ante
    first = line
    while line < stop and not dealt:
        kind, place = kind_of(buffer, starts[line], ends[line])
        if kind == words.BUTTON and button_to < 0:
            button_from, button_to = place, max(name_before(buffer, place, ends[line], words.DOT), place)
        elif kind == words.ANTE:
            start, end, amount, forced = _ante_line(buffer, place, ends[line])
            if end != NONE and count < MOST_NAMES:
                names[count, 0] = start
                names[count, 1] = end
                count += 1
            if amount > 0 and not forced and ante == NONE:
                ante = amount
        elif kind == words.CARDS:
            dealt = is_word(buffer, place, ends[line], words.DEALT)
        elif kind != words.BLANK and kind != words.UNREADABLE and (kind != words.NEW_ROUND or line > first):
            break
        line += 1
    table.ante = ante
    if table.seats > 0 and table.trusted == 0 and dealt and hand.wrong == FINE:
        for place in range(count):
            if _seat_of(buffer, table, names[place, 0], names[place, 1]) == NONE:
                table.seats = 0  # it came from a hand that was damaged
                break
    if table.seats == 0:
        _first_seats(buffer, names, count, button_from, button_to, dealt, first, table, hand)
        if table.seats == 0:
            return
    hand.dealer = _seat_of(buffer, table, button_from, button_to) if button_to >= 0 else NONE
    if hand.dealer == NONE or table.before[hand.dealer] == 0:
        hand.dealer = max(hand.dealer, 0)
        _wrong(hand, WRONG_BUTTON if dealt or button_to >= 0 else NO_ANTES, first)
    for seat in range(table.seats):
        if table.before[seat] == NONE:
            _wrong(hand, NO_CHIPS, first)
    if ante == NONE:
        _wrong(hand, NO_ANTES, first)


@compiled
def _ante_line(buffer: Bytes, start: Int, end: Int) -> tuple[Int, Int, Int, bool]:
    """Where the name in a line on the ante begins and ends (`NONE` if it is none), the chips, and whether
    they were the player's last."""
    stop, amount = name_and_number(buffer, start, end, words.PAID, words.FOR_ANTE)
    if stop != NONE:
        return start, stop, amount, False
    stop, amount = name_and_number(buffer, start, end, words.ALL_IN_WITH, words.CHIPS_BANG)
    length = len(words.FORCED)
    if stop > start + length and is_word(buffer, start, start + length, words.FORCED):
        return start + length, stop, amount, True
    return start, NONE, 0, False


@compiled
def _first_seats(
    buffer: Bytes, names: Any, count: Int, button_from: Int, button_to: Int, dealt: bool, line: Int,
    table: Any, hand: Any,
) -> None:  # fmt: skip
    """Give seats to those who have paid the ante, if that can be: they stay for the whole game."""
    if hand.wrong != FINE:
        return
    if not dealt or count < game.LEAST_SEATS:
        _wrong(hand, NO_ANTES, line)
        return
    if count > SEATS:
        _wrong(hand, TOO_MANY_PLAYERS, line)
        return
    for one in range(count):
        for other in range(one):
            if _same(buffer, names[one, 0], names[one, 1], names[other, 0], names[other, 1]):
                _wrong(hand, SAME_NAMES, line)
                return
    if not _same(buffer, names[count - 1, 0], names[count - 1, 1], button_from, max(button_to, button_from)):
        _wrong(hand, WRONG_BUTTON, line)
        return
    table.seats = count
    table.total = 0
    for place in range(count):
        seat = (place + 1) % count
        table.name_from[seat] = names[place, 0]
        table.name_to[seat] = names[place, 1]
        chips = table.given if table.number == 1 else NONE
        for other in range(table.left):
            if _same(buffer, names[place, 0], names[place, 1], table.left_from[other], table.left_to[other]):
                chips = table.left_chips[other]
        table.before[seat] = chips
        table.total = NONE if chips == NONE or table.total == NONE else table.total + chips


@compiled
def _close(table: Any, now: Any, hand: Any, line: Int, at_end: bool) -> None:
    """A hand's text ends before `line`: see whether it is all there, and what chips the players have."""
    now.open = 0
    hand.last = line
    hand.cut = at_end and now.ended == 0 and now.crashed == 0
    if now.human_draw != NONE:
        now.filled -= 1  # what the human drew was not shown any more
    if not at_end and now.crashed == 0 and _any_standing(now):
        broke = 0
        for seat in range(SEATS):
            if now.present >> seat & 1 and now.standing[seat] == 0:
                broke |= 1 << seat
        if not _stands(now) or (now.game_over == 0 and now.leaving != broke):
            _wrong(hand, LINES_MISSING, line - 1)
    if hand.wrong != FINE:
        now.filled = hand.first_event
    elif not at_end:
        table.trusted = 1
    hand.last_event = now.filled
    table.over = now.thanked
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


# ---------------------------------------------------------------- the lines of a hand


@compiled
def _add(events: Any, now: Any, line: Int, action: Int, seat: Int, amount: Int) -> Any:
    """A new event at the end."""
    event = events[now.filled]
    now.filled += 1
    event.action = action
    event.seat = seat
    event.suit = -1
    event.count = 0
    event.amount = amount
    event.line = line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for place in range(HAND_CARDS):
        event.cards[place] = 0
    return event


@compiled
def _hide(event: Any, count: Int) -> None:
    """Let an event show so many hidden cards."""
    event.count = count
    for place in range(count):
        event.cards[place] = UNKNOWN


@compiled
def _hand_line(
    buffer: Bytes, starts: Any, ends: Any, line: Int, kind: Int, place: Int, fragment: bool, table: Any,
    now: Any, hand: Any, events: Any,
) -> None:  # fmt: skip
    """Take a line of the open hand. Of a hand in which something is wrong only what the next one needs is
    followed: the standings, and the end."""
    end = ends[line]
    if kind == words.TRACEBACK:
        now.crashed = 1
        return
    if kind == words.END and is_word(buffer, place, end, words.THANKS):
        now.ended = now.thanked = 1
        return
    if fragment:
        return
    if kind == words.STANDINGS:
        what = _standing(buffer, place, end, line, table, now, events)
    elif hand.wrong != FINE:
        return
    elif now.human_draw != NONE and kind not in (words.CARDS, words.WARNING):
        what = LINES_MISSING
    elif kind == words.ACTION:
        what = _action(buffer, place, end, line, table, now, hand, events)
    elif kind == words.CARDS:
        what = _cards(buffer, place, end, line, table, now, hand, events)
    elif kind == words.ANTE:
        what = _ante(buffer, place, end, line, table, now, events)
    elif kind == words.INFO:
        what = _info(buffer, place, end, now, hand, events)
    elif kind == words.SHOWDOWN:
        what = _showdown(buffer, place, end, line, table, now, events)
    elif kind == words.REWARDS:
        what = _reward(buffer, place, end, line, table, now, events)
    elif kind == words.PLAYER:
        what = _leaves(buffer, place, end, table, now)
    elif kind == words.END:
        what = _ends(buffer, place, end, table, now, hand)
    elif kind == words.BUTTON:
        what = WRONG_PLACE if now.button == 1 else FINE
        now.button = 1
    else:
        what = _asked(buffer, place, end, kind, now)
    if what != FINE:
        _wrong(hand, what, line)


@compiled
def _ante(buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, events: Any) -> Int:
    start, stop, amount, forced = _ante_line(buffer, place, end)
    if stop == NONE:
        return UNREADABLE
    seat = _seat_of(buffer, table, start, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if forced != (now.stack[seat] == amount):
        return SAYS_OTHER
    _pay(now, seat, amount)
    _add(events, now, line, game.BID_ANTE, seat, amount)
    return FINE


@compiled
def _pay(now: Any, seat: Int, amount: Int) -> None:
    now.stack[seat] -= amount
    now.staked[seat] += amount


@compiled
def _owed(now: Any, seat: Int) -> Int:
    most = np.int64(0)
    for other in range(SEATS):
        most = max(most, now.staked[other])
    return most - np.int64(now.staked[seat])


@compiled
def _action(
    buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, hand: Any, events: Any
) -> Int:
    """A bet. Of all kinds but a raise the amount follows from what was put in before."""
    action, stop, raised, all_in = _bet(buffer, place, end)
    if stop == NONE:
        return UNREADABLE
    seat = _seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    owed, stack = _owed(now, seat), now.stack[seat]
    amount: Int = np.int64(0)
    if action == game.BID_CALL:
        short = raised == NONE
        amount = stack if short else owed
        if short != (stack < owed) or all_in != (stack <= owed):
            return SAYS_OTHER
    elif action == game.BID_RAISE:
        amount = owed + raised
        if amount > stack or all_in != (amount == stack):
            return SAYS_OTHER
    if seat == hand.human:
        if now.bet_answer != NONE and now.bet_answer != amount:
            return SAYS_OTHER
        now.bet_answer = NONE
    _pay(now, seat, amount)
    told = amount if action == game.BID_CALL or action == game.BID_RAISE else NO_AMOUNT
    _add(events, now, line, action, seat, told)
    return FINE


@compiled
def _bet(buffer: Bytes, place: Int, end: Int) -> tuple[Int, Int, Int, bool]:
    """The action of a line, where the name ends (`NONE` if it can't be read), by how much is raised (`NONE`
    if the player could not even call), and whether with all chips."""
    stop = name_before(buffer, place, end, words.CHECKED)
    if stop != NONE:
        return game.BID_CHECK, stop, 0, False
    stop = name_before(buffer, place, end, words.FOLDED)
    if stop != NONE:
        return game.BID_FOLD, stop, 0, False
    stop, number = name_and_number(buffer, place, end, words.RAISED, words.DOT)
    if stop != NONE:
        return game.BID_RAISE, stop, number, False
    stop, number = name_and_number(buffer, place, end, words.RAISED, words.AND_ALL_IN)
    if stop != NONE:
        return game.BID_RAISE, stop, number, True
    stop = name_before(buffer, place, end, words.CALLED)
    if stop != NONE:
        return game.BID_CALL, stop, 0, False
    stop = name_before(buffer, place, end, words.CALLED_ALL_IN)
    if stop != NONE:
        return game.BID_CALL, stop, 0, True
    return game.BID_CALL, name_before(buffer, place, end, words.SHORT_ALL_IN), NONE, True


@compiled
def _cards(
    buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, hand: Any, events: Any
) -> Int:
    """A line on the pack, the deal or the draw."""
    if now.human_draw != NONE:
        return _new_hand(buffer, place, end, now, events)
    if is_word(buffer, place, end, words.DEALT):
        if now.dealt == 1:
            return WRONG_PLACE
        now.dealt = 1
        seat: Int = np.int64(hand.dealer)
        for _ in range(SEATS):
            seat = game.next_seat(now.present, seat)
            _hide(_add(events, now, line, game.DEAL_HAND, seat, NO_AMOUNT), HAND_CARDS)
            if seat == hand.human:
                now.human_deal = now.filled - 1
            if seat == hand.dealer:
                break
        return FINE
    if is_word(buffer, place, end, words.SHUFFLED):
        twice = hand.shuffled == 1 or now.button == 1
        hand.shuffled = 1
        return WRONG_PLACE if twice else FINE
    if is_word(buffer, place, end, words.COLLECTED):
        twice = now.collected == 1
        now.collected = 1
        return WRONG_PLACE if twice else FINE
    return _swap(buffer, place, end, line, table, now, hand, events)


@compiled
def _swap(
    buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, hand: Any, events: Any
) -> Int:
    """Cards put away, and as many drawn; which they are is known of the human's alone."""
    number: Int = np.int64(0)
    stop = name_before(buffer, place, end, words.NO_SWAP)
    if stop == NONE:
        stop, number = name_and_number(buffer, place, end, words.SWAPPED, words.CARDS_DOT)
        if stop == NONE or number < 1 or number > HAND_CARDS:
            return UNREADABLE
    seat = _seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    event = _add(events, now, line, game.DISCARD, seat, NO_AMOUNT)
    _hide(event, number)
    if seat == hand.human and now.human_known == 1:
        if now.swap_answer == NONE:
            return LINES_MISSING
        kept, gone = 0, 0
        for card in range(HAND_CARDS):
            if now.swap_answer >> card & 1:
                if gone < number:
                    event.cards[gone] = now.human_cards[card]
                gone += 1
            else:
                now.human_cards[kept] = now.human_cards[card]
                kept += 1
        if gone != number:
            return SAYS_OTHER
        now.human_swapped = 1
    if number > 0:
        _hide(_add(events, now, line, game.DEAL_DRAW, seat, NO_AMOUNT), number)
        if seat == hand.human:
            now.human_draw = now.filled - 1
    return FINE


@compiled
def _new_hand(buffer: Bytes, place: Int, end: Int, now: Any, events: Any) -> Int:
    """What the human holds after its draw: the cards it kept, then those it drew."""
    length = len(words.NEW_HAND)
    if now.human_known == 0 or not is_word(buffer, place, min(place + length, end), words.NEW_HAND):
        return LINES_MISSING
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, place + length, end, held)
    if found != 1:
        return NO_CARD if found == 0 else UNREADABLE
    event = events[now.human_draw]
    kept = HAND_CARDS - np.int64(event.count)
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
def _info(buffer: Bytes, place: Int, end: Int, now: Any, hand: Any, events: Any) -> Int:
    """What the human is told before it acts: its cards, the pot, its chips, what to call."""
    if hand.human == NONE or now.human_deal == NONE:
        return WRONG_PLACE
    length = len(words.YOUR_CARDS)
    if is_word(buffer, place, min(place + length, end), words.YOUR_CARDS):
        return _your_cards(buffer, place + length, end, now, events)
    stop, number = name_and_number(buffer, place, end, words.THERE_ARE, words.IN_POT)
    if stop == place:
        return FINE if number == now.staked.sum() else SAYS_OTHER
    stop, number = name_and_number(buffer, place, end, words.YOU_HAVE, words.REMAINING)
    if stop == place:
        return FINE if number == now.stack[hand.human] else SAYS_OTHER
    stop, number = name_and_number(buffer, place, end, words.TO_CALL, words.CHIPS_DOT)
    if stop == place:
        return FINE if number == _owed(now, hand.human) else SAYS_OTHER
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


@compiled
def _asked(buffer: Bytes, place: Int, end: Int, kind: Int, now: Any) -> Int:
    """What the human typed: a number of chips, or the cards to put away."""
    if kind == words.ASKS_BET:
        number, start = number_before(buffer, place, end)
        now.bet_answer = number if start == place else NONE
        return FINE
    if kind == words.ASKS_SWAP:
        now.swap_answer = 0
        for card in range(min(end - place, HAND_CARDS)):
            if buffer[place + card] == 49:
                now.swap_answer |= 1 << card
            elif buffer[place + card] != 48:
                now.swap_answer = NONE
                break
        return FINE
    return FINE if kind == words.WARNING else UNREADABLE


@compiled
def _showdown(buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, events: Any) -> Int:
    """A hand that is shown or mucked, or the chips of the only player left."""
    stop, amount = name_and_number(buffer, place, end, words.WON, words.CHIPS_DOT)
    if stop != NONE:
        return _gets(buffer, place, stop, amount, line, table, now, events)
    stop = name_before(buffer, place, end, words.MUCKED)
    if stop != NONE:
        seat = _seat_of(buffer, table, place, stop)
        if seat == NONE:
            return NO_SUCH_PLAYER
        now.mucked |= 1 << seat
        _hide(_add(events, now, line, game.SCORE_SHOW, seat, NO_AMOUNT), HAND_CARDS)
        return FINE
    bracket = end - 1
    while bracket > place and buffer[bracket] != 91:
        bracket -= 1
    if not ends_with(buffer, place, bracket, words.HOLDING):
        return UNREADABLE
    seat = _seat_of(buffer, table, place, bracket - len(words.HOLDING))
    if seat == NONE:
        return NO_SUCH_PLAYER
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, bracket, end, held)
    if found != 1:
        return NO_CARD if found == 0 else UNREADABLE
    event = _add(events, now, line, game.SCORE_SHOW, seat, NO_AMOUNT)
    event.count = HAND_CARDS
    for card in range(HAND_CARDS):
        event.cards[card] = held[card]
    if _all_differ(held):
        now.category[seat] = CATEGORY_OF[rank_of_codes(held)]
    return FINE


@compiled
def _all_differ(held: Any) -> bool:
    for one in range(HAND_CARDS):
        for other in range(one):
            if held[one] == held[other]:
                return False
    return True


@compiled
def _gets(
    buffer: Bytes, place: Int, stop: Int, amount: Int, line: Int, table: Any, now: Any, events: Any
) -> Int:
    """Chips that a player gets."""
    seat = _seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    now.stack[seat] += amount
    _add(events, now, line, game.SCORE_HAND, seat, amount)
    return FINE


@compiled
def _reward(buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, events: Any) -> Int:
    """``won`` with what the player has shown, or ``got … back`` if it was not shown."""
    stop, amount = name_and_number(buffer, place, end, words.GOT, words.BACK)
    category = NONE
    if stop == NONE:
        for number in range(len(_CATEGORY_LENGTHS)):
            length = _CATEGORY_LENGTHS[number]
            word = _CATEGORY_WORDS[_CATEGORY_ENDS[number] - length : _CATEGORY_ENDS[number]]
            if ends_with(buffer, place, end, word):
                category = number
                stop, amount = name_and_number(buffer, place, end - length, words.WON, words.NOTHING)
    if stop == NONE:
        return UNREADABLE
    seat = _seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if category != now.category[seat] or (category == NONE) != (now.mucked >> seat & 1 == 1):
        return SAYS_OTHER
    return _gets(buffer, place, stop, amount, line, table, now, events)


@compiled
def _standing(buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, events: Any) -> Int:
    """What a player has after the hand."""
    stop, amount = name_and_number(buffer, place, end, words.HAS_GOT, words.REMAINING)
    if stop == NONE:
        return UNREADABLE
    if table.left < MOST_NAMES:
        table.left_from[table.left] = place
        table.left_to[table.left] = stop
        table.left_chips[table.left] = amount
        table.left += 1
    seat = _seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if now.present >> seat & 1 == 0 or now.standing[seat] != NONE:
        return WRONG_PLACE
    now.standing[seat] = amount
    _add(events, now, line, game.SCORE_MATCH, seat, amount)
    return FINE


@compiled
def _leaves(buffer: Bytes, place: Int, end: Int, table: Any, now: Any) -> Int:
    """A player without chips leaves after the hand."""
    stop = name_before(buffer, place, end, words.LEAVING)
    if stop == NONE:
        return UNREADABLE
    seat = _seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if now.leaving >> seat & 1 or not _stands(now):
        return WRONG_PLACE
    now.leaving |= 1 << seat
    return FINE if now.standing[seat] == 0 else SAYS_OTHER


@compiled
def _ends(buffer: Bytes, place: Int, end: Int, table: Any, now: Any, hand: Any) -> Int:
    """The game is over: one player has all chips, or the human has none."""
    if not _stands(now):
        return WRONG_PLACE
    stop = name_before(buffer, place, end, words.HAS_WON)
    start = place
    lost = False
    if stop == NONE:
        start = place + len(words.GAME_OVER)
        stop = name_before(buffer, place, end, words.BETTER_LUCK)
        if stop < start or not is_word(buffer, place, start, words.GAME_OVER):
            return UNREADABLE
        lost = True
    seat = _seat_of(buffer, table, start, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if lost:
        now.game_over = 1
        return FINE if seat == hand.human and now.standing[seat] == 0 else SAYS_OTHER
    others = np.int64(0)
    for other in range(SEATS):
        if now.present >> other & 1 and other != seat:
            others += now.standing[other]
    return FINE if others == 0 else SAYS_OTHER
