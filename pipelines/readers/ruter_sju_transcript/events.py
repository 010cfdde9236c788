"""Compiled: the events of a Ruter Sju hand, and the state that the rules derive from them."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.ruter_sju import rules
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME

FIRST_HAND: Final = 1
"""Index of seat 0's deal among a hand's events; the others follow by seat."""


@compiled
def deal(parser: Any, events: NDArray[Any]) -> None:
    """Add the opening and the deals, hidden until they are shown; cards are dealt one by one from seat 0."""
    parser.seat = NO_SEAT
    parser.line = parser.first
    parser.state = parser.start
    add(parser, events, rules.OPEN, NO_SEAT)
    seats = np.int64(parser.start.seats)
    deck = np.int64(parser.start.suits) * np.int64(parser.start.ranks)
    for seat in range(seats):
        event = add(parser, events, rules.DEAL_HAND, seat)
        hide(event, deck // seats + (seat < deck % seats))
    fold(parser, events)


@compiled
def hide(event: Any, count: Int) -> None:
    """Give a deal `count` unknown cards."""
    event.count = count
    for index in range(len(event.cards)):
        event.cards[index] = UNKNOWN if index < count else 0


@compiled
def fold(parser: Any, events: NDArray[Any]) -> None:
    """Fold the events again, after a dealt hand became known."""
    parser.state = parser.start
    for index in range(parser.events):
        apply(parser, events[index])


@compiled
def apply(parser: Any, event: Any) -> None:
    """Apply an event to the state; an illegal one only moves its card."""
    state = parser.state
    if rules.evolve(state, event) != 0 and event.action == rules.PLAY_CARD:
        state.out += rules.lay(state, event.seat, event.cards[0])


@compiled
def add(parser: Any, events: NDArray[Any], action: int, seat: Int) -> Any:
    """Add an event, null except for what is given."""
    event = events[parser.events]
    parser.events += 1
    event.action = action
    event.seat = seat
    event.suit = -1
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = parser.line
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for index in range(len(event.cards)):
        event.cards[index] = 0
    return event


@compiled
def is_shown(events: NDArray[Any], seat: Int) -> bool:
    """Whether a seat's dealt hand was shown."""
    return bool(events[FIRST_HAND + seat].cards[0] != UNKNOWN)
