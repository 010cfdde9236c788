"""The game's own part of cardlog's tables."""

from typing import Any, Final

import numpy as np
import pyarrow as pa

from cardlog.plugin import Batch, GameTables, hand_columns_of, tricks_of

from .rules import SEATS


def hand_columns(batch: Batch, states: Any) -> dict[str, pa.Array]:
    """See `GameTables`: fewest penalties is the first place."""
    columns = hand_columns_of(batch, states)
    del columns["dealer"]
    places = 1 + (states["score"][:, None, :] < states["score"][:, :, None]).sum(2, np.int8)
    for seat in range(SEATS):
        columns[f"player_{seat}_place"] = pa.array(places[:, seat], mask=states["done"] == 0)
    return columns


TABLES: Final = GameTables(hand_columns=hand_columns, tricks=tricks_of)
