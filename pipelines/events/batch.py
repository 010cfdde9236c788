"""A batch: whole hands of one game in compiled form.

Everything between a reader and a Parquet file is a `Batch`; rows never travel one by one.
"""

import hashlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from cardlog.models.engine.compiled import compiled
from cardlog.schemas.events import NO_AMOUNT, NO_DETAIL, NO_TIME
from cardlog.schemas.names import own_match

NO_MATCH: Final = -1
NO_HAND_NO: Final = -1
NO_DATASET: Final = -1
NO_INGEST: Final = 0
"""Stands for the number of the commit that added a hand until one has."""

_DEFAULTS: Final[dict[str, np.signedinteger[Any]]] = {
    "match_of": np.int32(NO_MATCH),
    "hand_nos": np.int32(NO_HAND_NO),
    "source_of": np.int32(0),
    "dataset_of": np.int32(NO_DATASET),
    "ingest_nos": np.int64(NO_INGEST),
}
"""Values for all hands of fields that are not given."""
_LABELS: Final = {"match_of": "matches", "source_of": "sources", "dataset_of": "datasets"}
"""Fields that are indices, and the lists of texts that they index."""


@dataclass
class Batch:
    """Whole hands of one game.

    hand_ids
        Shape (hands,), dtype S32.
    events
        All events, hand after hand, of the game's `EVENT` dtype; `events["detail"]` is an index
        into `details`.
    offsets
        Where each hand begins in `events`, and the end: shape (hands + 1,).
    match_of, hand_nos
        Index into `matches` or `NO_MATCH`, number in the match or `NO_HAND_NO`: shape (hands,).
    source_of
        Index into `sources`, which are sha256 of files: shape (hands,).
    dataset_of
        Index into `datasets`, or `NO_DATASET`: shape (hands,).
    keys
        The hands' keys in the source, null where it has none: a string array of shape (hands,).
    ingest_nos
        The commit that added each hand, or `NO_INGEST`: shape (hands,). Not part of a hand's content.
    """

    game: str
    hand_ids: NDArray[np.bytes_]
    events: NDArray[np.void]
    offsets: NDArray[np.int64]
    details: list[str]
    match_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    matches: list[str] = field(default_factory=list)
    hand_nos: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    source_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    sources: list[str] = field(default_factory=lambda: [""])
    dataset_of: NDArray[np.int32] = field(default_factory=lambda: np.zeros(0, np.int32))
    datasets: list[str] = field(default_factory=list)
    keys: pa.StringArray = field(default_factory=lambda: pa.nulls(0, pa.string()))
    ingest_nos: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def __post_init__(self) -> None:
        hands = len(self.hand_ids)
        for name, default in _DEFAULTS.items():
            if len(getattr(self, name)) != hands:
                setattr(self, name, np.full(hands, default))
        if len(self.keys) != hands:
            self.keys = pa.nulls(hands, pa.string())

    def __len__(self) -> int:
        return len(self.hand_ids)

    @classmethod
    def joined(cls, batches: "list[Batch]") -> "Batch":
        """The hands of batches of one game, one batch after the other."""
        sizes = np.concatenate([np.diff(batch.offsets) for batch in batches])
        fields: dict[str, Any] = {
            name: np.concatenate([getattr(batch, name) for batch in batches])
            for name in ("events", "hand_ids", "hand_nos", "ingest_nos")
        }
        for index_name, list_name in _LABELS.items():
            labels = [(getattr(batch, list_name), getattr(batch, index_name)) for batch in batches]
            fields[list_name], fields[index_name] = _merged(labels)
        details = [(batch.details, batch.events["detail"]) for batch in batches]
        fields["details"], fields["events"]["detail"] = _merged(details)
        return cls(
            batches[0].game,
            offsets=np.append(0, np.cumsum(sizes)),
            keys=pa.concat_arrays([batch.keys for batch in batches]),
            **fields,
        )

    def take(self, hands: NDArray[np.int64]) -> "Batch":
        """These hands, in this order. Events of hands that follow one another are not copied."""
        sizes = np.diff(self.offsets)[hands]
        offsets = np.append(0, np.cumsum(sizes))
        if (np.diff(hands) == 1).all():
            start = int(self.offsets[hands[0]]) if len(hands) else 0
            events = self.events[start : start + offsets[-1]]
        else:
            events = taken(
                self.events, np.arange(offsets[-1]) + np.repeat(self.offsets[hands] - offsets[:-1], sizes)
            )
        per_hand: dict[str, Any] = {name: getattr(self, name)[hands] for name in ("hand_ids", *_DEFAULTS)}
        return replace(self, events=events, offsets=offsets, keys=self.keys.take(pa.array(hands)), **per_hand)

    def sorted(self) -> "Batch":
        """The hands in the order of their ids."""
        return self.take(order_of(self.hand_ids))

    def numbered(self, ingest_no: int) -> "Batch":
        """The same hands, added by a commit."""
        return replace(self, ingest_nos=np.full(len(self), ingest_no, np.int64))

    def begins_with(self, other: "Batch") -> bool:
        """Whether the first events of the only hand of the batch are all those of another batch of one."""
        size = len(other.events)
        beginning = replace(self, events=self.events[:size], offsets=np.array([0, size]))
        return size <= len(self.events) and bool(beginning.content() == other.content())

    def derived_keys(self) -> pa.StringArray:
        """Keys for hands that have none in their source; see `cardlog.schemas.names.source_key`."""
        matches = pa.array([*map(own_match, self.matches)], pa.string())
        own = matches.take(pa.array(self.match_of, mask=self.match_of == NO_MATCH))
        numbers = pa.array(self.hand_nos, mask=self.hand_nos == NO_HAND_NO).cast(pa.string())
        amounts = self.events["amount"][self.offsets[:-1]]
        amounts = pa.array(amounts, mask=amounts == NO_AMOUNT).cast(pa.string())
        return pc.coalesce(pc.binary_join_element_wise(own, numbers, "/"), amounts)

    def content(self) -> NDArray[np.uint64]:
        """A digest of each hand's content, whatever its source: shape (hands,)."""
        words = np.array([_word(text) for text in [*self.details, ""]], np.uint64)
        matches = np.array([_word(text) for text in [*self.matches, ""]], np.uint64)
        with np.errstate(over="ignore"):  # it wraps around
            return _content(self.events, self.offsets, words, matches[self.match_of], self.hand_nos)


