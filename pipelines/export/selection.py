"""Which hands and seats of a game go into a dataset."""

import datetime
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.sql import process, warehouse
from cardlog.pipelines.sql.query import QueryError, check_condition
from cardlog.pipelines.storage.store import Store

KINDS: Final = ("human", "computer")
MART: Final = "hands"
BATCH_HANDS: Final = 100_000
CHOSEN: Final = "hand_ids"


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
    include_hidden_cards
        Whether decisions count where the log hides some of the seat's own cards.
    """

    dialect: str | None = None
    since: str | None = None
    until: str | None = None
    player: str | None = None
    seats: str | None = None
    where: str | None = None
    mart: str = MART
    include_aborted: bool = False
    include_hidden_cards: bool = False

    def asked(self) -> dict[str, Any]:
        """What is asked, for the manifest."""
        plain = Selection()
        return {name: value for name, value in asdict(self).items() if value != getattr(plain, name)}

    def check(self) -> None:
        """Raises OutputError if that can't be asked."""
        if self.seats not in (None, *KINDS):
            raise OutputError(f"seats is {self.seats!r}; it must be {' or '.join(KINDS)}")
        for name in ("since", "until"):
            day = getattr(self, name)
            if day is not None:
                day_number(name, day)


def day_number(name: str, value: str) -> int:
    """The days from 1970-01-01 to a day. Raises OutputError if it is none."""
    try:
        return datetime.date.fromisoformat(value).toordinal() - _EPOCH
    except ValueError:
        raise OutputError(f"{name} is {value!r}; it must be a day, as 2016-03-01") from None


_EPOCH: Final = datetime.date(1970, 1, 1).toordinal()


def write_chosen(store: Store, selection: Selection, folder: Path) -> None:
    """Write the ids of the hands that fulfil the condition in SQL of a selection into the file `CHOSEN` of a
    folder: 32 characters each, in order.

    Raises OutputError if that can't be asked.
    """
    _check_mart(store, selection)
    try:
        with process.connect(store) as connection:
            asked = _asked(connection, selection.where or "", selection.mart)
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


def _asked(connection: process.Asked, where: str, mart: str) -> str:
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
