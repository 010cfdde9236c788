"""Pinochle's own part of the tables, from the last state of each hand."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.engine.trick import SEATS
from cardlog.models.pinochle.cards import COUNTERS
from cardlog.models.pinochle.state import NAMING, NO_BID, PASSED, TRICKS
from cardlog.pipelines.derive.projections.game import GameTables
from cardlog.pipelines.derive.projections.seats import high_cards, valued
from cardlog.pipelines.derive.projections.tricks import hand_columns_of, tricks_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import labels, nullable
from cardlog.schemas.cards import SUITS
from cardlog.schemas.events import Action


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are Pinochle's own, one value a hand."""
    decided = states["phase"] >= NAMING
    thrown_in = (states["done"] == 1) & (states["tricks"] < TRICKS)
    columns = {
        **hand_columns_of(batch, states),
        "declarer": nullable(states["declarer"], decided),
        "contract": nullable(states["high_bid"], decided),
        "trump": labels(states["trump"], SUITS),
    }
    for seat in range(SEATS):
        columns[f"player_{seat}_bid"] = _bids(states["bids"][:, seat])
    for team in range(2):
        columns[f"team_{team}_points"] = nullable(states["points"][:, team].astype(np.int32), ~thrown_in)
    return columns


def _bids(bids: NDArray[np.int32]) -> pa.Array:
    """A seat's bid in each hand, ``pass`` or the number; null if it had no turn to bid."""
    distinct, index = np.unique(bids, return_inverse=True)
    texts = ["pass" if bid == PASSED else str(bid) for bid in distinct]
    return labels(np.where(bids == NO_BID, -1, index), texts)


_CARD_POINTS: Final = np.array([int(COUNTERS) >> code & 1 for code in range(256)], np.int32)
_HIGH_CARDS: Final = high_cards("ATKQ")

TABLES: Final = GameTables(
    hand_columns=hand_columns,
    tricks=tricks_of,
    seat_columns=valued(_CARD_POINTS, _HIGH_CARDS, 2),
    bids=(Action.BID_PASS, Action.BID_BID),
)
