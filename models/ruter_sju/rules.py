"""Ruter Sju: three to six players lay suits out from their middle cards; first out wins. [R3] is rule 3 of
docs/rules/ruter_sju.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.ruter_sju.legal import (
    count_placements,
    fitting,
    holding,
    is_unchecked,
    may_block,
    may_pass,
    placements,
)
from cardlog.models.ruter_sju.state import (
    CARD_OF,
    DEALING,
    DONE,
    NUMBER_OF,
    OPENING,
    PLAYING,
    SUIT_OF,
    SUITS,
)
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """Apply one event to the state of a hand, or say why it is illegal. See `Game`."""
    action = event.action
    if action in (Action.PLAY_CARD, Action.PLAY_BLOCK, Action.PLAY_BLOCKED, Action.PLAY_PASS):
        return _act(state, event)
    if action == Action.DEAL_HAND:
        return _deal(state, event)
    if action == Action.SCORE_PLACE:
        return _check_place(state, event)
    if action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = DEALING
        return Reason.OK
    return Reason.OUT_OF_ORDER


# ---------------------------------------------------------------- the deal


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R4] All cards are dealt, as evenly as possible; a hidden hand is all ``??``."""
    if state.phase != DEALING:
        return Reason.OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= state.seats or state.dealt >> seat & 1:
        return Reason.WRONG_TURN
    held = np.zeros(SUITS, np.int16)
    unknown = 0
    for index in range(event.count):
        card = event.cards[index]
        if card == cards.UNKNOWN:
            unknown += 1
            continue
        suit, number = SUIT_OF[card], NUMBER_OF[card]
        if suit < 0 or suit >= state.suits or number > state.ranks:
            return Reason.UNKNOWN_CARD
        bit = np.int16(np.int64(1) << (number - 1))
        if held[suit] & bit or _is_dealt(state, suit, bit):
            return Reason.DUPLICATE_CARD
        held[suit] |= bit
    fewest = state.suits * state.ranks // state.seats
    spare = state.suits * state.ranks - fewest * state.seats
    if event.count < fewest or event.count > fewest + (spare > 0) or 0 < unknown < event.count:
        return Reason.INCOMPLETE
    if state.dealt | 1 << seat == (1 << state.seats) - 1:
        total = np.int64(event.count)
        for other in range(state.seats):
            total += state.counts[other]
        if total != state.suits * state.ranks:
            return Reason.INCOMPLETE
    state.dealt_cards[seat, : event.count] = event.cards[: event.count]
    state.hands[seat, :] = held
    state.counts[seat] = event.count
    state.left[seat] = event.count
    state.dealt |= 1 << seat
    if unknown > 0:
        state.hidden |= 1 << seat
    if state.dealt == (1 << state.seats) - 1:
        _begin_play(state)
    return Reason.OK


@compiled
def _is_dealt(state: Any, suit: Int, bit: Any) -> bool:
    for seat in range(state.seats):  # noqa: SIM110, a generator can't be compiled
        if state.hands[seat, suit] & bit:
            return True
    return False


@compiled
def _begin_play(state: Any) -> None:
    """[R5] The holder of the first suit's middle card begins. [R9] Cards in no known hand are in the hidden
    ones; if only one hand is hidden, it is therefore known. [R10] If no computer holds that card, the program
    asks who begins and takes any answer."""
    for suit in range(state.suits):
        unknown = (1 << np.int64(state.ranks)) - 1
        for seat in range(state.seats):
            unknown &= ~np.int64(state.hands[seat, suit])
        state.pool[suit] = unknown
    for seat in range(state.seats):
        if state.hidden == 1 << seat:
            _reveal(state, seat)
    first = np.int64(1) << (state.centre - 1)
    holder = NO_SEAT
    for seat in range(state.seats - 1, -1, -1):
        if state.hidden >> seat & 1 and holder == NO_SEAT:
            state.turn = seat
        if state.hands[seat, 0] & first:
            state.turn = seat
            holder = seat
    state.any_start = state.hidden if holder == NO_SEAT else 0
    if state.starter_is_asked and (holder == NO_SEAT or state.humans >> holder & 1):
        state.any_start = (1 << state.seats) - 1
    state.phase = PLAYING


@compiled
def _reveal(state: Any, seat: Int) -> None:
    """Give the only hidden hand the cards dealt to nobody else, suit by suit."""
    count = 0
    for suit in range(state.suits):
        for number in range(1, state.ranks + 1):
            if np.int64(state.pool[suit]) >> (number - 1) & 1:
                state.dealt_cards[seat, count] = CARD_OF[suit, number]
                count += 1
        state.hands[seat, suit] = state.pool[suit]
        state.pool[suit] = 0
    state.hidden = 0


# ---------------------------------------------------------------- the play


