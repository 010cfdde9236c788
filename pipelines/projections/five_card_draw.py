"""Five-card draw's own columns of `playedhand`, from the last state of each hand. It has no tricks."""

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from models.five_card_draw import HAND_CARDS, SEATS
from pipelines.batch import Batch
from pipelines.projections.columns import card_texts, nullable


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are five-card draw's own, one value a hand.

    A seat that nobody holds has nulls. `player_N_hand` is the hand as it was dealt, ``??`` for cards that
    the log does not show; `player_N_net` what the seat has won less what it has put in, null while the
    hand is not over.
    """
    done = states["done"] == 1
    columns: dict[str, pa.Array] = {
        **_computers(batch),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
    }
    net = states["won"].astype(np.int32) - states["staked"]
    for seat in range(SEATS):
        present = (states["present"] >> seat & 1) == 1
        dealt = states["dealt"] >> seat & 1
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], dealt * HAND_CARDS)
        columns[f"player_{seat}_net"] = nullable(net[:, seat], present & done)
    return columns


def _computers(batch: Batch) -> dict[str, pa.Array]:
    """Who is a computer: parsed once for each distinct opening, then spread."""
    which = batch.events["detail"][batch.offsets[:-1]]
    openings = set(which.tolist())
    values = [
        _kinds(detail) if number in openings else _NO_OPENING for number, detail in enumerate(batch.details)
    ]
    return {
        f"player_{seat}_ai": pa.array([value[seat] for value in values], pa.bool_()).take(pa.array(which))
        for seat in range(SEATS)
    }


_NO_OPENING: Final = (None,) * SEATS
"""Stands for the detail of another event."""


@lru_cache(maxsize=2**16)
def _kinds(detail: str) -> tuple[bool | None, ...]:
    """By seat whether a computer plays there, None where nobody does or the source does not tell."""
    players = json.loads(detail)["players"]
    kinds = [player and player.get("kind") for player in players]
    known = [None if kind is None else kind == "computer" for kind in kinds]
    return (*known, *_NO_OPENING)[:SEATS]


def trick_columns(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `tricks`, of which there are none."""
    small, number = np.zeros(0, np.int8), np.zeros(0, np.int32)
    return {
        "hand": number,
        "trick_no": pa.array(small),
        "leader": pa.array(small),
        "cards": pa.array([], pa.string()),
        "winner": pa.array(small),
        "winner_team": pa.array(small),
        "points": pa.array(number),
    }
