"""Which hands of a batch count in an export, and which of their seats."""

from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.build.projections.columns import OpeningColumns, dialect_of, text_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.selection import CHOSEN, Selection, day_number
from cardlog.pipelines.storage.remote import Folder, is_remote
from cardlog.schemas.events import NO_TIME
from cardlog.schemas.tables import MOST_SEATS

_DAY: Final = 24 * 60 * 60 * 1_000_000
"""Microseconds of a day."""


class HandFilter:
    """What a selection asks of hands and seats.

    chosen
        Where the ids of the hands are that fulfil its condition in SQL, if it has one.
    """

    def __init__(self, selection: Selection, chosen: str | None) -> None:
        self._selection = selection
        self._chosen = None if chosen is None else _ids(chosen)
        kinds = {"seats": pa.int64(), "dialect": pa.string()}
        self._openings = OpeningColumns(kinds, lambda opening: _asked(opening, selection))

    def of(self, batch: Batch) -> tuple[Batch, NDArray[np.int64], pa.StringArray]:
        """The hands that count, for each the seats whose decisions count, one bit a seat, and the name of the
        rules it is judged by. Whether they were played to their end is not asked here."""
        asked = self._openings.of(batch)
        seats = np.asarray(asked["seats"])
        keep = seats != 0
        since, until = self._selection.since, self._selection.until
        if since is not None or until is not None:
            at = batch.events["at"][batch.offsets[:-1]]
            keep &= at != NO_TIME
            if since is not None:
                keep &= at >= day_number("since", since) * _DAY
            if until is not None:
                keep &= at < (day_number("until", until) + 1) * _DAY
        if self._chosen is not None and keep.any():
            keep &= _are_in(batch.hand_ids, self._chosen)
        if keep.all():
            return batch, seats, asked["dialect"]
        hands = np.flatnonzero(keep)
        return batch.take(hands), seats[hands], asked["dialect"].take(pa.array(hands))


@lru_cache(maxsize=4)
def hand_filter(selection: Selection, chosen: str | None) -> HandFilter:
    """The filter of a selection; it remembers what openings say."""
    return HandFilter(selection, chosen)


def _ids(folder: str) -> NDArray[np.bytes_]:
    """The ids of a file that `write_chosen` made, mapped into memory if it is on this machine."""
    if is_remote(folder):
        with Folder(folder).open(CHOSEN) as file:
            return np.frombuffer(file.read(), "S32")
    path = Path(folder) / CHOSEN
    return np.memmap(path, "S32", "r") if path.stat().st_size else np.zeros(0, "S32")


def _are_in(ids: NDArray[np.bytes_], known: NDArray[np.bytes_]) -> NDArray[np.bool_]:
    """Whether each id is among sorted ones."""
    index = np.searchsorted(known, ids)
    found = index < len(known)
    found[found] = known[index[found]] == ids[found]
    return found


def _asked(opening: dict[str, Any], selection: Selection) -> tuple[int, str | None]:
    """The seats that count, as bits, and the dialect, of a hand that opens so."""
    dialect = dialect_of(opening)
    if selection.dialect is not None and dialect != selection.dialect:
        return 0, dialect
    players = opening.get("players")
    bits = 0
    for seat in range(MOST_SEATS):
        player = players[seat] if isinstance(players, list) and seat < len(players) else None
        player = player if isinstance(player, dict) else {}
        wanted = {"name": selection.player, "kind": selection.seats}
        if all(text is None or text_of(player.get(key)) == text for key, text in wanted.items()):
            bits |= 1 << seat
    return bits, dialect
