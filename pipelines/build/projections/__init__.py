"""Projections: the flat tables that are derived from events alone, for every game.

A game's own module here gives the columns of `playedhand` and the tricks; what all games share is
added in `project`.
"""

from collections.abc import Iterator
from importlib import import_module
from typing import Any, Final

import numpy as np
import pyarrow as pa

from cardlog import models
from cardlog.pipelines.build.projections.columns import (
    DIALECTS,
    hand_labels,
    labels,
    nullable,
    optional,
)
from cardlog.pipelines.build.projections.decisions import decisions
from cardlog.pipelines.storage.batch import NO_HAND_NO, Batch
from cardlog.pipelines.storage.folding import STATUSES, Folded, check_legal, fold_batch, replay_batch
from cardlog.schemas.events import LABEL, NO_TIME
from cardlog.schemas.tables import PLAYEDHAND, TRICKS

MODULES: Final = {name: f"cardlog.pipelines.build.projections.{name}" for name in models.GAMES}


def project(batch: Batch, wanted: tuple[str, ...]) -> Iterator[tuple[str, pa.Table]]:
    """The rows of each wanted projection for some hands, which must be legal and are folded once.

    Raises NotLegal.
    """
    replayed = replay_batch(batch) if "decisions" in wanted else None
    folded = replayed.folded if replayed else fold_batch(batch)
    check_legal(batch, folded)
    module = import_module(MODULES[batch.game])
    if "playedhand" in wanted:
        yield "playedhand", _played_hands(batch, folded, module.hand_columns(batch, folded.states))
    if "tricks" in wanted:
        yield "tricks", _tricks(batch, module.trick_columns(folded.states))
    if replayed:
        yield "decisions", decisions(batch, replayed)


def _played_hands(batch: Batch, folded: Folded, own: dict[str, pa.Array]) -> pa.Table:
    """`playedhand`: the game's own columns, and those that every game has."""
    firsts = batch.events[batch.offsets[:-1]]
    columns = {
        "added_date": optional(firsts["at"], NO_TIME).cast(pa.timestamp("us", "UTC")),
        "game": _game(batch, len(batch)),
        "hand_id": hand_labels(batch.hand_ids),
        "match_id": labels(batch.match_of, batch.matches).cast(pa.string()),
        "hand_no": optional(batch.hand_nos, NO_HAND_NO),
        "status": labels(folded.done.astype(np.int32), STATUSES),
        "dialect": DIALECTS.of(batch)["dialect"],
        "dataset": labels(batch.dataset_of, batch.datasets),
        "source_key": batch.keys,
        "source_id": labels(batch.source_of, batch.sources),
        "source_line": nullable(firsts["line"], None),
        **own,
    }
    for field in PLAYEDHAND:
        if field.name not in columns:
            columns[field.name] = _nulls(field.type, len(batch))
    return pa.table([columns[name] for name in PLAYEDHAND.names], schema=PLAYEDHAND)


def _tricks(batch: Batch, own: dict[str, Any]) -> pa.Table:
    """`tricks`: the game's own columns; its `hand` says which hand a trick is of."""
    hands = own.pop("hand")
    ids = hand_labels(batch.hand_ids)
    columns = {
        "game": _game(batch, len(hands)),
        "hand_id": pa.DictionaryArray.from_arrays(pa.array(hands), ids),
        **own,
    }
    return pa.table([columns[name] for name in TRICKS.names], schema=TRICKS)


def _game(batch: Batch, rows: int) -> pa.Array:
    return labels(np.zeros(rows, np.int32), (batch.game,))


def _nulls(kind: pa.DataType, rows: int) -> pa.Array:
    if kind == LABEL:
        return pa.DictionaryArray.from_arrays(pa.nulls(rows, pa.int32()), pa.array([], pa.string()))
    return pa.nulls(rows, kind)
