"""The compiled heart of the five-card draw reader: the lines of a hand become events.

Chips are followed along, because the log names no amount of a call; what a line says of them is compared.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.ranks import CATEGORIES, CATEGORY_OF, HAND_CARDS, rank_of_codes
from cardlog.pipelines.readers.five_card_draw_transcript import phrases as words
from cardlog.pipelines.readers.five_card_draw_transcript.human import asked, info, new_hand, owed, put_away
from cardlog.pipelines.readers.five_card_draw_transcript.phrases import (
    NONE,
    card_list,
    ends_with,
    is_word,
    name_and_number,
    name_before,
)
from cardlog.pipelines.readers.five_card_draw_transcript.state import (
    FINE,
    LINES_MISSING,
    MOST_NAMES,
    NO_CARD,
    NO_SUCH_PLAYER,
    SAYS_OTHER,
    SEATS,
    UNREADABLE,
    WRONG_BET,
    WRONG_PLACE,
    add_event,
    ante_line,
    any_standing,
    seat_of,
    stands,
    wrong,
)
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_AMOUNT

_CATEGORY_WORDS: Final = np.concatenate([words.as_bytes(f" with a {name}") for name in CATEGORIES])
_CATEGORY_ENDS: Final = np.cumsum([len(f" with a {name}") for name in CATEGORIES])
_CATEGORY_LENGTHS: Final = np.array([len(f" with a {name}") for name in CATEGORIES], np.int64)


@compiled
def _hide(event: Any, count: Int) -> None:
    """Let an event show so many hidden cards."""
    event.count = count
    for place in range(count):
        event.cards[place] = UNKNOWN


@compiled
def hand_line(
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
    elif any_standing(now) and kind not in (words.PLAYER, words.END, words.WARNING, words.UNREADABLE):
        what = WRONG_PLACE
    elif kind == words.ACTION:
        what = _action(buffer, place, end, line, table, now, hand, events)
    elif kind == words.CARDS:
        what = _cards(buffer, place, end, line, table, now, hand, events)
    elif kind == words.ANTE:
        what = _ante(buffer, place, end, line, table, now, events)
    elif kind == words.INFO:
        what = info(buffer, place, end, table, now, hand, events)
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
        what = asked(buffer, place, end, kind, now)
    if what != FINE:
        wrong(hand, what, line)


@compiled
def _ante(buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, events: Any) -> Int:
    start, stop, amount, forced = ante_line(buffer, place, end)
    if stop == NONE:
        return UNREADABLE
    seat = seat_of(buffer, table, start, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if amount != min(now.stack[seat], table.ante):
        return WRONG_BET
    if forced != (now.stack[seat] == amount):
        return SAYS_OTHER
    _pay(now, seat, amount)
    add_event(events, now, line, game.BID_ANTE, seat, amount)
    return FINE


@compiled
def _pay(now: Any, seat: Int, amount: Int) -> None:
    now.stack[seat] -= amount
    now.staked[seat] += amount


@compiled
def _action(
    buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, hand: Any, events: Any
) -> Int:
    """A bet. Of all kinds but a raise the amount follows from what was put in before."""
    action, stop, raised, all_in = _bet(buffer, place, end)
    if stop == NONE:
        return UNREADABLE
    seat = seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    call, stack = owed(now, seat), now.stack[seat]
    amount: Int = np.int64(0)
    if (action == game.BID_CHECK and call > 0) or (action == game.BID_FOLD and call == 0):
        return WRONG_BET
    if action == game.BID_CALL:
        short = raised == NONE
        amount = stack if short else call
        if short != (stack < call) or all_in != (stack <= call):
            return SAYS_OTHER
    elif action == game.BID_RAISE:
        amount = call + raised
        if amount > stack or all_in != (amount == stack):
            return SAYS_OTHER
    if seat == hand.human:
        if now.bet_answer != NONE and now.bet_answer != amount:
            return SAYS_OTHER
        now.bet_answer = NONE
    _pay(now, seat, amount)
    told = amount if action == game.BID_CALL or action == game.BID_RAISE else NO_AMOUNT
    add_event(events, now, line, action, seat, told)
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
        return new_hand(buffer, place, end, now, events)
    if is_word(buffer, place, end, words.DEALT):
        if now.dealt == 1:
            return WRONG_PLACE
        now.dealt = 1
        seat: Int = np.int64(hand.dealer)
        for _ in range(SEATS):
            seat = game.next_seat(now.present, seat)
            _hide(add_event(events, now, line, game.DEAL_HAND, seat, NO_AMOUNT), HAND_CARDS)
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
    seat = seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    event = add_event(events, now, line, game.DISCARD, seat, NO_AMOUNT)
    _hide(event, number)
    if seat == hand.human and now.human_known == 1:
        what = put_away(now, event, number)
        if what != FINE:
            return what
    if number > 0:
        _hide(add_event(events, now, line, game.DEAL_DRAW, seat, NO_AMOUNT), number)
        if seat == hand.human:
            now.human_draw = now.filled - 1
    return FINE


@compiled
def _showdown(buffer: Bytes, place: Int, end: Int, line: Int, table: Any, now: Any, events: Any) -> Int:
    """A hand that is shown or mucked, or the chips of the only player left."""
    stop, amount = name_and_number(buffer, place, end, words.WON, words.CHIPS_DOT)
    if stop != NONE:
        return _gets(buffer, place, stop, amount, line, table, now, events)
    stop = name_before(buffer, place, end, words.MUCKED)
    if stop != NONE:
        seat = seat_of(buffer, table, place, stop)
        if seat == NONE:
            return NO_SUCH_PLAYER
        now.mucked |= 1 << seat
        _hide(add_event(events, now, line, game.SCORE_SHOW, seat, NO_AMOUNT), HAND_CARDS)
        return FINE
    bracket = end - 1
    while bracket > place and buffer[bracket] != 91:
        bracket -= 1
    if not ends_with(buffer, place, bracket, words.HOLDING):
        return UNREADABLE
    seat = seat_of(buffer, table, place, bracket - len(words.HOLDING))
    if seat == NONE:
        return NO_SUCH_PLAYER
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, bracket, end, held)
    if found != 1:
        return NO_CARD if found == 0 else UNREADABLE
    event = add_event(events, now, line, game.SCORE_SHOW, seat, NO_AMOUNT)
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
    seat = seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    now.stack[seat] += amount
    add_event(events, now, line, game.SCORE_HAND, seat, amount)
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
    seat = seat_of(buffer, table, place, stop)
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
    seat = seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if now.present >> seat & 1 == 0 or now.standing[seat] != NONE:
        return WRONG_PLACE
    now.standing[seat] = amount
    add_event(events, now, line, game.SCORE_MATCH, seat, amount)
    return FINE


@compiled
def _leaves(buffer: Bytes, place: Int, end: Int, table: Any, now: Any) -> Int:
    """A player without chips leaves after the hand."""
    stop = name_before(buffer, place, end, words.LEAVING)
    if stop == NONE:
        return UNREADABLE
    seat = seat_of(buffer, table, place, stop)
    if seat == NONE:
        return NO_SUCH_PLAYER
    if not stands(now):
        return LINES_MISSING
    if now.leaving >> seat & 1:
        return WRONG_PLACE
    now.leaving |= 1 << seat
    return FINE if now.standing[seat] == 0 else SAYS_OTHER


@compiled
def _ends(buffer: Bytes, place: Int, end: Int, table: Any, now: Any, hand: Any) -> Int:
    """The game is over: one player has all chips, or the human has none."""
    if not stands(now):
        return LINES_MISSING
    stop = name_before(buffer, place, end, words.HAS_WON)
    start = place
    lost = False
    if stop == NONE:
        start = place + len(words.GAME_OVER)
        stop = name_before(buffer, place, end, words.BETTER_LUCK)
        if stop < start or not is_word(buffer, place, start, words.GAME_OVER):
            return UNREADABLE
        lost = True
    seat = seat_of(buffer, table, start, stop)
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
