"""The showdown of five-card draw: who shows, who wins what, and what the source reports.

Numbers in brackets, [R11], are the rules of docs/rules/five_card_draw.md.
"""

from typing import Any

import numpy as np

from cardlog.models.compiled import Int, compiled
from cardlog.models.five_card_draw.pots import Hands, bits, could_be, is_known, share_out
from cardlog.models.five_card_draw.ranks import HAND_CARDS, rank_of_codes
from cardlog.models.five_card_draw.state import DONE, SEATS, SHOWING, is_seat, next_seat, shown_cards
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason

_OK = int(Reason.OK)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_WRONG_TURN = int(Reason.WRONG_TURN)
_NOT_IN_HAND = int(Reason.NOT_IN_HAND)
_OUT_OF_ORDER = int(Reason.OUT_OF_ORDER)
_SCORE_MISMATCH = int(Reason.SCORE_MISMATCH)
_UNKNOWN = cards.UNKNOWN


@compiled
def _deal_order(state: Any) -> Any:
    """The position of each seat in dealing order, 0 for the first after the button: shape (6,)."""
    order = np.zeros(SEATS, np.int64)
    for seat in range(SEATS):
        order[seat] = (seat - state.dealer - 1) % SEATS
    return order


@compiled
def settle(state: Any) -> None:
    """[R13, R14] Share out the chips; the hands that matter must be known."""
    won = np.zeros(SEATS, np.int64)
    share_out(state.live, state.staked, state.rank, _deal_order(state), state.odd_chips_carried == 1, won)
    for seat in range(SEATS):
        state.won[seat] = won[seat]
    finish(state)


@compiled
def finish(state: Any) -> None:
    """Pay everyone the chips won; the hand is over."""
    for seat in range(SEATS):
        state.stack[seat] += state.won[seat]
    state.phase = DONE
    state.done = 1


@compiled
def _held(hand: Any) -> Int:
    """A hand as a mask."""
    mask = np.int64(0)
    for index in range(HAND_CARDS):
        mask |= np.int64(1) << np.int64(hand[index])
    return mask


@compiled
def show(state: Any, event: Any) -> int:
    """[R11] From the first after the button, each shows a hand at least as good as the best shown so far, or
    mucks it. A hand that the source shows must be so, and agree with the cards known."""
    if state.phase != SHOWING and state.phase != DONE:
        return _OUT_OF_ORDER
    waiting = state.live & ~state.shown
    if bits(state.live) < 2 or waiting == 0 or state.reported != 0:
        return _OUT_OF_ORDER
    seat = next_seat(waiting, state.dealer)
    if event.seat != seat:
        return _WRONG_TURN
    known = state.known >> seat & 1 == 1
    if event.count != HAND_CARDS:
        return _INCOMPLETE
    if event.cards[0] == _UNKNOWN:
        return _muck(state, event, seat)
    mask = np.zeros(1, np.int64)
    seen = state.seen
    if known:
        state.seen = seen & ~_held(state.held_cards[seat])
    reason = shown_cards(state, event, HAND_CARDS, mask)
    state.seen = seen
    if reason != _OK:
        return reason
    if known and mask[0] != _held(state.held_cards[seat]):
        return _NOT_IN_HAND
    rank = rank_of_codes(event.cards)
    if state.best != 0 and rank > state.best:
        return _SCORE_MISMATCH
    if not known:
        for index in range(HAND_CARDS):
            state.held_cards[seat, index] = event.cards[index]
        state.known |= 1 << seat
        state.rank[seat] = rank
        state.seen |= mask[0]
        if state.swapped[seat] == 0:
            state.dealt_cards[seat] = state.held_cards[seat]
            state.dealt_rank[seat] = rank
    state.best = rank
    state.shown |= 1 << seat
    _after_show(state)
    return _OK


@compiled
def _muck(state: Any, event: Any, seat: Int) -> int:
    """[R11] A mucked hand is worse than the best shown; so the first is always shown."""
    for index in range(HAND_CARDS):
        if event.cards[index] != _UNKNOWN:
            return _UNKNOWN_CARD
    if state.best == 0 or (state.rank[seat] != 0 and state.rank[seat] <= state.best):
        return _SCORE_MISMATCH
    state.limit[seat] = state.best
    state.shown |= 1 << seat
    state.mucked |= 1 << seat
    _after_show(state)
    return _OK


@compiled
def _after_show(state: Any) -> None:
    """Once everyone has shown or mucked, settle if the known hands allow it."""
    whole = state.phase == SHOWING and state.shown & state.live == state.live
    if whole and is_known(state.live, state.staked, state.rank, _deal_order(state)):
        settle(state)


@compiled
def reward(state: Any, event: Any) -> int:
    """The reported win of a player. [R13] If hidden hands share in a side pot there must be hands that fit
    the report; the hand is settled once all chips are reported."""
    seat = event.seat
    if state.phase < SHOWING or (state.phase == SHOWING and state.live & ~state.shown):
        return _OUT_OF_ORDER
    if not is_seat(state, seat) or state.reported >> seat & 1:
        return _OUT_OF_ORDER
    if event.amount < 0 or (event.amount == 0 and not _may_get_nothing(state, seat)):
        return _SCORE_MISMATCH
    if state.done == 1:
        if state.won[seat] != event.amount and not _trade_odd_chips(state, seat, event.amount):
            return _SCORE_MISMATCH
        state.reported |= 1 << seat
        return _OK
    pot = np.int64(0)
    reported = np.zeros(SEATS, np.int64)
    for other in range(SEATS):
        pot += state.staked[other]
        reported[other] = state.won[other]
    reported[seat] = event.amount
    if reported.sum() > pot:
        return _SCORE_MISMATCH
    hands, carried = Hands(state.rank, state.limit), state.odd_chips_carried == 1
    if reported.sum() == pot and not could_be(
        state.live, state.staked, hands, _deal_order(state), carried, reported
    ):
        return _SCORE_MISMATCH
    state.won[seat] = event.amount
    state.reported |= 1 << seat
    if reported.sum() == pot:
        finish(state)
    return _OK


@compiled
def _may_get_nothing(state: Any, seat: Int) -> bool:
    """[R13] Whether a win of 0 chips may be reported: in some programs, after a showdown."""
    return bool(state.zero_shares_reported == 1 and bits(state.live) > 1 and state.live >> seat & 1)


@compiled
def _trade_odd_chips(state: Any, seat: Int, amount: Int) -> bool:
    """[R14] The program's order of tied winners who have put in the same is unknown: a player may have got
    what another of them should have."""
    if state.odd_chips_carried == 0 or bits(state.live) == 1:
        return False
    for other in range(SEATS):
        if (
            (state.live & ~state.reported) >> other & 1
            and state.rank[other] == state.rank[seat] != 0
            and state.staked[other] == state.staked[seat]
            and state.won[other] == amount
        ):
            state.stack[seat] += amount - state.won[seat]
            state.stack[other] += state.won[seat] - amount
            state.won[other] = state.won[seat]
            state.won[seat] = amount
            return True
    return False


@compiled
def standing(state: Any, event: Any) -> int:
    """The reported chips of a player after the hand."""
    if state.done == 0:
        return _OUT_OF_ORDER
    if not is_seat(state, event.seat):
        return _WRONG_TURN
    return _OK if event.amount == state.stack[event.seat] else _SCORE_MISMATCH