def _merged(labels: list[tuple[list[str], NDArray[np.int32]]]) -> tuple[list[str], NDArray[np.int32]]:
    """Lists of texts as one without duplicates, and the indices into each as indices into that one."""
    numbers: dict[str, int] = {}
    merged = []
    for texts, indices in labels:
        new_numbers = [numbers.setdefault(text, len(numbers)) for text in texts]
        merged.append(np.array([*new_numbers, -1], np.int32)[indices])
    return list(numbers), np.concatenate(merged)


def order_of(hand_ids: NDArray[np.bytes_]) -> NDArray[np.int64]:
    """The indices of the hands in the order of their ids."""
    return np.argsort(hand_ids, kind="stable")


def put_cards(events: NDArray[np.void], codes: NDArray[np.uint8]) -> None:
    """Fill in the cards of events whose ``count`` is set: `codes` has those of one event after the other.
    Most events have at most one."""
    counts = events["count"].astype(np.int64)
    firsts = np.cumsum(counts) - counts
    alone, several = np.flatnonzero(counts == 1), np.flatnonzero(counts > 1)
    events["cards"][alone, 0] = codes[firsts[alone]]
    sizes = counts[several]
    event = np.repeat(several, sizes)
    number = np.arange(len(event)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    events["cards"][event, number] = codes[firsts[event] + number]


def taken(records: NDArray[np.void], indices: NDArray[np.int64]) -> NDArray[np.void]:
    """The records with these indices; copied as bytes, which NumPy does five times as fast."""
    size = records.dtype.itemsize
    return records.view(np.uint8).reshape(-1, size)[indices].reshape(-1).view(records.dtype)


@lru_cache(maxsize=65536)
def _word(text: str) -> int:
    """A 64-bit digest of a text that is the same on every machine."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


@compiled
def _mix(state: np.uint64, value: np.uint64) -> np.uint64:
    """One step of a 64-bit hash, the finaliser of SplitMix64. Matches without a name are named by it, so it
    stays as it is."""
    state = (state ^ value) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


@compiled
def _content(
    events: NDArray[Any],
    offsets: NDArray[np.int64],
    details: NDArray[np.uint64],
    matches: NDArray[np.uint64],
    hand_nos: NDArray[np.int32],
) -> NDArray[np.uint64]:
    digests = np.empty(len(offsets) - 1, np.uint64)
    for hand in range(len(digests)):
        state = _mix(matches[hand], np.uint64(hand_nos[hand] + 1))
        for index in range(offsets[hand], offsets[hand + 1]):
            event = events[index]
            head = np.uint64(event.action) | np.uint64(event.seat + 1) << np.uint64(8)
            head |= np.uint64(event.suit + 1) << np.uint64(16)
            head |= np.uint64(event.count) << np.uint64(24)
            head |= np.uint64(np.int64(event.amount) + 2**31) << np.uint64(32)
            state = _mix(state, head)
            if event.at != NO_TIME:
                state = _mix(state, np.uint64(event.at))
            if event.detail != NO_DETAIL:
                state = _mix(state, details[event.detail])
            for card in range(event.count):
                state = _mix(state, np.uint64(event.cards[card]))
        digests[hand] = state
    return digests
