"""What an erasure takes out of the store's rows: hands, or a person's name.

Both know which rows of a table they are about, and what is left of these.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.ingest.pseudonyms import keyed_digest, pseudonym
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.player_names import mentions, renamed, word
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import NO_TIME

Mask = NDArray[np.bool_]
_ID: Final = re.compile(r"\b[0-9a-f]{32}\b")
A_HAND: Final = "an erased hand"
"""What a message says instead of the id of one."""


class Edited(NamedTuple):
    """Rows after a change, and which of those before it were removed or changed."""

    rows: pa.Table
    touched: Mask


class Found:
    """Hands of `events` that an erasure touches: their ids, how many events they have, and for each source
    their first lines."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.events = 0
        self._lines: dict[str, set[int]] = {}

    def add(self, rows: pa.Table, touched: Mask) -> None:
        """Add the hands, which are whole in some rows, of which a row is touched."""
        hands = rows.column("hand_id")
        mine = rows.filter(pc.is_in(hands, hands.filter(pa.array(touched)).unique()))
        self.events += len(mine)
        openings = mine.filter(pc.equal(mine.column("seq"), 0))
        for hand_id, source, line in _values(openings, "hand_id", "source_id", "source_line"):
            self.ids.add(hand_id)
            self._lines.setdefault(source, set()).add(line)

    def has(self, hand_id: str | None, source: str, first: int, last: int) -> bool:
        """Whether an id is that of one of the hands, or one was read from these lines."""
        return hand_id in self.ids or not self._lines.get(source, set()).isdisjoint(range(first, last + 1))

    def hidden_in(self, text: str) -> str:
        """A text without the ids of the hands."""
        return _ID.sub(lambda match: A_HAND if match[0] in self.ids else match[0], text)


class Erasure:
    """What is erased: hands, and the entries of `quarantine` that they or others of their kind have, unless a
    subclass says otherwise."""

    kind: str

    def chosen(self, name: str, rows: pa.Table) -> Mask:
        """Which rows of `events`, in which hands are whole, or of `quarantine` it is about."""
        raise NotImplementedError

    def edited(self, name: str, rows: pa.Table, found: Found) -> Edited:
        """What is left of rows of a table of record: those of other hands, and in `quarantine`, after
        `events`, no message names one that was removed. `ingests` keeps what was read and stored then."""
        if name == "ingests":
            return Edited(rows, np.zeros(len(rows), np.bool_))
        gone = self.chosen(name, rows)
        if name == "events":
            return Edited(rows.filter(~gone), gone)
        places = _values(rows, "hand_id", "source_id", "first_line", "last_line")
        gone |= np.array([found.has(*place) for place in places], np.bool_)
        old = rows.column("message")
        new = _mapped(old, found.hidden_in)
        return Edited(_with(rows, "message", new).filter(~gone), gone | _differ(old, new))


@dataclass(frozen=True)
class Having(Erasure):
    """Hands with a value in a column, as their id or data set, and their entries, such as conflicts."""

    kind: str
    column: str
    value: str

    def chosen(self, name: str, rows: pa.Table) -> Mask:
        """Those with the value."""
        return _true(pc.equal(rows.column(self.column), self.value))


@dataclass(frozen=True)
class Older(Erasure):
    """Hands that ended before a time, in microseconds since 1970 UTC, by what the source says; where it says
    no time, and in `quarantine`, those ingested before it.

    read
        When each source was first ingested.
    put
        When each ingest was.
    """

    until: int
    read: dict[str, int]
    put: dict[str, int]
    kind = "older-than"

    @classmethod
    def than(cls, store: Store, until: int) -> "Older":
        """Hands of a store that are older than a time."""
        rows = valid_ingests(store)
        times = rows.column("ingested_at").cast(pa.int64()).to_pylist()
        read: dict[str, int] = {}
        for source, at in zip(rows.column("source_id").to_pylist(), times, strict=True):
            read[source] = min(at, read.get(source, at))
        return cls(until, read, dict(zip(rows.column("ingest_id").to_pylist(), times, strict=True)))

    def chosen(self, name: str, rows: pa.Table) -> Mask:
        """Those that are older; in `quarantine` also those of runs that were cut."""
        if name == "quarantine":
            ingests = rows.column("ingest_id").to_pylist()
            return np.array([self.put.get(ingest, NO_TIME) < self.until for ingest in ingests], np.bool_)
        hands = rows.group_by("hand_id").aggregate([("occurred_at", "max"), ("source_id", "min")])
        sources = hands.column("source_id_min").to_pylist()
        read = pa.array([self.read.get(source, NO_TIME) for source in sources], pa.int64())
        ended = pc.coalesce(hands.column("occurred_at_max").cast(pa.int64()), read)
        old = hands.column("hand_id").filter(pc.less(ended, self.until))
        return _true(pc.is_in(rows.column("hand_id"), old))


