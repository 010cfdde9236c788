"""The showdown of hold'em. [R3] is rule 3 of docs/rules/hold_em.md."""

from typing import Any

import numpy as np

from cardlog.models.engine.compiled import compiled
from cardlog.models.hold_em.state import BETTING
from cardlog.models.poker import showdown
from cardlog.models.poker.cards import rank_on
from cardlog.models.poker.table import POSTING, SHOWING
from cardlog.schemas.reasons import Reason

_show, _share_out, _who_wins = showdown.show, showdown.share_out, showdown.who_wins


@compiled
def show(state: Any, event: Any) -> Reason:
    """[R13] Hands are shown before the rest of the board if nobody can bet any more."""
    if not (state.closed or state.phase >= SHOWING) or state.phase <= POSTING or state.phase == BETTING:
        return Reason.OUT_OF_ORDER
    reason = _show(state, event, state.dealt_cards, np.int64(state.seen))
    if reason == Reason.OK and state.done == 0:
        settle(state)
    return reason


@compiled
def settle(state: Any) -> None:
    """[R14, R15] Share out the chips, as soon as it is known who can win with what."""
    can_win = _who_wins(state)
    if can_win:
        for board in range(state.boards):
            for seat in range(len(state.stack)):
                if can_win >> seat & 1:
                    state.rank[seat, board] = rank_on(state.board[board], state.dealt_cards[seat])
        _share_out(state, can_win, state.rank)
