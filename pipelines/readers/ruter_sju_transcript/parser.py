"""Compiled: turns the lines of a Ruter Sju hand into events.

Every event goes through the rules as soon as it is made, and their state says which hand and board the next
lines must show, so a lost or damaged line is noticed. Legality is left to the judge. Here a refused act still
moves its card, since a text that contradicts itself is reported first.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.ruter_sju import legal, rules
from cardlog.models.ruter_sju.state import CARD_OF
from cardlog.pipelines.readers.bytes import equals
from cardlog.pipelines.readers.ruter_sju_transcript import faults, lines
from cardlog.pipelines.readers.ruter_sju_transcript.events import (
    FIRST_HAND,
    add,
    apply,
    deal,
    hide,
    is_shown,
)
from cardlog.pipelines.readers.ruter_sju_transcript.shown import (
    board_line,
    dealt_hand_line,
    expect_board,
    hand_line,
    is_in_deck,
)
from cardlog.pipelines.readers.ruter_sju_transcript.state import (
    BOARD,
    GAME,
    HAND,
    NOTHING,
    ORDER,
    SECTION,
    TURN,
)
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.events import NO_SEAT


@compiled
def parse(
    buffer: Bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    parsers: NDArray[Any],
    events: NDArray[Any],
    offsets: NDArray[np.int64],
) -> None:
    """Parse hands into events. If a line can't be parsed, the events before it remain, and the parser has the
    `fault` and its `line`.

    starts, ends
        Offsets of the text's lines. Lines of length 0 are ignored.
    parsers
        `PARSER`, shape (hands,), with `first`, `last`, `names` and `start` filled in.
    offsets
        Out: the first event of each hand, and the end: shape (hands + 1,).
    """
    for hand in range(len(parsers)):
        _parse_hand(buffer, starts, ends, parsers[hand], events[offsets[hand] :])
        offsets[hand + 1] = offsets[hand] + parsers[hand].events


@compiled
def _parse_hand(
    buffer: Bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], parser: Any, events: NDArray[Any]
) -> None:
    deal(parser, events)
    shown_last: Int = NO_SEAT  # the seat whose dealt hand the last line showed
    for line in range(parser.first, parser.last):
        start, end = starts[line], ends[line]
        if start == end:
            continue
        parser.line = line
        shown_last = NO_SEAT
        if parser.expected == HAND and not is_shown(events, parser.seat):
            shown_last = parser.seat
        while start < end and parser.fault == faults.FINE:
            stop = end
            if parser.expected == TURN:
                stop = lines.end_of_prompt(buffer, start, end, parser.names, parser.seat)
            parser.fault = _parse_line(buffer, start, stop, parser, events)
            start = stop
        if parser.fault != faults.FINE:
            break
    if shown_last != NO_SEAT:  # it may be torn off, and nobody has acted on it
        hide(events[FIRST_HAND + shown_last], parser.state.counts[shown_last])


@compiled
def _parse_line(buffer: Bytes, start: Int, end: Int, parser: Any, events: NDArray[Any]) -> Int:
    """Parse one line; returns its fault."""
    if parser.unanswered:
        parser.unanswered = 0
        if not lines.begins_prompt(buffer, start, end, lines.CARD_PROMPT):
            # The game went on, so the answer was empty, which means no.
            _act(parser, events, rules.PASS, parser.seat)
    expected = parser.expected
    if expected == TURN:
        return _turn_line(buffer, start, end, parser, events)
    if expected == SECTION:
        return _section_line(buffer, start, end, parser)
    if expected == HAND and not _is_empty_handed(parser, events):
        if is_shown(events, parser.seat):
            return hand_line(buffer, start, end, parser)
        return dealt_hand_line(buffer, start, end, parser, events)
    if expected in (HAND, GAME):
        if not equals(buffer, start, end, lines.GAME_WORD):
            return faults.NO_LINE
        expect_board(parser)
        return faults.FINE
    if expected == BOARD:
        return board_line(buffer, start, end, parser)
    if expected == ORDER:
        return _order_line(buffer, start, end, parser, events)
    return faults.AFTER_END


@compiled
def _is_empty_handed(parser: Any, events: NDArray[Any]) -> bool:
    """[R10] Whether the seat plays on after its only card; the line of its hand is blank."""
    return bool(parser.state.left[parser.seat] == 0 and is_shown(events, parser.seat))


# ---------------------------------------------------------------- turns


@compiled
def _turn_line(buffer: Bytes, start: Int, end: Int, parser: Any, events: NDArray[Any]) -> Int:
    """Parse a line that begins a turn, or an act. Returns the fault."""
    kind, seat, after = lines.classify(buffer, start, end, parser.names, parser.seat)
    if kind == lines.BEGINS:
        _wait(parser, events)
        return _begin_turn(parser, seat)
    if kind == lines.PLACES:
        return _place(buffer, after, end, parser, events, seat)
    if kind == lines.TAKES:
        return _act(parser, events, rules.PASS if parser.loose_block else rules.TAKE_BLOCK, seat)
    if kind == lines.BLOCKED:
        _wait(parser, events)
        if parser.leaving or _is_idle(parser):
            return faults.WRONG_OUT if parser.leaving else faults.NO_ACT
        parser.in_turn = 0
        apply(parser, add(parser, events, rules.BLOCKED, seat))
        return faults.FINE
    if kind == lines.OUT:
        if not parser.leaving or seat != parser.seat:
            return faults.WRONG_OUT
        parser.leaving = 0
        parser.in_turn = 0
        return faults.FINE
    if kind == lines.GAME_OVER:
        if parser.leaving:
            return faults.WRONG_OUT
        if parser.state.out < parser.state.seats:
            return faults.EARLY_END
        expect_board(parser)
        parser.over = 1
        return faults.FINE
    return _prompt_line(buffer, after, end, kind, parser, events)


@compiled
def _prompt_line(buffer: Bytes, after: Int, end: Int, kind: Int, parser: Any, events: NDArray[Any]) -> Int:
    """Parse a prompt and the answer, which begins at offset `after`. Returns the fault."""
    if kind == lines.STARTER and parser.seat == NO_SEAT:
        # With a negative number the program loses track of a block that is taken at once.
        parser.loose_block = after < end and buffer[after] == 45
        return faults.FINE
    if parser.seat == NO_SEAT or not parser.in_turn or not _is_human(parser) or parser.leaving:
        return faults.NO_LINE
    if kind == lines.WHICH_CARD or kind == lines.INVALID:
        return faults.FINE
    if kind == lines.BACK:
        return _act(parser, events, rules.PASS, parser.seat)
    if kind == lines.ANOTHER and parser.acted:
        if after >= end:
            parser.unanswered = 1
        elif end - after != 1 or (buffer[after] | 32) != 121:  # y or Y
            return _act(parser, events, rules.PASS, parser.seat)
        return faults.FINE
    return faults.NO_LINE


@compiled
def _is_human(parser: Any) -> bool:
    """Whether a human plays the seat whose turn it is."""
    return bool(parser.state.humans >> parser.seat & 1)


@compiled
def _is_idle(parser: Any) -> bool:
    """Whether a turn was shown, but no act in it."""
    return bool(parser.in_turn and not parser.acted)


@compiled
def _wait(parser: Any, events: NDArray[Any]) -> None:
    """[R10] Add the pass of a computer, of which the program prints nothing."""
    if _is_idle(parser) and legal.waits(parser.state, parser.seat):
        _act(parser, events, rules.PASS, parser.seat)
        events[parser.events - 1].line = parser.turn_line


@compiled
def _begin_turn(parser: Any, seat: Int) -> Int:
    if parser.leaving:
        return faults.WRONG_OUT
    if _is_idle(parser):
        return faults.NO_ACT
    parser.seat = seat
    parser.turn_line = parser.line
    parser.in_turn = 1
    parser.acted = 0
    parser.expected = SECTION
    return faults.FINE


@compiled
def _place(buffer: Bytes, start: Int, end: Int, parser: Any, events: NDArray[Any], seat: Int) -> Int:
    """Add a card placed by a seat; after an end card the turn may go on. Returns the fault."""
    state = parser.state
    suit, number, _ = lines.card(buffer, start, end)
    if not is_in_deck(state, suit, number):
        return faults.NO_CARD
    if parser.leaving:
        return faults.WRONG_OUT
    if not parser.in_turn or seat != parser.seat:
        return faults.NO_TURN
    if not _is_human(parser) and not legal.holding(state, seat, suit) >> (number - 1) & 1:
        return faults.NOT_HELD
    event = add(parser, events, rules.PLAY_CARD, seat)
    event.count = 1
    event.cards[0] = CARD_OF[suit, number]
    apply(parser, event)
    parser.acted = 1
    parser.loose_block = 0
    parser.in_turn = number == 1 or number == state.ranks
    parser.leaving = state.left[seat] == 0
    return faults.FINE


@compiled
def _act(parser: Any, events: NDArray[Any], action: int, seat: Int) -> Int:
    """Add an act other than a card; it ends the turn. Returns the fault."""
    if parser.leaving:
        return faults.WRONG_OUT
    if parser.in_turn == 0 or seat != parser.seat:
        return faults.NO_TURN
    parser.acted = 1
    parser.in_turn = 0
    parser.loose_block = 0
    apply(parser, add(parser, events, action, seat))
    return faults.FINE


@compiled
def _section_line(buffer: Bytes, start: Int, end: Int, parser: Any) -> Int:
    """Parse what follows the name: CARDS for a computer, GAME for a human. Returns the fault."""
    is_cards = equals(buffer, start, end, lines.CARDS_WORD)
    is_game = equals(buffer, start, end, lines.GAME_WORD)
    if not is_cards and not is_game:
        return faults.NO_LINE
    if is_cards == _is_human(parser):
        return faults.WRONG_KIND
    if is_cards:
        parser.expected = HAND
    else:
        expect_board(parser)
    return faults.FINE


@compiled
def _order_line(buffer: Bytes, start: Int, end: Int, parser: Any, events: NDArray[Any]) -> Int:
    """Parse ``Final Order:``, or a seat's place in it. Returns the fault."""
    if parser.order == 0:
        if not equals(buffer, start, end, lines.ORDER_WORD):
            return faults.NO_LINE
        parser.order = 1
        return faults.FINE
    if end - start < 3 or buffer[start] != 48 + parser.order:
        return faults.NO_LINE
    if buffer[start + 1] != 46 or buffer[start + 2] != 32:
        return faults.NO_LINE
    for seat in range(parser.names.seats):
        if lines.after_name(buffer, start + 3, end, parser.names, seat) == end:
            event = add(parser, events, rules.SCORE_PLACE, seat)
            event.amount = parser.order
            apply(parser, event)
            parser.order += 1
            if parser.order > parser.names.seats:
                parser.expected = NOTHING
            return faults.FINE
    return faults.NO_LINE
