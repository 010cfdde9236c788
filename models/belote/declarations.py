"""The declarations of a hand of belote: what the seats hold, what they show, and which side scores them. [R3]
is rule 3 of docs/rules/belote.md."""

from typing import Any

import numpy as np

from cardlog.models.belote.score import (
    FEWEST_CARDS,
    MOST_DECLARATIONS,
    declaration_value,
    find_declarations,
    weight,
)
from cardlog.models.belote.state import DECK, NOBODY, PLAYING
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS, cards_of, size_of
from cardlog.schemas.events import NO_AMOUNT
from cardlog.schemas.reasons import Reason


@compiled
def find_held(state: Any, seat: Int) -> None:
    """[R7] Find the declarations that a seat holds."""
    declarations, values = state.found[seat], state.found_value[seat]
    state.found_count[seat] = find_declarations(
        state.hands[seat], state.ace_ends_runs, state.eight_is_belot, declarations, values
    )


@compiled
def counting_team(state: Any) -> Int:
    """[R8] The team whose declarations count, by the cards in the hands; -1 if there are none. Among equal
    ones that of the first seat after the dealer counts; by a program's rules, that of the dealer's side."""
    best: Int = np.int64(0)
    team: Int = np.int64(-1)
    for step in range(1, SEATS + 1):
        seat = (state.dealer + step) & 3
        declarations, values = state.found[seat], state.found_value[seat]
        for number in range(state.found_count[seat]):
            current = weight(declarations[number], values[number], state.trump, state.by_value_only)
            wins_tie = current == best and state.ties_to_dealer and seat & 1 == state.dealer & 1
            if current > best or wins_tie:
                best = current
                team = np.int64(seat & 1)
    return team


@compiled
def declare(state: Any, event: Any) -> Reason:
    """[R7] A seat shows cards that are worth points, before the first card is played."""
    if state.phase != PLAYING or state.plays != 0 or state.claiming:
        return Reason.OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS:
        return Reason.WRONG_TURN
    reason, shown, _ = cards_of(event, DECK, np.int64(0), False)
    if reason != Reason.OK:
        return reason
    revealed = shown & ~state.hands[seat]
    if revealed & state.seen or size_of(revealed) > state.hidden[seat]:
        return Reason.NOT_IN_HAND
    value = declaration_value(shown, state.ace_ends_runs, state.eight_is_belot)
    if event.count < FEWEST_CARDS or value == 0 or state.shown_count[seat] == MOST_DECLARATIONS:
        return Reason.SCORE_MISMATCH
    if state.hidden[seat] == 0 and not is_among(shown, state.found[seat], state.found_count[seat]):
        return Reason.SCORE_MISMATCH
    if is_among(shown, state.shown[seat], state.shown_count[seat]):
        return Reason.DUPLICATE_CARD
    if state.declaring not in (NOBODY, seat & 1):
        return Reason.SCORE_MISMATCH
    if event.amount == NO_AMOUNT:
        event.amount = value
    elif event.amount != value:
        return Reason.SCORE_MISMATCH
    state.hands[seat] |= revealed
    state.seen |= revealed
    if revealed:
        state.hidden[seat] -= size_of(revealed)
        if state.hidden[seat] == 0:
            find_held(state, seat)
    state.shown[seat, state.shown_count[seat]] = shown
    state.shown_count[seat] += 1
    state.declaring = seat & 1
    state.declared[seat & 1] += value
    return Reason.OK


@compiled
def is_among(shown: Int, declarations: Any, count: Int) -> bool:
    """Whether a set of cards is one of the first `count` declarations."""
    among = False
    for index in range(count):
        among |= declarations[index] == shown
    return among


@compiled
def rightly_shown(state: Any) -> bool:
    """[R8] Whether the declarations shown are those that count: all of one side's and no others. True if
    unknown cards leave it open, or if players may keep declarations to themselves."""
    if not state.all_are_shown:
        return True
    for seat in range(SEATS):
        if state.hidden[seat]:
            return True
    team = counting_team(state)
    for seat in range(SEATS):
        if state.shown_count[seat] != (state.found_count[seat] if seat & 1 == team else 0):
            return False
    return True
