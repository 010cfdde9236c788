"""High card's own columns of `playedhand` and `tricks`, from the last state of each hand."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.high_card.rules import HAND_CARDS, HAND_SCORE, SEATS, TRICKS
from cardlog.pipelines.build.projections.columns import card_texts, digit_texts, nullable, optional
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.events import NO_AMOUNT


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are high card's own, one value a hand."""
    columns: dict[str, pa.Array] = {
        "id": optional(batch.events["amount"][batch.offsets[:-1]], NO_AMOUNT),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
        "played_cards": card_texts(states["played"], states["plays"]),
        "trick_winners": digit_texts(states["winners"], states["tricks"]),
    }
    for seat in range(SEATS):
        dealt = (states["dealt"] >> seat & 1) * HAND_CARDS
        taken, others = states["points"][:, seat], states["points"][:, 1 - seat]
        score = np.where(taken > others, HAND_SCORE, 0).astype(np.int32)
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], dealt)
        columns[f"team_{seat}_points"] = pa.array(taken.astype(np.int32))
        columns[f"team_{seat}_score"] = nullable(score, states["done"] == 1)
    return columns


def trick_columns(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `tricks`, one value a whole trick; `hand` is the place of its hand."""
    whole = np.arange(TRICKS) < states["tricks"][:, None]
    hand, number = np.nonzero(whole)
    winner = states["winners"][whole]
    played = states["played"].reshape(-1, TRICKS, SEATS)[whole]
    return {
        "hand": hand.astype(np.int32),
        "trick_no": pa.array(number.astype(np.int8)),
        "leader": pa.array(states["leaders"][whole]),
        "cards": card_texts(played, np.full(len(hand), SEATS)),
        "winner": pa.array(winner),
        "winner_team": pa.array(winner),
        "points": pa.array(np.ones(len(hand), np.int32)),
    }
