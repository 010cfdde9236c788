"""Kaiser: bids, cards passed to the partner, and the points that the five of hearts and the three of spades
make."""

from typing import Any, Final

from cardlog.models.kaiser.legal import bid_text
from cardlog.models.kaiser.state import HAND_CARDS, NO_BID, PASSED
from cardlog.models.trick import SEATS
from cardlog.schemas.cards import PACK_RANKS
from cardlog.web.hands import table

ORDER: Final = PACK_RANKS[::-1]
SPECIAL: Final = {"5H": "+5", "3S": "−3"}
"""What taking these cards adds to a trick."""


def about(state: Any, opening: dict[str, Any]) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    return {**table.trick_about(state), "special": SPECIAL, "unit": "points of 10"}


def step(last: dict[str, Any], before: Any, event: Any, state: Any) -> dict[str, Any]:
    """See `cardlog.web.hands.table`."""
    shown = table.trick_step(before, event, state)
    return {
        **shown,
        "stop": shown["stop"] or table.names_trump(before, state),
        "hands": [table.sorted_hand(table.held(state, seat, HAND_CARDS), ORDER) for seat in range(SEATS)],
        "tags": [_tags(state, seat) for seat in range(SEATS)],
        **table.match_score(last, event, state),
    }


def _tags(state: Any, seat: int) -> list[str]:
    rank = int(state["bids"][seat])
    said = {PASSED: "pass", NO_BID: None}.get(rank, f"bid {bid_text(rank).replace('N', ' no trump')}")
    return table.tags(state, seat, state["bid_count"] == SEATS, said)
