"""Five-card draw: up to six players, an ante, two rounds of betting around an exchange of cards. [R3] is rule
3 of docs/rules/five_card_draw.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.five_card_draw.legal import (
    aces_held,
    legal_actions,
    legal_bets,
    legal_swaps,
    legal_text,
    may_swap,
    owed,
)
from cardlog.models.five_card_draw.showdown import finish, reward, settle, show, shows_settle, standing
from cardlog.models.five_card_draw.state import (
    ANTES,
    DEALING,
    DRAWING,
    EVENT,
    FIRST_BETS,
    GAME,
    MOST_CARDS,
    OPENING,
    SEATS,
    SECOND_BETS,
    SHOWING,
    STATE,
    begin,
    opening,
    shown_cards,
)
from cardlog.models.poker.betting import MAY_CALL, MAY_CHECK, MAY_FOLD, MAY_RAISE
from cardlog.models.poker.chips import bits, is_seat, next_seat
from cardlog.models.poker.ranks import HAND_CARDS, KEYS, rank_of_codes
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT, Action
from cardlog.schemas.reasons import Reason

__all__ = [
    "EVENT", "GAME", "MOST_CARDS", "STATE", "begin", "evolve", "legal_actions", "legal_text", "opening",
]  # fmt: skip

_MOST_COUNTED: Final = 100  # raises of a round, which an int8 has to hold


# ---------------------------------------------------------------- the fold


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """Apply one event to the state of a hand, or say why it is illegal. See `Game`."""
    reason = _apply(state, event)
    if reason == Reason.OK and _is_settled(state, event.action):
        settle(state)
    return reason


@compiled
def _apply(state: Any, event: Any) -> Reason:
    action = event.action
    if action in (Action.BID_CHECK, Action.BID_CALL, Action.BID_RAISE, Action.BID_FOLD):
        return _bet(state, event)
    if action == Action.BID_ANTE:
        return _ante(state, event)
    if action == Action.DEAL_HAND:
        return _deal(state, event)
    if action == Action.PLAY_DISCARD:
        return _discard(state, event)
    if action == Action.DEAL_DRAW:
        return _draw(state, event)
    if action == Action.SCORE_SHOW:
        return show(state, event)
    if action == Action.SCORE_HAND:
        return reward(state, event)
    if action == Action.SCORE_MATCH:
        return standing(state, event)
    if action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = ANTES
        state.pending = state.present
        state.turn = next_seat(state.present, state.dealer)
        return Reason.OK
    return Reason.OUT_OF_ORDER


@compiled
def _is_settled(state: Any, action: Int) -> bool:
    """Go on to the next part of the hand once this one is over; True if it is known who gets the chips."""
    if action == Action.SCORE_SHOW:
        return shows_settle(state)
    if action in (Action.SCORE_HAND, Action.SCORE_MATCH):
        return False
    if state.phase == DEALING and state.dealt == state.present:
        _begin_round(state, FIRST_BETS)
    elif state.phase == DRAWING and state.pending == 0 and state.replaced == 0:
        state.tricks += 1
        _begin_round(state, SECOND_BETS)
    if state.pending == 0 and (state.phase == FIRST_BETS or state.phase == SECOND_BETS):
        _end_round(state)
        return bool(state.phase == SHOWING and state.known & state.live == state.live)
    return False


@compiled
def _ante(state: Any, event: Any) -> Reason:
    """[R3] Each player's ante, from the first after the button; a player with less pays all he has."""
    if state.phase != ANTES:
        return Reason.OUT_OF_ORDER
    seat = state.turn
    if event.seat != seat:
        return Reason.WRONG_TURN
    if event.amount != min(state.ante, state.stack[seat]):
        return Reason.BAD_BID
    _pay_in(state, seat, event.amount)
    if state.stack[seat] == 0 and state.ante_all_in_acts == 0:
        state.all_in |= 1 << seat
    state.pending &= ~(1 << seat)
    state.turn = next_seat(state.present, seat)
    if state.pending == 0:
        state.phase = DEALING
    return Reason.OK


