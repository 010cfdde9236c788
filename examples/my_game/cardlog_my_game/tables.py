"""The game's own part of cardlog's tables."""

from typing import Any, Final

import pyarrow as pa

from cardlog.plugin import Batch, GameTables, hand_columns_of, tricks_of

from .rules import SEATS


def hand_columns(batch: Batch, states: Any) -> dict[str, pa.Array]:
    """See `GameTables`: the points of each seat, and its place in the hand."""
    columns, score, goes_on = hand_columns_of(batch, states), states["score"], states["done"] == 0
    for seat in range(SEATS):
        place = 1 + (score > score[:, seat, None]).sum(1)
        columns[f"player_{seat}_place"] = pa.array(place, pa.int8(), mask=goes_on)
        columns[f"player_{seat}_net"] = pa.array(score[:, seat], pa.int32(), mask=goes_on)
    return columns


TABLES: Final = GameTables(hand_columns=hand_columns, tricks=tricks_of)
