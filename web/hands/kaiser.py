"""Kaiser: bids, cards passed to the partner, and the points for the five of hearts and the three of
spades."""

from typing import Any, Final

from cardlog.models.kaiser.state import HAND_CARDS, NO_BID, PASSED
from cardlog.models.trick import SEATS
from cardlog.schemas.cards import PACK_RANKS
from cardlog.web.hands import table
from cardlog.web.texts import _

ORDER: Final = PACK_RANKS[::-1]
SPECIAL: Final = {"5H": "+5", "3S": "−3"}
"""The points that these cards add to a trick."""


def about(state: Any, opening: dict[str, Any]) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    return {**table.trick_about(state), "special": SPECIAL, "unit": _("points of 10")}


def step(previous: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    common = table.trick_step(previous, before, event, state)
    return {
        **common,
        "stop": common["stop"] or table.names_trump(before, state),
        "hands": [table.sorted_hand(table.held(state, seat, HAND_CARDS), ORDER) for seat in range(SEATS)],
        "tags": [_tags(state, seat) for seat in range(SEATS)],
    }


def _tags(state: Any, seat: int) -> list[str]:
    rank = int(state["bids"][seat])
    text = _("bid %(n)s no trump", n=rank >> 1) if rank & 1 else _("bid %(n)s", n=rank >> 1)
    bid = {PASSED: _("pass"), NO_BID: None}.get(rank, text)
    return table.tags(state, seat, state["bid_count"] == SEATS, bid)
