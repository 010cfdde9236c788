"""The compiled parser of a five-card draw hand: turns its lines into events.

The log leaves out what a call costs and how many chips players have. Both come from the state that `evolve`
makes of the events so far, and lines are checked against it. Whether the hand is legal is left to the judge.
"""

from typing import Any

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.legal import owed_by
from cardlog.models.five_card_draw.ranks import HAND_CARDS
from cardlog.models.five_card_draw.state import next_seat
from cardlog.pipelines.readers.bytes import ends_with, equals
from cardlog.pipelines.readers.five_card_draw_transcript import faults, lines, phrases
from cardlog.pipelines.readers.five_card_draw_transcript.dialogue import (
    answer,
    cards_known,
    info,
    new_hand,
    put_away,
)
from cardlog.pipelines.readers.five_card_draw_transcript.lines import (
    NONE,
    Line,
    ante_line,
    bet_line,
    card_list,
    lost_line,
    name_and_number,
    name_before,
    reward_line,
    swap_line,
)
from cardlog.pipelines.readers.five_card_draw_transcript.state import (
    MOST_NAMES,
    SEATS,
    add_event,
    all_stand,
    chips_of,
    mark_wrong,
    shown_category,
)
from cardlog.pipelines.readers.five_card_draw_transcript.table import seat_of
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_AMOUNT


@compiled
def parse_line(buffer: Bytes, line: Line, parser: Any, hand: Any, states: Any, events: Any) -> None:
    """Parse a line of the open hand. In a hand with a fault only what the next one needs is parsed: the
    standings, and the end."""
    kind = line.kind
    if kind == lines.TRACEBACK:
        parser.crashed = 1
        return
    if kind == lines.END and equals(buffer, line.start, line.end, phrases.THANKS):
        parser.ended = parser.thanked = 1
        return
    state = states[0]
    if kind == lines.STANDINGS:
        fault = _standing(buffer, line, parser, state, events)
    elif hand.wrong != faults.FINE:
        return
    elif parser.draw != NONE and kind != lines.CARDS and kind != lines.WARNING:
        fault = faults.LINES_MISSING
    elif parser.standings != 0 and kind not in (lines.PLAYER, lines.END, lines.WARNING, lines.UNREADABLE):
        fault = faults.WRONG_POINT
    elif kind == lines.ACTION:
        fault = _action(buffer, line, parser, hand, state, events)
    elif kind == lines.CARDS:
        fault = _cards(buffer, line, parser, hand, state, events)
    elif kind == lines.ANTE:
        fault = _ante(buffer, line, parser, state, events)
    elif kind == lines.INFO:
        fault = info(buffer, line, parser, hand, states, events)
    elif kind == lines.SHOWDOWN:
        fault = _showdown(buffer, line, parser, events)
    elif kind == lines.REWARDS:
        fault = _reward(buffer, line, parser, state, events)
    elif kind == lines.PLAYER:
        fault = _leaves(buffer, line, parser, state)
    elif kind == lines.END:
        fault = _ends(buffer, line, parser, hand, state)
    elif kind == lines.BUTTON:
        fault = faults.WRONG_POINT if parser.button == 1 else faults.FINE
        parser.button = 1
    else:
        fault = answer(buffer, line, parser)
    if fault != faults.FINE:
        mark_wrong(hand, fault, line.number)


# ---------------------------------------------------------------- antes and bets


@compiled
def _ante(buffer: Bytes, line: Line, parser: Any, state: Any, events: Any) -> Int:
    start, stop, amount, forced = ante_line(buffer, line.start, line.end)
    if stop == NONE:
        return faults.UNREADABLE
    seat = seat_of(buffer, parser, start, stop)
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    chips = chips_of(state, seat)
    if amount != min(chips, parser.ante):
        return faults.WRONG_BET
    if forced != (chips == amount):
        return faults.CONTRADICTS
    add_event(parser, events, line.number, game.BID_ANTE, seat, amount)
    return faults.FINE


