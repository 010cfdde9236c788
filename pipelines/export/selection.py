"""Which hands and seats of a game go into a dataset."""

import datetime
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.sql import query, warehouse
from cardlog.pipelines.sql.limits import Limits
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.tables import MOST_SEATS

KINDS: Final = ("human", "computer")
MART: Final = "hands"
BATCH_HANDS: Final = 100_000


@dataclass(frozen=True)
class Selection:
    """What is asked of hands and of the seats that decide; None asks nothing.

    dialect
        The rules the hand was judged by.
    since, until
        Days, as 2016-03-01: recorded on that day or later, on that day or before.
    player, seats
        Only decisions of the player with that name; only those of ``human`` or ``computer`` players.
    where, mart
        A condition in SQL that a row of the mart, which must have a column hand_id, fulfils.
    include_aborted
        Whether hands that break off count.
    """

    dialect: str | None = None
    since: str | None = None
    until: str | None = None
    player: str | None = None
    seats: str | None = None
    where: str | None = None
    mart: str = MART
    include_aborted: bool = False

    def asked(self) -> dict[str, Any]:
        """What is asked, for the manifest."""
        plain = Selection()
        return {name: value for name, value in asdict(self).items() if value != getattr(plain, name)}


@dataclass(frozen=True)
class Chosen:
    """The hands that were chosen.

    ids
        Their ids in order: shape (hands,), dtype S32.
    seats
        For each the seats whose decisions count, one bit a seat: shape (hands,).
    dialects, dialect_of
        The names of rules, None in games that have only one, and which each hand is judged by.
    """

    ids: NDArray[np.bytes_]
    seats: NDArray[np.int64]
    dialects: list[str | None]
    dialect_of: NDArray[np.int64]

    def filter(self, rows: pa.Table) -> pa.Table:
        """The rows of `decisions` that count, each with its `dialect`.

        rows
            With dictionaries in hand_id, in one chunk.
        """
        if not len(self.ids):
            return rows.append_column("dialect", pa.nulls(len(rows), pa.string()))[:0]
        column = rows.column("hand_id").combine_chunks()
        names = np.array(column.dictionary.to_pylist(), "S32")
        at = np.minimum(np.searchsorted(self.ids, names), len(self.ids) - 1)
        known = self.ids[at] == names
        hand = np.asarray(column.indices)
        seats = np.where(known, self.seats[at], 0)[hand]
        dialect = pa.DictionaryArray.from_arrays(
            pa.array(self.dialect_of[at][hand]), pa.array(self.dialects, pa.string())
        )
        keep = seats >> np.asarray(rows.column("seat")) & 1 == 1
        return rows.append_column("dialect", dialect.cast(pa.string())).filter(pa.array(keep))


def choose(store: Store, game: str, selection: Selection, most: Limits | None = None) -> Chosen:
    """The hands of a game that fulfil what is asked, found within limits.

    Raises OutputError if that can't be asked.
    """
    if selection.seats not in (None, *KINDS):
        raise OutputError(f"seats is {selection.seats!r}; it must be {' or '.join(KINDS)}")
    days = {name: _day(name, getattr(selection, name)) for name in ("since", "until")}
    conditions = ["seq = 0", f"game = {_text(game)}"]
    if selection.dialect is not None:
        conditions.append(f"detail ->> '$.settings.dialect' = {_text(selection.dialect)}")
    if days["since"]:
        conditions.append(f"(occurred_at at time zone 'UTC')::date >= {_text(days['since'])}::date")
    if days["until"]:
        conditions.append(f"(occurred_at at time zone 'UTC')::date <= {_text(days['until'])}::date")
    if not selection.include_aborted:
        conditions.append(
            f"hand_id in (select hand_id from playedhand where status = 'complete' and game = {_text(game)})"
        )
    if selection.where is not None:
        conditions.append("hand_id in (select hand_id from asked)")
    sql = f"""
        select
            hand_id,
            coalesce(detail ->> '$.settings.dialect', '{_NO_DIALECT}') as dialect,
            {_seats(selection)} as seats
        from events
        where {" and ".join(conditions)}
        order by hand_id
    """
    _check_mart(store, selection)
    try:
        with query.connect(store, None if selection.where is not None else _TABLES, most) as connection:
            result = query.run(connection, _asked(connection, selection) + sql)
            parts = [np.array(rows, _ROW) for rows in iter(lambda: result.fetchmany(BATCH_HANDS), [])]
    except query.QueryError as error:
        raise OutputError(_explained(selection, str(error))) from error
    _check_mart(store, selection)  # whoever replaced the marts meanwhile, these were read
    found = np.concatenate([np.zeros(0, _ROW), *parts])
    dialects, which = np.unique(found["dialect"].astype(str), return_inverse=True)
    return Chosen(
        np.ascontiguousarray(found["hand_id"]),
        np.ascontiguousarray(found["seats"]),
        [None if name == _NO_DIALECT else name for name in dialects.tolist()],
        which,
    )


