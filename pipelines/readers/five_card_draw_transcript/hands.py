"""Compiled: finds where the hands of a five-card draw transcript begin and end.

A hand's text begins at ``[NEW ROUND]`` (the first one's at the match's first line) and ends with the empty
line before the next one or with the match's last line.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.pipelines.readers.bytes import equals
from cardlog.pipelines.readers.five_card_draw_transcript import faults, lines, phrases
from cardlog.pipelines.readers.five_card_draw_transcript.lines import NONE, Line, Text
from cardlog.pipelines.readers.five_card_draw_transcript.parser import parse_line
from cardlog.pipelines.readers.five_card_draw_transcript.preamble import (
    add_junk,
    before_hand,
    begins_match,
    next_match,
)
from cardlog.pipelines.readers.five_card_draw_transcript.prompts import classified, seat_of_human
from cardlog.pipelines.readers.five_card_draw_transcript.state import (
    GOES_ON,
    OVER,
    SEATS,
    UNREPORTED,
    UNRESOLVED,
    Output,
    add_event,
    all_stand,
    begin_state,
    catch_up,
    mark_wrong,
)
from cardlog.pipelines.readers.five_card_draw_transcript.table import chips_after, sit
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, compiled_dtype

SECTION: Final = compiled_dtype(
    [
        ("first", np.int64),  # its first line, and the one after its last
        ("stop", np.int64),
        ("given", np.int64),  # chips and ante by its mark, or NONE
        ("ante", np.int64),
        ("match", np.int64),  # out: index of its last match
    ]
)
"""A run of lines between marks."""


@compiled
def find_hands(text: Text, sections: Any, parser: Any, states: Any, output: Output) -> None:
    """Parse all lines of a text.

    parser
        In: the state before the first line. Out: how much of `output` is filled.
    states
        From `blank_states`.
    """
    for number in range(len(sections)):
        section = sections[number]
        if number > 0:
            next_match(parser)
        parser.given = section.given
        parser.ante = section.ante
        parser.open = 0
        parser.preamble = parser.preamble_wrong = NONE
        for index in range(section.first, section.stop):
            line = classified(text, index, parser.piped == 1)
            catch_up(parser, states[0], output.events)
            _take(text, line, section.stop, parser, states, output)
        if parser.open == 1:
            catch_up(parser, states[0], output.events)
            _close(parser, states[0], output, section.stop, section.stop == len(text.starts))
        elif parser.preamble != NONE and parser.preamble_wrong != NONE:
            add_junk(parser, output.junk, parser.preamble, section.stop)
        section.match = parser.match


@compiled
def _take(text: Text, line: Line, stop: Int, parser: Any, states: Any, output: Output) -> None:
    """Parse a line of a section that ends before line `stop`."""
    if parser.open == 1 and _begins_anew(text.buffer, line, parser):
        _close(parser, states[0], output, line.number, False)
    if parser.open == 0:
        if before_hand(text, line, parser, output.junk):
            return
        _open(text, line, stop, parser, states, output)
    if line.kind == lines.BLANK:
        parser.ended = all_stand(parser, states[0])
    elif parser.crashed == 0 and line.kind != lines.NEW_ROUND:
        if line.prompt == lines.ASKS_BET:
            parser.bet_answer = NONE
        elif line.prompt == lines.ASKS_SWAP:
            parser.swap_answer = UNREPORTED
        parse_line(text.buffer, line, parser, output.hands[parser.hands - 1], states, output.events)
    if parser.ended == 1:
        _close(parser, states[0], output, line.number + 1, False)


@compiled
def _begins_anew(buffer: Bytes, line: Line, parser: Any) -> bool:
    """Whether a line can't belong to the open hand: it begins another one, or another match."""
    if line.kind == lines.NEW_ROUND or begins_match(line):
        return True
    if parser.crashed == 1 or parser.standings == 0:
        return False
    return line.kind == lines.BUTTON or (
        line.kind == lines.CARDS and equals(buffer, line.start, line.end, phrases.SHUFFLED)
    )


