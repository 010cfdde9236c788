"""Turns the lines of a hand into events.

Lines must come in the order in which the programs print them; a missing or misplaced line rejects the hand.
Every event goes through the rules as soon as it is made, and their state knows what was bid and played.
Whether all of it was legal is judged later, when the whole deal is known.
"""

import json
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote import rules as belote
from cardlog.models.belote.score import SEATS
from cardlog.models.belote.state import DEALING, HAND_CARDS, PLAYING, SEEN_IN_BIDDING
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import deal, faults, phrases, result
from cardlog.pipelines.readers.belot_transcript.cards import SUITS, parse_cards
from cardlog.pipelines.readers.belot_transcript.hands import RESUMED
from cardlog.pipelines.readers.belot_transcript.names import NO_NAME, NameTable, find_seat, find_seat_after
from cardlog.pipelines.readers.belot_transcript.state import (
    ANNOUNCED,
    DEALT_EVENTS,
    FIXED_EVENTS,
    MOST_SETS,
    NO_SECTION,
    NO_SPEAKER,
    NONE,
    PROGRESS,
    SHOWN,
    UNANNOUNCED,
    Parser,
    add,
    awaits_trick,
    begin,
    cards_left,
    carry_out,
    deal_event,
    last_event,
)
from cardlog.pipelines.readers.bytes import NO_CARD, SPACE, starts_with
from cardlog.pipelines.readers.scan import Bytes


def _openings() -> NDArray[np.void]:
    states = np.zeros((len(phrases.DIALECTS), SEATS), belote.STATE)
    for number, dialect in enumerate(phrases.DIALECTS):
        for dealer in range(SEATS):
            states[number, dealer] = belote.begin(json.loads(belote.opening(dialect, dealer)))[0]
    return states


_OPENINGS: Final = _openings()
"""The state before a hand, by dialect and dealer."""
_LINE_END, _RETURN, _COMMA, _SQUARE, _SQUARE_END, _SET, _SET_END = 10, 13, 44, 91, 93, 123, 125


def parse(
    text: Bytes, lines: NDArray[np.void], names: NameTable, hands: NDArray[np.void], matches: NDArray[np.void]
) -> NDArray[np.void]:
    """The events of all hands, with the indices of their lines; completes `hands`."""
    counts = np.bincount(lines["kind"], minlength=phrases.TRACE + 1)
    single = counts[
        [phrases.PASS, phrases.TRUMP, phrases.CARD, phrases.BELA, phrases.TRICK, phrases.PAIR_POINTS]
    ].sum()
    several = counts[[phrases.DECLARATION, phrases.FINAL_POINTS]].sum()
    most = int(single) + MOST_SETS * int(several) + (FIXED_EVENTS + 1) * (len(hands) + 1)
    events = np.empty(most, belote.EVENT)
    return events[: _parse_hands(text, lines, names, hands, matches, events)]


@compiled
def _parse_hands(text: Bytes, lines: Any, names: NameTable, hands: Any, matches: Any, events: Any) -> int:
    states = np.zeros(1, belote.STATE)
    progress = np.zeros(1, PROGRESS)
    last_match = -1
    for index in range(len(hands)):
        hand = hands[index]
        own_names = NameTable(names.letters, names.bounds[hand.match])
        parser = Parser(text, own_names, hand, states, progress, events)
        begin(parser)
        if hand.match != last_match:
            last_match = hand.match
            if matches[hand.match].fresh != RESUMED:
                hand.befores = matches[hand.match].fresh
                hand.before[:] = 0
        hand.fault = _parse_hand(parser, lines)
        if hand.fault == faults.FINE:
            deal.complete(parser)
        else:
            hand.line = progress[0].line
            progress[0].made = hand.offset
            result.keep_totals(parser, lines)
        result.choose_score(parser)
        if index + 1 < len(hands):
            result.note_next_score(parser, hands[index + 1])
    return int(progress[0].made)


@compiled
def _parse_hand(parser: Parser, lines: Any) -> int:
    """Parse the lines of a hand; returns the fault of the line `progress.line`."""
    hand, progress = parser.hand, parser.progress[0]
    if hand.stray:
        return faults.NO_BEGINNING if lines[hand.first].kind != phrases.UNKNOWN else faults.NOTHING
    if parser.names.bounds[0, 0] == NO_NAME:
        return faults.NO_NAMES
    for index in range(hand.first, hand.last + 1):
        if lines[index].kind not in (phrases.BLANK, phrases.NOISE):
            progress.line = index
            fault = _parse_line(parser, lines[index])
            if fault != faults.FINE:
                return fault
    if hand.dealer < 0:
        progress.line = hand.first
        return faults.NO_DEALER
    return faults.FINE