@compiled
def _action(buffer: Bytes, line: Line, parser: Any, hand: Any, state: Any, events: Any) -> Int:
    """A bet. Except for a raise, the amount follows from the bets before."""
    action, stop, raised, all_in = bet_line(buffer, line.start, line.end)
    if stop == NONE:
        return faults.UNREADABLE
    seat = seat_of(buffer, parser, line.start, stop)
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    owed, chips = owed_by(state, seat), chips_of(state, seat)
    amount: Int = np.int64(0)
    if (action == game.BID_CHECK and owed > 0) or (action == game.BID_FOLD and owed == 0):
        return faults.WRONG_BET
    if action == game.BID_CALL:
        short = raised == NONE
        amount = chips if short else owed
        if short != (chips < owed) or all_in != (chips <= owed):
            return faults.CONTRADICTS
    elif action == game.BID_RAISE:
        amount = owed + raised
        if amount > chips or all_in != (amount == chips):
            return faults.CONTRADICTS
    if seat == hand.human:
        if parser.bet_answer != NONE and parser.bet_answer != amount:
            return faults.CONTRADICTS
        parser.bet_answer = NONE
    pays = action == game.BID_CALL or action == game.BID_RAISE
    add_event(parser, events, line.number, action, seat, amount if pays else NO_AMOUNT)
    return faults.FINE


# ---------------------------------------------------------------- the deck, the deal, the draw


@compiled
def _hide(event: Any, count: Int) -> None:
    """Give an event `count` hidden cards."""
    event.count = count
    for card in range(count):
        event.cards[card] = UNKNOWN


@compiled
def _cards(buffer: Bytes, line: Line, parser: Any, hand: Any, state: Any, events: Any) -> Int:
    """A line on the deck, the deal or the draw."""
    if parser.draw != NONE:
        return new_hand(buffer, line, parser, hand, state, events)
    if equals(buffer, line.start, line.end, phrases.DEALT):
        if parser.deal != NONE:
            return faults.WRONG_POINT
        _deal(line.number, parser, hand, state.present, events)
        return faults.FINE
    if equals(buffer, line.start, line.end, phrases.SHUFFLED):
        twice = hand.shuffled == 1 or parser.button == 1
        hand.shuffled = 1
        return faults.WRONG_POINT if twice else faults.FINE
    if equals(buffer, line.start, line.end, phrases.COLLECTED):
        twice = parser.collected == 1
        parser.collected = 1
        return faults.WRONG_POINT if twice else faults.FINE
    return _swap(buffer, line, parser, hand, state, events)


@compiled
def _deal(line: Int, parser: Any, hand: Any, present: Int, events: Any) -> None:
    """Hidden cards for everyone, in dealing order."""
    parser.deal = parser.events
    seat: Int = np.int64(hand.dealer)
    for _ in range(SEATS):
        seat = next_seat(present, seat)
        _hide(add_event(parser, events, line, game.DEAL_HAND, seat, NO_AMOUNT), HAND_CARDS)
        if seat == hand.dealer:
            break


@compiled
def _swap(buffer: Bytes, line: Line, parser: Any, hand: Any, state: Any, events: Any) -> Int:
    """Cards discarded, and as many drawn; only the human's are known."""
    stop, number = swap_line(buffer, line.start, line.end)
    if stop == NONE:
        return faults.UNREADABLE
    seat = seat_of(buffer, parser, line.start, stop)
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    known = seat == hand.human and cards_known(parser, hand, events)
    discard = add_event(parser, events, line.number, game.DISCARD, seat, NO_AMOUNT)
    _hide(discard, number)
    fault = put_away(parser, state.held_cards[seat], discard) if known else faults.FINE
    if number > 0 and fault == faults.FINE:
        _hide(add_event(parser, events, line.number, game.DEAL_DRAW, seat, NO_AMOUNT), number)
        if seat == hand.human:
            parser.draw = parser.events - 1
    return fault


# ---------------------------------------------------------------- the showdown


