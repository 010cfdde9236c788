"""Rounds of betting, for all poker games: what the seat in turn may do, and what that changes. [R5] is rule 5
of docs/rules/hold_em.md. Amounts are chips that a seat adds to what it has in front of it; masks have one bit
for each seat."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.chips import bits, is_seat, next_seat, pot_of
from cardlog.models.poker.table import FIXED_LIMIT, POT_LIMIT
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason

# What a seat may do, as bits.
MAY_FOLD, MAY_CHECK, MAY_CALL, MAY_RAISE = (1 << number for number in range(4))
_MOST_COUNTED: Final = 100  # raises of a round, which an int8 has to hold


@compiled
def owed(state: Any) -> Int:
    """[R6] What the seat in turn must pay to call, whether or not it has that much."""
    return owed_by(state, state.turn)


@compiled
def owed_by(state: Any, seat: Int) -> Int:
    """[R6] What a seat must pay to call, whether or not it has that much: to the highest bet, or to the full
    blind, which may have been posted short, if another player has as much."""
    highest, blind = np.int64(0), np.int64(state.blind)
    for other in range(len(state.bets)):
        highest = max(highest, np.int64(state.bets[other]))
    if blind > highest:
        others = np.int64(0)
        for other in range(len(state.bets)):
            if other != seat and state.live >> other & 1:
                others = max(others, np.int64(state.bets[other]) + np.int64(state.stack[other]))
        highest = max(highest, min(blind, others))
    return highest - np.int64(state.bets[seat])


@compiled
def raise_limits(state: Any, to_call: Int) -> tuple[Int, Int]:
    """[R7, R8] The least and the most that the seat in turn, which owes so much, may pay to bet or raise;
    0, 0 if it may not. All-ins of less than a full raise do not reopen the betting until together they make
    one. In some games any chips above the call will do."""
    seat, none = np.int64(state.turn), np.int64(0)
    stack = np.int64(state.stack[seat])
    if stack <= to_call or to_call < state.full:
        return none, none
    if state.raises_any:
        return to_call + 1, stack
    if state.structure == FIXED_LIMIT and state.raises >= state.most_raises:
        return none, none
    if 0 < state.short < state.full and state.acted >> seat & 1:
        return none, none
    highest = to_call + np.int64(state.bets[seat])
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
    to_call = owed(state)
    legal = _without_raise(state, to_call)
    return legal | MAY_RAISE if raise_limits(state, to_call)[1] > 0 else legal


@compiled
def _without_raise(state: Any, to_call: Int) -> Int:
    """[R6] What the seat in turn may do but bet or raise. A seat without chips, which only some programs ask
    to act, may call with none, or fold if its ante was not paid in full."""
    if state.stack[state.turn] == 0:
        return MAY_FOLD if to_call > 0 and state.short_ante_folds else MAY_CALL
    if to_call > 0:
        return MAY_FOLD | MAY_CALL
    return MAY_FOLD | MAY_CHECK if state.folds_free else MAY_CHECK


@compiled
def put_in(state: Any, seat: Int, amount: Int) -> None:
    """Move chips from a seat's stack to the pot."""
    state.stack[seat] -= amount
    state.staked[seat] += amount
    if state.stack[seat] == 0:
        state.all_in |= 1 << np.int64(seat)


@compiled
def pay_in(state: Any, seat: Int, amount: Int) -> None:
    """Move chips from a seat's stack to its bet."""
    put_in(state, seat, amount)
    state.bets[seat] += amount


@compiled
def post(state: Any, event: Any) -> Reason:
    """[R3, R4] Antes, blinds and straddles, and what a player owes who has missed blinds. A player with fewer
    chips posts all he has."""
    seat, amount = np.int64(event.seat), np.int64(event.amount)
    if not is_seat(state, seat) or not 0 < amount <= state.stack[seat]:
        return Reason.BAD_BID
    if event.action == Action.BID_BLIND:
        if state.bets[seat] > 0:
            return Reason.BAD_BID
        if state.last_blind < 0 or amount > state.bets[state.last_blind]:
            state.last_blind = seat
        pay_in(state, seat, amount)
        return Reason.OK
    put_in(state, seat, amount)
    if event.action == Action.BID_DEAD or state.ante_trimming == 0:
        state.dead[seat] += amount
    return Reason.OK


@compiled
def take_bet(state: Any, event: Any) -> Reason:
    """[R6] Fold, check, call, bet or raise by the seat in turn. After a raise all others who can must act
    again."""
    seat = np.int64(state.turn)
    if event.seat != seat:
        return Reason.WRONG_TURN
    stack, to_call, amount = np.int64(state.stack[seat]), owed_by(state, seat), np.int64(event.amount)
    legal = _without_raise(state, to_call)
    if event.action == Action.BID_FOLD:
        if legal & MAY_FOLD == 0 or amount != NO_AMOUNT:
            return Reason.BAD_BID
        state.live &= ~(1 << seat)
    elif event.action == Action.BID_CHECK:
        if legal & MAY_CHECK == 0 or amount != NO_AMOUNT:
            return Reason.BAD_BID
    elif event.action == Action.BID_CALL:
        if legal & MAY_CALL == 0 or amount != min(to_call, stack):
            return Reason.BAD_BID
        pay_in(state, seat, amount)
    else:
        least, most = raise_limits(state, to_call)
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
    if not state.raises_any:
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
    return np.int64(state.live & ~state.all_in)


@compiled
def begin_round(state: Any, previous: Int, least_bet: Int, blind: Int = 0) -> None:
    """[R5] The first seat after `previous` begins. Seats that no other can bet against don't act; `blind` is
    what it takes to call at least."""
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
def begin_blinds(state: Any, previous: Int, least_bet: Int) -> None:
    """[R5] The first round of betting of a hand with blinds: the seat after the last blind begins, after
    `previous` if there is none."""
    opens = previous if state.last_blind < 0 else np.int64(state.last_blind)
    begin_round(state, opens, least_bet, least_bet if state.full_blind else np.int64(0))
    if state.blind_counts and state.last_blind >= 0:
        state.raises = 1


@compiled
def give_back(state: Any) -> None:
    """[R11] What a seat has bet and nobody has called goes back to it."""
    highest, second = np.int64(0), np.int64(0)
    top = np.int64(0)
    for seat in range(len(state.bets)):
        bet = np.int64(state.bets[seat])
        if bet > highest:
            highest, second, top = bet, highest, np.int64(seat)
        else:
            second = max(second, bet)
    if highest > second:
        state.stack[top] += highest - second
        state.staked[top] -= highest - second
        state.uncalled[top] += highest - second
        state.all_in &= ~(1 << top)


@compiled
def end_round(state: Any) -> None:
    """The bets go to the pot."""
    state.bets[:] = 0
    state.pending = 0
    state.tricks += 1


def raise_span(state: Any) -> tuple[int, int]:
    """`raise_limits` for `Decisions`."""
    least, most = raise_limits(state, owed(state))
    return int(least), int(most)


def bets_text(state: Any) -> str:
    """What the seat in turn may bet, for a message."""
    legal, to_call = int(legal_bets(state)), int(owed(state))
    least, most = raise_span(state)
    span = f"{least}" if least == most else f"{least} to {most}"
    word = "raise" if to_call or state["raises"] or state["raises_any"] else "bet"
    options = [
        "fold" if legal & MAY_FOLD else "",
        "check" if legal & MAY_CHECK else "",
        f"call {min(to_call, int(state['stack'][state['turn']]))}" if legal & MAY_CALL else "",
        f"{word}, paying {span}" if legal & MAY_RAISE else "",
    ]
    return ", ".join(filter(None, options))
