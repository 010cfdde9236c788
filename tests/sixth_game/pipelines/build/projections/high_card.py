"""High card's own part of the tables, from the last state of each hand."""

from typing import Final

import numpy as np
import pyarrow as pa

from cardlog.models.high_card.rules import HAND_SCORE, SEATS, TRICKS
from cardlog.pipelines.build.projections.columns import card_texts, digit_texts, nullable, optional
from cardlog.pipelines.build.projections.game import GameTables, States, Tricks
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.events import NO_AMOUNT


def hand_columns(batch: Batch, states: States) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are high card's own, one value a hand."""
    columns: dict[str, pa.Array] = {
        "id": optional(batch.events["amount"][batch.offsets[:-1]], NO_AMOUNT),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
        "played_cards": card_texts(states["played"], states["plays"]),
        "trick_winners": digit_texts(states["winners"], states["tricks"]),
    }
    for seat in range(SEATS):
        taken, others = states["points"][:, seat], states["points"][:, 1 - seat]
        score = np.where(taken > others, HAND_SCORE, 0).astype(np.int32)
        columns[f"team_{seat}_points"] = pa.array(taken.astype(np.int32))
        columns[f"team_{seat}_score"] = nullable(score, states["done"] == 1)
    return columns


def tricks(states: States) -> Tricks:
    """The whole tricks, worth a point each."""
    whole = np.arange(TRICKS) < states["tricks"][:, None]
    hand, number = np.nonzero(whole)
    played = states["played"].reshape(-1, TRICKS, SEATS)[whole]
    points = np.ones(len(hand), np.int32)
    leaders, winners = states["leaders"][whole], states["winners"][whole]
    return Tricks(hand.astype(np.int32), number.astype(np.int8), leaders, winners, points, played)


TABLES: Final = GameTables(hand_columns=hand_columns, tricks=tricks)
