"""Ruter Sju's own columns of `playedhand`, from the last state of each hand. It has no tricks."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.ruter_sju.state import SEATS
from cardlog.pipelines.build.projections.columns import COMPUTERS, card_texts, optional
from cardlog.pipelines.build.projections.tricks import no_tricks as trick_columns
from cardlog.pipelines.storage.batch import Batch

__all__ = ["hand_columns", "trick_columns"]


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are Ruter Sju's own, one value a hand."""
    columns: dict[str, pa.Array] = {
        "played_cards": card_texts(states["played"], states["plays"]),
        **COMPUTERS.of(batch),
    }
    for seat in range(SEATS):
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], states["counts"][:, seat])
        columns[f"player_{seat}_place"] = optional(states["places"][:, seat], 0)
    return columns