@compiled
def _pay_in(state: Any, seat: Int, amount: Int) -> None:
    state.stack[seat] -= amount
    state.staked[seat] += amount


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R4] Five cards to each player, from the pack, none twice; a log may hide them."""
    if state.phase != DEALING:
        return Reason.OUT_OF_ORDER
    seat = event.seat
    if not is_seat(state, seat) or state.dealt >> seat & 1:
        return Reason.WRONG_TURN
    reason, held = shown_cards(state, event, HAND_CARDS)
    if reason != Reason.OK:
        return reason
    state.dealt_cards[seat, :] = event.cards
    state.held_cards[seat, :] = event.cards
    state.dealt |= 1 << seat
    if held != 0:
        state.seen |= held
        state.known |= 1 << seat
        state.rank[seat] = rank_of_codes(state.held_cards[seat])
        state.dealt_rank[seat] = state.rank[seat]
    return Reason.OK


# ---------------------------------------------------------------- betting


@compiled
def _begin_round(state: Any, phase: Int) -> None:
    """[R5] The first after the button bets first; in the first round of some programs, the third does. [R7]
    There is no round if fewer than two can bet."""
    state.phase = phase
    state.raises = 0
    for seat in range(SEATS):
        state.level = max(state.level, state.staked[seat])
    state.pending = state.live & ~state.all_in
    if bits(state.pending) < 2:
        state.pending = 0
        return
    previous = state.dealer
    if phase == FIRST_BETS and state.third_bets_first == 1:
        for _ in range(2 % bits(state.present)):
            previous = next_seat(state.present, previous)
    state.turn = next_seat(state.pending, previous)


@compiled
def _end_round(state: Any) -> None:
    """Go on to the draw or the showdown."""
    state.tricks += 1
    if state.phase == FIRST_BETS:
        state.phase = DRAWING
        state.pending = state.live
        state.turn = next_seat(state.pending, state.dealer)
        return
    state.phase = SHOWING
    state.turn = next_seat(state.live, state.dealer)


@compiled
def _bet(state: Any, event: Any) -> Reason:
    """[R6] Fold, check, call or raise by the seat in turn. [R7] After a raise, all others who can must act
    again. [R10] When all but one have folded, that one wins; some programs first ask him to act if he has not
    acted in this round."""
    if state.phase != FIRST_BETS and state.phase != SECOND_BETS:
        return Reason.OUT_OF_ORDER
    seat = state.turn
    if event.seat != seat:
        return Reason.WRONG_TURN
    legal = legal_bets(state)
    to_call, stack = owed(state), np.int64(state.stack[seat])
    amount = np.int64(0)
    if event.action == Action.BID_FOLD or event.action == Action.BID_CHECK:
        bit = MAY_FOLD if event.action == Action.BID_FOLD else MAY_CHECK
        if legal & bit == 0 or event.amount != NO_AMOUNT:
            return Reason.BAD_BID
    elif event.action == Action.BID_CALL:
        amount = np.int64(event.amount)
        if legal & MAY_CALL == 0 or amount != min(to_call, stack):
            return Reason.BAD_BID
    else:
        amount = np.int64(event.amount)
        if legal & MAY_RAISE == 0 or amount <= to_call or amount > stack:
            return Reason.BAD_BID
    _pay_in(state, seat, amount)
    state.pending &= ~(1 << seat)
    if event.action == Action.BID_FOLD:
        state.live &= ~(1 << seat)
    elif state.stack[seat] == 0:
        state.all_in |= 1 << seat
    if event.action == Action.BID_RAISE:
        state.raises = min(state.raises + 1, _MOST_COUNTED)
        if state.phase == FIRST_BETS:
            state.raiser = seat
        state.pending = state.live & ~state.all_in & ~(1 << seat)
    if bits(state.live) == 1 and (state.pending == 0 or state.last_one_acts == 0):
        _win_alone(state)
    elif state.pending != 0:
        state.turn = next_seat(state.pending, seat)
    return Reason.OK


@compiled
def _win_alone(state: Any) -> None:
    """[R10] The only player left wins all the chips."""
    winner = next_seat(state.live, state.dealer)
    for seat in range(SEATS):
        state.won[winner] += state.staked[seat]
    state.tricks += 1
    finish(state)


@compiled
def _discard(state: Any, event: Any) -> Reason:
    """[R9] From the first after the button, each discards up to three cards, or four and keeps an ace."""
    if state.phase != DRAWING or state.replaced != 0:
        return Reason.OUT_OF_ORDER
    seat = state.turn
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        return Reason.WRONG_TURN
    count = np.int64(event.count)
    if legal_swaps(state) >> count & 1 == 0:
        return Reason.MUST_FOLLOW
    known = state.known >> seat & 1 == 1
    discard = np.int64(0)
    for number in range(count):
        card = event.cards[number]
        if known == (card == cards.UNKNOWN):
            return Reason.UNKNOWN_CARD
        if not known:
            continue
        position = -1
        for index in range(HAND_CARDS):
            if state.held_cards[seat, index] == card:
                position = index
        if position < 0:
            return Reason.UNKNOWN_CARD if KEYS[card] == 0 else Reason.NOT_IN_HAND
        if discard >> position & 1:
            return Reason.DUPLICATE_CARD
        discard |= np.int64(1) << position
    if known and not may_swap(aces_held(state), discard):
        return Reason.MUST_FOLLOW
    for number in range(count):
        state.discards[seat, number] = event.cards[number]
    state.swapped[seat] = count
    kept = 0
    for index in range(HAND_CARDS):
        if known and discard >> index & 1 == 0:
            state.held_cards[seat, kept] = state.held_cards[seat, index]
            kept += 1
    state.replaced = count
    if count == 0:
        _end_draw(state)
    return Reason.OK


@compiled
def _draw(state: Any, event: Any) -> Reason:
    """[R9] As many cards from the pack as were discarded; they are placed after those kept."""
    if state.phase != DRAWING or state.replaced == 0:
        return Reason.OUT_OF_ORDER
    seat = state.turn
    if event.seat != seat:
        return Reason.WRONG_TURN
    count = np.int64(state.replaced)
    reason, drawn = shown_cards(state, event, count)
    if reason != Reason.OK:
        return reason
    known = state.known >> seat & 1 == 1
    if known == (drawn == 0):
        return Reason.UNKNOWN_CARD
    if known:
        for number in range(count):
            state.held_cards[seat, HAND_CARDS - count + number] = event.cards[number]
        state.rank[seat] = rank_of_codes(state.held_cards[seat])
        state.seen |= drawn
    state.replaced = 0
    _end_draw(state)
    return Reason.OK


@compiled
def _end_draw(state: Any) -> None:
    """Go on to the next player to draw, if there is one."""
    state.pending &= ~(1 << state.turn)
    if state.pending:
        state.turn = next_seat(state.pending, state.turn)