# ---------------------------------------------------------------- names

_TEXTS: Final = ("match_id", "source_key", "dataset", "source_path")
"""Columns in which a name may be a word."""
_SAID: Final = ["raw", "context", "message"]
"""Columns of `quarantine` with text that the source wrote."""
WITHHELD: Final = "The text of this hand was erased, because a name was in it: {text}."


@dataclass(frozen=True)
class Renaming(Erasure):
    """A player's name, in place of which there is a pseudonym. Text in `quarantine` with the name in it is
    removed: nobody knows what else there says who it is; texts that differed are still told apart.

    key
        What all pseudonyms are made with.
    """

    name: str
    key: bytes = field(repr=False)
    kind = "player"

    def edited(self, name: str, rows: pa.Table, found: Found) -> Edited:
        """The rows without the name; entries of `quarantine` with it lose their text."""
        touched = np.zeros(len(rows), np.bool_)
        for column, change in {**dict.fromkeys(_TEXTS, self._without), "detail": self._renamed}.items():
            if column in rows.column_names:
                old = rows.column(column)
                new = _mapped(old, change)
                touched |= _differ(old, new)
                rows = _with(rows, column, new)
        if name == "quarantine":
            entries = rows.select(_SAID).to_pylist()
            said = [any(mentions(text, self.name) for text in entry.values()) for entry in entries]
            left = [self._withheld(e) if is_said else e for e, is_said in zip(entries, said, strict=True)]
            for column in _SAID:
                rows = _with(rows, column, [entry[column] for entry in left])
            touched |= np.array(said, np.bool_)
        return Edited(rows, touched)

    def _withheld(self, entry: dict[str, Any]) -> dict[str, Any]:
        text = keyed_digest(self.key, "\n".join(str(entry[column]) for column in _SAID))
        return {"raw": "", "context": None, "message": WITHHELD.format(text=text)}

    def _without(self, text: str) -> str:
        """A text with a pseudonym of its own for each way in which the name is written, so that what was
        named differently still is."""
        return word(self.name).sub(lambda match: pseudonym(self.key, match[0]), text)

    def _renamed(self, detail: str) -> str:
        return renamed(detail, {self.name: pseudonym(self.key, self.name)})


def _values(rows: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, row by row."""
    return zip(*(rows.column(name).to_pylist() for name in columns), strict=True)


def _mapped(texts: pa.ChunkedArray, change: Callable[[str], str]) -> pa.Array:
    """Texts after a change, which is asked of each different one once."""
    labels = texts.combine_chunks().dictionary_encode()
    return pa.array(map(change, labels.dictionary.to_pylist()), pa.string()).take(labels.indices)


def _differ(old: pa.ChunkedArray, new: pa.Array) -> Mask:
    return _true(pc.not_equal(old, new))


def _with(rows: pa.Table, column: str, values: Any) -> pa.Table:
    """Rows with other values in a column."""
    index = rows.schema.get_field_index(column)
    field = rows.schema.field(index)
    return rows.set_column(index, field, pa.array(values, field.type))


def _true(values: Any) -> Mask:
    """Truth values as an array; null is false."""
    return np.array(pc.fill_null(values, False).to_numpy(zero_copy_only=False), np.bool_)
