"""Five-card draw's own part of the tables, from the last state of each hand. It has no tricks."""

from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.five_card_draw.state import SEATS
from cardlog.models.poker.ranks import CATEGORIES, CATEGORY_OF, HAND_CARDS
from cardlog.pipelines.derive.projections.game import Dealt, GameTables, States
from cardlog.pipelines.derive.projections.poker import hand_columns
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import labels
from cardlog.schemas.cards import UNKNOWN
from cardlog.schemas.events import Action


def _seat_columns(batch: Batch, states: States, dealt: Dealt) -> dict[str, pa.Array]:
    """The category, where the log shows the cards as they were dealt. Cards known only because they were
    shown at the end are mostly good, so counting them would give a biased result."""
    ranks = np.where(_known_from_deal(batch), states["dealt_rank"], 0)[dealt.hand, dealt.seat]
    return {"poker_category": labels(np.where(ranks > 0, CATEGORY_OF[ranks], -1), CATEGORIES)}


def _known_from_deal(batch: Batch) -> NDArray[np.bool_]:
    """Which seats' cards the deal shows: shape (hands, seats)."""
    deals = np.flatnonzero(batch.events["action"] == Action.DEAL_HAND)
    hand = np.searchsorted(batch.offsets, deals, "right") - 1
    known = np.zeros((len(batch), SEATS), np.bool_)
    known[hand, batch.events["seat"][deals]] = (batch.events["cards"][deals, :HAND_CARDS] != UNKNOWN).all(1)
    return known


TABLES: Final = GameTables(hand_columns=hand_columns, seat_columns=_seat_columns)
