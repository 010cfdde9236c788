"""What the readers of transcripts share: a text's games, and the names of matches and hands.

Several games in one text are parted by marks, lines ``=== GAME <id> key=value … ===`` or
``=== SESSION <id> key=value … ===``; a text without them is one game.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.base import Read, Reject, Source, hand_name
from cardlog.pipelines.readers.scan import BOM
from cardlog.pipelines.storage.batch import Batch

PARTED_AT: Final = b"=== "
"""How a mark begins; for a reader's `PARTED_AT`."""
_WORDS: Final = (b"GAME", b"SESSION")


@dataclass(frozen=True)
class Section:
    """One game of a text, without its mark.

    match_id
        The id of its mark, empty if it has none.
    settings
        The keys and values of its mark.
    start, end
        Where it is in the text, in bytes.
    first_line
        Number of its first line in the file; the mark is the line before.
    context
        What is known of a single hand that is read again, from `context_of`; else empty.
    """

    match_id: str
    settings: dict[str, str]
    start: int
    end: int
    first_line: int
    context: dict[str, Any] = field(default_factory=dict)


def sections(text: bytes, source: Source, first_line: int = 1) -> list[Section]:
    """The games of a text whose first line has the number `first_line`, in their order.

    What stands before the first mark is a game of its own, unless it is blank.
    """
    start = len(BOM) if text.startswith(BOM) else 0
    if source.context:
        context = json.loads(source.context)
        return [Section(context["match"], context["settings"], start, len(text), first_line, context)]
    found: list[Section] = []
    match_id, line = "", first_line
    settings: dict[str, str] = {}
    place = start if text.startswith(PARTED_AT, start) else _next_mark(text, start)
    while place >= 0:
        if found or match_id or text[start:place].strip():
            found.append(Section(match_id, settings, start, place, line))
        end = text.find(b"\n", place) + 1 or len(text)
        line += text.count(b"\n", start, end)
        match_id, settings = _mark(text[place:end])
        start = end
        place = start if text.startswith(PARTED_AT, start) else _next_mark(text, start)
    return [*found, Section(match_id, settings, start, len(text), line)]


def _next_mark(text: bytes, start: int) -> int:
    place = text.find(b"\n" + PARTED_AT, start)
    return place + 1 if place >= 0 else -1


def is_mark(line: bytes) -> bool:
    """Whether a line parts games."""
    words = line.removeprefix(BOM).split()
    return len(words) > 2 and words[0] == b"===" and words[1] in _WORDS


def _mark(line: bytes) -> tuple[str, dict[str, str]]:
    """The id and the settings of a mark."""
    words = line.decode("utf-8", "replace").split()[1:]
    pairs = [word.split("=", 1) for word in words if "=" in word.strip("=")]
    ids = [word for word in words[1:2] if "=" not in word]
    return "".join(ids), dict(pairs)


FOUND: Final = np.dtype(
    [
        ("match", np.int32),  # index into the names of the matches
        ("number", np.int32),  # place in its match, from 0
        ("start", np.int64),  # bytes of the text
        ("end", np.int64),
        ("first_line", np.int32),
        ("last_line", np.int32),
        ("cut", np.bool_),  # whether the text ends before it does
    ]
)
"""A hand that was found in a text."""


_Made = TypeVar("_Made")


class OnDemand(Sequence[_Made]):
    """Things that are made one by one when they are asked for, for few of many hands are."""

    def __init__(self, count: int, make: Callable[[int], _Made]) -> None:
        self._count, self._make = count, make

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> _Made: ...
    @overload
    def __getitem__(self, place: slice) -> list[_Made]: ...
    def __getitem__(self, place: int | slice) -> _Made | list[_Made]:
        if isinstance(place, slice):
            return [self._make(one) for one in range(*place.indices(self._count))]
        return self._make(range(self._count)[place])


def read_of(
    game: str,
    form: str,
    source: Source,
    text: bytes,
    found: NDArray[np.void],
    matches: list[str],
    events: NDArray[np.void],
    offsets: NDArray[np.int64],
    details: list[str],
    contexts: Sequence[dict[str, Any]],
    *,
    rejects: list[Reject],
    lines_read: int,
    other_lines: int,
) -> Read:
    """What a reader made of a text, with the hands' names.

    found
        The hands, `FOUND`; events, offsets and details are theirs, as in a `Batch`.
    matches
        The names of the matches. One without (an empty text) is named by what its first hand says.
    contexts
        For each hand what it takes to read it by itself; see `context_of`.
    """
    count = len(found)
    numbers = np.ascontiguousarray(found["number"])
    batch = Batch(game, np.zeros(count, "S32"), events, offsets, details, hand_nos=numbers)
    names = _match_names(matches, found["match"], batch)
    batch.match_of = np.ascontiguousarray(found["match"])
    batch.matches = names
    batch.hand_ids = hand_ids(form, source, [names[match] for match in found["match"]], numbers)
    starts, ends = found["start"].tolist(), found["end"].tolist()
    match_of, number_of = found["match"].tolist(), numbers.tolist()
    return Read(
        batch,
        rejects,
        raw_of=lambda hand: text[starts[hand] : ends[hand]],
        first_lines=np.ascontiguousarray(found["first_line"]),
        last_lines=np.ascontiguousarray(found["last_line"]),
        lines_read=lines_read,
        other_lines=other_lines,
        cut=np.zeros(count, np.bool_) if source.final else np.ascontiguousarray(found["cut"]),
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
    """What it takes to read one hand of a match by itself: what `Section.context` will hold.

    more
        Must have ``settings``, those of the mark; and whatever else the reader needs, as who
        deals and the scores before.
    """
    return json.dumps({"match": match_id, "hand_no": number, **more}, sort_keys=True)


def hand_ids(form: str, source: Source, matches: list[str], numbers: NDArray[np.int32]) -> NDArray[np.bytes_]:
    """The ids of hands, from the match and the place in it: shape (hands,), dtype S32."""
    stem = hand_name(form, source.dataset)
    names = bytearray()
    for match, number in zip(matches, numbers.tolist(), strict=True):
        digest = stem.copy()
        digest.update(f"{match}\0{number}".encode())
        names += digest.digest()
    return np.frombuffer(bytes(names).hex().encode(), "S32")