@compiled
def _open(text: Text, line: Line, stop: Int, parser: Any, states: Any, output: Output) -> None:
    """Begin a hand: find its players and their chips."""
    hand = output.hands[parser.hands]
    parser.hands += 1
    parser.open = 1
    parser.crashed = parser.ended = parser.thanked = parser.game_over = 0
    parser.button = parser.collected = parser.leaving = parser.standings = 0
    parser.deal = parser.draw = parser.bet_answer = parser.swap_answer = NONE
    hand.match = parser.match
    hand.number = parser.hand_no
    hand.first = line.number if parser.preamble == NONE else parser.preamble
    hand.first_event = parser.events
    hand.wrong = faults.FINE
    parser.hand_no += 1
    if parser.preamble_wrong != NONE:
        mark_wrong(hand, faults.UNREADABLE, parser.preamble_wrong)
    elif line.kind != lines.NEW_ROUND:
        mark_wrong(hand, faults.NO_BEGINNING, line.number)
    parser.preamble = parser.preamble_wrong = NONE
    sit(text, line.number, stop, parser, hand)
    _note_players(parser, seat_of_human(text.buffer, parser), hand)
    parser.left = 0
    begin_state(parser, hand, states)
    add_event(parser, output.events, line.number, game.OPEN, NO_SEAT, NO_AMOUNT)


@compiled
def _note_players(parser: Any, human: Int, hand: Any) -> None:
    """Note the players in a hand."""
    hand.seats = parser.seats
    hand.human = human
    hand.piped = parser.piped
    hand.human_from = parser.human_from
    hand.human_to = parser.human_to
    hand.ante = parser.ante
    hand.given = parser.given
    for seat in range(SEATS):
        hand.name_from[seat] = parser.name_from[seat]
        hand.name_to[seat] = parser.name_to[seat]
        hand.chips[seat] = parser.before[seat] if seat < parser.seats else 0
        parser.standing[seat] = NONE


@compiled
def _close(parser: Any, state: Any, output: Output, line: Int, at_end: bool) -> None:
    """End the open hand before `line`: check that it is complete, and note the players' chips."""
    hand = output.hands[parser.hands - 1]
    parser.open = 0
    hand.last = line
    hand.cut = at_end and parser.ended == 0 and parser.crashed == 0
    if parser.draw != NONE:  # the human's draw was never shown, nor perhaps the discard
        parser.events -= 2 if parser.swap_answer == UNREPORTED else 1
    if not at_end and parser.crashed == 0 and parser.standings != 0:
        _check_end(parser, state, hand, line - 1)
    if hand.wrong != faults.FINE:
        parser.events = hand.first_event
    elif not at_end:
        parser.trusted |= parser.deal != NONE
    if parser.piped == 1 and hand.wrong == faults.FINE and hand.human != NONE:
        parser.human = UNRESOLVED
        parser.human_from = hand.human_from
        parser.human_to = hand.human_to
    parser.over = OVER if parser.thanked == 1 else GOES_ON
    chips_after(parser, state)


@compiled
def _check_end(parser: Any, state: Any, hand: Any, line: Int) -> None:
    """Check the lines after a hand: the standings, who leaves, all chips."""
    broke = 0
    for seat in range(SEATS):
        if (state.present & parser.standings) >> seat & 1 and parser.standing[seat] == 0:
            broke |= 1 << seat
    if not all_stand(parser, state) or (parser.game_over == 0 and parser.leaving != broke):
        mark_wrong(hand, faults.LINES_MISSING, line)
    paid_out = np.int64(0)
    for seat in range(SEATS):
        if state.reported >> seat & 1:
            paid_out += state.won[seat]
    if paid_out < state.staked.sum():
        mark_wrong(hand, faults.CHIPS_MISSING, line)
