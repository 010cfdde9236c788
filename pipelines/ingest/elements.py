"""What passes between the steps of an ingest: from a work item to what is committed of it."""

from dataclasses import dataclass, field

import numpy as np

from cardlog.pipelines.ingest.sources import Item
from cardlog.pipelines.storage.known_keys import Keys
from cardlog.pipelines.storage.ledger import Counts
from cardlog.pipelines.storage.store import Part
from cardlog.pipelines.storage.stored_hands import Contents, Ids


@dataclass(frozen=True)
class Run:
    """One ingest, as every worker knows it.

    ingest_id
        From its sources, formats and data sets, so that the same ingest has the same id.
    base
        The version of `events` its hands are compared with; also the number of the attempt. Its rows are
        written as those of the commit that makes the next version.
    token
        What its commit is known by: another process may run the same attempt.
    digits
        How many digits of ids say the bucket in which they are compared.
    """

    store: str
    ingest_id: str
    base: int
    token: str = ""
    tally: str | None = None
    digits: int = 1


@dataclass(frozen=True)
class Draft:
    """A block that was read and judged, with its data file, before the ids are compared.

    part
        The legal hands; of those with the same id, the first.
    ids, contents
        All legal hands, in the order they were found, as bytes: 32 and 8 a hand.
    done
        Which of them were played to their end, one byte a hand.
    positions
        Their positions in their matches, as `positions.positions_of` gives them, as bytes: 32 a
        hand.
    """

    key: str
    item: Item
    part: Part | None
    quarantine: Part | None
    counts: Counts
    ids: bytes = b""
    contents: bytes = b""
    done: bytes = b""
    positions: bytes = b""

    def hands(self) -> tuple[Ids, Contents]:
        """The ids and contents as arrays."""
        return np.frombuffer(self.ids, "S32"), np.frombuffer(self.contents, np.uint64)


@dataclass(frozen=True, order=True)
class NewIds:
    """Hands of a draft in one bucket: its key, their indices in it, ids and contents, as bytes."""

    key: str
    indices: bytes
    ids: bytes
    contents: bytes


@dataclass(frozen=True)
class LookedFor:
    """Sorted keys of the ids and the positions of new hands, as bytes: 8 each."""

    ids: bytes
    positions: bytes

    def keys(self) -> tuple[Keys, Keys]:
        """The keys as arrays."""
        return np.frombuffer(self.ids, np.uint64), np.frombuffer(self.positions, np.uint64)


@dataclass(frozen=True)
class StoredIds:
    """Hands of a data file of `events` in one bucket: its path, and their ids as bytes."""

    path: str
    ids: bytes


@dataclass(frozen=True)
class Verdict:
    """What becomes of hands of a draft that are not to be kept: their indices, and which, as bytes."""

    indices: bytes
    values: bytes


@dataclass(frozen=True)
class Finished:
    """A block with the part of it to commit."""

    key: str
    source: int
    counts: Counts
    parts: list[Part] = field(default_factory=list)
    quarantine: list[Part] = field(default_factory=list)
