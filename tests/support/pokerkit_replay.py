"""PokerKit as the second opinion on hold'em: it replays the hands that we export."""

import json
import warnings
from typing import Any

from pokerkit import HandHistory
from pokerkit.notation import parse_action

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import fold_batch
from cardlog.pipelines.export.phh import NotInPhh, text_of


def replayed(text: str) -> Any:
    """PokerKit's state after the actions of a hand. Raises ValueError if it does not allow one of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of fields that are not in the specification
        history = HandHistory.loads(text)
        state = history.create_state()
        for action in history.actions:
            while state.can_burn_card():
                state.burn_card("??")
            parse_action(state, action, history.parse_value)
    return state


def opinion(batch: Batch, hand: int) -> bool | None:
    """See `opinions`: whether a hand was played to its end, with the same stacks; it knows no pot limit."""
    one = batch.take([hand])  # type: ignore[arg-type]
    [state] = fold_batch(one).states
    opening = json.loads(batch.details[int(one.events["detail"][0])])
    try:
        theirs = replayed(text_of(one, 0, state))
    except NotInPhh:
        return None
    if not theirs.status:
        order = [(opening["dealer"] + step) % len(opening["players"]) for step in range(1, 11)]
        seats = list(dict.fromkeys(seat for seat in order if opening["players"][seat] is not None))
        unit, rake = opening["settings"]["unit"], int(state["rake"])
        ours = [int(state["stack"][seat]) for seat in seats]
        assert rake or ours == [round(stack * unit) for stack in theirs.stacks], (ours, theirs.stacks)
    return not theirs.status
