"""Belote's own columns of `playedhand` and `tricks`, from the last state of each hand."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.belote.legal import bid_text
from cardlog.models.belote.score import SEATS
from cardlog.models.belote.state import HAND_CARDS
from cardlog.pipelines.build.projections.columns import (
    COMPUTERS,
    card_texts,
    digit_texts,
    labels,
    nullable,
    optional,
)
from cardlog.pipelines.build.projections.tricks import trick_columns
from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.cards import SUIT_LETTERS, SUITS
from cardlog.schemas.events import NO_AMOUNT

__all__ = ["hand_columns", "trick_columns"]

_BID_TEXTS: Final = [bid_text(bid) for bid in range(len(SUITS) + 1)]


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are belote's own, one value a hand.

    The contract is the points that the bidders needed, null in a hand that breaks off: until its end
    bela can raise it.
    """
    firsts = batch.events[batch.offsets[:-1]]
    named = states["declarer"] >= 0
    done = states["done"] == 1
    columns: dict[str, pa.Array] = {
        **COMPUTERS.of(batch),
        "id": optional(firsts["amount"], NO_AMOUNT),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
        "played_cards": card_texts(states["played"], states["plays"]),
        "declarer": nullable(states["declarer"], named),
        "contract": nullable(states["needed"].astype(np.int32), done),
        "trump": labels(states["trump"], SUIT_LETTERS),
        "trick_winners": digit_texts(states["winners"], states["tricks"]),
    }
    for seat in range(SEATS):
        dealt = states["dealt"] >> seat & 1
        columns[f"player_{seat}_bid"] = labels(states["bids"][:, seat], _BID_TEXTS)
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], dealt * HAND_CARDS)
    for team in range(2):
        columns[f"team_{team}_points"] = pa.array(states["points"][:, team].astype(np.int32))
        columns[f"team_{team}_score"] = nullable(states["score"][:, team].astype(np.int32), done)
    return columns