@compiled
def _parse_line(parser: Parser, line: Any) -> int:
    """Turn a line into events; returns its fault."""
    hand = parser.hand
    kind = line.kind
    if kind in (phrases.UNKNOWN, phrases.TRACE, phrases.MARK):
        return faults.NOTHING
    if kind == phrases.SHARING:
        return faults.FINE if parser.progress[0].line == hand.first else faults.MISPLACED
    if kind == phrases.DEALER:
        return _dealer(parser, line)
    if hand.dealer < 0:
        return faults.MISSING
    if kind in (phrases.HEADER, phrases.CARD, phrases.TRICK, phrases.BELA):
        return _play(parser, line)
    if kind == phrases.HAND_CARDS:
        return _hand_cards(parser, line)
    if kind in (phrases.DECLARATIONS, phrases.NO_DECLARATION, phrases.DECLARATION):
        return _declarations(parser, line)
    if kind < phrases.POINTS:
        return _turn(parser, line)
    return result.parse_line(parser, line)


@compiled
def _dealer(parser: Parser, line: Any) -> int:
    """The dealer, who determines the state before the hand."""
    hand = parser.hand
    if hand.dealer >= 0:
        return faults.MISPLACED
    seat = find_seat(parser.text, line.name_start, line.name_end, parser.names)
    if seat == NO_NAME:
        return faults.WRONG_NAME
    hand.dealer = seat
    hand.dialect = line.number
    parser.states[0] = _OPENINGS[hand.dialect, seat]
    carry_out(parser, parser.events[hand.offset])
    return faults.FINE


@compiled
def _hand_cards(parser: Parser, line: Any) -> int:
    """The cards of a seat, printed at the deal."""
    progress = parser.progress[0]
    event = deal_event(parser, line.number)
    is_begun = progress.made > parser.hand.offset + DEALT_EVENTS or progress.speaker != NO_SPEAKER
    if is_begun or event.count:
        return faults.MISPLACED
    count = parse_cards(parser.text, line.name_start, line.name_end, event.cards)
    if count != HAND_CARDS:
        return faults.BAD_CARD if count < 0 else faults.WRONG_NUMBER
    event.count = HAND_CARDS
    event.line = progress.line
    carry_out(parser, event)
    return faults.FINE


# ---------------------------------------------------------------- a turn


@compiled
def _turn(parser: Parser, line: Any) -> int:
    """A line after a seat's header: its bid, or what a person is shown and asked."""
    hand, progress = parser.hand, parser.progress[0]
    if progress.speaker == NO_SPEAKER or progress.section != NO_SECTION:
        return faults.MISPLACED
    if line.kind == phrases.MUST:
        return faults.FINE if (line.number == 1) == (progress.speaker == hand.dealer) else faults.WRONG_MUST
    if line.kind in (phrases.PASS, phrases.TRUMP):
        return _bid(parser, line)
    hand.prompted |= 1 << progress.speaker
    return _own_cards(parser, line) if line.kind == phrases.OWN_CARDS else faults.FINE


@compiled
def _bid(parser: Parser, line: Any) -> int:
    state, progress = parser.states[0], parser.progress[0]
    if state.phase >= PLAYING:
        return faults.MISPLACED
    seat = find_seat_after(
        parser.text, line.name_start, line.name_end, phrases.PLAYER, parser.names, progress.speaker
    )
    if seat != progress.speaker:
        return faults.WRONG_NAME if seat == NO_NAME else faults.MISPLACED
    if state.phase == DEALING:
        deal.hide(parser)
    if line.kind == phrases.PASS:
        event = add(parser, belote.BID_PASS, seat)
    else:
        event = add(parser, belote.NAME_TRUMP, seat)
        event.suit = SUITS[line.number]
    carry_out(parser, event)
    _end_turn(parser)
    return faults.FINE


@compiled
def _end_turn(parser: Parser) -> None:
    progress = parser.progress[0]
    parser.hand.acted |= 1 << progress.speaker
    progress.speaker = NO_SPEAKER


@compiled
def _own_cards(parser: Parser, line: Any) -> int:
    """The cards that a person is shown: six while bidding, later the whole hand."""
    state, progress = parser.states[0], parser.progress[0]
    start, end = line.name_start, line.name_end
    while start < end and parser.text[start] == SPACE:
        start += 1
    if end - start < 2 or parser.text[start] != _SQUARE or parser.text[end - 1] != _SQUARE_END:
        return faults.NOTHING
    count = parse_cards(parser.text, start + 1, end - 1, progress.found)
    if count < 0:
        return faults.BAD_CARD
    seat = progress.speaker
    expected = cards_left(state, seat) if state.phase >= PLAYING else SEEN_IN_BIDDING
    if count != expected:
        return faults.WRONG_NUMBER
    if state.phase < PLAYING or expected == HAND_CARDS:
        for number in range(progress.own[seat]):
            if progress.own_cards[seat, number] != progress.found[number]:
                return faults.CONTRADICTS
        progress.own[seat] = count
        progress.own_cards[seat, :] = progress.found
    return faults.FINE


# ---------------------------------------------------------------- declarations


