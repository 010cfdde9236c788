"""Rounds of betting, for all poker games: what the seat in turn may do, and what that changes. [R5] is rule 5
of docs/rules/hold_em.md. Amounts are chips that a seat adds to what it has in front of it; masks have one bit
for each seat."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.chips import bits, is_seat, next_seat, pot_of
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason

STRUCTURES: Final = ("no_limit", "pot_limit", "fixed_limit")
NO_LIMIT, POT_LIMIT, FIXED_LIMIT = range(3)

# What a seat may do, as bits.
MAY_FOLD, MAY_CHECK, MAY_CALL, MAY_RAISE = (1 << number for number in range(4))
_MOST_COUNTED: Final = 100  # raises of a round, which an int8 has to hold


def FIELDS(seats: int) -> list[Any]:  # noqa: N802
    """The fields of a state that betting needs."""
    return [
        ("turn", np.int8),  # the seat to act, if any
        ("tricks", np.int8),  # finished rounds of betting
        ("structure", np.int8),  # index in `STRUCTURES`
        ("folds_free", np.int8),  # whether a seat may fold that has nothing to call
        ("folds_early", np.int8),  # whether a seat may fold when it is not its turn
        ("raises_alone", np.int8),  # whether a seat may raise if no other could call
        ("most_raises", np.int8),  # of a round with fixed limits
        ("raises", np.int8),  # bets and raises in this round, at most 100
        ("aggressor", np.int8),  # the seat that bet or raised last in the hand, -1 before
        ("present", np.int16),  # those in the hand
        ("live", np.int16),  # those that have not folded
        ("pending", np.int16),  # those that must still act in this round
        ("acted", np.int16),  # those that have acted since the last full bet or raise
        ("least_bet", np.int32),  # in this round
        ("blind", np.int32),  # what it takes to call at least, if another has as much
        ("full", np.int32),  # by how much the last full bet or raise of this round went up, 0 before
        ("short", np.int32),  # by how much the all-ins since then that were no full raises went up
        ("start", np.int32, (seats,)),  # chips before the hand
        ("stack", np.int32, (seats,)),  # chips in front of a seat that it has not bet
        ("bets", np.int32, (seats,)),  # chips bet in this round
        ("staked", np.int32, (seats,)),  # chips put in, in the hand
        ("raised", np.int8, (seats,)),  # bets and raises by a seat in the hand, at most 100
    ]


@compiled
def owed_by(state: Any, seat: Int) -> Int:
    """[R6] What a seat must pay to call, whether or not it has that much: to the highest bet, or to the full
    blind, which may have been posted short, if another player has as much."""
    highest, others = np.int64(0), np.int64(0)
    for other in range(len(state.bets)):
        highest = max(highest, np.int64(state.bets[other]))
        if state.blind > 0 and other != seat and state.live >> other & 1:
            others = max(others, np.int64(state.bets[other]) + np.int64(state.stack[other]))
    return max(highest, min(np.int64(state.blind), others)) - np.int64(state.bets[seat])


@compiled
def raise_limits(state: Any) -> tuple[Int, Int]:
    """[R7, R8] The least and the most that the seat in turn may pay to bet or raise; 0, 0 if it may not.
    All-ins of less than a full raise do not reopen the betting until together they make one."""
    seat, none = np.int64(state.turn), np.int64(0)
    stack, to_call = np.int64(state.stack[seat]), owed_by(state, seat)
    highest = to_call + np.int64(state.bets[seat])
    if stack <= to_call or to_call < state.full:
        return none, none
    if state.structure == FIXED_LIMIT and state.raises >= state.most_raises:
        return none, none
    if 0 < state.short < state.full and state.acted >> seat & 1:
        return none, none
    can_call = state.raises_alone == 1
    for other in range(len(state.stack)):
        chips = np.int64(state.stack[other]) + np.int64(state.bets[other])
        can_call |= other != seat and state.live >> other & 1 == 1 and chips > highest
    if not can_call:
        return none, none
    least: Int = min(stack, to_call + max(np.int64(state.full), np.int64(state.least_bet), np.int64(1)))
    if state.structure == FIXED_LIMIT:
        return least, least
    most: Int = stack
    if state.structure == POT_LIMIT:
        most = min(stack, max(least, 2 * to_call + pot_of(state)))
    return least, most


@compiled
def legal_bets(state: Any) -> Int:
    """[R6] What the seat in turn may do, as bits."""
    to_call = owed_by(state, state.turn)
    legal: Int = MAY_FOLD | MAY_CALL if to_call > 0 else MAY_CHECK
    if state.folds_free == 1:
        legal |= MAY_FOLD
    if raise_limits(state)[1] > 0:
        legal |= MAY_RAISE
    return legal


@compiled
def pay_in(state: Any, seat: Int, amount: Int) -> None:
    """Move chips from a seat's stack to its bet."""
    state.stack[seat] -= amount
    state.bets[seat] += amount
    state.staked[seat] += amount


