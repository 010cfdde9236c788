"""The places of matches: which hand is the n-th of a match, and that no two hands are.

What is n-th in which match is written as a key of 32 hex digits, so that places are compared as ids
are: as whole arrays, in buckets by the first digit. A hand whose place another hand has, under another
id, is a contradiction.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.ingest.overlap import BUCKETS, Ids, bucket_of
from cardlog.pipelines.storage.batch import NO_HAND_NO, NO_MATCH, Batch
from cardlog.pipelines.storage.from_arrow import EventsFile
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.names import match_id

NO_PLACE: Final = b""
"""Stands for the key of a hand without a match, or of which it is not known where in the match it is."""
_MATCH_DIGITS: Final = 24
"""Hex digits of a key that say which match it is; the other eight say which hand of it."""

Places = Ids
"""Keys of places, dtype S32."""


@dataclass(frozen=True, order=True)
class NewPlaces:
    """Hands of a draft whose places are in one bucket: the draft's key, indices of the hands in it,
    keys of their places and ids, as bytes."""

    key: str
    indices: bytes
    places: bytes
    ids: bytes


@dataclass(frozen=True)
class StoredPlaces:
    """Hands of a data file of `events` whose places are in one bucket: keys and ids, as bytes."""

    places: bytes
    ids: bytes


@dataclass(frozen=True)
class Taken:
    """Hands of a draft whose place another hand has: their indices, and the ids of the others, as bytes."""

    indices: bytes
    others: bytes


def name_matches(batch: Batch, format_name: str, dataset: str) -> None:
    """Give the matches of a batch, which have the source's own names, the names they are stored by."""
    names = [match_id(own, format_name, dataset) for own in batch.matches]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    renumbered = np.array([*(numbers[name] for name in names), NO_MATCH], np.int32)
    batch.match_of = renumbered[batch.match_of]
    batch.matches = list(numbers)


def places_of(batch: Batch) -> Places:
    """The key of each hand's place, `NO_PLACE` where it has none."""
    matches = [_match_digits(batch.game, match) for match in batch.matches]
    return _keys(np.array([*matches, NO_PLACE], f"S{_MATCH_DIGITS}")[batch.match_of], batch.hand_nos)


def _match_digits(game: str, match: str) -> bytes:
    digest = hashlib.blake2b(f"{game}\0{match}".encode(), digest_size=_MATCH_DIGITS // 2)
    return digest.hexdigest().encode()


def _keys(matches: NDArray[np.bytes_], hand_nos: NDArray[np.int32]) -> Places:
    numbers = np.frombuffer(hand_nos.astype(">i4").tobytes().hex().encode(), "S8")
    known = (matches != NO_PLACE) & (hand_nos != NO_HAND_NO)
    return np.where(known, np.strings.add(matches, numbers), NO_PLACE).astype("S32")


def stored_places(store: Store, path: str) -> tuple[Places, Ids]:
    """The places that the hands of a data file of `events` have, and their ids.

    Pieces whose hands belong to no match, as their statistics say, are not read.
    """
    file = EventsFile(store, path, rely=True)
    places, ids = [np.zeros(0, "S32")], [np.zeros(0, "S32")]
    for piece in range(file.pieces):
        if file.has_matches(piece):
            batch = file.matches(piece)
            keys = places_of(batch)
            places.append(keys[keys != NO_PLACE])
            ids.append(batch.hand_ids[keys != NO_PLACE])
    return np.concatenate(places), np.concatenate(ids)


# ---------------------------------------------------------------- compare


def new_places_by_bucket(key: str, places: Places, ids: Ids) -> Iterator[tuple[int, NewPlaces]]:
    """The places of a draft's hands, split by bucket; the buckets come after those of ids."""
    known = np.flatnonzero(places != NO_PLACE)
    buckets = bucket_of(places[known])
    for bucket in np.unique(buckets).tolist():
        indices = known[buckets == bucket]
        found = NewPlaces(key, indices.tobytes(), places[indices].tobytes(), ids[indices].tobytes())
        yield BUCKETS + bucket, found


def stored_places_by_bucket(store: Store, path: str) -> Iterator[tuple[int, StoredPlaces]]:
    """The places in a data file of `events`, split by bucket."""
    places, ids = stored_places(store, path)
    buckets = bucket_of(places)
    for bucket in np.unique(buckets).tolist():
        mine = buckets == bucket
        yield BUCKETS + bucket, StoredPlaces(places[mine].tobytes(), ids[mine].tobytes())


def compare_places(new: list[NewPlaces], stored: list[StoredPlaces]) -> Iterator[tuple[str, Taken]]:
    """The hands of a bucket whose place a stored hand has, or an earlier one of the ingest, under another
    id; by the key of their draft.

    Hands with the same id are left to the comparison of ids. An earlier hand keeps its place even if
    that comparison finds that it contradicts a stored one.
    """
    if not new:
        return
    drafts = sorted(new)
    places = np.concatenate([np.frombuffer(draft.places, "S32") for draft in drafts])
    ids = np.concatenate([np.frombuffer(draft.ids, "S32") for draft in drafts])
    others = _first_at(places, places, ids)
    for known in stored:
        found = _first_at(places, np.frombuffer(known.places, "S32"), np.frombuffer(known.ids, "S32"))
        others = np.where((found != b"") & (found != ids), found, others)
    taken = (others != b"") & (others != ids)
    start = 0
    for draft in drafts:
        indices = np.frombuffer(draft.indices, np.int64)
        mine = slice(start, start + len(indices))
        start += len(indices)
        if taken[mine].any():
            which = taken[mine]
            yield draft.key, Taken(indices[which].tobytes(), others[mine][which].tobytes())


def _first_at(places: Places, held: Places, ids: Ids) -> Ids:
    """For each place the id of the first hand that holds it, empty if none does."""
    found = np.zeros(len(places), "S32")
    if len(held):
        order = np.argsort(held, kind="stable")
        at = np.minimum(np.searchsorted(held, places, sorter=order), len(held) - 1)
        same = held[order[at]] == places
        found[same] = ids[order[at[same]]]
    return found
