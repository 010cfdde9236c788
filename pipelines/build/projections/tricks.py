"""The `tricks` table, and the tricks of games of four seats whose states keep them as Kaiser's does.

Such a state has `tricks`, how many are over; `leaders`, `winners` and `values`, one a trick; and `played`,
the cards in the order they fell.
"""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.build.projections.columns import (
    card_labels,
    card_texts,
    digit_texts,
    fixed_texts,
    nullable,
    optional,
    suit_labels,
)
from cardlog.pipelines.build.projections.game import States, Tricks
from cardlog.pipelines.build.projections.hands import Hands
from cardlog.pipelines.events.batch import Batch
from cardlog.schemas.cards import CHARACTERS, SUIT_STRIDE
from cardlog.schemas.events import NO_AMOUNT
from cardlog.schemas.tables import TRICKS

SEATS: Final = 4


def tricks(hands: Hands) -> pa.Table:
    """The rows of `tricks` for some legal hands."""
    hand, number, leader, winner, points, cards = hands.tricks
    size = cards.shape[1]
    first = cards[:, :1].ravel()
    winning = cards[np.arange(len(hand)), (winner - leader) % max(size, 1)]
    trump = hands.numbers("trump")[hand]
    declarer = hands.numbers("declarer")[hand]
    columns = {
        "trick_no": nullable(number, None),
        "leader": nullable(leader, None),
        "cards": fixed_texts(CHARACTERS[cards].reshape(len(hand), 2 * size)),
        "suit_led": suit_labels(first),
        "winner": nullable(winner, None),
        "winner_team": nullable(winner & 1, None),
        "winning_card": card_labels(winning),
        "points": nullable(points, None),
        "kept_lead": nullable(winner == leader, None),
        "ruffed": nullable((first // SUIT_STRIDE != trump) & (winning // SUIT_STRIDE == trump), None),
        "taken_by_bidders": nullable(winner & 1 == declarer & 1, declarer >= 0),
    }
    return hands.rows(TRICKS, hand, columns)


def hand_columns_of(batch: Batch, states: States) -> dict[str, pa.Array]:
    """Columns of `playedhand` that such states have: the dealer, the cards, the tricks, and the teams' points
    and scores, which a state has in `points` and, once it is done, in `score`."""
    columns: dict[str, pa.Array] = {
        "id": optional(batch.events["amount"][batch.offsets[:-1]], NO_AMOUNT),
        "dealer": pa.array(states["dealer"].astype(np.int32)),
        "played_cards": card_texts(states["played"], states["plays"]),
        "trick_winners": digit_texts(states["winners"], states["tricks"]),
    }
    for team in range(2):
        columns[f"team_{team}_points"] = pa.array(states["points"][:, team].astype(np.int32))
        score = states["score"][:, team].astype(np.int32)
        columns[f"team_{team}_score"] = nullable(score, states["done"] == 1)
    return columns


def tricks_of(states: States) -> Tricks:
    """The whole tricks that states keep."""
    return Tricks(*_tricks(states))


@compiled
def _tricks(states: NDArray[Any]) -> Any:
    count = np.int64(0)
    for index in range(len(states)):
        count += states[index].tricks
    hand = np.empty(count, np.int32)
    number = np.empty(count, np.int8)
    leader = np.empty(count, np.int8)
    winner = np.empty(count, np.int8)
    points = np.empty(count, np.int32)
    played = np.empty((count, SEATS), np.uint8)
    row = 0
    for index in range(len(states)):
        state = states[index]
        for trick in range(state.tricks):
            hand[row] = index
            number[row] = trick
            leader[row] = state.leaders[trick]
            winner[row] = state.winners[trick]
            points[row] = state.values[trick]
            for card in range(SEATS):
                played[row, card] = state.played[SEATS * trick + card]
            row += 1
    return hand, number, leader, winner, points, played
