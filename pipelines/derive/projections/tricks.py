"""The `tricks` table, and the tricks of games whose states keep them as Kaiser's does.

Such a state has `tricks`, the number of tricks that are over; `leaders`, `winners` and `values`, one a trick;
and `played`, the cards in the order they were played.
"""

import numpy as np
import pyarrow as pa

from cardlog import models
from cardlog.pipelines.derive.projections.game import States, Tricks
from cardlog.pipelines.derive.projections.hands import Hands
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import card_labels, card_texts, digit_texts, labels, nullable, optional
from cardlog.schemas.cards import SUIT_CHARACTERS, SUIT_STRIDE
from cardlog.schemas.events import NO_AMOUNT, NO_SEAT
from cardlog.schemas.tables import TRICKS


def tricks(hands: Hands) -> pa.Table:
    """The rows of `tricks` for some legal hands."""
    hand, number, leader, winner, points, cards = hands.tricks
    size = cards.shape[1]
    first = cards[:, :1].ravel()
    winning = cards[np.arange(len(hand)), (winner - leader) % max(size, 1)]
    trump = hands.trumps[hand]
    declarer = hands.numbers("declarer")[hand]
    columns = {
        "trick_no": nullable(number, None),
        "leader": nullable(leader, None),
        "cards": card_texts(cards, np.full(len(hand), size)),
        "suit_led": labels(first // SUIT_STRIDE, SUIT_CHARACTERS),
        "winner": nullable(winner, None),
        "winning_card": card_labels(winning),
        "points": nullable(points, None),
        "kept_lead": nullable(winner == leader, None),
        "ruffed": nullable((first // SUIT_STRIDE != trump) & (winning // SUIT_STRIDE == trump), None),
        "taken_by_bidders": nullable(hands.side(winner) == hands.side(declarer), declarer >= 0),
    }
    if len(hands.teams):
        columns["winner_team"] = nullable(hands.teams[winner], None)
    return hands.rows(TRICKS, hand, columns)


def hand_columns_of(batch: Batch, states: States) -> dict[str, pa.Array]:
    """Columns of `playedhand` that such states have: the dealer if there is one, the cards, the tricks, and
    in games with teams their points and scores, which a state has in `points` and, once it is done, in
    `score`."""
    columns: dict[str, pa.Array] = {
        "id": optional(batch.events["amount"][batch.offsets[:-1]], NO_AMOUNT),
        "dealer": optional(states["dealer"].astype(np.int32), NO_SEAT),
        "played_cards": card_texts(states["played"], states["plays"]),
        "trick_winners": digit_texts(states["winners"], states["tricks"]),
    }
    for team in range(2 if models.game(batch.game).has_teams else 0):
        columns[f"team_{team}_points"] = pa.array(states["points"][:, team].astype(np.int32))
        score = states["score"][:, team].astype(np.int32)
        columns[f"team_{team}_score"] = nullable(score, states["done"] == 1)
    return columns


def tricks_of(states: States) -> Tricks:
    """The whole tricks that states keep."""
    counts = states["tricks"].astype(np.int64)
    hand = np.repeat(np.arange(len(states), dtype=np.int32), counts)
    number = np.arange(len(hand)) - np.repeat(np.cumsum(counts) - counts, counts)
    leader, winner, points = (states[name][hand, number] for name in ("leaders", "winners", "values"))
    seats = states.dtype["dealt_cards"].shape[0]
    played = states["played"][hand[:, None], seats * number[:, None] + np.arange(seats)]
    return Tricks(hand, number.astype(np.int8), leader, winner, points.astype(np.int32), played)
