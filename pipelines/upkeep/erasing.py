"""What an erasure takes out of the store's rows: hands, or a person's name.

Both know which hands of a batch they touch and what is left of these, and the same of rows of other tables.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.ingest.pseudonyms import keyed_digest, pseudonym
from cardlog.pipelines.storage.ledger import valid_ingests
from cardlog.pipelines.storage.player_names import mentions, renamed, word
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import Ids
from cardlog.pipelines.upkeep.rewrite import Edited
from cardlog.schemas.events import NO_TIME
from cardlog.schemas.names import without_place
from cardlog.schemas.tables import MOST_SEATS

Mask = NDArray[np.bool_]
_ID: Final = re.compile(r"\b[0-9a-f]{32}\b")
A_HAND: Final = "an erased hand"
"""What a message says instead of the id of one."""


@dataclass
class Found:
    """Hands of `events` that an erasure touches.

    ids
        Their ids, sorted.
    lines
        For each source the first lines of these hands, sorted.
    """

    ids: Ids = field(default_factory=lambda: np.zeros(0, "S32"))
    lines: dict[str, NDArray[np.int64]] = field(default_factory=dict)

    @classmethod
    def of(cls, batches: Iterable[Batch]) -> "Found":
        """All hands of some batches."""
        ids, lines = [np.zeros(0, "S32")], dict[str, list[NDArray[np.int64]]]()
        for batch in batches:
            ids.append(batch.hand_ids)
            firsts = batch.events["line"][batch.offsets[:-1]].astype(np.int64)
            for number in np.unique(batch.source_of).tolist():
                lines.setdefault(batch.sources[number], []).append(firsts[batch.source_of == number])
        joined = {source: np.sort(np.concatenate(found)) for source, found in lines.items()}
        return cls(np.unique(np.concatenate(ids)), joined)

    def has_line(self, source: str, first: int, last: int) -> bool:
        """Whether one of the hands was read from these lines."""
        lines = self.lines.get(source)
        return lines is not None and bool(
            np.searchsorted(lines, first) < np.searchsorted(lines, last, "right")
        )

    def has_any(self, names: list[str]) -> bool:
        """Whether one of some ids is that of one of the hands."""
        if not names or not len(self.ids):
            return False
        ids = np.array(names, "S32")
        at = np.minimum(np.searchsorted(self.ids, ids), len(self.ids) - 1)
        return bool((self.ids[at] == ids).any())

    def named(self, hand_ids: pa.ChunkedArray) -> Mask:
        """Which of some ids are those of the hands."""
        ids = np.array([name or "" for name in hand_ids.to_pylist()], "S32")
        return np.isin(ids, self.ids)


class Erasure:
    """What is erased: hands, and the entries of `quarantine` that they or others of their kind have, unless a
    subclass says otherwise.

    removes
        Whether hands are taken out; otherwise all stay, and say less.
    """

    kind: ClassVar[str]
    removes: ClassVar[bool] = True

    def hands(self, batch: Batch) -> Mask:
        """Which hands of a batch it touches."""
        raise NotImplementedError

    def entries(self, rows: pa.Table) -> Mask:
        """Which entries of `quarantine` are removed besides those of the hands."""
        raise NotImplementedError

    def left(self, batch: Batch) -> Batch:
        """What is left of a batch: the other hands."""
        return batch.take(np.flatnonzero(~self.hands(batch)))

    def rows(self, name: str, rows: pa.Table, found: Found) -> Edited:
        """What is left of rows of `quarantine`: those of other hands, and no message names one that was
        removed. `ingests` keeps what was read and stored then."""
        if name == "ingests":
            return Edited(rows, 0)
        gone = found.named(rows.column("hand_id")) | self.entries(rows)
        columns = (rows.column(column).to_pylist() for column in ("source_id", "first_line", "last_line"))
        gone |= np.array([found.has_line(*place) for place in zip(*columns, strict=True)], np.bool_)
        rows = rows.filter(~gone)
        messages = rows.column("message").to_pylist()
        cleared = [_ID.sub(lambda match: self._named(match[0], found), text) for text in messages]
        changed = sum(a != b for a, b in zip(messages, cleared, strict=True))
        return Edited(_with(rows, "message", cleared), int(gone.sum()) + changed)

    def says(self, column: str, texts: pa.Array, found: Found) -> bool:
        """Whether texts in a column, or in a file that is no table, say what is erased: the id of a hand."""
        return found.has_any([hand for text in texts.to_pylist() if text for hand in _ID.findall(text)])

    def _named(self, hand_id: str, found: Found) -> str:
        return A_HAND if hand_id.encode() in found.ids else hand_id


@dataclass(frozen=True)
class OneHand(Erasure):
    """The hand of an id."""

    hand_id: str
    kind: ClassVar[str] = "hand"

    def hands(self, batch: Batch) -> Mask:
        """The hand of that id."""
        return np.asarray(batch.hand_ids == self.hand_id.encode())

    def says(self, column: str, texts: pa.Array, found: Found) -> bool:
        """Whether they have its id, also if a forget that was cut has removed it from `events`."""
        return any(self.hand_id in text for text in texts.to_pylist() if text)

    def entries(self, rows: pa.Table) -> Mask:
        """Those of its id, such as conflicts with it."""
        return _true(pc.equal(rows.column("hand_id"), self.hand_id))


@dataclass(frozen=True)
class Dataset(Erasure):
    """The hands of a data set."""

    dataset: str
    kind: ClassVar[str] = "dataset"

    def hands(self, batch: Batch) -> Mask:
        """Those of the data set."""
        wanted = np.array([*(name == self.dataset for name in batch.datasets), False])
        return wanted[batch.dataset_of]

    def entries(self, rows: pa.Table) -> Mask:
        """Those of the data set."""
        return _true(pc.equal(rows.column("dataset"), self.dataset))


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
    kind: ClassVar[str] = "older-than"

    @classmethod
    def than(cls, store: Store, until: int) -> "Older":
        """Hands of a store that are older than a time."""
        rows = valid_ingests(store)
        times = rows.column("ingested_at").cast(pa.int64()).to_pylist()
        read: dict[str, int] = {}
        for source, at in zip(rows.column("source_id").to_pylist(), times, strict=True):
            read[source] = min(at, read.get(source, at))
        return cls(until, read, dict(zip(rows.column("ingest_id").to_pylist(), times, strict=True)))

    def hands(self, batch: Batch) -> Mask:
        """Those that are older."""
        ended = np.maximum.reduceat(batch.events["at"], batch.offsets[:-1])
        read = np.array([self.read.get(source, NO_TIME) for source in batch.sources], np.int64)
        return np.where(ended == NO_TIME, read[batch.source_of], ended) < self.until

    def entries(self, rows: pa.Table) -> Mask:
        """Those put there by older ingests, and by runs that were cut."""
        ingests = rows.column("ingest_id").to_pylist()
        return np.array([self.put.get(ingest, NO_TIME) < self.until for ingest in ingests], np.bool_)


# ---------------------------------------------------------------- names

_TEXTS: Final = ("match_id", "source_key", "dataset", "source_path")
"""Columns in which a name may be a word."""
_NAMES: Final = ("player_name", "partner_name")
"""Columns that are a name."""
ERASED: Final = "erased"
"""How the word begins that takes its place."""
_SAID: Final = ["raw", "context", "message"]
"""Columns of `quarantine` with text that the source wrote."""
_OURS: Final = {
    "action", "bid", "card", "card_list", "cardlog_version", "cards", "dialect", "format", "game",
    "hand_status", "kind", "partner_kind", "played_cards", "player_kind", "poker_category", "rank",
    "raw_encoding", "reason", "status", "suit", "suit_led", "trick_winners", "trump", "winning_card",
    *(f"player_{seat}_{what}" for seat in range(MOST_SEATS) for what in ("bid", "hand")),
}  # fmt: skip
"""Columns in which there are only cards and words of cardlog's own, such as `human`."""
WITHHELD: Final = "The text of this hand was erased, because a name was in it: {text}."


