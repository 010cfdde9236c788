"""Projections: the flat tables that are derived from events alone, for every game.

A game's own module here has `TABLES`, its part of them; `game.GameTables` describes it.
"""

from collections.abc import Callable, Iterator
from typing import Final

import pyarrow as pa

from cardlog.pipelines.build.projections.bids import bids
from cardlog.pipelines.build.projections.decisions import decisions
from cardlog.pipelines.build.projections.hands import MODULES, Hands
from cardlog.pipelines.build.projections.plays import plays
from cardlog.pipelines.build.projections.seats import seats
from cardlog.pipelines.build.projections.tricks import tricks
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.folding import check_legal, fold_batch, replay_batch
from cardlog.schemas.tables import PLAYEDHAND

__all__ = ["MODULES", "project"]


def project(batch: Batch, wanted: tuple[str, ...]) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each wanted projection for some hands, which must be legal and are folded once.

    Raises NotLegal.
    """
    replayed = replay_batch(batch) if "decisions" in wanted else None
    folded = replayed.folded if replayed else fold_batch(batch)
    check_legal(batch, folded)
    hands = Hands(batch, folded)
    for name, rows in _OF_HANDS.items():
        if name in wanted:
            yield name, rows(hands)
    if replayed:
        yield "decisions", decisions(batch, replayed)


def _played_hands(hands: Hands) -> pa.Table:
    return pa.table([hands.played[name] for name in PLAYEDHAND.names], schema=PLAYEDHAND)


_OF_HANDS: Final[dict[str, Callable[[Hands], pa.Table]]] = {
    "playedhand": _played_hands,
    "tricks": tricks,
    "plays": plays,
    "seats": seats,
    "bids": bids,
}
"""What makes each projection of folded hands; decisions need more."""
