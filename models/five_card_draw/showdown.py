"""The showdown of five-card draw: who shows, who wins what, and what the source reports. [R3] is rule 3 of
docs/rules/five_card_draw.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.five_card_draw.pots import Hands, could_be, is_known, share_out
from cardlog.models.five_card_draw.state import SEATS, out_of_pack, shown_cards
from cardlog.models.poker import showdown
from cardlog.models.poker.chips import bits, is_seat, next_seat
from cardlog.models.poker.ranks import HAND_CARDS, mask_of, rank_of_codes
from cardlog.models.poker.showdown import finish, who_wins
from cardlog.models.poker.table import DONE, SHOWING
from cardlog.schemas import cards
from cardlog.schemas.reasons import Reason

show_hand, share_pots = showdown.show, showdown.share_out


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
    if state.shows_freely:
        share_pots(state, who_wins(state), state.rank.reshape((SEATS, 1)))
        return
    order, carried = _deal_order(state), state.odd_chips_carried == 1
    state.won[:] = share_out(state.live, state.staked, state.rank, order, carried)
    finish(state)


@compiled
def show(state: Any, event: Any) -> Reason:
    """[R11] From the first after the button, each player shows a hand at least as good as the best shown so
    far, or mucks it. A hand that the source shows must agree with this and with the known cards."""
    if state.phase != SHOWING and state.phase != DONE:
        return Reason.OUT_OF_ORDER
    if state.shows_freely:
        reason = show_hand(state, event, state.held_cards, out_of_pack(state))
        if reason == Reason.OK and state.known >> np.int64(event.seat) & 1:
            _note_hand(state, np.int64(event.seat))
        return reason
    waiting = state.live & ~state.shown
    if bits(state.live) < 2 or waiting == 0 or state.reported != 0:
        return Reason.OUT_OF_ORDER
    seat = next_seat(waiting, state.dealer)
    if event.seat != seat:
        return Reason.WRONG_TURN
    known = state.known >> seat & 1 == 1
    if event.count != HAND_CARDS:
        return Reason.INCOMPLETE
    if event.cards[0] == cards.UNKNOWN:
        return _muck(state, event, seat)
    seen = state.seen
    if known:
        state.seen = seen & ~mask_of(state.held_cards[seat])
    reason, mask = shown_cards(state, event, HAND_CARDS)
    state.seen = seen
    if reason != Reason.OK:
        return reason
    if known and mask != mask_of(state.held_cards[seat]):
        return Reason.NOT_IN_HAND
    rank = rank_of_codes(event.cards)
    if state.best != 0 and rank > state.best:
        return Reason.SCORE_MISMATCH
    if not known:
        state.held_cards[seat, :] = event.cards
        state.known |= 1 << seat
        state.seen |= mask
        _note_hand(state, seat)
    state.best = rank
    state.shown |= 1 << seat
    return Reason.OK


@compiled
def _note_hand(state: Any, seat: Int) -> None:
    """Rank a hand that has become known; who has exchanged nothing was dealt just that."""
    state.rank[seat] = rank_of_codes(state.held_cards[seat])
    if state.swapped[seat] <= 0:
        state.dealt_cards[seat, :] = state.held_cards[seat]
        state.dealt_rank[seat] = state.rank[seat]


@compiled
def _muck(state: Any, event: Any, seat: Int) -> Reason:
    """[R11] A mucked hand is worse than the best shown, so the first hand is always shown."""
    for index in range(HAND_CARDS):
        if event.cards[index] != cards.UNKNOWN:
            return Reason.UNKNOWN_CARD
    if state.best == 0 or (state.rank[seat] != 0 and state.rank[seat] <= state.best):
        return Reason.SCORE_MISMATCH
    state.limit[seat] = state.best
    state.shown |= 1 << seat
    state.mucked |= 1 << seat
    return Reason.OK


@compiled
def hands_settle(state: Any) -> bool:
    """Whether the known hands settle who wins what before any is shown."""
    if state.shows_freely:
        return bool(who_wins(state) != 0)
    return bool(state.known & state.live == state.live)


@compiled
def shows_settle(state: Any) -> bool:
    """Whether everyone has shown or mucked, and the known hands settle who wins what."""
    if state.shows_freely:
        return hands_settle(state)
    all_shown = state.phase == SHOWING and state.shown & state.live == state.live
    return all_shown and is_known(state.live, state.staked, state.rank, _deal_order(state))


@compiled
def reward(state: Any, event: Any) -> Reason:
    """The reported win of a player. [R13] If hidden hands share a side pot, there must be hands that fit the
    report; the hand is settled once all chips are reported."""
    seat = event.seat
    if state.phase < SHOWING or (state.phase == SHOWING and state.live & ~state.shown):
        return Reason.OUT_OF_ORDER
    if not is_seat(state, seat) or state.reported >> seat & 1:
        return Reason.OUT_OF_ORDER
    if event.amount < 0 or (event.amount == 0 and not _may_get_nothing(state, seat)):
        return Reason.SCORE_MISMATCH
    if state.done == 1:
        if state.won[seat] != event.amount and not _trade_odd_chips(state, seat, event.amount):
            return Reason.SCORE_MISMATCH
        state.reported |= 1 << seat
        return Reason.OK
    unclaimed = np.int64(state.won[seat]) - np.int64(event.amount)  # chips that nobody is reported to win
    reported = np.zeros(SEATS, np.int64)
    for other in range(SEATS):
        unclaimed += np.int64(state.staked[other]) - np.int64(state.won[other])
        reported[other] = state.won[other]
    reported[seat] = event.amount
    if unclaimed < 0:
        return Reason.SCORE_MISMATCH
    hands, carried, order = Hands(state.rank, state.limit), state.odd_chips_carried == 1, _deal_order(state)
    if unclaimed == 0 and not could_be(state.live, state.staked, hands, order, carried, reported):
        return Reason.SCORE_MISMATCH
    state.won[seat] = event.amount
    state.reported |= 1 << seat
    if unclaimed == 0:
        finish(state)
    return Reason.OK


@compiled
def _may_get_nothing(state: Any, seat: Int) -> bool:
    """[R13] Whether a win of 0 chips may be reported: by some programs, after a showdown."""
    return bool(state.zero_shares_reported == 1 and bits(state.live) > 1 and state.live >> seat & 1)


@compiled
def _trade_odd_chips(state: Any, seat: Int, amount: Int) -> bool:
    """[R14] In what order the program pays tied winners who have put in the same amount is unknown: if the
    amount is what another of them should have got, swap the two."""
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
def standing(state: Any, event: Any) -> Reason:
    """The reported chips of a player after the hand."""
    if state.done == 0:
        return Reason.OUT_OF_ORDER
    if not is_seat(state, event.seat):
        return Reason.WRONG_TURN
    return Reason.OK if event.amount == state.stack[event.seat] else Reason.SCORE_MISMATCH