def _check_mart(store: Store, selection: Selection) -> None:
    """Raises OutputError if the mart that a condition is about is not of the moment that is exported."""
    if selection.where is not None and not warehouse.is_of(store, selection.mart):
        raise OutputError("the marts are older than the events; run 'cardlog build' first")


_NO_DIALECT: Final = ""
_ROW: Final = np.dtype([("hand_id", "S32"), ("dialect", "U32"), ("seats", np.int64)])


_TABLES: Final = ("events", "playedhand")


def _asked(connection: query.Connection, selection: Selection) -> str:
    """The beginning of a query: the hands that fulfil the condition, as `asked`.

    It stands apart from the rest, so that the columns it names are those of the mart.
    """
    if selection.where is None:
        return ""
    known = connection.execute(
        "select table_name, bool_or(column_name = 'hand_id') from duckdb_columns() "
        "where database_name = current_database() and schema_name = 'main' group by all order by all"
    ).fetchall()
    marts = {name: has_hands for name, has_hands in known if not name.startswith(("stg_", "int_"))}
    if not marts.get(selection.mart):
        what = "has no column hand_id" if selection.mart in marts else "does not exist"
        having = ", ".join(name for name, has_hands in marts.items() if has_hands)
        raise OutputError(f"the mart {selection.mart} {what}; these have hand_id: {having}")
    rows = f'from "{selection.mart}"'
    condition = f"({selection.where}\n)"
    connection.check_condition(selection.where)
    [(_, kind, *_)] = connection.execute(f"select {condition} {rows} limit 0").description
    if str(kind) != "BOOLEAN":
        raise query.QueryError(f"it gives {str(kind).lower()}, not true or false")
    return f"with asked as (select hand_id {rows} where {condition})"


def _explained(selection: Selection, error: str) -> str:
    if selection.where is None:
        return error
    return f"the condition {selection.where!r} can't be asked of {selection.mart}: {error}"


def _seats(selection: Selection) -> str:
    """The seats whose decisions count, as bits, in SQL."""
    bits = []
    for seat in range(MOST_SEATS):
        asked = []
        if selection.player is not None:
            asked.append(f"detail ->> '$.players[{seat}].name' = {_text(selection.player)}")
        if selection.seats is not None:
            asked.append(f"detail ->> '$.players[{seat}].kind' = {_text(selection.seats)}")
        bits.append(f"case when {' and '.join(asked) or 'true'} then {1 << seat} else 0 end")
    return f"({' + '.join(bits)})"


def _day(name: str, value: str | None) -> str | None:
    if value is None:
        return None
    try:
        return datetime.date.fromisoformat(value).isoformat()
    except ValueError:
        raise OutputError(f"{name} is {value!r}; it must be a day, as 2016-03-01") from None


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
