"""The positions of matches: which hand is the n-th of a match, and that no two hands are.

What is n-th in which match is written as a key of 32 hex digits, so that positions are compared as ids
are: as whole arrays, in buckets by the first digit. A hand whose position another hand has, under another
id, is a contradiction.
"""

import hashlib
from typing import Final

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import NO_DATASET, NO_HAND_NO, NO_MATCH, Batch
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.known_keys import Keys, among
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.storage.stored_hands import Ids
from cardlog.schemas.names import match_id

NO_POSITION: Final = b""
"""Stands for the key of a hand without a match, or of which it is not known where in the match it is."""
Positions = NDArray[np.bytes_]
"""Keys of positions, dtype S32: 24 digits that say which match it is, and eight which hand of it."""


def positions_of(batch: Batch) -> Positions:
    """The key of each hand's position, `NO_POSITION` where it has none."""
    names = [hashlib.blake2b(f"{batch.game}\0{match}".encode(), digest_size=12) for match in batch.matches]
    digits = np.array([*(name.hexdigest().encode() for name in names), NO_POSITION], "S24")[batch.match_of]
    numbers = np.frombuffer(batch.hand_nos.astype(">i4").tobytes().hex().encode(), "S8")
    known = (digits != NO_POSITION) & (batch.hand_nos != NO_HAND_NO)
    return np.where(known, np.strings.add(digits, numbers), NO_POSITION).astype("S32")


def name_matches(batch: Batch, format_name: str, dataset: str) -> None:
    """Give the matches of a batch, which have the source's own names, the names they are stored by."""
    names = [match_id(own, format_name, dataset) for own in batch.matches]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    renumbered = np.array([*(numbers[name] for name in names), NO_MATCH], np.int32)
    batch.match_of = renumbered[batch.match_of]
    batch.matches = list(numbers)


def name_hands(batch: Batch, dataset: str) -> None:
    """Say data set and source key of the hands of a batch of which the source does not say them itself."""
    batch.datasets = [*batch.datasets, dataset]
    unsaid = batch.dataset_of == NO_DATASET
    batch.dataset_of = np.where(unsaid, np.int32(len(batch.datasets) - 1), batch.dataset_of)
    batch.keys = pc.coalesce(batch.keys, batch.derived_keys())


def stored_positions(store: Store, path: str, keys: Keys | None = None) -> tuple[Positions, Ids]:
    """The positions that the hands of a data file of `events` have, and their ids.

    Pieces whose hands belong to no match, as their statistics say, are not read.

    keys
        Sorted; only positions with one of these keys are wanted.
    """
    positions, ids = [np.zeros(0, "S32")], [np.zeros(0, "S32")]
    file = EventsFile(store, path)
    for piece in range(file.pieces):
        if file.has_matches(piece):
            batch = file.matches(piece)
            found = positions_of(batch)
            kept = np.flatnonzero(found != NO_POSITION)
            kept = kept if keys is None else kept[among(found[kept], keys)]
            positions.append(found[kept])
            ids.append(batch.hand_ids[kept])
    return np.concatenate(positions), np.concatenate(ids)
