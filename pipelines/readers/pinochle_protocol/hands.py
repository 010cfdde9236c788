"""Finds where hands begin and end in the lines of Pinochle's protocol.

A hand runs from its deal to its score. Lines outside of any hand that can't be ignored are found like hands,
since they may be the rest of one.
"""

from typing import Any

from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.readers.pinochle_protocol.lines import Field, Kind
from cardlog.pipelines.readers.pinochle_protocol.state import NO_LINE, NO_NUMBER, Fault


@compiled
def find(lines: NDArray[Any], hands: NDArray[Any]) -> int:
    """Find the hands in a section's lines; returns how many there are.

    hands
        Out: `state.HAND`, as many as lines at most; only their lines are filled in.
    """
    count = 0
    inside = False
    menu = 0
    table = NO_LINE
    for index in range(len(lines)):
        line = lines[index]
        kind = line.kind
        if kind == Kind.BLANK:
            continue
        if kind == Kind.MENU:
            inside = False
            menu = 1
            if line.fields >> Field.MyTable & 1 or line.fields >> Field.Option & 1:
                table = index
            continue
        if kind == Kind.DEAL or not inside:
            if kind == Kind.NOTE:
                continue
            inside = True
            hand = hands[count]
            hand.first = index
            hand.menu = menu
            hand.table = table
            hand.number = NO_NUMBER
            hand.fault = Fault.FINE
            count += 1
            menu = 0
        hands[count - 1].last = index
        inside = kind != Kind.SAY_SCORE
    if inside:
        hands[count - 1].cut = 1
    return count