@compiled
def _act(state: Any, event: Any) -> Reason:
    """[R5-R8] The act of the seat in turn: place a card, take the block, or pass."""
    if state.phase != PLAYING:
        return Reason.OUT_OF_ORDER
    seat = np.int64(state.turn)
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        if event.seat < 0 or event.seat >= state.seats or state.any_start >> event.seat & 1 == 0:
            return Reason.WRONG_TURN
        seat = np.int64(event.seat)
    action = event.action
    if action == Action.PLAY_BLOCKED:
        if state.holder != seat:
            return Reason.WRONG_TURN
    elif state.holder == seat:
        return Reason.WRONG_TURN
    elif action == Action.PLAY_CARD:
        reason = _why_not(state, event, seat)
        if reason != Reason.OK:
            return reason
    elif action == Action.PLAY_BLOCK:
        if not may_block(state, seat):
            return Reason.MUST_FOLLOW
    elif not may_pass(state, seat):
        return Reason.MUST_FOLLOW
    state.turn = seat
    state.any_start = 0
    if action == Action.PLAY_CARD:
        _place(state, event.cards[0])
    elif action == Action.PLAY_BLOCK:
        _take_block(state)
    else:
        _end_turn(state)
    return Reason.OK


@compiled
def _why_not(state: Any, event: Any, seat: Int) -> Reason:
    """Why a seat can't place the event's card, `Reason.OK` if it can."""
    if event.count != 1:
        return Reason.INCOMPLETE
    card = event.cards[0]
    suit, number = SUIT_OF[card], NUMBER_OF[card]
    if suit < 0 or suit >= state.suits or number > state.ranks:
        return Reason.UNKNOWN_CARD
    if placements(state, seat, suit) >> (number - 1) & 1:
        return Reason.OK
    if state.placed[suit] >> (number - 1) & 1:
        return Reason.DUPLICATE_CARD
    if holding(state, seat, suit) >> (number - 1) & 1:
        return Reason.MUST_FOLLOW
    return Reason.NOT_IN_HAND


@compiled
def _place(state: Any, card: Int) -> None:
    """[R6] The seat in turn places a card. [R7] After an end card it may place another that it could have
    placed instead."""
    seat = np.int64(state.turn)
    number = NUMBER_OF[card]
    is_end = number == 1 or number == state.ranks
    others = count_placements(state, seat) - 1 if is_end else 0
    is_out = lay(state, seat, card)
    state.played[state.plays] = card
    state.players[state.plays] = seat
    state.plays += 1
    if is_out:
        _leave(state)
    elif is_end and (others > 0 or is_unchecked(state, seat)):
        state.again = 1
    else:
        if is_end:
            _show_lacks(state)
        _end_turn(state)


@compiled
def _show_lacks(state: Any) -> None:
    """The seat in turn has shown that it holds no card that fits."""
    for suit in range(state.suits):
        state.lacks[state.turn, suit] |= fitting(state, suit)


@compiled
def lay(state: Any, seat: Int, card: Int) -> bool:
    """[R6] Move a card from a hand to the table, whether or not it is legal; True if that takes the seat out.
    [R10] The program overlooks a computer that is out after the very first card."""
    suit, number = np.int64(SUIT_OF[card]), np.int64(NUMBER_OF[card])
    bit = np.int64(1) << (number - 1)
    opens = suit == 0 and number == state.centre and state.humans >> seat & 1 == 0
    if state.hidden >> seat & 1:
        state.pool[suit] = np.int64(state.pool[suit]) & ~bit
    else:
        state.hands[seat, suit] = np.int64(state.hands[seat, suit]) & ~bit
    state.placed[suit] = np.int64(state.placed[suit]) | bit
    if number < state.centre:
        state.under[suit] = number
    elif number > state.centre:
        state.over[suit] = number
    state.left[seat] -= 1
    return bool(state.left[seat] == 0 and not (opens and state.sole_card_keeps_in))


@compiled
def _leave(state: Any) -> None:
    """[R1] A seat that has placed its last card is out; the last one in goes on alone until it is out."""
    state.out += 1
    state.places[state.turn] = state.out
    if state.out == state.seats:
        state.phase = DONE
        state.done = 1
        state.again = 0
    else:
        _end_turn(state)


@compiled
def _take_block(state: Any) -> None:
    """[R8] There is one block, so its former holder is free; a seat that takes it holds no card that fits.
    [R10] If the seat has placed a card in the same turn, the block stays where it is."""
    if not is_unchecked(state, state.turn):
        _show_lacks(state)
    if state.again == 0:
        state.holder = state.turn
        if state.blocks[state.turn] < 127:
            state.blocks[state.turn] += 1
    _end_turn(state)


@compiled
def _end_turn(state: Any) -> None:
    """[R1] The turn goes to the next seat that is still in. [R8] The last one in is free of the block."""
    state.again = 0
    seat = np.int64(state.turn)
    for _ in range(state.seats):
        seat = (seat + 1) % state.seats
        if state.places[seat] == 0:
            break
    state.turn = seat
    if state.holder == seat and state.out == state.seats - 1:
        state.holder = NO_SEAT


@compiled
def _check_place(state: Any, event: Any) -> Reason:
    """[R1] A reported finishing place must agree with the fold."""
    if state.done == 0 or event.seat < 0 or event.seat >= state.seats:
        return Reason.OUT_OF_ORDER
    if event.amount != NO_AMOUNT and event.amount != state.places[event.seat]:
        return Reason.SCORE_MISMATCH
    return Reason.OK