@compiled
def is_posted(state: Any, event: Any) -> bool:
    """Whether an event's seat can pay its amount before the deal."""
    return bool(is_seat(state, event.seat) and 0 < event.amount <= state.stack[event.seat])


@compiled
def take_bet(state: Any, event: Any) -> Reason:
    """[R6] Fold, check, call, bet or raise by the seat in turn. After a raise all others who can must act
    again."""
    seat = np.int64(state.turn)
    if event.seat != seat:
        return Reason.WRONG_TURN
    stack, to_call, amount = np.int64(state.stack[seat]), owed_by(state, seat), np.int64(event.amount)
    if event.action == Action.BID_FOLD:
        if amount != NO_AMOUNT or (to_call == 0 and state.folds_free == 0):
            return Reason.BAD_BID
        state.live &= ~(1 << seat)
    elif event.action == Action.BID_CHECK:
        if amount != NO_AMOUNT or to_call > 0:
            return Reason.BAD_BID
    elif event.action == Action.BID_CALL:
        if to_call == 0 or amount != min(to_call, stack):
            return Reason.BAD_BID
        pay_in(state, seat, amount)
    else:
        least, most = raise_limits(state)
        if not 0 < least <= amount <= most:
            return Reason.BAD_BID
        pay_in(state, seat, amount)
        _note_raise(state, seat, amount - to_call)
        return Reason.OK
    state.pending &= ~(1 << seat)
    state.acted |= 1 << seat
    if state.pending:
        state.turn = next_seat(state.pending, seat)
    return Reason.OK


@compiled
def fold_early(state: Any, event: Any) -> Reason:
    """[R9] Let a seat fold that is not in turn."""
    seat = np.int64(event.seat)
    if not 0 <= seat < len(state.stack) or state.live >> seat & 1 == 0:
        return Reason.WRONG_TURN
    if event.amount != NO_AMOUNT or bits(state.live) < 2:
        return Reason.BAD_BID
    state.live &= ~(1 << seat)
    state.pending &= ~(1 << seat)
    return Reason.OK


@compiled
def _note_raise(state: Any, seat: Int, by: Int) -> None:
    """What follows from a bet or raise by some chips above the highest bet."""
    if by >= state.full:
        state.acted = 0
    state.acted |= 1 << seat
    state.full = max(np.int64(state.full), by)
    state.short = 0 if state.stack[seat] > 0 else state.short + by
    if state.short >= state.full:
        state.short = 0
    state.raises = min(state.raises + 1, _MOST_COUNTED)
    state.raised[seat] = min(state.raised[seat] + 1, _MOST_COUNTED)
    state.aggressor = seat
    state.pending = with_chips(state) & ~(1 << seat)
    state.turn = next_seat(state.pending, seat)


@compiled
def with_chips(state: Any) -> Int:
    """The live seats that are not all in."""
    mask = np.int64(0)
    for seat in range(len(state.stack)):
        if state.live >> seat & 1 and state.stack[seat] > 0:
            mask |= np.int64(1) << seat
    return mask


@compiled
def begin_round(state: Any, previous: Int, least_bet: Int, blind: Int) -> None:
    """[R5] The first seat after `previous` begins. Seats that no other can bet against don't act."""
    state.least_bet = least_bet
    state.blind = blind
    state.full, state.short, state.raises, state.acted = 0, 0, 0, 0
    highest, second = np.int64(0), np.int64(0)
    for seat in range(len(state.stack)):
        if state.live >> seat & 1:
            chips = np.int64(state.stack[seat]) + np.int64(state.bets[seat])
            if chips > highest:
                highest, second = chips, highest
            else:
                second = max(second, chips)
    state.pending = with_chips(state)
    for seat in range(len(state.stack)):
        if state.bets[seat] >= second:
            state.pending &= ~(np.int64(1) << seat)
    if bits(state.pending) == 1 and owed_by(state, next_seat(state.pending, previous)) == 0:
        state.pending = 0
    if state.pending:
        state.turn = next_seat(state.pending, previous)


@compiled
def end_round(state: Any, uncalled: Any) -> None:
    """[R11] The bets go to the pot; what nobody has called goes back and is added to `uncalled`, by seat."""
    highest, second = np.int64(0), np.int64(0)
    top = 0
    for seat in range(len(state.bets)):
        bet = np.int64(state.bets[seat])
        if bet > highest:
            highest, second, top = bet, highest, seat
        else:
            second = max(second, bet)
    state.stack[top] += highest - second
    state.staked[top] -= highest - second
    uncalled[top] += highest - second
    state.bets[:] = 0
    state.pending = 0
    state.tricks += 1
