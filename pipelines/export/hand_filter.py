"""Which hands of a batch an export includes, and which of their seats; and the ids of the hands that satisfy
a condition in SQL, which are looked up once and written to a file for all workers."""

import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.events.columns import OpeningColumns, dialect_of
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.sql import known_names, process, warehouse
from cardlog.pipelines.sql.answer import QueryError
from cardlog.pipelines.storage.remote import array_in
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.tables import MOST_SEATS

KINDS: Final = ("human", "computer")
BATCH_HANDS: Final = 100_000
CHOSEN: Final = "hand_ids"


def check(store: Store, game: str, selection: Selection) -> None:
    """Raises OutputError for an invalid kind of seats or day, and for a player that the game has not."""
    if selection.seats not in (None, *KINDS):
        raise OutputError(f"seats is {selection.seats!r}; it must be {' or '.join(KINDS)}")
    _day(selection, "since")
    _day(selection, "until")
    if (name := selection.player) is not None:
        known = known_names.known_names(store, known_names.PLAYER, name, game)
        if problem := known_names.unknown(f"{game} {known_names.PLAYER}", name, known):
            raise OutputError(problem)


def _day(selection: Selection, name: str) -> Any:
    """The first or last day of a selection, None if it has none. Raises OutputError if that is not a day."""
    value = getattr(selection, name)
    try:
        return None if value is None else np.datetime64(datetime.date.fromisoformat(value), "D")
    except ValueError:
        raise OutputError(f"{name} is {value!r}; it must be a day, as 2016-03-01") from None


class HandFilter:
    """Applies a selection to batches.

    folder
        Where `write_chosen` has written, if the selection has a condition in SQL.
    """

    def __init__(self, selection: Selection, folder: str) -> None:
        self._since, self._until = _day(selection, "since"), _day(selection, "until")
        self._chosen = None if selection.where is None else array_in(folder, CHOSEN, "S32")
        kinds = {"seats": pa.int64(), "dialect": pa.string()}
        self._openings = OpeningColumns(kinds, lambda opening: _seats_and_dialect(opening, selection))

    def apply(self, batch: Batch) -> tuple[Batch, NDArray[np.int64], pa.StringArray]:
        """The selected hands, the selected seats of each, one bit a seat, and the dialects they are judged
        by. Unfinished hands are not left out here."""
        columns = self._openings.of(batch)
        seats, dialects = np.asarray(columns["seats"]), columns["dialect"]
        keep = seats != 0
        day = batch.events["at"][batch.offsets[:-1]].view("M8[us]").astype("M8[D]")  # NO_TIME is on no day
        if self._since is not None:
            keep &= day >= self._since
        if self._until is not None:
            keep &= day <= self._until
        if self._chosen is not None:
            index = np.searchsorted(self._chosen, batch.hand_ids)
            keep &= np.append(self._chosen, b"")[index] == batch.hand_ids
        if keep.all():
            return batch, seats, dialects
        hands = np.flatnonzero(keep)
        return batch.take(hands), seats[hands], dialects.take(pa.array(hands))


@lru_cache(maxsize=4)
def hand_filter(selection: Selection, folder: str) -> HandFilter:
    """The filter of a selection; it caches what openings say."""
    return HandFilter(selection, folder)


def _seats_and_dialect(opening: dict[str, Any], selection: Selection) -> tuple[int, str | None]:
    """The selected seats, as bits, and the dialect of a hand with this opening."""
    dialect = dialect_of(opening)
    if selection.dialect not in (None, dialect):
        return 0, dialect
    players = opening.get("players")
    players = players if isinstance(players, list) else []
    known = [player if isinstance(player, dict) else {} for player in players]
    wanted = {"name": selection.player, "kind": selection.seats}
    bits = 0
    for seat, player in enumerate((known + [{}] * MOST_SEATS)[:MOST_SEATS]):
        if all(text in (None, player.get(key)) for key, text in wanted.items()):
            bits |= 1 << seat
    return bits, dialect


def write_chosen(store: Store, selection: Selection, folder: Path) -> None:
    """Write the ids of the hands that satisfy a selection's condition in SQL into the file `CHOSEN` of a
    folder: 32 characters each, sorted.

    Raises OutputError if the query fails or the marts are not current.
    """
    _check_marts(store)
    chosen = f'select hand_id from "{selection.mart}" where ({selection.where}\n)'
    sql = f"with ids as ({chosen}) select distinct hand_id from ids where hand_id is not null order by all"
    try:
        with process.connect(store) as connection, (folder / CHOSEN).open("wb") as file:
            # Alone, so that it can't close the parenthesis above.
            connection.bind(f'select hand_id from "{selection.mart}" where {selection.where}')
            _, batches = connection.bind(sql).batches(BATCH_HANDS)
            for batch in batches:
                file.write("".join(batch.column(0).to_pylist()).encode())
    except QueryError as error:
        message = f"the condition {selection.where!r} can't be asked of {selection.mart}"
        raise OutputError(f"{message}: {error}") from error
    _check_marts(store)  # they may have been replaced before the query read them


def _check_marts(store: Store) -> None:
    """Raises OutputError if the marts are not of the store's version that is exported."""
    if not warehouse.is_current(store):
        raise OutputError("the marts are older than the events; run 'cardlog build' first")
