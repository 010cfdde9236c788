"""What an erasure removes from rows: hands, or a person's name."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.ingest.pseudonyms import keyed_digest, pseudonym
from cardlog.pipelines.readers.times import microseconds
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.player_names import mentions, renamed, word
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import NO_TIME

Mask = NDArray[np.bool_]
_ID: Final = re.compile(r"\b[0-9a-f]{32}\b")
A_HAND: Final = "an erased hand"
"""Replaces the id of an erased hand in a message."""


class Edited(NamedTuple):
    """Rows after a change, and which of the rows before it were removed or changed."""

    rows: pa.Table
    touched: Mask


class TouchedHands:
    """The hands of `events` that an erasure touches: their ids, the number of their events, and their first
    lines by source."""

    def __init__(self) -> None:
        self.ids: set[str] = set()
        self.events = 0
        self._lines: dict[str, set[int]] = {}

    def add(self, rows: pa.Table, touched: Mask) -> None:
        """Add the hands that have a touched row; all rows of a hand come together."""
        hand_ids = rows.column("hand_id")
        events = rows.filter(pc.is_in(hand_ids, hand_ids.filter(pa.array(touched)).unique()))
        self.events += len(events)
        openings = events.filter(pc.equal(events.column("seq"), 0))
        for hand_id, source, line in values(openings, "hand_id", "source_id", "source_line"):
            self.ids.add(hand_id)
            self._lines.setdefault(source, set()).add(line)

    def has(self, hand_id: str | None, source: str, first: int, last: int) -> bool:
        """Whether one of the hands has an id, or was read from these lines."""
        return hand_id in self.ids or not self._lines.get(source, set()).isdisjoint(range(first, last + 1))

    def hidden_in(self, text: str) -> str:
        """A text without the ids of the hands."""
        return _ID.sub(lambda match: A_HAND if match[0] in self.ids else match[0], text)


class Erasure:
    """What is erased. By default hands, with their entries of `quarantine` and other matching entries."""

    kind: str

    def matches(self, name: str, rows: pa.Table) -> Mask:
        """Which rows of `events`, in which hands are whole, or of `quarantine` are to be erased."""
        raise NotImplementedError

    def edited(self, name: str, rows: pa.Table, hands: TouchedHands) -> Edited:
        """What is left of rows of a table of record. Messages in `quarantine`, which comes after `events`, no
        longer name removed hands. `ingests` keeps what was read and stored at the time."""
        if name == "ingests":
            return Edited(rows, np.zeros(len(rows), np.bool_))
        removed = self.matches(name, rows)
        if name == "events":
            return Edited(rows.filter(~removed), removed)
        places = values(rows, "hand_id", "source_id", "first_line", "last_line")
        removed |= np.array([hands.has(*place) for place in places], np.bool_)
        old = rows.column("message")
        new = _mapped(old, hands.hidden_in)
        return Edited(_with(rows, "message", new).filter(~removed), removed | _differ(old, new))

    def ids(self, hands: TouchedHands) -> set[str]:
        """The ids of the hands that are erased."""
        return hands.ids

    def at_table(self, entries: list[Any], hands: TouchedHands) -> list[Any]:
        """What is left of the journal of a table, or of the lines of a hand: nothing if an erased hand is its
        last one or is played again; otherwise the score sheet is without such hands."""
        ids = self.ids(hands)
        starts = [entry["plan"].get("start") or {} for entry in entries if "plan" in entry]
        if any(entry.get("hand_id") in ids for entry in [*entries, *starts]):
            return []
        sheets = [[row for row in entry.get("sheet", []) if row["hand_id"] not in ids] for entry in entries]
        return [e | {"sheet": sheet} if "sheet" in e else e for e, sheet in zip(entries, sheets, strict=True)]

    def is_in(self, text: str, hands: TouchedHands) -> bool:
        """Whether a text that can't be read otherwise has something to erase."""
        return not self.ids(hands).isdisjoint(_ID.findall(text))


@dataclass(frozen=True)
class Having(Erasure):
    """Hands and entries with a value in a column, such as their id or data set."""

    kind: str
    column: str
    value: str

    def ids(self, hands: TouchedHands) -> set[str]:
        """The ids of the hands, also of one that the store no longer has."""
        return hands.ids | {self.value}

    def matches(self, name: str, rows: pa.Table) -> Mask:
        """The rows with the value."""
        return _as_mask(pc.equal(rows.column(self.column), self.value))


