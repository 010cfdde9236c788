"""Kaiser's own part of the tables, from the last state of each hand."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.engine.trick import SEATS
from cardlog.models.kaiser.legal import bid_text
from cardlog.models.kaiser.rules import FIVE_POINTS, THREE_POINTS
from cardlog.models.kaiser.state import HIGHEST_BID, NAMING, settings_of
from cardlog.pipelines.derive.projections.game import GameTables
from cardlog.pipelines.derive.projections.seats import high_cards, points_table, valued
from cardlog.pipelines.derive.projections.tricks import hand_columns_of, tricks_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import OpeningColumns, labels, nullable
from cardlog.schemas.cards import SUIT_LETTERS, SUITS
from cardlog.schemas.events import Action

_RANKS: Final = 2 * HIGHEST_BID + 2
_SPELLINGS: Final = len(SUITS) + 1
_BID_TEXTS: Final = [bid_text(rank) + letter for rank in range(_RANKS) for letter in ("", *SUITS)]
"""Every bid as the original data set writes it: by rank, first without a trump letter, then with each."""


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are Kaiser's own, one value a hand."""
    decided = states["phase"] >= NAMING
    columns = {
        **hand_columns_of(batch, states),
        **_OPENING_COLUMNS.of(batch),
        "declarer": nullable(states["declarer"], decided),
        "contract": nullable(_contract(states), decided),
        "trump": labels(states["trump"], SUIT_LETTERS),
    }
    bids = _bid_numbers(states)
    for seat in range(SEATS):
        columns[f"player_{seat}_bid"] = labels(bids[:, seat], _BID_TEXTS)
    return columns


def _opening_values(opening: dict[str, Any]) -> tuple[Any, ...]:
    """The values of `_OPENING_COLUMNS`."""
    return tuple(vars(settings_of(opening)).values())


_OPENING_COLUMNS: Final = OpeningColumns(
    {
        "setting_min_bid": pa.int32(),
        "setting_pass_cards": pa.bool_(),
        "setting_no_trump_bid_out": pa.int32(),
        "setting_game_over_at_minus_52": pa.bool_(),
    },
    _opening_values,
)


def _contract(states: NDArray[np.void]) -> NDArray[np.int32]:
    """The declarer's bid."""
    declarer = np.maximum(states["declarer"], 0)
    return np.asarray(states["bids"][np.arange(len(states)), declarer] >> 1, np.int32)


def _bid_numbers(states: NDArray[np.void]) -> NDArray[np.int32]:
    """Each seat's bid as an index into `_BID_TEXTS`, negative before it has bid: (hands, 4)."""
    numbers = states["bids"].astype(np.int32) * _SPELLINGS
    named = np.flatnonzero((states["trump"] >= 0) & (states["trump"] < len(SUITS)))
    numbers[named, states["declarer"][named]] += 1 + states["trump"][named]
    return numbers


_CARD_POINTS: Final = points_table({"5H": FIVE_POINTS, "3S": THREE_POINTS})
_HIGH_CARDS: Final = high_cards("AKQJ")

TABLES: Final = GameTables(
    hand_columns=hand_columns,
    tricks=tricks_of,
    seat_columns=valued(_CARD_POINTS, _HIGH_CARDS, 2),
    bids=(Action.BID_PASS, Action.BID_BID),
)
