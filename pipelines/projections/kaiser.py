"""Kaiser's own columns of `playedhand` and `tricks`, from the last state of each hand."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from models import kaiser
from models.compiled import compiled
from models.kaiser import HAND_CARDS, SEATS
from pipelines.batch import Batch
from pipelines.projections.columns import (
    OpeningColumns,
    card_bytes,
    card_texts,
    digit_texts,
    labels,
    nullable,
    optional,
    varied_texts,
)
from schemas.cards import SUIT_LETTERS, SUITS
from schemas.events import NO_AMOUNT

_RANKS: Final = 2 * kaiser.HIGHEST_BID + 2
_SPELLINGS: Final = len(SUITS) + 1
_BID_TEXTS: Final = [kaiser.bid_text(rank) + letter for rank in range(_RANKS) for letter in ("", *SUITS)]
"""Every bid as the seed writes it: by rank, then without a trump letter and with each."""


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are Kaiser's own, one value a hand."""
    firsts = batch.events[batch.offsets[:-1]]
    decided = states["phase"] >= kaiser.NAMING
    done = states["done"] == 1
    columns: dict[str, pa.Array] = {
        "id": optional(firsts["amount"], NO_AMOUNT),
        **_OPENING_COLUMNS.of(batch),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
        "played_cards": card_texts(states["played"], states["plays"]),
        "declarer": nullable(states["declarer"], decided),
        "contract": nullable(_contract(states), decided),
        "trump": labels(states["trump"], SUIT_LETTERS),
        "trick_winners": digit_texts(states["winners"], states["tricks"]),
    }
    bids = _bid_numbers(states)
    for seat in range(SEATS):
        dealt = states["dealt"] >> seat & 1
        columns[f"player_{seat}_bid"] = labels(bids[:, seat], _BID_TEXTS)
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], dealt * HAND_CARDS)
    for team in range(2):
        columns[f"team_{team}_points"] = pa.array(states["points"][:, team].astype(np.int32))
        columns[f"team_{team}_score"] = nullable(states["score"][:, team].astype(np.int32), done)
    return columns


def _opening_values(opening: dict[str, Any]) -> tuple[Any, ...]:
    """The values of `_OPENING_COLUMNS`."""
    kinds = [player.get("kind") for player in opening["players"]]
    settings = kaiser.settings_of(opening)
    return (*vars(settings).values(), *(None if kind is None else kind == "computer" for kind in kinds))


_OPENING_COLUMNS: Final = OpeningColumns(
    {
        "setting_min_bid": pa.int32(),
        "setting_pass_cards": pa.bool_(),
        "setting_no_trump_bid_out": pa.int32(),
        "setting_game_over_at_minus_52": pa.bool_(),
        **{f"player_{seat}_ai": pa.bool_() for seat in range(SEATS)},
    },
    _opening_values,
)


def _contract(states: NDArray[np.void]) -> NDArray[np.int32]:
    """The number the declarer bid."""
    declarer = np.maximum(states["declarer"], 0)
    return np.asarray(states["bids"][np.arange(len(states)), declarer] >> 1, np.int32)


def _bid_numbers(states: NDArray[np.void]) -> NDArray[np.int32]:
    """Each seat's bid as an index into `_BID_TEXTS`, negative before it has bid: (hands, 4)."""
    numbers = states["bids"].astype(np.int32) * _SPELLINGS
    named = np.flatnonzero((states["trump"] >= 0) & (states["trump"] < len(SUITS)))
    numbers[named, states["declarer"][named]] += 1 + states["trump"][named]
    return numbers


def trick_columns(states: NDArray[np.void]) -> dict[str, Any]:
    """Columns of `tricks`, one value a whole trick; `hand` is the place of its hand."""
    hand, number, leader, winner, points, played = _tricks(states)
    data, ends = card_bytes(played, np.full(len(hand), SEATS, np.int64))
    return {
        "hand": hand,
        "trick_no": pa.array(number),
        "leader": pa.array(leader),
        "cards": varied_texts(data, ends),
        "winner": pa.array(winner),
        "winner_team": pa.array(winner & 1),
        "points": pa.array(points),
    }


@compiled
def _tricks(states: NDArray[Any]) -> Any:
    count = 0
    for place in range(len(states)):
        count += states[place].tricks
    hand = np.empty(count, np.int32)
    number = np.empty(count, np.int8)
    leader = np.empty(count, np.int8)
    winner = np.empty(count, np.int8)
    points = np.empty(count, np.int32)
    played = np.empty((count, SEATS), np.uint8)
    row = 0
    for place in range(len(states)):
        state = states[place]
        for trick in range(state.tricks):
            hand[row] = place
            number[row] = trick
            leader[row] = state.leaders[trick]
            winner[row] = state.winners[trick]
            points[row] = state.values[trick]
            for card in range(SEATS):
                played[row, card] = state.played[SEATS * trick + card]
            row += 1
    return hand, number, leader, winner, points, played
