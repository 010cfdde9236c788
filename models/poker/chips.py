"""Seats and chips, which all poker games have in their states: `present`, `start`, `stack`, `staked` and
`won`. Masks have one bit for each seat."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.dealing import NO_MATCH, new_event
from cardlog.models.engine.opening import players_of
from cardlog.schemas.events import Action

MOST_SEATS: Final = 10  # of any table
LEAST_SEATS: Final = 2
DIGIT_BASE: Final = 128


@compiled
def bits(mask: Int) -> Int:
    """How many seats a mask has."""
    count: Int = 0
    while mask:
        mask &= mask - 1
        count += 1
    return count


@compiled
def next_seat(mask: Int, seat: Int) -> Int:
    """The first seat of a mask after a seat in turn order; that seat itself comes last."""
    for step in range(1, MOST_SEATS + 1):
        other = (seat + step) % MOST_SEATS
        if mask >> other & 1:
            return other
    return seat


@compiled
def is_seat(state: Any, seat: Int) -> bool:
    """Whether a seat is in the hand."""
    return bool(0 <= seat < MOST_SEATS and state.present >> np.int64(seat) & 1)


@compiled
def pot_of(state: Any) -> Int:
    """The chips that all players have put in."""
    pot = np.int64(0)
    for seat in range(len(state.staked)):
        pot += np.int64(state.staked[seat])
    return pot


# ---------------------------------------------------------------- the opening


def chips_of(detail: dict[str, Any], seats: int, most_chips: int) -> tuple[list[Any], list[int]]:
    """The players by seat, None where nobody plays, and their chips, from an opening. Raises ValueError."""
    players = players_of(detail, LEAST_SEATS, seats, empty=True)
    if sum(player is not None for player in players) < LEAST_SEATS:
        raise ValueError(f"at least {LEAST_SEATS} seats must be held")
    match = detail.get("match")
    chips = match.get("score") if isinstance(match, dict) else None
    if not isinstance(chips, list) or len(chips) != len(players):
        raise ValueError("match must hold score, the chips of each seat before the hand")
    for seat, (player, count) in enumerate(zip(players, chips, strict=True)):
        if type(count) is not int or count < 0 or (count > 0) != (player is not None):
            raise ValueError(
                f"the chips of seat {seat} are {count!r}; "
                "a seat must have chips if a player holds it, and none otherwise"
            )
    if sum(chips) > most_chips:
        raise ValueError(f"the chips must be at most {most_chips} in all, not {sum(chips)}")
    return players, chips


@compiled
def seat_players(state: Any, chips: Any) -> None:
    """Seat players with their chips, by seat, in a blank state; those with none do not play."""
    for seat in range(len(chips)):
        state.start[seat] = chips[seat]
        state.stack[seat] = chips[seat]
        if chips[seat] > 0:
            state.present |= 1 << seat
    state.live = state.present


# ---------------------------------------------------------------- decisions


@compiled
def note_chips(observation: Any, index: Int, chips: Int, digits: Int) -> None:
    """Write a number of chips from an index on, in digits of `DIGIT_BASE`, the least significant first; a
    number that has more is clipped."""
    rest: Int = min(np.int64(chips), np.int64(DIGIT_BASE) ** digits - 1)
    for digit in range(digits):
        observation[index + digit] = rest % DIGIT_BASE
        rest //= DIGIT_BASE


@compiled
def knows_hand(state: Any, seat: Int) -> bool:
    """See `Decisions`. A decision of a seat whose cards are unknown makes no row at all."""
    return bool(state.known >> np.int64(seat) & 1)


@compiled
def outcome(state: Any, decision: Any) -> tuple[float, float]:
    """No reward; the return is the chips won in the hand less those put in."""
    if state.done == 0:
        return 0.0, np.nan
    seat = decision.seat
    return 0.0, np.float64(state.won[seat]) - np.float64(state.staked[seat])


# ---------------------------------------------------------------- hand after hand


@compiled
def report_chips(state: Any, events: Any, size: Int) -> Int:
    """Write what a log reports at the end, who wins and what each player has; returns the index of the next
    event."""
    for action in (Action.SCORE_HAND, Action.SCORE_MATCH):
        for seat in range(len(state.won)):
            amount = state.won[seat] if action == Action.SCORE_HAND else state.stack[seat]
            if state.present >> seat & 1 and (amount > 0 or action == Action.SCORE_MATCH):
                new_event(events, size, action, seat).amount = amount
                size += 1
    return size


@compiled
def settle(table: Any, state: Any) -> None:
    """See `Players`. Record the chips, move the button, and end the match if one player has them all."""
    players = np.int64(0)
    for seat in range(len(state.stack)):
        table.chips[seat] = state.stack[seat]
        if state.stack[seat] > 0:
            players |= np.int64(1) << seat
    table.dealer = next_seat(players, table.dealer)
    if bits(players) == 1:
        table.match = NO_MATCH
