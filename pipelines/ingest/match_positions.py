"""Positions in matches: which hand is the n-th of a match.

A position is written as a key of 32 hex digits, so that positions are compared like ids: as whole arrays, in
buckets by the first digits. Two hands with different ids and the same position are a conflict.
"""

import hashlib
from typing import Final

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import NO_DATASET, NO_HAND_NO, NO_MATCH, Batch
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.known_keys import Keys, having_keys
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import Ids
from cardlog.schemas.names import match_id

NO_POSITION: Final = b""
"""The key of a hand without a match, or whose number in the match is not known."""
Positions = NDArray[np.bytes_]
"""Keys of positions, dtype S32: 24 digits for the match, and eight for the number of the hand."""


def positions_of(batch: Batch) -> Positions:
    """The key of each hand's position, `NO_POSITION` where it has none."""
    names = [hashlib.blake2b(f"{batch.game}\0{match}".encode(), digest_size=12) for match in batch.matches]
    digits = np.array([*(name.hexdigest().encode() for name in names), NO_POSITION], "S24")[batch.match_of]
    numbers = np.frombuffer(batch.hand_nos.astype(">i4").tobytes().hex().encode(), "S8")
    known = (digits != NO_POSITION) & (batch.hand_nos != NO_HAND_NO)
    return np.where(known, np.strings.add(digits, numbers), NO_POSITION).astype("S32")


def name_matches(batch: Batch, format_name: str, dataset: str) -> None:
    """Rename the matches of a batch from the source's own names to those they are stored under."""
    names = [match_id(own, format_name, dataset) for own in batch.matches]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    renumbered = np.array([*(numbers[name] for name in names), NO_MATCH], np.int32)
    batch.match_of = renumbered[batch.match_of]
    batch.matches = list(numbers)


def name_hands(batch: Batch, dataset: str) -> None:
    """Fill in the data set and the source key of the hands of a batch whose source gives none."""
    batch.datasets = [*batch.datasets, dataset]
    missing = batch.dataset_of == NO_DATASET
    batch.dataset_of = np.where(missing, np.int32(len(batch.datasets) - 1), batch.dataset_of)
    batch.keys = pc.coalesce(batch.keys, batch.derived_keys())


def stored_positions(store: Store, path: str, keys: Keys | None = None) -> tuple[Positions, Ids]:
    """The positions of the hands of a data file of `events`, and the ids of these hands. Pieces without
    matches, according to their statistics, are not read.

    keys
        Sorted keys; only positions that have one of them are returned.
    """
    positions, ids = [np.zeros(0, "S32")], [np.zeros(0, "S32")]
    file = EventsFile(store, path)
    for piece in range(file.pieces):
        if file.has_matches(piece):
            batch = file.matches(piece)
            found = positions_of(batch)
            kept = np.flatnonzero(found != NO_POSITION)
            kept = kept if keys is None else kept[having_keys(found[kept], keys)]
            positions.append(found[kept])
            ids.append(batch.hand_ids[kept])
    return np.concatenate(positions), np.concatenate(ids)
