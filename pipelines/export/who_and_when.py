"""Columns that say whose decision a row is, of which data set, and when it was: only if they are asked for,
since most who learn from decisions need none, and names are personal."""

from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import OpeningColumns, labels, nullable
from cardlog.schemas.events import NO_TIME
from cardlog.schemas.tables import MOST_SEATS

COLUMNS: Final = {
    "player": pa.string(),
    "player_kind": pa.string(),
    "dataset": pa.string(),
    "occurred_at": pa.timestamp("us", "UTC"),
}
_KEYS: Final = {"player": "name", "player_kind": "kind"}
_PLAYERS: Final = OpeningColumns(
    dict.fromkeys(_KEYS, pa.list_(pa.string(), MOST_SEATS)), lambda opening: _of_seats(opening)
)


def columns(batch: Batch, decisions: NDArray[np.void], wanted: tuple[str, ...]) -> dict[str, pa.Array]:
    """Some of `COLUMNS` of decisions of a batch, a row each."""
    hand = pa.array(np.ascontiguousarray(decisions["hand"]))
    found: dict[str, pa.Array] = {}
    if players := _PLAYERS.of(batch) if {*wanted} & {*_KEYS} else {}:
        place = pa.array(decisions["hand"].astype(np.int64) * MOST_SEATS + decisions["seat"])
        found |= {name: players[name].flatten().take(place) for name in _KEYS if name in wanted}
    if "dataset" in wanted:
        found["dataset"] = labels(batch.dataset_of, batch.datasets).cast(pa.string()).take(hand)
    if "occurred_at" in wanted:
        at = batch.events["at"][decisions["event"]]
        found["occurred_at"] = nullable(at, at != NO_TIME).cast(COLUMNS["occurred_at"])
    return found


def _of_seats(opening: dict[str, Any]) -> tuple[list[str | None], ...]:
    players = opening.get("players")
    known = [player if isinstance(player, dict) else {} for player in players or ()]
    seats = (known + [{}] * MOST_SEATS)[:MOST_SEATS]
    return tuple([player.get(key) for player in seats] for key in _KEYS.values())
