"""The showdown: who shows, who wins what, and what the source reports. [R3] is rule 3 of
docs/rules/hold_em.md. Ranks are by seat and board, shape (seats, boards)."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.cards import shown_cards
from cardlog.models.poker.chips import bits, is_seat, next_seat, pot_of
from cardlog.models.poker.table import DONE, SHOWING
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason

MOST_RAKED = 10
"""[R16] The house takes at most one chip of so many that are won."""


@compiled
def show(state: Any, event: Any, hands: Any, seen: Int) -> Reason:
    """[R13] A player who is left shows his hand, or mucks it and can't win. Once the hand is over anyone may
    show cards, some or all. `hands` are those held, by seat: shape (seats, cards); `seen` the cards that
    can't be in a hidden one, as a mask."""
    seat = np.int64(event.seat)
    if not is_seat(state, seat):
        return Reason.WRONG_TURN
    count = hands.shape[1]
    if event.count != count:
        return Reason.INCOMPLETE
    again = state.shown >> seat & 1 == 1
    if (again or state.live >> seat & 1 == 0) and state.done == 0:
        return Reason.WRONG_TURN
    own = np.int64(0)
    for index in range(count):
        if hands[seat, index] != cards.UNKNOWN:
            own |= np.int64(1) << np.int64(hands[seat, index])
    reason, mask, hidden = shown_cards(seen & ~own, event, count)
    if reason != Reason.OK:
        return reason
    if bits(own | mask) > count:
        return Reason.NOT_IN_HAND
    if state.done == 0 and hidden and (state.live & ~state.mucked) == 1 << seat:
        return Reason.SCORE_MISMATCH  # the last one left can't muck
    if hidden == 0:
        for index in range(count):
            hands[seat, index] = event.cards[index]
        state.known |= 1 << seat
    state.seen |= mask
    state.shown |= 1 << seat
    if state.done == 0 and hidden:
        state.mucked |= 1 << seat
    return Reason.OK


# ---------------------------------------------------------------- who wins what


@compiled
def who_wins(state: Any) -> Int:
    """[R14, R15] Those who may win, as a mask, once all have shown or mucked and the hands that can win are
    known; else 0."""
    can_win = np.int64(state.live & ~state.mucked)
    if state.phase != SHOWING or can_win & ~state.known:
        return np.int64(0)
    return can_win if state.live & ~state.shown == 0 or state.shows_decide == 0 else np.int64(0)


@compiled
def share_out(state: Any, can_win: Int, ranks: Any) -> None:
    """[R14] Share out the chips among hands that are known."""
    if state.pots_merge:
        can_win = _share_pots(state, can_win, ranks)
    state.won[:] = 0
    _share_pots(state, can_win, ranks)
    finish(state)


@compiled
def win_alone(state: Any) -> None:
    """[R10] The only player left wins all the chips."""
    state.won[next_seat(state.live, state.dealer)] = pot_of(state)
    finish(state)


@compiled
def _share_pots(state: Any, can_win: Int, ranks: Any) -> Int:
    """Share out every pot; returns who has won, as a mask. The chips that nobody has to match are in the
    first pot; each pot ends where a player's chips do."""
    done, dead, winners = np.int64(0), np.int64(0), np.int64(0)
    for seat in range(len(state.stack)):
        dead += np.int64(state.dead[seat])
    left = can_win
    while left:
        level = np.int64(2**31)
        for seat in range(len(state.stack)):
            if left >> seat & 1:
                level = min(level, np.int64(state.staked[seat]) - np.int64(state.dead[seat]))
        pot, dead = dead, np.int64(0)
        for seat in range(len(state.stack)):
            live_chips = np.int64(state.staked[seat]) - np.int64(state.dead[seat])
            pot += min(live_chips, level) - min(live_chips, done)
        winners |= _share_pot(state, left, pot, ranks)
        for seat in range(len(state.stack)):
            if left >> seat & 1 and np.int64(state.staked[seat]) - np.int64(state.dead[seat]) == level:
                left &= ~(np.int64(1) << seat)
        done = level
    return winners