@compiled
def _showdown(buffer: Bytes, line: Line, parser: Any, events: Any) -> Int:
    """A hand that is shown or mucked, or the chips of the only player left."""
    stop, amount = name_and_number(buffer, line.start, line.end, phrases.WON, phrases.CHIPS_DOT)
    if stop != NONE:
        seat = seat_of(buffer, parser, line.start, stop)
        return _gets(line.number, parser, seat, amount, events)
    stop = name_before(buffer, line.start, line.end, phrases.MUCKED)
    if stop != NONE:
        seat = seat_of(buffer, parser, line.start, stop)
        if seat == NONE:
            return faults.NO_SUCH_PLAYER
        _hide(add_event(parser, events, line.number, game.SCORE_SHOW, seat, NO_AMOUNT), HAND_CARDS)
        return faults.FINE
    bracket = line.end - 1
    while bracket > line.start and buffer[bracket] != 91:
        bracket -= 1
    if not ends_with(buffer, line.start, bracket, phrases.HOLDING):
        return faults.UNREADABLE
    seat = seat_of(buffer, parser, line.start, bracket - len(phrases.HOLDING))
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, bracket, line.end, held)
    if found != 1:
        return faults.NO_CARD if found == 0 else faults.UNREADABLE
    event = add_event(parser, events, line.number, game.SCORE_SHOW, seat, NO_AMOUNT)
    event.count = HAND_CARDS
    for card in range(HAND_CARDS):
        event.cards[card] = held[card]
    return faults.FINE


@compiled
def _gets(line: Int, parser: Any, seat: Int, amount: Int, events: Any) -> Int:
    """Chips that a player gets."""
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    add_event(parser, events, line, game.SCORE_HAND, seat, amount)
    return faults.FINE


@compiled
def _reward(buffer: Bytes, line: Line, parser: Any, state: Any, events: Any) -> Int:
    """``won`` with the hand that the player has shown, or ``got … back`` if it was not shown."""
    stop, amount, category = reward_line(buffer, line.start, line.end)
    if stop == NONE:
        return faults.UNREADABLE
    seat = seat_of(buffer, parser, line.start, stop)
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    if category != shown_category(state, seat) or (category == NONE) != (state.mucked >> seat & 1 == 1):
        return faults.CONTRADICTS
    return _gets(line.number, parser, seat, amount, events)


# ---------------------------------------------------------------- after the hand


@compiled
def _standing(buffer: Bytes, line: Line, parser: Any, state: Any, events: Any) -> Int:
    """A player's chips after the hand."""
    stop, amount = name_and_number(buffer, line.start, line.end, phrases.HAS_GOT, phrases.REMAINING)
    if stop == NONE:
        return faults.UNREADABLE
    if parser.left < MOST_NAMES:
        parser.left_from[parser.left] = line.start
        parser.left_to[parser.left] = stop
        parser.left_chips[parser.left] = amount
        parser.left += 1
    seat = seat_of(buffer, parser, line.start, stop)
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    if state.present >> seat & 1 == 0 or parser.standings >> seat & 1:
        return faults.WRONG_POINT
    parser.standings |= 1 << seat
    parser.standing[seat] = amount
    add_event(parser, events, line.number, game.SCORE_MATCH, seat, amount)
    return faults.FINE


@compiled
def _leaves(buffer: Bytes, line: Line, parser: Any, state: Any) -> Int:
    """A player without chips leaves after the hand."""
    stop = name_before(buffer, line.start, line.end, phrases.LEAVING)
    if stop == NONE:
        return faults.UNREADABLE
    seat = seat_of(buffer, parser, line.start, stop)
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    if not all_stand(parser, state):
        return faults.LINES_MISSING
    if parser.leaving >> seat & 1:
        return faults.WRONG_POINT
    parser.leaving |= 1 << seat
    return faults.FINE if parser.standing[seat] == 0 else faults.CONTRADICTS


@compiled
def _ends(buffer: Bytes, line: Line, parser: Any, hand: Any, state: Any) -> Int:
    """The match is over: one player has all chips, or the human has none."""
    if not all_stand(parser, state):
        return faults.LINES_MISSING
    start, stop = line.start, name_before(buffer, line.start, line.end, phrases.HAS_WON)
    lost = stop == NONE
    if lost:
        start, stop = lost_line(buffer, line.start, line.end)
    if stop == NONE:
        return faults.UNREADABLE
    seat = seat_of(buffer, parser, start, stop)
    if seat == NONE:
        return faults.NO_SUCH_PLAYER
    if lost:
        parser.game_over = 1
        return faults.FINE if seat == hand.human and parser.standing[seat] == 0 else faults.CONTRADICTS
    others = np.int64(0)
    for other in range(SEATS):
        if state.present >> other & 1 and other != seat:
            others += parser.standing[other]
    return faults.FINE if others == 0 else faults.CONTRADICTS