@dataclass(frozen=True)
class Older(Erasure):
    """Hands that ended before a time, in microseconds since 1970 UTC; hands without a time, and entries of
    `quarantine`, that were ingested before it.

    sources
        When each source was first ingested.
    ingests
        When each ingest took place.
    """

    until: int
    sources: dict[str, int]
    ingests: dict[str, int]
    kind = "older-than"

    @classmethod
    def than(cls, store: Store, until: int) -> "Older":
        """Hands of a store that are older than a time."""
        rows = valid_ingests(store)
        times = rows.column("ingested_at").cast(pa.int64()).to_pylist()
        sources: dict[str, int] = {}
        for source, time in zip(rows.column("source_id").to_pylist(), times, strict=True):
            sources[source] = min(time, sources.get(source, time))
        return cls(until, sources, dict(zip(rows.column("ingest_id").to_pylist(), times, strict=True)))

    def matches(self, name: str, rows: pa.Table) -> Mask:
        """The rows that are older; in `quarantine` also those of interrupted runs."""
        if name == "quarantine":
            ingests = rows.column("ingest_id").to_pylist()
            return np.array([self.ingests.get(ingest, NO_TIME) < self.until for ingest in ingests], np.bool_)
        hands = rows.group_by("hand_id").aggregate([("occurred_at", "max"), ("source_id", "min")])
        sources = hands.column("source_id_min").to_pylist()
        ingested = pa.array([self.sources.get(source, NO_TIME) for source in sources], pa.int64())
        ended = pc.coalesce(hands.column("occurred_at_max").cast(pa.int64()), ingested)
        old = hands.column("hand_id").filter(pc.less(ended, self.until))
        return _as_mask(pc.is_in(rows.column("hand_id"), old))

    def at_table(self, entries: list[Any], hands: TouchedHands) -> list[Any]:
        """Nothing is left of a table at which nothing has happened since, nor of such a hand that the store
        does not have."""
        events = [event for entry in entries for event in (entry, *entry.get("events", ()))]
        times = [event["occurred_at"] for event in events if event.get("occurred_at")]  # in files as text
        newest = max((microseconds(at) if isinstance(at, str) else at for at in times), default=self.until)
        return [] if newest < self.until else super().at_table(entries, hands)


# ---------------------------------------------------------------- names

_TEXTS: Final = ("match_id", "source_key", "dataset", "source_path")
"""Columns in which a name may be a word."""
_SOURCE_TEXTS: Final = ["raw", "context", "message"]
"""Columns of `quarantine` with text from the source."""
_DETAILS: Final = {"detail", "opening"}
"""Keys of the details of events in the journal of tables."""
WITHHELD: Final = "The text of this hand was erased, because a name was in it: {text}."


@dataclass(frozen=True)
class Renaming(Erasure):
    """A player's name, which is replaced with a pseudonym. An entry of `quarantine` that mentions it loses
    its text, which may identify the player in other ways; a digest keeps different texts distinct.

    key
        The key of all pseudonyms.
    """

    name: str
    key: bytes = field(repr=False)
    kind = "player"

    def edited(self, name: str, rows: pa.Table, hands: TouchedHands) -> Edited:
        """The rows without the name; entries of `quarantine` that mention it lose their text."""
        touched = np.zeros(len(rows), np.bool_)
        for column, change in {**dict.fromkeys(_TEXTS, self.without), "detail": self._renamed}.items():
            if column in rows.column_names:
                old = rows.column(column)
                new = _mapped(old, change)
                touched |= _differ(old, new)
                rows = _with(rows, column, new)
        if name == "quarantine":
            entries = rows.select(_SOURCE_TEXTS).to_pylist()
            for index, entry in enumerate(entries):
                if any(mentions(text, self.name) for text in entry.values()):
                    entries[index], touched[index] = self._withheld(entry), True
            for column in _SOURCE_TEXTS:
                rows = _with(rows, column, [entry[column] for entry in entries])
        return Edited(rows, touched)

    def at_table(self, entries: list[Any], hands: TouchedHands) -> list[Any]:
        """The entries without the name: in details as in those of `events`, elsewhere as a player's name."""
        return [self._renamed_in(entry) for entry in entries]

    def without(self, text: str) -> str:
        """A text with a pseudonym for each spelling of the name, so that different texts stay different."""
        return word(self.name).sub(lambda match: pseudonym(self.key, match[0]), text)

    def _renamed_in(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._renamed_in(item) for item in value]
        if not isinstance(value, dict):
            return value
        found = {key: self._renamed_in(item) for key, item in value.items()}
        for key in _DETAILS & value.keys():
            found[key] = json.loads(self._renamed(json.dumps(value[key])))
        if value.get("name") == self.name:
            found["name"] = pseudonym(self.key, self.name)
        return found

    def is_in(self, text: str, hands: TouchedHands) -> bool:
        """Whether a text mentions the name."""
        return mentions(text, self.name)

    def _withheld(self, entry: dict[str, Any]) -> dict[str, Any]:
        digest = keyed_digest(self.key, "\n".join(str(entry[column]) for column in _SOURCE_TEXTS))
        return {"raw": "", "context": None, "message": WITHHELD.format(text=digest)}

    def _renamed(self, detail: str) -> str:
        return renamed(detail, {self.name: pseudonym(self.key, self.name)})


def values(rows: pa.Table, *columns: str) -> Iterator[tuple[Any, ...]]:
    """The values of some columns, row by row."""
    return zip(*(rows.column(name).to_pylist() for name in columns), strict=True)


def _mapped(texts: pa.ChunkedArray, change: Callable[[str], str]) -> pa.Array:
    """Texts after a change, which is computed once for each distinct text."""
    labels = texts.combine_chunks().dictionary_encode()
    return pa.array(map(change, labels.dictionary.to_pylist()), pa.string()).take(labels.indices)


def _differ(old: pa.ChunkedArray, new: pa.Array) -> Mask:
    return _as_mask(pc.not_equal(old, new))


def _with(rows: pa.Table, column: str, new: Any) -> pa.Table:
    """Rows with new values in a column."""
    index = rows.schema.get_field_index(column)
    schema_field = rows.schema.field(index)
    return rows.set_column(index, schema_field, pa.array(new, schema_field.type))


def _as_mask(booleans: Any) -> Mask:
    """Boolean values as an array; null is false."""
    return np.array(pc.fill_null(booleans, False).to_numpy(zero_copy_only=False), np.bool_)
