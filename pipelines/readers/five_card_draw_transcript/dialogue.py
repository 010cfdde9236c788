"""Compiled parser of the lines that the human is shown before acting, and of the answers."""

from typing import Any

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw import rules as game
from cardlog.models.five_card_draw.legal import owed_by
from cardlog.models.five_card_draw.ranks import HAND_CARDS
from cardlog.models.five_card_draw.state import next_seat
from cardlog.pipelines.readers.bytes import parse_int, starts_with
from cardlog.pipelines.readers.five_card_draw_transcript import faults, lines, phrases
from cardlog.pipelines.readers.five_card_draw_transcript.lines import NONE, Line, card_list, number_in
from cardlog.pipelines.readers.five_card_draw_transcript.state import (
    UNREPORTED,
    begin_state,
    chips_of,
)
from cardlog.pipelines.readers.scan import Bytes
from cardlog.schemas.cards import UNKNOWN

# ---------------------------------------------------------------- answers


@compiled
def answer(buffer: Bytes, line: Line, parser: Any) -> Int:
    """The human's answer: a number of chips, or the cards to swap."""
    if line.kind == lines.ASKS_BET:
        parser.bet_answer = parse_int(buffer, line.start, line.end)
        return faults.FINE
    if line.kind == lines.ASKS_SWAP:
        parser.swap_answer = 0
        for card in range(line.end - line.start):
            digit = np.int64(buffer[line.start + card]) - 48
            if digit < 0 or digit > 9:
                parser.swap_answer = UNREPORTED  # the program also accepts digits of other scripts
                break
            if digit > 0 and card < HAND_CARDS:
                parser.swap_answer |= 1 << card
        return faults.FINE
    return faults.FINE if line.kind == lines.WARNING else faults.UNREADABLE


# ---------------------------------------------------------------- what the human is shown


@compiled
def info(buffer: Bytes, line: Line, parser: Any, hand: Any, states: Any, events: Any) -> Int:
    """What the human is shown before acting: the cards, the pot, the chips, what to call."""
    shows_cards = starts_with(buffer, line.start, line.end, phrases.YOUR_CARDS)
    if parser.piped == 1 and shows_cards and parser.deal != NONE and not cards_known(parser, hand, events):
        _find_human(parser, hand, states[0], events)
    if hand.human == NONE:
        return faults.NO_HUMAN
    if _deal_to_human(parser, hand, events) == NONE:
        return faults.WRONG_POINT
    if shows_cards:
        return _your_cards(buffer, line, parser, hand, states, events)
    state = states[0]
    pot = number_in(buffer, line.start, line.end, phrases.THERE_ARE, phrases.IN_POT)
    if pot != NONE:
        return faults.FINE if pot == state.staked.sum() else faults.CONTRADICTS
    chips = number_in(buffer, line.start, line.end, phrases.YOU_HAVE, phrases.REMAINING)
    if chips != NONE:
        return faults.FINE if chips == chips_of(state, hand.human) else faults.CONTRADICTS
    call = number_in(buffer, line.start, line.end, phrases.TO_CALL, phrases.CHIPS_DOT)
    if call != NONE:
        return faults.FINE if call == owed_by(state, hand.human) else faults.CONTRADICTS
    return faults.UNREADABLE


@compiled
def _deal_to_human(parser: Any, hand: Any, events: Any) -> Int:
    """The event that deals the human's cards, or `NONE`."""
    deal: Int = parser.deal
    while deal != NONE and deal < parser.events and events[deal].action == game.DEAL_HAND:
        if events[deal].seat == hand.human:
            return deal
        deal += 1
    return NONE


@compiled
def cards_known(parser: Any, hand: Any, events: Any) -> bool:
    """Whether the human's cards have been shown."""
    deal = _deal_to_human(parser, hand, events)
    return bool(deal != NONE and events[deal].cards[0] != UNKNOWN)


@compiled
def _find_human(parser: Any, hand: Any, state: Any, events: Any) -> None:
    """Find the seat of a human whose name is not in the log, when the cards are first shown: the seat in
    turn, or once the rules have refused an event, the one after the last that has acted."""
    seat: Int = np.int64(state.turn)
    if parser.refused == 1:
        seat = next_seat(state.present, np.int64(events[parser.events - 1].seat))
    hand.human = seat
    hand.human_from = parser.name_from[seat]
    hand.human_to = parser.name_to[seat]


@compiled
def _your_cards(buffer: Bytes, line: Line, parser: Any, hand: Any, states: Any, events: Any) -> Int:
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, line.start + len(phrases.YOUR_CARDS), line.end, held)
    if found != 1:
        return faults.NO_CARD if found == 0 else faults.UNREADABLE
    if not cards_known(parser, hand, events):
        deal = events[_deal_to_human(parser, hand, events)]
        for card in range(HAND_CARDS):
            deal.cards[card] = held[card]
        begin_state(parser, hand, states)  # apply all events again: the cards were hidden before
        return faults.FINE
    expected = states[0].held_cards[hand.human]
    for card in range(HAND_CARDS):
        if held[card] != expected[card]:
            return faults.CONTRADICTS
    return faults.FINE


# ---------------------------------------------------------------- the human's draw


@compiled
def put_away(parser: Any, held: Any, event: Any) -> Int:
    """Fill in the cards that the human discards, if they are in the log; otherwise the new hand will show
    them."""
    if parser.swap_answer == NONE:
        return faults.LINES_MISSING
    if parser.swap_answer == UNREPORTED or _fill(event, held, parser.swap_answer) == event.count:
        return faults.FINE
    return faults.CONTRADICTS


@compiled
def _fill(event: Any, held: Any, chosen: Int) -> Int:
    """Fill a discard with the cards of a hand that `chosen` has bits of; returns their number."""
    gone = 0
    for card in range(HAND_CARDS):
        if chosen >> card & 1:
            if gone < event.count:
                event.cards[gone] = held[card]
            gone += 1
    return gone


@compiled
def new_hand(buffer: Bytes, line: Line, parser: Any, hand: Any, state: Any, events: Any) -> Int:
    """The human's hand after the draw: the cards kept, in order, then those drawn. The state is still the one
    before the draw."""
    if not cards_known(parser, hand, events) or not starts_with(
        buffer, line.start, line.end, phrases.NEW_HAND
    ):
        return faults.LINES_MISSING
    held = np.zeros(HAND_CARDS, np.uint8)
    found = card_list(buffer, line.start + len(phrases.NEW_HAND), line.end, held)
    if found != 1:
        return faults.NO_CARD if found == 0 else faults.UNREADABLE
    discard, draw = events[parser.draw - 1], events[parser.draw]
    before = state.held_cards[hand.human]
    kept = HAND_CARDS - np.int64(draw.count)
    reported = parser.swap_answer != UNREPORTED
    chosen = np.int64(0)
    stays = 0
    for card in range(HAND_CARDS):
        same = stays < kept and before[card] == held[stays]
        goes = parser.swap_answer >> card & 1 == 1 if reported else not same
        if goes:
            chosen |= 1 << card
        elif not same:
            return faults.CONTRADICTS
        else:
            stays += 1
    if stays != kept:
        return faults.CONTRADICTS
    _fill(discard, before, chosen)
    for card in range(kept, HAND_CARDS):
        draw.cards[card - kept] = held[card]
    parser.draw = NONE
    return faults.FINE
