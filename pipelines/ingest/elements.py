"""What the steps of an ingest pass on: from a work item to the parts to commit."""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.ingest.match_positions import Positions
from cardlog.pipelines.ingest.overlap import COMPLETES, ERASED, REPLACES, Verdicts
from cardlog.pipelines.ingest.sources import ReadItem
from cardlog.pipelines.storage.known_keys import Keys
from cardlog.pipelines.storage.ledger import Counts
from cardlog.pipelines.storage.store import Part
from cardlog.pipelines.storage.stored_hands import Contents, Ids


@dataclass(frozen=True)
class IngestRun:
    """One ingest, as every worker knows it.

    ingest_id
        Derived from its sources, formats and data sets, so that the same ingest has the same id.
    base
        The version of `events` its hands are compared with; also the number of the attempt. Its rows are
        written for the commit that makes the next version.
    token
        Identifies its commit, since another process may run the same attempt.
    digits
        How many first digits of ids make the bucket in which they are compared. By default there is one
        bucket, since each would read the stored hands again.
    replace
        Whether hands replace the stored ones that they contradict.
    """

    store: str
    ingest_id: str
    base: int
    token: str = ""
    tally: str | None = None
    digits: int = 0
    replace: bool = False


@dataclass(frozen=True, eq=False)
class Draft:
    """A block that was read and judged, with its data file, before its hands are compared with others.

    part
        The legal hands; of those with the same id, the first, or a later one that completes it.
    counts
        Of each file of the item.
    file_of, sizes
        Of all legal hands: the index of the file, and the number of events that are stored of it.
    ids, contents, positions
        Of all legal hands, in the order they were found; positions as in `match_positions.positions_of`. The
        beginning of a hand in the same block has that hand's content.
    done
        Which of them were played to the end.
    """

    key: str
    item: ReadItem
    part: Part | None
    quarantine: Part | None
    counts: list[Counts]
    file_of: NDArray[np.int32]
    sizes: NDArray[np.int64]
    ids: Ids
    contents: Contents
    positions: Positions
    done: NDArray[np.bool_]


ENDS: Final = {"completed": COMPLETES, "replaced": REPLACES, "erased": ERASED}
"""Verdicts that are counted in the note of an ingest's commit to `events`, by their names there."""


class LookedFor(NamedTuple):
    """Sorted keys of the ids and the positions of new hands."""

    ids: Keys
    positions: Keys


class NewNames(NamedTuple):
    """Names of hands of a draft in one bucket: their ids, or their positions in matches.

    draft, part, indices
        The draft's key, the path of its data file, and the indices of the hands in it.
    ids, contents
        Of these hands; if the names are ids, the same as the names.
    """

    draft: str
    part: str
    indices: NDArray[np.int64]
    names: Ids | Positions
    ids: Ids
    contents: Contents


class StoredNames(NamedTuple):
    """Names of hands of a data file of `events` in one bucket, and the ids of these hands."""

    path: str
    names: Ids | Positions
    ids: Ids


class Verdict(NamedTuple):
    """Verdicts on hands of a draft that are not simply to be kept.

    values
        Those of `overlap.Verdicts` except `KEEP`.
    others
        The id of the hand that has the same position; empty if the verdict is on the hand's id.
    """

    indices: NDArray[np.int64]
    values: Verdicts
    others: Ids


@dataclass(frozen=True)
class Finished:
    """What to commit of a block.

    source, counts
        The number of its first file among those of the ingest, and what became of each of its files.
    ends
        How many hands complete or replace stored ones, or were erased for good; by `ENDS`.
    superseded
        The ids of the stored hands that its hands complete or replace.
    """

    key: str
    source: int
    counts: list[Counts]
    ends: dict[str, int]
    superseded: Ids
    parts: list[Part] = field(default_factory=list)
    quarantine: list[Part] = field(default_factory=list)
