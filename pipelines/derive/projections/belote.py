"""Belote's own part of the tables, from the last state of each hand."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.belote.legal import bid_text
from cardlog.models.belote.score import PLAIN_VALUES, TRUMP_VALUES
from cardlog.models.engine.trick import SEATS
from cardlog.pipelines.derive.projections.game import GameTables
from cardlog.pipelines.derive.projections.seats import points_table, valued
from cardlog.pipelines.derive.projections.tricks import hand_columns_of, tricks_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import labels, nullable
from cardlog.schemas.cards import SUIT_LETTERS, SUITS
from cardlog.schemas.events import Action

_BID_TEXTS: Final = [bid_text(bid) for bid in range(len(SUITS) + 1)]


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are belote's own, one value a hand.

    The contract is the points that the bidders needed, null in a hand that breaks off: until the end bela can
    raise it.
    """
    done = states["done"] == 1
    columns = {
        **hand_columns_of(batch, states),
        "declarer": nullable(states["declarer"], states["declarer"] >= 0),
        "contract": nullable(states["needed"].astype(np.int32), done),
        "trump": labels(states["trump"], SUIT_LETTERS),
    }
    for seat in range(SEATS):
        columns[f"player_{seat}_bid"] = labels(states["bids"][:, seat], _BID_TEXTS)
    return columns


_CARD_POINTS: Final = np.stack(
    [
        points_table(
            {
                rank + suit: value
                for suit in SUITS
                for rank, value in (TRUMP_VALUES if suit == trump else PLAIN_VALUES).items()
            }
        )
        for trump in SUITS
    ]
)
"""By trump: shape (4, 256)."""

TABLES: Final = GameTables(
    hand_columns=hand_columns,
    tricks=tricks_of,
    seat_columns=valued(_CARD_POINTS, _CARD_POINTS, 10),
    bids=(Action.BID_PASS, Action.BID_TRUMP),
)
