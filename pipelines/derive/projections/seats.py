"""The `seats` table: who sat where in every hand, with whom, what was dealt and bid, and the result."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.derive.projections.game import Dealt, SeatColumns, States
from cardlog.pipelines.derive.projections.hands import HIDDEN, Hands, of_seat
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import among, labels, labels_of_rows, nullable, optional, runs
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT
from cardlog.schemas.tables import MOST_SEATS, SEATS

_ACE = cards.RANKS.index("A")
_ROLES = ("declarer", "partner", "left_defender", "right_defender", "defender")


def seats(hands: Hands) -> pa.Table:
    """The rows of `seats` for some legal hands."""
    sits = np.stack([np.asarray(hands.openings[f"player_{seat}_sits"]) for seat in range(MOST_SEATS)], axis=1)
    hand, seat = np.nonzero(sits)
    batch = hands.batch
    columns = {
        "match_id": labels_of_rows(batch.match_of, batch.matches, hand),
        "hand_no": hands.played["hand_no"].take(pa.array(hand)),
        "seat": nullable(seat.astype(np.int8), None),
        "dialect": hands.played["dialect"].take(pa.array(hand)),
        **_players(hands, hand, seat),
        **_cards(hands, hand, seat),
        **_results(hands, hand, seat),
    }
    return hands.rows(SEATS, hand, columns)


def _players(hands: Hands, hand: NDArray[Any], seat: NDArray[Any]) -> dict[str, pa.Array]:
    """The player, and how it stands to others: in a team the next seat of the same is the partner."""
    dealer, declarer = hands.numbers("dealer")[hand], hands.numbers("declarer")[hand]
    columns = {
        "player_name": of_seat(hands.openings, "player_{}_name", hand, seat),
        "player_kind": of_seat(hands.openings, "player_{}_kind", hand, seat),
        "is_dealer": nullable(seat == dealer, dealer >= 0),
        "is_declarer": nullable(seat == declarer, declarer >= 0),
        "bid": of_seat(hands.played, "player_{}_bid", hand, seat),
    }
    columns["role"] = _roles(hands, seat, declarer)
    if len(hands.teams):
        partner = _partners(hands.teams)[seat]
        columns |= {
            "team": pa.array(hands.teams[seat]),
            "partner_seat": pa.array(partner.astype(np.int8)),
            "partner_name": of_seat(hands.openings, "player_{}_name", hand, partner),
            "partner_kind": of_seat(hands.openings, "player_{}_kind", hand, partner),
        }
    return columns


def _partners(teams: NDArray[np.int8]) -> NDArray[np.int64]:
    """For each seat the next one of its team."""
    turned = np.stack([np.roll(teams, -step) for step in range(1, len(teams))])
    return np.asarray((np.arange(len(teams)) + 1 + (turned == teams).argmax(0)) % len(teams))


def _roles(hands: Hands, seat: NDArray[Any], declarer: NDArray[Any]) -> pa.Array:
    """What each seat is to the declarer, null if nobody declared."""
    steps = (seat - declarer) % hands.dealt.shape[1]
    others = np.full(len(seat), _ROLES.index("defender"))
    if len(hands.teams):
        others = np.where(steps == 1, _ROLES.index("left_defender"), _ROLES.index("right_defender"))
        others = np.where(hands.teams[seat] == hands.teams[declarer], _ROLES.index("partner"), others)
    roles = np.where(steps == 0, _ROLES.index("declarer"), others)
    return labels(np.where(declarer >= 0, roles, -1), _ROLES)


def _cards(hands: Hands, hand: NDArray[Any], seat: NDArray[Any]) -> dict[str, pa.Array]:
    """The cards dealt, and counts of them, null unless all are known."""
    codes, counts = hands.states["dealt_cards"][hand, seat], hands.dealt[hand, seat].astype(np.int64)
    by_suit = hands.suits_dealt[hand, seat]
    hidden = by_suit[:, HIDDEN]
    known, shown = (counts > 0) & (hidden == 0), hidden < counts
    sizes = np.where(shown, counts, 0)
    text = cards.CHARACTERS[codes[among(codes, sizes)]]
    ends = np.append(0, np.cumsum(sizes)).astype(np.int32)
    aces = (among(codes, counts) & (codes % cards.SUIT_STRIDE == _ACE)).sum(1, np.int8)
    columns = {
        "cards": runs(text, 2 * sizes, shown),
        "card_list": pa.ListArray.from_arrays(
            pa.array(ends), runs(text, np.full(len(text), 2)), mask=pa.array(~shown)
        ),
        "aces": nullable(aces, known),
        **hands.own.seat_columns(hands.batch, hands.states, Dealt(hand, seat, codes, counts, known)),
    }
    voids = np.zeros(len(hand), np.int8)
    for suit, name in enumerate(("clubs", "diamonds", "hearts", "spades")):
        columns[name] = nullable(by_suit[:, suit], known)
        voids += by_suit[:, suit] == 0
    if hands.has_tricks:
        columns["voids"] = nullable(voids, known)
    return columns


def _results(hands: Hands, hand: NDArray[Any], seat: NDArray[Any]) -> dict[str, pa.Array]:
    """The results of the hand, by the rules and as the source reports them."""
    side = hands.side(seat)
    team = side if len(hands.teams) else np.zeros_like(seat)  # without teams these columns are null
    columns = {
        "team_points": of_seat(hands.played, "team_{}_points", hand, team, 2),
        "team_score": of_seat(hands.played, "team_{}_score", hand, team, 2),
        "other_score": of_seat(hands.played, "team_{}_score", hand, 1 - team, 2),
        "place": of_seat(hands.played, "player_{}_place", hand, seat),
        "net": of_seat(hands.played, "player_{}_net", hand, seat),
        "score_before": of_seat(hands.openings, "player_{}_score", hand, side),
        "score_after": optional(hands.reported.scores[hand, side], NO_AMOUNT),
        "reported_place": optional(hands.reported.places[hand, seat], NO_AMOUNT).cast(pa.int8()),
    }
    won = pc.coalesce(
        pc.greater(columns["team_score"], columns["other_score"]),
        pc.equal(columns["place"], 1),
        pc.greater(columns["net"], 0),
    )
    return columns | {"won": pc.if_else(pa.array(hands.done[hand]), won, None)}


# ---------------------------------------------------------------- for the games


def points_table(points: dict[str, int]) -> NDArray[np.int32]:
    """The points of each card by its code, 0 for cards that are not given: shape (256,)."""
    table = np.zeros(256, np.int32)
    for card, value in points.items():
        table[cards.code(card)] = value
    return table


def high_cards(ranks: str) -> NDArray[np.int32]:
    """The table in which a card of the first rank is worth 4 points, down to 1 for the fourth."""
    return points_table({rank + suit: 4 - place for place, rank in enumerate(ranks) for suit in cards.SUITS})


def valued(points: NDArray[np.int32], high: NDArray[np.int32], step: int) -> SeatColumns:
    """What makes the columns `card_points` and `strength`, null where not all cards dealt are known.

    points
        The points of each card: shape (256,); or by trump, where they are not known without: (4, 256).
    high, step
        The table by which strength is counted, or several, of which the highest counts; and its steps.
    """

    def columns(batch: Batch, states: States, dealt: Dealt) -> dict[str, pa.Array]:
        held = among(dealt.codes, dealt.counts)
        trump = states["trump"][dealt.hand] if points.ndim > 1 else np.zeros(len(dealt.hand), np.int8)
        worth = np.where(held, np.atleast_2d(points)[trump[:, None], dealt.codes], 0).sum(1, np.int32)
        strength = np.max([np.where(held, table[dealt.codes], 0).sum(1) for table in np.atleast_2d(high)], 0)
        return {
            "card_points": nullable(worth, dealt.known & (trump >= 0)),
            "strength": nullable((strength // step * step).astype(np.int16), dealt.known),
        }

    return columns
