"""Which hands of a batch count in an export, and which of their seats; and the ids of the hands that a
condition in SQL asks for, which are looked up once and written to a file for all workers."""

import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.events.columns import OpeningColumns, dialect_of, text_of
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.export.selection import Selection
from cardlog.pipelines.sql import process, warehouse
from cardlog.pipelines.sql.query import QueryError, check_condition
from cardlog.pipelines.storage.remote import array_in
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.tables import MOST_SEATS

KINDS: Final = ("human", "computer")
BATCH_HANDS: Final = 100_000
CHOSEN: Final = "hand_ids"


def check(selection: Selection) -> None:
    """Raises OutputError if that can't be asked."""
    if selection.seats not in (None, *KINDS):
        raise OutputError(f"seats is {selection.seats!r}; it must be {' or '.join(KINDS)}")
    _days(selection)
    for name in ("max_cost_open", "max_cost_known"):
        most = getattr(selection, name)
        if most is not None and not (isinstance(most, (int, float)) and most >= 0):
            raise OutputError(f"{name} is {most!r}; it must be a number from 0 on")


def _days(selection: Selection) -> tuple[Any, Any]:
    """From when and until when hands count; None where all do. Raises OutputError if that is no day."""
    found = []
    for name in ("since", "until"):
        value = getattr(selection, name)
        try:
            found.append(value and np.datetime64(datetime.date.fromisoformat(value), "D"))
        except ValueError:
            raise OutputError(f"{name} is {value!r}; it must be a day, as 2016-03-01") from None
    return found[0], found[1]


class HandFilter:
    """What a selection asks of hands and seats.

    chosen
        Where the ids of the hands are that fulfil its condition in SQL, if it has one.
    """

    def __init__(self, selection: Selection, chosen: str | None) -> None:
        self._since, self._until = _days(selection)
        self._chosen = None if chosen is None else array_in(chosen, CHOSEN, "S32")
        kinds = {"seats": pa.int64(), "dialect": pa.string()}
        self._openings = OpeningColumns(kinds, lambda opening: _asked(opening, selection))

    def of(self, batch: Batch) -> tuple[Batch, NDArray[np.int64], pa.StringArray]:
        """The hands that count, for each the seats whose decisions count, one bit a seat, and the name of the
        rules it is judged by. Whether they were played to their end is not asked here."""
        asked = self._openings.of(batch)
        seats = np.asarray(asked["seats"])
        keep = seats != 0
        day = batch.events["at"][batch.offsets[:-1]].view("M8[us]").astype("M8[D]")  # NO_TIME is no day's
        if self._since is not None:
            keep &= day >= self._since
        if self._until is not None:
            keep &= day <= self._until
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


# ---------------------------------------------------------------- by a condition in SQL


def write_chosen(store: Store, selection: Selection, folder: Path) -> None:
    """Write the ids of the hands that fulfil the condition in SQL of a selection into the file `CHOSEN` of a
    folder: 32 characters each, in order.

    Raises OutputError if that can't be asked.
    """
    _check_mart(store, selection)
    try:
        with process.connect(store) as connection:
            asked = _hands_where(connection, selection.where or "", selection.mart)
            ids = "select distinct hand_id from asked where hand_id is not null order by hand_id"
            _, batches = connection.bind(f"{asked} {ids}").batches(BATCH_HANDS)
            with (folder / CHOSEN).open("wb") as file:
                for batch in batches:
                    file.write("".join(batch.column(0).to_pylist()).encode())
    except QueryError as error:
        raise OutputError(
            f"the condition {selection.where!r} can't be asked of {selection.mart}: {error}"
        ) from error
    _check_mart(store, selection)  # whoever replaced the marts meanwhile, these were read


def _check_mart(store: Store, selection: Selection) -> None:
    """Raises OutputError if the mart that a condition is about is not of the moment that is exported."""
    if not warehouse.is_current(store):
        raise OutputError("the marts are older than the events; run 'cardlog build' first")


def _hands_where(connection: process.Asked, where: str, mart: str) -> str:
    """The beginning of a query: the hands that fulfil the condition, as `asked`.

    It stands apart from the rest, so that the columns it names are those of the mart.
    """
    known = connection.execute(
        "select table_name, bool_or(column_name = 'hand_id') from duckdb_columns() "
        "where not internal and schema_name = 'main' group by all order by all"
    ).fetchall()
    marts = dict(known)
    if not marts.get(mart):
        what = "has no column hand_id" if mart in marts else "does not exist"
        having = ", ".join(name for name, has_hands in marts.items() if has_hands)
        raise OutputError(f"the mart {mart} {what}; these have hand_id: {having}")
    rows = f'from "{mart}"'
    condition = f"({where}\n)"
    check_condition(where)
    [(_, kind)] = connection.execute(f"select {condition} {rows} limit 0").description
    if kind != "BOOLEAN":
        raise QueryError(f"it gives {kind.lower()}, not true or false")
    return f"with asked as (select hand_id {rows} where {condition})"
