"""The bets among the actions of a game's decisions. A bet or raise goes by what it adds to the highest bet,
as a part of the pot after a call; but one of all the chips is all in. [R7] is rule 7 of
docs/rules/hold_em.md.

`parts` says where the kinds of raises begin, and the last one ends, in quarters of the pot: shape
(kinds + 1,)."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.poker.betting import MAY_CALL, MAY_CHECK, MAY_FOLD, owed, raise_limits
from cardlog.models.poker.chips import pot_of
from cardlog.schemas.events import Action

FOLD_ACTION, CHECK_ACTION, CALL_ACTION, SMALL_RAISE = range(4)
"""The first of the actions; after the last kind of raise follows the one of all the chips."""
BET_WORDS: Final = ("fold", "check", "call")
"""The words of the actions before `SMALL_RAISE`."""
NO_END: Final = 2**30  # as an end of the last kind


@compiled
def is_bet(action: Int) -> bool:
    """Whether an event's action is a bet of a round."""
    return action in (Action.BID_FOLD, Action.BID_CHECK, Action.BID_CALL, Action.BID_RAISE)


@compiled
def least_raise(state: Any, action: Int, parts: Any) -> Int:
    """[R7] The fewest chips with which the seat in turn can make a raise of a kind, 0 if it can't."""
    to_call = owed(state)
    pot, limits = pot_of(state) + to_call, raise_limits(state, to_call)
    return _least_raise(parts, action, to_call, np.int64(state.stack[state.turn]), pot, limits)


@compiled
def _least_raise(parts: Any, action: Int, to_call: Int, stack: Int, pot: Int, limits: tuple[Int, Int]) -> Int:
    """`least_raise`; `pot` is the pot after a call."""
    least, most = limits
    if most == 0:
        return 0
    kind, last = action - SMALL_RAISE, len(parts) - 2
    if kind > last:
        return stack if most == stack else np.int64(0)
    by = max(least - to_call, (parts[kind] * pot + 3) // 4)
    if 4 * by >= parts[kind + 1] * pot and pot > 0:
        return 0
    if pot == 0 and kind != last:  # with an empty pot every raise is by the pot or more
        return 0
    amount = to_call + by
    return amount if amount <= most and amount < stack else np.int64(0)


@compiled
def action_of(state: Any, event: Any, parts: Any) -> Int:
    """The action of a bet."""
    if event.action == Action.BID_FOLD:
        return FOLD_ACTION
    if event.action == Action.BID_CHECK:
        return CHECK_ACTION
    if event.action == Action.BID_CALL:
        return CALL_ACTION
    amount, to_call = np.int64(event.amount), owed(state)
    kind: Int = len(parts) - 1
    if amount == state.stack[state.turn]:
        return SMALL_RAISE + kind
    pot, by = pot_of(state) + to_call, amount - to_call
    kind -= 1
    while kind > 0 and 4 * by < parts[kind] * pot:
        kind -= 1
    return SMALL_RAISE + kind


@compiled
def mask_bets(state: Any, legal: Int, mask: Any, parts: Any) -> None:
    """Write which actions are among the legal ones, bits of `betting`."""
    mask[FOLD_ACTION] = legal & MAY_FOLD != 0
    mask[CHECK_ACTION] = legal & MAY_CHECK != 0
    mask[CALL_ACTION] = legal & MAY_CALL != 0
    to_call, stack = owed(state), np.int64(state.stack[state.turn])
    pot, limits = pot_of(state) + to_call, raise_limits(state, to_call)
    for action in range(SMALL_RAISE, SMALL_RAISE + len(parts)):
        mask[action] = _least_raise(parts, action, to_call, stack, pot, limits) > 0


@compiled
def bet_event(state: Any, action: Int, event: Any, parts: Any) -> None:
    """Write the event of an action. A raise is the least of its kind."""
    if action == FOLD_ACTION:
        event.action = Action.BID_FOLD
    elif action == CHECK_ACTION:
        event.action = Action.BID_CHECK
    elif action == CALL_ACTION:
        event.action = Action.BID_CALL
        event.amount = min(owed(state), np.int64(state.stack[state.turn]))
    else:
        event.action = Action.BID_RAISE
        event.amount = least_raise(state, action, parts)
