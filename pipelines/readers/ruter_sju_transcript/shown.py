"""Compiled: the hand and the board that every turn of a Ruter Sju transcript shows.

A hand shown for the first time is the deal. From then on hands and boards must agree with the rules' state.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.ruter_sju.state import CARD_OF, NO_CARD, NUMBER_OF, SUIT_OF
from cardlog.pipelines.readers.ruter_sju_transcript import faults, lines
from cardlog.pipelines.readers.ruter_sju_transcript.events import FIRST_HAND, fold
from cardlog.pipelines.readers.ruter_sju_transcript.state import BOARD, GAME, ORDER, TURN
from cardlog.pipelines.readers.scan import Bytes


@compiled
def is_in_deck(state: Any, suit: Int, number: Int) -> bool:
    """Whether the deck has this suit, and a card of this number in it."""
    return bool(0 <= suit < state.suits and 1 <= number <= state.ranks)


@compiled
def dealt_hand_line(buffer: Bytes, start: Int, end: Int, parser: Any, events: NDArray[Any]) -> Int:
    """Parse a seat's hand, shown for the first time. Returns the fault."""
    state = parser.state
    event = events[FIRST_HAND + parser.seat]
    is_dealt = _dealt_cards(events[FIRST_HAND : FIRST_HAND + state.seats])
    count = 0
    at = start
    while at < end:
        suit, number, at = lines.card_of_hand(buffer, start, at, end)
        if suit == lines.NO_SUIT:
            return faults.NO_LINE
        if not is_in_deck(state, suit, number):
            return faults.NO_CARD
        if count == event.count:
            return faults.WRONG_COUNT
        code = CARD_OF[suit, number]
        if is_dealt[code]:
            return faults.DEALT_TWICE
        is_dealt[code] = True
        event.cards[count] = code
        count += 1
    if count < event.count:
        return faults.WRONG_COUNT
    event.line = parser.line
    fold(parser, events)
    parser.expected = GAME
    return faults.FINE


@compiled
def _dealt_cards(deals: NDArray[Any]) -> NDArray[np.bool_]:
    """Whether each card is in a hand shown so far, by code: shape (256,)."""
    is_dealt = np.zeros(256, np.bool_)
    for deal in deals:
        for index in range(deal.count):
            is_dealt[deal.cards[index]] = True
    return is_dealt


@compiled
def hand_line(buffer: Bytes, start: Int, end: Int, parser: Any) -> Int:
    """Parse the rest of a hand, in the order of the deal. Returns the fault."""
    state, seat = parser.state, parser.seat
    index = _next_held(state, seat, 0)
    at = start
    while at < end:
        suit, number, at = lines.card_of_hand(buffer, start, at, end)
        if suit == lines.NO_SUIT:
            return faults.NO_LINE
        if not is_in_deck(state, suit, number):
            return faults.NO_CARD
        if index == state.counts[seat] or state.dealt_cards[seat, index] != CARD_OF[suit, number]:
            return faults.WRONG_HAND
        index = _next_held(state, seat, index + 1)
    if index < state.counts[seat]:
        return faults.WRONG_HAND
    parser.expected = GAME
    return faults.FINE


@compiled
def _next_held(state: Any, seat: Int, index: Int) -> Int:
    """The index of the next dealt card, from this one on, that a seat still holds; else the number of its
    cards."""
    while index < state.counts[seat]:
        code = state.dealt_cards[seat, index]
        if state.hands[seat, SUIT_OF[code]] >> (NUMBER_OF[code] - 1) & 1:
            break
        index += 1
    return index


@compiled
def expect_board(parser: Any) -> None:
    """Expect the board next."""
    parser.expected = BOARD
    parser.row = 0


@compiled
def board_line(buffer: Bytes, start: Int, end: Int, parser: Any) -> Int:
    """Parse a row of the board, one a suit. Returns the fault."""
    state = parser.state
    suit, centre = np.int64(parser.row), np.int64(state.centre)
    middle = centre if np.int64(state.placed[suit]) >> (centre - 1) & 1 else np.int64(NO_CARD)
    numbers = (np.int64(state.under[suit]), middle, np.int64(state.over[suit]))
    is_row, is_right = lines.board_row(buffer, start, end, suit, numbers)
    if not is_right:
        return faults.WRONG_BOARD if is_row else faults.NO_LINE
    parser.row += 1
    if parser.row == state.suits:
        parser.expected = ORDER if parser.over else TURN
    return faults.FINE
