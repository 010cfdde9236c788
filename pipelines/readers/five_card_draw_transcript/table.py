"""Compiled: who sits at the table of a five-card draw transcript, and with what chips."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw.state import LEAST_SEATS
from cardlog.pipelines.readers.bytes import equals
from cardlog.pipelines.readers.five_card_draw_transcript import faults, lines, phrases
from cardlog.pipelines.readers.five_card_draw_transcript.lines import (
    NONE,
    Text,
    ante_line,
    kind_of,
    name_before,
)
from cardlog.pipelines.readers.five_card_draw_transcript.state import (
    MOST_NAMES,
    SEATS,
    UNRESOLVED,
    chips_of,
    mark_wrong,
)
from cardlog.pipelines.readers.scan import Bytes


@compiled
def same_text(buffer: Bytes, start: Int, end: Int, other: Int, other_end: Int) -> bool:
    """Whether two spans of the buffer are equal."""
    if end - start != other_end - other:
        return False
    same = 0
    while same < end - start and buffer[start + same] == buffer[other + same]:
        same += 1
    return bool(same == end - start)


@compiled
def seat_of(buffer: Bytes, parser: Any, start: Int, end: Int) -> Int:
    """The seat of a name, `NONE` if nobody at the table has it."""
    for seat in range(parser.seats):
        if same_text(buffer, start, end, parser.name_from[seat], parser.name_to[seat]):
            return seat
    return NONE


# ---------------------------------------------------------------- before a hand


class Ahead(NamedTuple):
    """What is known of a hand from its lines before the deal.

    names
        Offsets of the names of those who pay the ante, shape (MOST_NAMES, 2).
    payers
        Number of names; at most `MOST_NAMES` are counted.
    button_from, button_to
        Offsets of the name of the player with the button; the second one is `NONE` without it.
    ante
        `NONE` if it is not known.
    dealt, crashed
        Whether the deal follows, or a crash before it.
    """

    names: NDArray[np.int64]
    payers: Int
    button_from: Int
    button_to: Int
    ante: Int
    dealt: bool
    crashed: bool


@compiled
def _look_ahead(text: Text, first: Int, stop: Int, ante: Int) -> Ahead:
    names = np.zeros((MOST_NAMES, 2), np.int64)
    count: Int = 0
    button_from: Int = 0
    button_to: Int = NONE
    dealt = crashed = False
    line = first
    while line < stop and not dealt:
        kind, start = kind_of(text.buffer, text.starts[line], text.ends[line])
        end = text.ends[line]
        if kind == lines.BUTTON and button_to < 0:
            button_from, button_to = start, max(name_before(text.buffer, start, end, phrases.DOT), start)
        elif kind == lines.ANTE:
            name, name_end, amount, forced = ante_line(text.buffer, start, end)
            if name_end != NONE and count < MOST_NAMES:
                names[count, 0] = name
                names[count, 1] = name_end
                count += 1
            if name_end != NONE and not forced and ante == NONE:
                ante = amount
        elif kind == lines.CARDS:
            dealt = equals(text.buffer, start, end, phrases.DEALT)
        elif kind == lines.TRACEBACK:
            crashed = True
            break
        elif kind != lines.BLANK and kind != lines.UNREADABLE and (kind != lines.NEW_ROUND or line > first):
            break
        line += 1
    if crashed and 0 < count < MOST_NAMES and button_to >= 0:
        count = _with_button(text.buffer, names, count, button_from, button_to)
    return Ahead(names, count, button_from, button_to, ante, dealt, crashed)


@compiled
def _with_button(buffer: Bytes, names: Any, count: Int, button_from: Int, button_to: Int) -> Int:
    """Add the player with the button to those who have paid the ante before a crash: nobody else is known to
    play. Returns the number of names."""
    for number in range(count):
        if same_text(buffer, names[number, 0], names[number, 1], button_from, button_to):
            return count
    names[count, 0] = button_from
    names[count, 1] = button_to
    return count + 1


@compiled
def sit(text: Text, first: Int, stop: Int, parser: Any, hand: Any) -> None:
    """Look ahead at the button and the antes, from line `first`. If the players are not known yet, these are
    they: the one with the button has seat 0, the others follow in dealing order."""
    ahead = _look_ahead(text, first, stop, parser.ante)
    parser.ante = ahead.ante
    if parser.seats > 0 and parser.trusted == 0 and ahead.dealt and hand.wrong == faults.FINE:
        for number in range(ahead.payers):
            if seat_of(text.buffer, parser, ahead.names[number, 0], ahead.names[number, 1]) == NONE:
                parser.seats = 0  # they came from a damaged hand
                break
    if parser.seats == 0:
        _first_seats(text.buffer, ahead, first, parser, hand)
        parser.human = UNRESOLVED
        if parser.seats == 0:
            return
    hand.dealer = NONE
    if ahead.button_to >= 0:
        hand.dealer = seat_of(text.buffer, parser, ahead.button_from, ahead.button_to)
    if hand.dealer == NONE or parser.before[hand.dealer] == 0:
        hand.dealer = max(hand.dealer, 0)
        named = ahead.dealt or ahead.button_to >= 0
        mark_wrong(hand, faults.WRONG_BUTTON if named else faults.NO_ANTES, first)
    for seat in range(parser.seats):
        if parser.before[seat] == NONE:
            mark_wrong(hand, faults.NO_CHIPS, first)
    if ahead.ante == NONE:
        mark_wrong(hand, faults.NO_ANTES, first)


@compiled
def _first_seats(buffer: Bytes, ahead: Ahead, line: Int, parser: Any, hand: Any) -> None:
    """Seat those who have paid the ante, for the whole match, if that is possible."""
    fault = _cant_sit(buffer, ahead) if hand.wrong == faults.FINE else hand.wrong
    if fault != faults.FINE:
        mark_wrong(hand, fault, line)
        return
    parser.seats = ahead.payers
    parser.total = 0
    for number in range(ahead.payers):
        seat = (number + 1) % ahead.payers
        start, end = ahead.names[number, 0], ahead.names[number, 1]
        parser.name_from[seat] = start
        parser.name_to[seat] = end
        chips = parser.given if parser.hand_no == 1 else NONE
        for other in range(parser.left):
            if same_text(buffer, start, end, parser.left_from[other], parser.left_to[other]):
                chips = parser.left_chips[other]
        parser.before[seat] = chips
        parser.total = NONE if chips == NONE or parser.total == NONE else parser.total + chips


@compiled
def _cant_sit(buffer: Bytes, ahead: Ahead) -> Int:
    """Why those who have paid the ante can't be the players of a match, or `FINE`."""
    names, count = ahead.names, ahead.payers
    if not (ahead.dealt or ahead.crashed) or ahead.button_to == NONE or count < LEAST_SEATS:
        return faults.NO_ANTES
    if count > SEATS:
        return faults.TOO_MANY_PLAYERS
    for one in range(count):
        for other in range(one):
            if same_text(buffer, names[one, 0], names[one, 1], names[other, 0], names[other, 1]):
                return faults.SAME_NAMES
    last, last_end = names[count - 1, 0], names[count - 1, 1]
    if not same_text(buffer, last, last_end, ahead.button_from, ahead.button_to):
        return faults.WRONG_BUTTON
    return faults.FINE


# ---------------------------------------------------------------- after a hand


@compiled
def chips_after(parser: Any, state: Any) -> None:
    """The players' chips before the next hand: by the standings, or by the lines before them if the standings
    are incomplete or don't add up; one missing number follows from the rest."""
    standing, counted, unknown, missing = np.int64(0), np.int64(0), 0, 0
    for seat in range(parser.seats):
        if state.present >> seat & 1:
            counted += chips_of(state, seat)
            if parser.standings >> seat & 1 == 0:
                unknown += 1
                missing = seat
            else:
                standing += parser.standing[seat]
    by_standings = unknown == 0 and (parser.total == NONE or standing == parser.total)
    by_count = not by_standings and parser.total != NONE and counted == parser.total
    for seat in range(parser.seats):
        chips: Int = np.int64(0)
        if state.present >> seat & 1:
            chips = chips_of(state, seat) if by_count else parser.standing[seat]
            if not by_standings and not by_count:
                chips = NONE
                if unknown == 1 and parser.total != NONE and standing <= parser.total:
                    chips = parser.total - standing if seat == missing else parser.standing[seat]
        parser.before[seat] = chips
    if by_standings and parser.total == NONE and parser.seats > 0:
        parser.total = standing
