"""Pinochle: two of each card, bids, melds on the table, counters."""

from typing import Any, Final

import numpy as np

from cardlog.models.pinochle.cards import RANKS, spread
from cardlog.models.pinochle.state import MOST_SHOWN, NO_BID, PASSED, PLAYING
from cardlog.models.trick import SEATS
from cardlog.schemas import cards
from cardlog.web.hands import table
from cardlog.web.texts import _

COUNTERS: Final = 25


def about(state: Any, opening: dict[str, Any]) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    return {**table.trick_about(state), "unit": _("counters of %(n)s", n=COUNTERS)}


def step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    common = table.trick_step(previous, before, event, state)
    melds = [int(points) for points in state["meld_points"]]
    return {
        **common,
        "high": max(0, *map(int, state["bids"])),
        "stop": common["stop"] or bool(state["phase"] != before["phase"] and state["phase"] == PLAYING),
        "hands": [table.sorted_hand(_held(state, seat), RANKS) for seat in range(SEATS)],
        "tags": [_tags(state, seat) for seat in range(SEATS)],
        "melds": [_meld(state, seat) for seat in range(SEATS)] if state["plays"] == 0 else None,
        "meld_points": [melds[0] + melds[2], melds[1] + melds[3]] if state["melded"] else None,
    }


def _cards_of(firsts: int, seconds: int) -> list[str]:
    codes = np.zeros(2 * MOST_SHOWN, np.uint8)
    count = spread(np.int64(firsts), np.int64(seconds), codes)
    return [cards.text(int(code)) for code in codes[:count]]


def _held(state: Any, seat: int) -> list[str]:
    if not table.dealt_to(state, seat):
        return []
    known = _cards_of(state["firsts"][seat], state["seconds"][seat])
    return known + [cards.UNKNOWN_TEXT] * int(state["unknown"][seat])


def _meld(state: Any, seat: int) -> str:
    return table.sorted_hand(_cards_of(state["meld_firsts"][seat], state["meld_seconds"][seat]), RANKS)


def _tags(state: Any, seat: int) -> list[str]:
    amount = int(state["bids"][seat])
    bid = {PASSED: _("pass"), NO_BID: None}.get(amount, _("bid %(n)s", n=amount))
    tags = table.tags(state, seat, state["bid_count"] == SEATS, bid)
    meld = _("meld %(n)s", n=state["meld_points"][seat])
    return [*tags, meld] if int(state["melded"]) >> seat & 1 else tags