@compiled
def _declarations(parser: Parser, line: Any) -> int:
    """``Vocations:``, then a line that there are none, or one for each player who has some."""
    state, progress = parser.states[0], parser.progress[0]
    is_time = state.phase == PLAYING and state.plays == 0 and progress.speaker == NO_SPEAKER
    if not is_time or progress.section != NO_SECTION:
        return faults.MISPLACED
    announced = progress.declarations
    if line.kind == phrases.DECLARATIONS:
        progress.declarations = max(announced, ANNOUNCED)
        return faults.FINE if announced == UNANNOUNCED else faults.MISPLACED
    if announced == UNANNOUNCED:
        return faults.MISSING
    if announced == NONE or (line.kind == phrases.NO_DECLARATION and announced == SHOWN):
        return faults.CONTRADICTS
    if line.kind == phrases.NO_DECLARATION:
        progress.declarations = NONE
        return faults.FINE
    start, end = line.name_start, line.name_end
    seat = find_seat_after(parser.text, start, end, phrases.DECLARATIONS_OF, parser.names, NO_SPEAKER)
    if seat == NO_NAME and starts_with(parser.text, start, end, phrases.DECLARATIONS_OF_OTHERS):
        seat = find_seat(parser.text, start + len(phrases.DECLARATIONS_OF_OTHERS), end, parser.names)
    if seat == NO_NAME:
        return faults.WRONG_NAME
    progress.declarations = SHOWN
    return _sets(parser, line.number, seat)


@compiled
def _sets(parser: Parser, start: Int, seat: Int) -> int:
    """``{PIK ♠ X, PIK ♠ IX, PIK ♠ VIII}, {…}]``: the declarations of one player."""
    text = parser.text
    for _ in range(MOST_SETS):
        if start >= len(text) or text[start] != _SET:
            return faults.NOTHING
        stop = start + 1
        while stop < len(text) and text[stop] != _SET_END and text[stop] != _LINE_END:
            stop += 1
        event = add(parser, belote.DECLARE, seat)
        count = parse_cards(text, start + 1, stop, event.cards)
        if count < 0 or stop + 1 >= len(text):
            return faults.BAD_CARD
        event.count = count
        carry_out(parser, event)
        if text[stop + 1] == _SQUARE_END:
            is_end = stop + 2 >= len(text) or text[stop + 2] in (_LINE_END, _RETURN, SPACE)
            return faults.FINE if is_end else faults.NOTHING
        if text[stop + 1] != _COMMA:
            return faults.NOTHING
        start = stop + 3
    return faults.WRONG_NUMBER


# ---------------------------------------------------------------- play


@compiled
def _play(parser: Parser, line: Any) -> int:
    """Headers, cards, bela and takers of tricks."""
    progress = parser.progress[0]
    if progress.section != NO_SECTION or progress.swept:
        return faults.MISPLACED
    if line.kind == phrases.TRICK:
        return _trick(parser, line)
    if line.kind == phrases.HEADER:
        return _header(parser, line)
    if progress.speaker == NO_SPEAKER or parser.states[0].phase < PLAYING:
        return faults.MISPLACED
    if line.kind == phrases.CARD:
        return _card(parser, line)
    if last_event(parser).action == belote.CLAIM_BELA:
        return faults.MISPLACED
    carry_out(parser, add(parser, belote.CLAIM_BELA, progress.speaker))
    return faults.FINE


@compiled
def _header(parser: Parser, line: Any) -> int:
    """The seat whose bid or card comes next."""
    progress = parser.progress[0]
    is_undeclared = parser.states[0].phase >= PLAYING and progress.declarations in (UNANNOUNCED, ANNOUNCED)
    if progress.speaker != NO_SPEAKER or awaits_trick(parser) or is_undeclared:
        return faults.MISSING
    progress.speaker = find_seat(parser.text, line.name_start, line.name_end, parser.names)
    return faults.FINE if progress.speaker != NO_NAME else faults.WRONG_NAME


@compiled
def _card(parser: Parser, line: Any) -> int:
    state, seat = parser.states[0], parser.progress[0].speaker
    if state.hands[seat] == 0 and state.hidden[seat] == 0:
        return faults.MISPLACED
    if line.number == NO_CARD:
        return faults.BAD_CARD
    event = add(parser, belote.PLAY_CARD, seat)
    event.count = 1
    event.cards[0] = line.number
    carry_out(parser, event)
    _end_turn(parser)
    return faults.FINE


@compiled
def _trick(parser: Parser, line: Any) -> int:
    """The taker of a trick, and its points."""
    if not awaits_trick(parser):
        return faults.MISPLACED
    seat = find_seat(parser.text, line.name_start, line.name_end, parser.names)
    if seat == NO_NAME:
        return faults.WRONG_NAME
    event = add(parser, belote.SCORE_TRICK, seat)
    event.amount = line.number
    carry_out(parser, event)
    return faults.FINE
