"""What a reader found in a text, as columns; the names of its matches and hands."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.base import Read, Reject, Source, hand_name
from cardlog.pipelines.storage.batch import Batch

FOUND: Final = np.dtype(
    [
        ("match", np.int32),  # index into the names of the matches
        ("number", np.int32),  # index in its match
        ("start", np.int64),  # offsets in the text
        ("end", np.int64),
        ("first_line", np.int32),
        ("last_line", np.int32),
        ("cut", np.bool_),  # whether the text ends in the middle of it
    ]
)
"""A hand in a text."""


_Item = TypeVar("_Item")


class OnDemand(Sequence[_Item]):
    """A sequence whose items are made when they are asked for: few of many hands' contexts ever are."""

    def __init__(self, count: int, make: Callable[[int], _Item]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> _Item: ...
    @overload
    def __getitem__(self, index: slice) -> list[_Item]: ...
    def __getitem__(self, index: int | slice) -> _Item | list[_Item]:
        if isinstance(index, slice):
            return [self._make(one) for one in range(*index.indices(self._count))]
        return self._make(range(self._count)[index])


@dataclass(frozen=True)
class Findings:
    """What a reader found in a text.

    hands
        `FOUND`, shape (hands,); events, offsets and details are theirs, as in a `Batch`.
    matches
        The names of the matches. One without (an empty text) is named by the content of its first hand.
    contexts
        What each hand needs to be read by itself; see `context_of`.
    """

    hands: NDArray[np.void]
    matches: list[str]
    events: NDArray[np.void]
    offsets: NDArray[np.int64]
    details: list[str]
    contexts: Sequence[dict[str, Any]]
    lines_read: int
    other_lines: int
    rejects: list[Reject] = field(default_factory=list)


def read_of(game: str, form: str, source: Source, text: bytes, findings: Findings) -> Read:
    """What a reader made of a text, with the names of matches and hands."""
    hands, contexts = findings.hands, findings.contexts
    count = len(hands)
    numbers = np.ascontiguousarray(hands["number"])
    ids = np.zeros(count, "S32")
    batch = Batch(game, ids, findings.events, findings.offsets, findings.details, hand_nos=numbers)
    names = _match_names(findings.matches, hands["match"], batch)
    batch.match_of = np.ascontiguousarray(hands["match"])
    batch.matches = names
    batch.hand_ids = hand_ids(form, source, [names[match] for match in hands["match"]], numbers)
    starts, ends = hands["start"].tolist(), hands["end"].tolist()
    match_of, number_of = hands["match"].tolist(), numbers.tolist()
    return Read(
        batch,
        findings.rejects,
        raw_of=lambda hand: text[starts[hand] : ends[hand]],
        first_lines=np.ascontiguousarray(hands["first_line"]),
        last_lines=np.ascontiguousarray(hands["last_line"]),
        lines_read=findings.lines_read,
        other_lines=findings.other_lines,
        cut=np.zeros(count, np.bool_) if source.final else np.ascontiguousarray(hands["cut"]),
        ends_with_play=False,
        contexts=OnDemand(
            count, lambda hand: context_of(names[match_of[hand]], number_of[hand], contexts[hand])
        ),
    )


def _match_names(matches: list[str], match_of: NDArray[np.int32], batch: Batch) -> list[str]:
    """The names of matches; one without an id has the digest of its first hand. All are digested together,
    since every call of `Batch.content` digests all openings of the batch."""
    names = list(matches)
    seen, first = np.unique(match_of, return_index=True)
    unnamed = np.array([not names[match] for match in seen.tolist()], np.bool_)
    if unnamed.any():
        digests = batch.take(first[unnamed]).content()
        for match, digest in zip(seen[unnamed].tolist(), digests.tolist(), strict=True):
            names[match] = f"{digest:016x}"
    return names


def context_of(match_id: str, number: int, more: dict[str, Any]) -> str:
    """What is needed to read one hand of a match by itself: the JSON of `Section.context`.

    more
        Must have ``settings``, those of the mark; and whatever else the reader needs, such as the dealer
        and the score.
    """
    return json.dumps({"match": match_id, "hand_no": number, **more}, sort_keys=True)


def hand_ids(form: str, source: Source, matches: list[str], numbers: NDArray[np.int32]) -> NDArray[np.bytes_]:
    """The ids of hands, from the match and the number in it: shape (hands,), dtype S32."""
    stem = hand_name(form, source.dataset)
    names = bytearray()
    for match, number in zip(matches, numbers.tolist(), strict=True):
        digest = stem.copy()
        digest.update(f"{match}\0{number}".encode())
        names += digest.digest()
    return np.frombuffer(bytes(names).hex().encode(), "S32")