@dataclass(frozen=True)
class Renaming(Erasure):
    """A player's name, and the pseudonym that takes its place wherever the store knows what it is.

    As a word of other text it becomes one that is made of the whole text, so that what was named differently
    still is. Text in `quarantine` with the name in it is removed: nobody knows what else there says who it
    is; texts that differed are still told apart.

    key
        What all of these words are made with.
    """

    name: str
    key: bytes = field(repr=False)
    kind: ClassVar[str] = "player"
    removes: ClassVar[bool] = False

    @property
    def pseudonym(self) -> str:
        """What the player is called instead."""
        return pseudonym(self.key, self.name)

    def hands(self, batch: Batch) -> Mask:
        """Those with the name in the opening, the match, the data set or the source's key."""
        new = self.left(batch)
        details, matches, datasets = (
            np.array([*map(str.__ne__, old, now), False], np.bool_)
            for old, now in (
                (batch.details, new.details),
                (batch.matches, new.matches),
                (batch.datasets, new.datasets),
            )
        )
        touched = np.logical_or.reduceat(details[batch.events["detail"]], batch.offsets[:-1])
        touched |= matches[batch.match_of] | datasets[batch.dataset_of]
        return np.asarray(touched | _true(pc.not_equal(batch.keys, new.keys)))

    def left(self, batch: Batch) -> Batch:
        """All hands; the name is in none."""
        return replace(
            batch,
            details=[renamed(text, {self.name: self.pseudonym}) for text in batch.details],
            matches=[*map(self._without, batch.matches)],
            datasets=[*map(self._without, batch.datasets)],
            keys=self._column(batch.keys),
        )

    def rows(self, name: str, rows: pa.Table, found: Found) -> Edited:
        """The rows without the name; entries of `quarantine` with it lose their text."""
        touched = np.zeros(len(rows), np.bool_)
        for column in _TEXTS:
            if column in rows.column_names:
                old = rows.column(column).combine_chunks()
                new = self._column(old)
                touched |= _true(pc.not_equal(old, new))
                rows = _with(rows, column, new)
        if name == "quarantine":
            entries = rows.select(_SAID).to_pylist()
            said = [any(mentions(text, self.name) for text in entry.values()) for entry in entries]
            left = [self._withheld(e) if is_said else e for e, is_said in zip(entries, said, strict=True)]
            for column in _SAID:
                rows = _with(rows, column, [entry[column] for entry in left])
            touched |= np.array(said, np.bool_)
        return Edited(rows, int(touched.sum()))

    def says(self, column: str, texts: pa.Array, found: Found) -> bool:
        """Whether they mention the name; in a column of words that are cardlog's own it is no name."""
        if column in _OURS:
            return False
        if column in _NAMES:
            return self.name in texts.to_pylist()
        if column == "detail":
            return any(
                renamed(text, {self.name: self.pseudonym}) != text for text in texts.to_pylist() if text
            )
        return any(mentions(text, self.name) for text in texts.to_pylist())

    def _withheld(self, entry: dict[str, Any]) -> dict[str, Any]:
        text = self._word("\n".join(str(entry[column]) for column in _SAID))
        return {"raw": "", "context": None, "message": WITHHELD.format(text=text)}

    def _word(self, text: str) -> str:
        return f"{ERASED}-{keyed_digest(self.key, text)}"

    def _without(self, text: str) -> str:
        found = word(self.name)
        return found.sub(self._word(without_place(text)), text) if found.search(text) else text

    def _column(self, texts: pa.Array) -> pa.Array:
        if not pc.any(pc.match_substring(texts, self.name, ignore_case=True)).as_py():
            return texts
        return pa.array([text and self._without(text) for text in texts.to_pylist()], texts.type)


def _with(rows: pa.Table, column: str, values: Any) -> pa.Table:
    """Rows with other values in a column."""
    index = rows.schema.get_field_index(column)
    if not isinstance(values, pa.Array):
        values = pa.array(values, rows.schema.field(index).type)
    return rows.set_column(index, rows.schema.field(index), values)


def _true(values: Any) -> Mask:
    """Truth values as an array; null is false."""
    return np.asarray(pc.fill_null(values, False).to_numpy(zero_copy_only=False), np.bool_)
