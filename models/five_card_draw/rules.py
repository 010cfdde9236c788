"""Five-card draw: up to six players, two rounds of betting around an exchange of cards. [R3] is rule
3 of docs/rules/five_card_draw.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.five_card_draw.legal import aces_held, legal_actions, legal_swaps, legal_text, may_swap
from cardlog.models.five_card_draw.showdown import hands_settle, reward, settle, show, shows_settle, standing
from cardlog.models.five_card_draw.state import (
    DRAWING,
    EVENT,
    FIRST_BETS,
    GAME,
    MOST_CARDS,
    SEATS,
    SECOND_BETS,
    STATE,
    begin,
    opening,
    shown_cards,
)
from cardlog.models.poker.actions import is_bet
from cardlog.models.poker.betting import (
    begin_blinds,
    begin_round,
    end_round,
    fold_early,
    give_back,
    pay_in,
    post,
    take_bet,
    with_chips,
)
from cardlog.models.poker.chips import bits, is_seat, next_seat
from cardlog.models.poker.ranks import HAND_CARDS, KEYS, rank_of_codes
from cardlog.models.poker.showdown import report, win_alone
from cardlog.models.poker.table import DEALING, OPENING, POSTING, SHOWING
from cardlog.schemas import cards
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason

__all__ = [
    "EVENT", "GAME", "MOST_CARDS", "STATE", "begin", "evolve", "legal_actions", "legal_text", "opening",
]  # fmt: skip

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
    if is_bet(action):
        return _bet(state, event)
    if action in (Action.BID_ANTE, Action.BID_BLIND, Action.BID_DEAD):
        return _post(state, event)
    if action == Action.DEAL_HAND:
        return _deal(state, event)
    if action == Action.PLAY_DISCARD:
        return _discard(state, event)
    if action == Action.DEAL_DRAW:
        return _draw(state, event)
    if action == Action.SCORE_SHOW:
        return show(state, event)
    if action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = POSTING
        if not state.posts_blinds:
            state.pending = state.present
            state.turn = next_seat(state.present, state.dealer)
        return Reason.OK
    if state.posts_blinds:
        return report(state, event)
    if action == Action.SCORE_HAND:
        return reward(state, event)
    if action == Action.SCORE_MATCH:
        return standing(state, event)
    return Reason.OUT_OF_ORDER


@compiled
def _is_settled(state: Any, action: Int) -> bool:
    """Go on to the next part of the hand once this one is over; True if it is known who gets the chips."""
    if action == Action.SCORE_SHOW:
        return shows_settle(state)
    if state.phase < DEALING or state.phase >= SHOWING:
        return False
    if state.phase == DEALING and state.dealt == state.present:
        _begin_round(state, FIRST_BETS)
    elif state.phase == DRAWING and state.pending == 0 and state.replaced == 0:
        state.tricks += 1
        _begin_round(state, SECOND_BETS)
    if state.phase == FIRST_BETS or state.phase == SECOND_BETS:
        is_alone = bits(state.live) == 1 and not state.last_one_acts
        if state.pending == 0 or is_alone:
            _end_round(state)
            return bool(state.phase == SHOWING and hands_settle(state))
    return False


@compiled
def _post(state: Any, event: Any) -> Reason:
    """[R3] Each player's ante, from the first after the button; a player with less pays all he has. [R15] Or
    blinds."""
    if state.phase != POSTING:
        return Reason.OUT_OF_ORDER
    if state.posts_blinds:
        return post(state, event)
    seat = np.int64(state.turn)
    if event.action != Action.BID_ANTE:
        return Reason.OUT_OF_ORDER
    if event.seat != seat:
        return Reason.WRONG_TURN
    if event.amount != min(state.ante, state.stack[seat]):
        return Reason.BAD_BID
    pay_in(state, seat, event.amount)
    if state.ante_all_in_acts:
        state.all_in = 0
    state.pending &= ~(1 << seat)
    state.turn = next_seat(state.present, seat)
    if state.pending == 0:
        state.phase = DEALING
    return Reason.OK


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R4] Five cards to each player, from the pack, none twice; a log may hide them."""
    if state.phase != DEALING and not (state.phase == POSTING and state.posts_blinds):
        return Reason.OUT_OF_ORDER
    seat = np.int64(event.seat)
    if not is_seat(state, seat) or state.dealt >> seat & 1:
        return Reason.WRONG_TURN
    reason, held = shown_cards(state, event, HAND_CARDS)
    if reason != Reason.OK:
        return reason
    state.phase = DEALING
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
    for seat in range(SEATS):
        state.level = max(state.level, state.staked[seat])
    first: Int = np.int64(state.dealer)
    if phase == FIRST_BETS and state.third_bets_first:
        for _ in range(2 % bits(state.present)):
            first = next_seat(state.present, first)
    if phase == FIRST_BETS and state.posts_blinds:
        begin_blinds(state, first, np.int64(state.small_bet))
    else:
        begin_round(state, first, np.int64(state.big_bet))
    if state.ante_all_in_acts:  # whoever bets against those who have no chips, too
        state.pending = with_chips(state)
        if bits(state.pending) < 2:
            state.pending = 0
        else:
            state.turn = next_seat(state.pending, first)


@compiled
def _end_round(state: Any) -> None:
    """Go on to the draw or the showdown. [R10] When all but one have folded, that one wins."""
    if bits(with_chips(state)) < 2:
        state.closed = 1
    if state.gives_back:
        give_back(state)
    end_round(state)
    if bits(state.live) == 1:
        win_alone(state)
    elif state.phase == FIRST_BETS:
        state.phase = DRAWING
        state.pending = state.live
        state.turn = next_seat(state.pending, state.dealer)
    else:
        state.phase = SHOWING
        state.turn = next_seat(state.live, state.dealer)


@compiled
def _bet(state: Any, event: Any) -> Reason:
    """[R6] Fold, check, call or raise by the seat in turn; or a fold out of turn. [R7] After a raise, all
    others who can must act again."""
    if state.folds_early and event.action == Action.BID_FOLD and not _may_bet(state, event.seat):
        return _fold_early(state, event)
    if state.phase != FIRST_BETS and state.phase != SECOND_BETS:
        return Reason.OUT_OF_ORDER
    reason = take_bet(state, event)
    if reason == Reason.OK and event.action == Action.BID_RAISE and state.phase == FIRST_BETS:
        state.raiser = event.seat
    return reason


@compiled
def _may_bet(state: Any, seat: Int) -> bool:
    return bool((state.phase == FIRST_BETS or state.phase == SECOND_BETS) and seat == state.turn)


@compiled
def _fold_early(state: Any, event: Any) -> Reason:
    """[R6] A fold of somebody who has left the table, in the draw, too."""
    if state.phase < FIRST_BETS or state.phase > SECOND_BETS or state.replaced != 0:
        return Reason.OUT_OF_ORDER
    reason = fold_early(state, event)
    if reason != Reason.OK or state.phase != DRAWING:
        return reason
    if bits(state.live) == 1:
        state.tricks += 1
        win_alone(state)
    elif event.seat == state.turn:
        _end_draw(state)
    return reason


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
    if known and not state.swaps_any and not may_swap(aces_held(state), discard):
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
