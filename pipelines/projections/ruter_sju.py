"""Ruter Sju's own columns of `playedhand`, from the last state of each hand. It has no tricks."""

import json
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from models.ruter_sju import SEATS
from pipelines.batch import Batch
from pipelines.projections.columns import card_texts, optional
from schemas.tables import TRICKS


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are Ruter Sju's own, one value a hand."""
    columns: dict[str, pa.Array] = {
        "played_cards": card_texts(states["played"], states["plays"]),
        **_computers(batch),
    }
    for seat in range(SEATS):
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], states["counts"][:, seat])
        columns[f"player_{seat}_place"] = optional(states["places"][:, seat], 0)
    return columns


def _computers(batch: Batch) -> dict[str, pa.Array]:
    """Who is a computer: parsed once for each distinct opening, then spread."""
    which = batch.events["detail"][batch.offsets[:-1]]
    openings = set(which.tolist())
    values = [
        _opening_values(detail) if number in openings else (None,) * SEATS
        for number, detail in enumerate(batch.details)
    ]
    return {
        f"player_{seat}_ai": pa.array([value[seat] for value in values], pa.bool_()).take(pa.array(which))
        for seat in range(SEATS)
    }


@lru_cache(maxsize=2**16)
def _opening_values(detail: str) -> tuple[bool | None, ...]:
    """Whether each of six seats is a computer, None where nobody sits or it is not told."""
    kinds = [player.get("kind") for player in json.loads(detail)["players"]]
    kinds += [None] * (SEATS - len(kinds))
    return tuple(None if kind is None else kind == "computer" for kind in kinds)


def trick_columns(states: NDArray[np.void]) -> dict[str, Any]:
    """No rows: nobody takes anything in this game."""
    own = ("trick_no", "leader", "cards", "winner", "winner_team", "points")
    none = {name: pa.array([], TRICKS.field(name).type) for name in own}
    return {"hand": np.zeros(0, np.int32), **none}
