"""The `seats` table: who sat where in every hand, with whom, what was dealt and bid, and what came of it."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.build.projections.columns import card_bytes, labels, nullable, optional, varied_texts
from cardlog.pipelines.build.projections.game import Dealt
from cardlog.pipelines.build.projections.hands import Hands
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT
from cardlog.schemas.tables import MOST_SEATS, SEATS

_ACE = cards.RANKS.index("A")
_UNKNOWN = cards.UNKNOWN


def seats(hands: Hands) -> pa.Table:
    """The rows of `seats` for some legal hands."""
    sits = np.stack([np.asarray(hands.openings[f"player_{seat}_sits"]) for seat in range(MOST_SEATS)], axis=1)
    hand, seat = np.nonzero(sits)
    batch = hands.batch
    columns = {
        "match_id": labels(batch.match_of[hand], batch.matches),
        "hand_no": hands.played["hand_no"].take(pa.array(hand)),
        "seat": nullable(seat.astype(np.int8), None),
        "dialect": hands.played["dialect"].take(pa.array(hand)),
        **_players(hands, hand, seat),
        **_cards(hands, hand, seat),
        **_results(hands, hand, seat),
    }
    return hands.rows(SEATS, hand, columns)


def _players(hands: Hands, hand: NDArray[Any], seat: NDArray[Any]) -> dict[str, pa.Array]:
    """Who sits there, and who opposite."""
    dealer, declarer = hands.numbers("dealer")[hand], hands.numbers("declarer")[hand]
    columns = {
        "player_name": labels(hands.names[0][hand, seat], hands.names[1]),
        "player_kind": labels(hands.kinds[0][hand, seat], hands.kinds[1]),
        "is_dealer": nullable(seat == dealer, dealer >= 0),
        "is_declarer": nullable(seat == declarer, declarer >= 0),
        "bid": _of_seat(hands.played, "player_{}_bid", MOST_SEATS, hand, seat),
    }
    if hands.has_teams:
        partner = (seat + 2) % 4
        columns |= {
            "team": pa.array((seat & 1).astype(np.int8)),
            "partner_seat": pa.array(partner.astype(np.int8)),
            "partner_name": labels(hands.names[0][hand, partner], hands.names[1]),
            "partner_kind": labels(hands.kinds[0][hand, partner], hands.kinds[1]),
        }
    return columns


def _cards(hands: Hands, hand: NDArray[Any], seat: NDArray[Any]) -> dict[str, pa.Array]:
    """What was dealt. Nothing is counted unless all of it is known."""
    codes, counts = hands.states["dealt_cards"][hand, seat], hands.dealt[hand, seat]
    suits, aces, hidden = _counted(codes, counts)
    known, shown = (counts > 0) & (hidden == 0), hidden < counts
    data, ends = card_bytes(codes, np.where(shown, counts, 0))
    singles = varied_texts(data, np.arange(0, len(data) + 1, 2, dtype=np.int32))
    columns = {
        "cards": varied_texts(data, ends, shown),
        "card_list": pa.ListArray.from_arrays(pa.array(ends // 2), singles, mask=pa.array(~shown)),
        "aces": nullable(aces, known),
        **hands.own.seat_columns(hands.batch, hands.states, Dealt(hand, seat, codes, counts, known)),
    }
    for number, name in enumerate(("clubs", "diamonds", "hearts", "spades")):
        columns[name] = nullable(suits[:, number], known)
    if hands.has_tricks:
        columns["voids"] = nullable((suits == 0).sum(1, np.int8), known)
    return columns


@compiled
def _counted(codes: Any, counts: Any) -> Any:
    """How many cards of each of four suits there are, how many aces, and how many unknown cards."""
    suits = np.zeros((len(codes), 4), np.int8)
    aces, hidden = np.zeros(len(codes), np.int8), np.zeros(len(codes), np.int8)
    for row in range(len(codes)):
        for index in range(counts[row]):
            card = codes[row, index]
            if card == _UNKNOWN:
                hidden[row] += 1
                continue
            aces[row] += card % cards.SUIT_STRIDE == _ACE
            if card // cards.SUIT_STRIDE < 4:
                suits[row, card // cards.SUIT_STRIDE] += 1
    return suits, aces, hidden


def _results(hands: Hands, hand: NDArray[Any], seat: NDArray[Any]) -> dict[str, pa.Array]:
    """What came of the hand, by the rules and as the source reports it."""
    side = seat & 1
    scorer = side if hands.has_teams else seat
    columns = {
        "team_points": _of_seat(hands.played, "team_{}_points", 2, hand, side),
        "team_score": _of_seat(hands.played, "team_{}_score", 2, hand, side),
        "other_score": _of_seat(hands.played, "team_{}_score", 2, hand, 1 - side),
        "place": _of_seat(hands.played, "player_{}_place", MOST_SEATS, hand, seat),
        "net": _of_seat(hands.played, "player_{}_net", MOST_SEATS, hand, seat),
        "score_before": _of_seat(hands.openings, "player_{}_score", MOST_SEATS, hand, scorer),
        "score_after": optional(hands.reported.scores[hand, scorer], NO_AMOUNT),
        "reported_place": optional(hands.reported.places[hand, seat], NO_AMOUNT).cast(pa.int8()),
    }
    won = pc.coalesce(
        pc.greater(columns["team_score"], columns["other_score"]),
        pc.equal(columns["place"], 1),
        pc.greater(columns["net"], 0),
    )
    return columns | {"won": pc.if_else(pa.array(hands.done[hand]), won, None)}


def _of_seat(
    columns: dict[str, pa.Array], name: str, seats: int, hand: NDArray[Any], seat: NDArray[Any]
) -> pa.Array:
    """Of columns with one value a hand, one for each seat or team, the value for each row."""
    found = pa.concat_arrays([columns[name.format(each)] for each in range(seats)])
    return found.take(pa.array(seat * (len(found) // seats) + hand))


# ---------------------------------------------------------------- for the games


def points_table(points: dict[str, int]) -> NDArray[np.int32]:
    """What each card's code is worth, 0 for cards that are not named: shape (256,)."""
    table = np.zeros(256, np.int32)
    for card, value in points.items():
        table[cards.code(card)] = value
    return table


def card_points(dealt: Dealt, tables: NDArray[np.int32], which: "NDArray[Any] | None" = None) -> pa.Array:
    """What the cards dealt are worth, null where they or the table are not known.

    tables
        One table, shape (256,), or several.
    which
        For each row the index of its table, negative if not known.
    """
    tables = np.atleast_2d(tables)
    which = np.zeros(len(dealt.hand), np.int8) if which is None else which
    known = dealt.known & (which >= 0)
    return nullable(_worth(dealt.codes, np.where(known, dealt.counts, 0), tables, which), known)


@compiled
def _worth(codes: Any, counts: Any, tables: Any, which: Any) -> Any:
    worth = np.zeros(len(codes), np.int32)
    for row in range(len(codes)):
        for index in range(counts[row]):
            worth[row] += tables[which[row], codes[row, index]]
    return worth
