"""Projections: the flat tables that are derived from events alone, for every game."""

from collections.abc import Callable, Iterator
from typing import Final

import pyarrow as pa

from cardlog.pipelines.derive.projections import belote, five_card_draw, hold_em, kaiser, pinochle, ruter_sju
from cardlog.pipelines.derive.projections.analysis import analyses
from cardlog.pipelines.derive.projections.bids import bids
from cardlog.pipelines.derive.projections.decisions import decisions
from cardlog.pipelines.derive.projections.game import GameTables
from cardlog.pipelines.derive.projections.hands import Hands
from cardlog.pipelines.derive.projections.plays import plays
from cardlog.pipelines.derive.projections.seats import seats
from cardlog.pipelines.derive.projections.tricks import tricks
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.folding import check_legal, fold_batch, replay_batch
from cardlog.schemas.registry import Registry
from cardlog.schemas.tables import ANALYSES, PLAYEDHAND

TABLES: Final[Registry[GameTables]] = Registry(
    "cardlog.tables",
    GameTables,
    {
        "kaiser": kaiser.TABLES,
        "belote": belote.TABLES,
        "ruter_sju": ruter_sju.TABLES,
        "pinochle": pinochle.TABLES,
        "five_card_draw": five_card_draw.TABLES,
        "hold_em": hold_em.TABLES,
    },
    "game's tables",
)
"""Each game's own part of the tables."""


def project(batch: Batch, wanted: tuple[str, ...], worlds: int = 0) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each wanted projection for some hands, which are folded once. Raises NotLegal.

    worlds
        The `known` of `analysis.priced`.
    """
    is_analysed = not ANALYSES.keys().isdisjoint(wanted)
    replayed = replay_batch(batch) if is_analysed or "decisions" in wanted else None
    folded = replayed.folded if replayed else fold_batch(batch)
    check_legal(batch, folded)
    hands = Hands(batch, folded, TABLES[batch.game])
    if replayed and is_analysed:
        yield from analyses(hands, replayed, worlds)
    for name, rows in _OF_HANDS.items():
        if name in wanted:
            yield name, rows(hands)
    if replayed and "decisions" in wanted:
        yield "decisions", decisions(hands, replayed)


def _played_hands(hands: Hands) -> pa.Table:
    return pa.table([hands.played[name] for name in PLAYEDHAND.names], schema=PLAYEDHAND)


_OF_HANDS: Final[dict[str, Callable[[Hands], pa.Table]]] = {
    "playedhand": _played_hands,
    "tricks": tricks,
    "plays": plays,
    "seats": seats,
    "bids": bids,
}
"""The functions that make projections from folded hands alone."""