@compiled
def _share_pot(state: Any, group: Int, pot: Int, ranks: Any) -> Int:
    """[R12, R15] The best hand of a group wins a pot, half of it for each board if there are two; odd chips
    go to the first board, and there from the first winner after the button."""
    all_winners = np.int64(0)
    for board in range(state.boards):
        part = pot // state.boards
        if board == 0:
            part = pot - part * (state.boards - 1)
        best, winners = np.int64(0), np.int64(0)
        for seat in range(len(state.stack)):
            if group >> seat & 1:
                rank = np.int64(ranks[seat, board])
                if best == 0 or rank < best:
                    best, winners = rank, np.int64(0)
                if rank == best:
                    winners |= np.int64(1) << seat
        count = bits(winners)
        odd = part % count
        after: Int = np.int64(state.dealer)
        for _ in range(count):
            after = next_seat(winners, after)
            extra: Int = odd if state.odd_chips_first else min(odd, 1)
            odd -= extra
            state.won[after] += part // count + extra
        all_winners |= winners
    return all_winners


@compiled
def finish(state: Any) -> None:
    """Pay everyone the chips won; the hand is over."""
    for seat in range(len(state.stack)):
        state.stack[seat] += state.won[seat]
    state.phase = DONE
    state.done = 1


# ---------------------------------------------------------------- what the source says


@compiled
def report(state: Any, event: Any) -> Reason:
    """[R16] What the source says at the end must agree with the hand. The house may have taken its rake from
    what is won."""
    action, amount = event.action, np.int64(event.amount)
    if action == Action.SCORE_CASH_OUT:  # a bargain with the house, which the other players have no part in
        allowed = state.closed and is_seat(state, event.seat) and state.live >> event.seat & 1
        return Reason.OK if allowed else Reason.OUT_OF_ORDER
    if state.done == 0:
        return Reason.OUT_OF_ORDER
    if action == Action.SCORE_POT:
        pot = pot_of(state)
        return Reason.OK if amount in (pot, pot - np.int64(state.rake)) else Reason.SCORE_MISMATCH
    if action == Action.SCORE_RAKE:
        return Reason.OK if amount == state.rake else Reason.SCORE_MISMATCH
    if action not in (Action.SCORE_UNCALLED, Action.SCORE_HAND, Action.SCORE_MATCH):
        return Reason.OUT_OF_ORDER
    seat = np.int64(event.seat)
    if not is_seat(state, seat):
        return Reason.WRONG_TURN
    if state.reported >> seat & 1 and action != Action.SCORE_MATCH:
        return Reason.OUT_OF_ORDER
    if action == Action.SCORE_UNCALLED:
        return _recount(state, seat, amount)
    if action == Action.SCORE_HAND:
        if state.loose_reports and amount == np.int64(state.won[seat]) + np.int64(state.uncalled[seat]):
            _recount(state, seat, np.int64(0))
        reason = _take_rake(state, seat, np.int64(state.won[seat]) - amount)
        if reason == Reason.OK:
            state.reported |= 1 << seat
        return reason
    if state.stood >> seat & 1:
        return Reason.OUT_OF_ORDER
    missing = np.int64(state.stack[seat]) - amount
    reason = Reason.OK if missing == 0 else _take_rake(state, seat, missing)
    if reason == Reason.OK:
        state.stood |= 1 << seat
    return reason


@compiled
def _recount(state: Any, seat: Int, uncalled: Int) -> Reason:
    """[R16] What was not called, as the source says. If all others have folded, that is a matter of counting:
    what does not go back is won."""
    change = np.int64(state.uncalled[seat]) - uncalled
    if change == 0:
        return Reason.OK
    can_count = state.loose_reports == 1 and bits(state.live) == 1 and state.live >> seat & 1 == 1
    if not can_count or uncalled < 0 or state.won[seat] + change < 0 or state.staked[seat] + change < 0:
        return Reason.SCORE_MISMATCH
    state.uncalled[seat] -= change
    state.staked[seat] += change
    state.won[seat] += change
    return Reason.OK


@compiled
def _take_rake(state: Any, seat: Int, amount: Int) -> Reason:
    """[R16] Let the house take chips from what a seat has won."""
    won = np.int64(state.won[seat])
    if amount == 0:
        return Reason.OK
    if state.loose_reports == 0 or amount < 0 or amount > won // MOST_RAKED + 1 or state.reported >> seat & 1:
        return Reason.SCORE_MISMATCH
    state.won[seat] -= amount
    state.stack[seat] -= amount
    state.rake += amount
    return Reason.OK
