"""Ruter Sju's own part of the tables, from the last state of each hand. It has no tricks."""

from typing import Any, Final

import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.ruter_sju.state import SEATS
from cardlog.pipelines.derive.projections.game import GameTables, States
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import card_texts, optional


def hand_columns(batch: Batch, states: States) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are Ruter Sju's own, one value a hand."""
    columns: dict[str, pa.Array] = {"played_cards": card_texts(states["played"], states["plays"])}
    for seat in range(SEATS):
        columns[f"player_{seat}_place"] = optional(states["places"][:, seat], 0)
    return columns


def _dealt(states: States) -> NDArray[Any]:
    return states["counts"]


TABLES: Final = GameTables(hand_columns=hand_columns, dealt=_dealt)
