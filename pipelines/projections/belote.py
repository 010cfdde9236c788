"""Belote's own columns of `playedhand` and `tricks`, from the last state of each hand."""

import json
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from models import belote
from models.belote_score import SEATS
from models.belote_state import HAND_CARDS
from models.compiled import compiled
from pipelines.batch import Batch
from pipelines.projections.columns import (
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

_BID_TEXTS: Final = [belote.bid_text(bid) for bid in range(len(SUITS) + 1)]


def hand_columns(batch: Batch, states: NDArray[np.void]) -> dict[str, pa.Array]:
    """Columns of `playedhand` that are belote's own, one value a hand.

    The contract is the points that the bidders needed, null in a hand that breaks off: until its end
    bela can raise it.
    """
    firsts = batch.events[batch.offsets[:-1]]
    named = states["declarer"] >= 0
    done = states["done"] == 1
    columns: dict[str, pa.Array] = {
        "id": optional(firsts["amount"], NO_AMOUNT),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
        "played_cards": card_texts(states["played"], states["plays"]),
        "declarer": nullable(states["declarer"], named),
        "contract": nullable(states["needed"].astype(np.int32), done),
        "trump": labels(states["trump"], SUIT_LETTERS),
        "trick_winners": digit_texts(states["winners"], states["tricks"]),
    }
    computers = _computers(batch)
    for seat in range(SEATS):
        dealt = states["dealt"] >> seat & 1
        columns[f"player_{seat}_bid"] = labels(states["bids"][:, seat], _BID_TEXTS)
        columns[f"player_{seat}_hand"] = card_texts(states["dealt_cards"][:, seat], dealt * HAND_CARDS)
        columns[f"player_{seat}_ai"] = computers[seat]
    for team in range(2):
        columns[f"team_{team}_points"] = pa.array(states["points"][:, team].astype(np.int32))
        columns[f"team_{team}_score"] = nullable(states["score"][:, team].astype(np.int32), done)
    return columns


def _computers(batch: Batch) -> list[pa.Array]:
    """Who is a computer, null where that is not told, for each seat."""
    which = batch.events["detail"][batch.offsets[:-1]]
    openings = set(which.tolist())
    kinds = [
        _computers_of(detail) if number in openings else _NOT_TOLD
        for number, detail in enumerate(batch.details)
    ]
    return [
        pa.array([values[seat] for values in kinds], pa.bool_()).take(pa.array(which))
        for seat in range(SEATS)
    ]


_NOT_TOLD: Final = (None,) * SEATS


@lru_cache(maxsize=2**16)
def _computers_of(detail: str) -> tuple[Any, ...]:
    """For each seat of an opening whether it is a computer."""
    kinds = [player.get("kind") for player in json.loads(detail)["players"]]
    return tuple(None if kind is None else kind == "computer" for kind in kinds)


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
