"""The tables `analysis` and `pars`: what every card of a hand was worth, and what its deal was worth."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog import models
from cardlog.models.solve.pricing import analyse
from cardlog.models.solve.solvable import searchable_of, workspace
from cardlog.pipelines.derive.projections.hands import Hands
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import card_labels, runs
from cardlog.pipelines.events.folding import Replayed, initial_states
from cardlog.schemas.cards import CHARACTERS
from cardlog.schemas.tables import ANALYSIS, PARS

_IS_CARD: Final = CHARACTERS[:, 0] != 0
"""By code; some codes are of other moves."""


class Priced(NamedTuple):
    """The plays of some hands, and what they were worth to the player.

    plays
        Their rows of `Replayed`: shape (plays,).
    cards
        The codes of the cards played; in games without teams, of the moves made, not all of which are cards:
        shape (plays,).
    values
        What each card or move would have led to, nan for those that were not legal: shape (plays, codes).
    exact
        Whether the values of a play are exact: shape (plays,).
    known
        What the cards cost given what their players knew, null unless asked for: shape (plays,).
    """

    plays: NDArray[np.void]
    cards: NDArray[np.integer[Any]]
    values: NDArray[np.float32]
    exact: NDArray[np.bool_]
    known: pa.Array


def priced(batch: Batch, replayed: Replayed, known: int = 0) -> Priced:
    """Price every play of some legal hands. Raises ValueError if the game has no solver.

    known
        The number of deals, consistent with what a seat knew, over which the cost of a card is averaged; 0 to
        leave this out.
    """
    game = models.game(batch.game)
    plays = replayed.rows[replayed.rows["kind"] == game.decisions.kinds.index("play")]
    hands = batch.events, batch.offsets, initial_states(batch)[0], replayed.folded.states
    index = plays["event"].astype(np.int64)
    salts = np.array([int(hand_id[:16], 16) for hand_id in batch.hand_ids.tolist()], np.uint64)
    values, exact = analyse(game, hands, index, salts, workspace(game))
    if game.has_teams:
        values *= _side(plays)[:, None]
    played = searchable_of(game).columns(batch.events[index])
    costs = pa.nulls(len(plays), pa.float32())
    if known:
        from cardlog.models.players.search import costs_known

        costs = pa.array(costs_known(game, hands, index, known), from_pandas=True)
    return Priced(plays, played, values, exact, costs)


def _side(plays: NDArray[np.void]) -> NDArray[np.float32]:
    """1 for plays of team 0, -1 for those of team 1: shape (plays,)."""
    return np.where(plays["seat"] & 1, -1, 1).astype(np.float32)


def analyses(hands: Hands, replayed: Replayed, worlds: int = 0) -> Iterator[tuple[str, pa.Table]]:
    """The rows of both tables for some legal hands: none of games without a solver and of hands whose log
    does not show all cards, and no pars of games without teams. `worlds` is the `known` of `priced`."""
    game = models.game(hands.batch.game)
    if not game.has_solver:
        return
    plays, played, values, exact, costs = priced(hands.batch, replayed, worlds)
    value = values[np.arange(len(plays)), played]
    shown = ~np.isnan(value)
    best = np.fmax.reduce(values, 1)
    is_best = values == best[:, None]
    second = np.fmax.reduce(np.where(is_best, np.nan, values), 1)
    step, seat, action = (plays[name] for name in ("step", "seat", "action"))
    columns = {
        "step": step, "seat": seat, "action": action,
        "best_value": best, "value": value, "cost_open": best - value, "exact": exact,
        "legal_actions": (~np.isnan(values)).sum(1).astype(np.int8),
        "best_actions": is_best.sum(1).astype(np.int8),
    }  # fmt: skip
    if game.has_teams:
        columns["trick_no"] = plays["trick"]
    shown_columns = {name: pa.array(column[shown]) for name, column in columns.items()} | {
        "card": card_labels(np.where(_IS_CARD[played], played.astype(np.int16), -1)[shown]),
        "best_cards": _texts(is_best[shown] & _IS_CARD[: is_best.shape[1]]),
        "second_value": pa.array(second[shown], from_pandas=True),
        "cost_known": costs.filter(shown),
    }
    yield "analysis", hands.rows(ANALYSIS, plays["hand"][shown], shown_columns)
    if not game.has_teams:
        return
    first = shown & (np.diff(plays["hand"], prepend=-1) != 0)
    pars = {"par": pa.array((_side(plays) * best)[first]), "exact": pa.array(exact[first])}
    yield "pars", hands.rows(PARS, plays["hand"][first], pars)


def _texts(has_card: NDArray[np.bool_]) -> pa.Array:
    """The cards chosen for each play as text: shape (plays, codes)."""
    return runs(CHARACTERS[np.nonzero(has_card)[1]], 2 * has_card.sum(1))
