"""Hold'em's own part of the tables, from the last state of each hand."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.models.hold_em.state import SEATS
from cardlog.models.poker.all_in import Pot, expected_chips
from cardlog.models.poker.cards import BOARD_CARDS
from cardlog.models.poker.ranks import CATEGORIES, CATEGORY_OF, ranks_of
from cardlog.pipelines.derive.projections.game import Dealt, GameTables, States
from cardlog.pipelines.derive.projections.poker import hand_columns
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import labels, nullable
from cardlog.schemas.cards import UNKNOWN


def _seat_columns(batch: Batch, states: States, dealt: Dealt) -> dict[str, pa.Array]:
    """The category of known hands at a showdown, and what could be expected of all-ins."""
    hands = states[dealt.hand]
    live = hands["live"]
    is_compared = (
        (hands["done"] == 1) & (live & (live - 1) != 0) & (live >> dealt.seat & 1 == 1) & dealt.known
    )
    ranks = np.where(is_compared, ranks_of(np.hstack([hands["board"][:, 0], dealt.codes])), 0)
    expected = _expected_nets(states)[dealt.hand, dealt.seat]
    return {
        "poker_category": labels(np.where(ranks > 0, CATEGORY_OF[ranks], -1), CATEGORIES),
        "expected_net": nullable(expected, ~np.isnan(expected)),
    }


def _expected_nets(states: States) -> NDArray[np.float64]:
    """What each seat could expect to win or lose when nobody could bet any more and cards were to come: shape
    (hands, seats), NaN in hands where that was not so, or a hand that could win is unknown.

    The house takes the same part of every pot. Whoever has folded has lost what he put in.
    """
    nets = np.full((len(states), SEATS), np.nan)
    live = states["live"]
    is_open = (states["closed"] == 1) & (states["shared"] < BOARD_CARDS) & (live & (live - 1) != 0)
    is_known = (states["done"] == 1) & (live & ~states["known"] == 0)
    for hand in np.flatnonzero(is_open & is_known):
        nets[hand] = _expected_of(states[hand])
    return nets


def _expected_of(state: Any) -> NDArray[np.float64]:
    """The same of one hand: shape (seats,)."""
    staked = state["staked"].astype(np.float64)
    is_live = state["live"] >> np.arange(SEATS) & 1 == 1
    hands, board = state["dealt_cards"][is_live].astype(np.int64), state["board"][0, : state["shared"]]
    others = state["dealt_cards"][~is_live].astype(np.int64).ravel()
    won = np.zeros(SEATS)
    pots = _pots_of(staked, state["dead"], is_live)
    won[is_live] = expected_chips(hands, board.astype(np.int64), others[others != UNKNOWN], pots)
    kept = state["won"].sum() / sum(pot.chips for pot in pots)
    present = state["present"] >> np.arange(SEATS) & 1 == 1
    return np.where(present, won * kept - staked, np.nan)


def _pots_of(staked: NDArray[np.float64], dead: NDArray[Any], is_live: NDArray[np.bool_]) -> list[Pot]:
    """The pots, one for each amount that a player who can win has put in; dead chips are in the first."""
    matched = staked - dead
    chips, level, pots = float(dead.sum()), 0.0, []
    for top in np.unique(matched[is_live]):
        chips += float((np.minimum(matched, top) - np.minimum(matched, level)).sum())
        pots.append(Pot(chips, np.flatnonzero(matched[is_live] >= top).tolist()))
        chips, level = 0.0, top
    return pots


TABLES: Final = GameTables(hand_columns=hand_columns, seat_columns=_seat_columns)
