"""Texas hold'em: two to ten players, blinds, two cards each, five in common, four rounds of betting. [R3] is
rule 3 of docs/rules/hold_em.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.hold_em.showdown import settle, show
from cardlog.models.hold_em.state import (
    BETTING,
    BOARD,
    HOLE_CARDS,
    PREFLOP,
    RIVER,
    TURN,
)
from cardlog.models.poker.actions import is_bet
from cardlog.models.poker.betting import (
    begin_blinds,
    begin_round,
    bets_text,
    end_round,
    fold_early,
    give_back,
    legal_bets,
    post,
    take_bet,
    with_chips,
)
from cardlog.models.poker.cards import BOARD_CARDS, shown_cards
from cardlog.models.poker.chips import bits, is_seat
from cardlog.models.poker.showdown import report, win_alone
from cardlog.models.poker.table import DEALING, OPENING, POSTING, SHOWING
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """Apply one event to the state of a hand, or say why it is illegal. See `Game`."""
    action = event.action
    if is_bet(action):
        return _bet(state, event)
    if action == Action.DEAL_HAND:
        return _deal(state, event)
    if action == Action.DEAL_BOARD:
        return _board(state, event)
    if action in (Action.BID_BLIND, Action.BID_ANTE, Action.BID_DEAD):
        return post(state, event) if state.phase == POSTING else Reason.OUT_OF_ORDER
    if action == Action.SCORE_SHOW:
        return show(state, event)
    if action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = POSTING
        return Reason.OK
    return report(state, event)


@compiled
def _bet(state: Any, event: Any) -> Reason:
    """[R6, R9] A bet by the seat in turn, or a fold out of turn. The round may be over then."""
    is_open = state.phase == BETTING
    is_early = event.action == Action.BID_FOLD and not (is_open and event.seat == state.turn)
    if state.folds_early and is_early and (is_open or state.phase == BOARD):
        reason = fold_early(state, event)
    else:
        reason = take_bet(state, event) if is_open else Reason.OUT_OF_ORDER
    if reason != Reason.OK:
        return reason
    if bits(state.live) == 1 or (is_open and state.pending == 0):
        _end_round(state)
    return Reason.OK


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R2] Two cards to each player, from the pack, none twice; a log may hide them."""
    if state.phase != POSTING and state.phase != DEALING:
        return Reason.OUT_OF_ORDER
    seat = np.int64(event.seat)
    if not is_seat(state, seat) or state.dealt >> seat & 1:
        return Reason.WRONG_TURN
    reason, held, hidden = shown_cards(state.seen, event, HOLE_CARDS)
    if reason != Reason.OK:
        return reason
    state.phase = DEALING
    state.dealt_cards[seat, 0], state.dealt_cards[seat, 1] = event.cards[0], event.cards[1]
    state.dealt |= 1 << seat
    state.seen |= held
    if hidden == 0:
        state.known |= 1 << seat
    if state.dealt == state.present:
        _begin_round(state)
    return Reason.OK


@compiled
def _begin_round(state: Any) -> None:
    """[R5] Before the flop the player after the last blind begins, later the first after the button."""
    state.phase = BETTING
    if state.tricks == PREFLOP:
        begin_blinds(state, state.dealer, np.int64(state.small_bet))
    else:
        begin_round(state, state.dealer, np.int64(state.big_bet if state.tricks >= TURN else state.small_bet))
    if state.pending == 0:
        _end_round(state)


@compiled
def _end_round(state: Any) -> None:
    """[R10, R11] Go on to the next cards of the board or the showdown. If all but one have folded, that one
    wins; if fewer than two have chips left, there is no more betting."""
    if bits(with_chips(state)) < 2:
        state.closed = 1
    state.shared = state.board_count[0]
    give_back(state)
    end_round(state)
    if bits(state.live) == 1:
        win_alone(state)
    elif state.tricks <= RIVER:
        state.phase = BOARD
    else:
        state.phase = SHOWING
        settle(state)


@compiled
def _board(state: Any, event: Any) -> Reason:
    """[R2, R12] The flop has three cards, the turn and the river one each. When all are all in, a hand can be
    run twice: then the cards of the second board, which `amount` says, follow those of the first."""
    if state.phase != BOARD:
        return Reason.OUT_OF_ORDER
    board = 0
    if event.amount != NO_AMOUNT:
        board = event.amount - 1
    if board != 0 and (board != 1 or state.boards < 2 or state.closed == 0):
        return Reason.OUT_OF_ORDER
    dealt = np.int64(state.board_count[board])
    if board == 1:
        if state.board_count[0] < BOARD_CARDS:
            return Reason.OUT_OF_ORDER
        dealt = max(dealt, np.int64(state.shared))
    count = 3 if dealt == 0 else 1
    if dealt == BOARD_CARDS:
        return Reason.OUT_OF_ORDER
    reason, mask, hidden = shown_cards(state.seen, event, count)
    if reason != Reason.OK:
        return reason
    if hidden:
        return Reason.UNKNOWN_CARD
    if board == 1 and state.board_count[1] == 0:
        for index in range(state.shared):
            state.board[1, index] = state.board[0, index]
    for index in range(count):
        state.board[board, dealt + index] = event.cards[index]
    state.board_count[board] = dealt + count
    state.seen |= mask
    if state.closed == 0:
        _begin_round(state)
    elif state.board_count[state.boards - 1] == BOARD_CARDS:
        state.phase = SHOWING
        state.tricks = RIVER + 1
        settle(state)
    return Reason.OK


# ---------------------------------------------------------------- what is legal


@compiled
def legal_actions(state: Any) -> Int:
    """What the seat in turn may do, as bits of `betting`; 0 if no seat has to decide."""
    return legal_bets(state) if state.phase == BETTING else 0


def legal_text(state: Any) -> str:
    """What the seat in turn may do, for a message; empty if it is nobody's turn."""
    legal = int(legal_actions(state))
    if not legal:
        return ""
    return f"seat {state['turn']}: {bets_text(state)}"
