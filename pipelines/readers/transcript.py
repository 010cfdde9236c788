"""What the readers of transcripts share: a text's games, and the names of matches and hands.

Several games in one text are separated by marks, lines ``=== GAME <id> key=value … ===`` or
``=== SESSION <id> key=value … ===``; a text without them is one game.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.readers.base import Read, Reject, Source, hand_name
from cardlog.pipelines.readers.scan import BOM
from cardlog.pipelines.storage.batch import Batch
from cardlog.pipelines.storage.folding import fold_batch

SPLIT_AT: Final = b"=== "
"""The beginning of a mark: the `SPLIT_AT` of readers of transcripts."""
_WORDS: Final = (b"GAME", b"SESSION")


@dataclass(frozen=True)
class Section:
    """One game of a text, without its mark.

    match_id
        The id of its mark, empty if it has none.
    settings
        The keys and values of its mark.
    start, end
        Its offsets in the text.
    first_line
        Number of its first line in the file; the mark is the line before.
    context
        If it is a single hand that is read again: what `context_of` has kept of it. Else empty.
    """

    match_id: str
    settings: dict[str, str]
    start: int
    end: int
    first_line: int
    context: dict[str, Any] = field(default_factory=dict)


def sections(text: bytes, source: Source, first_line: int = 1) -> list[Section]:
    """The games of a text whose first line has the number `first_line`, in their order.

    Text before the first mark is a game of its own, unless it is blank.
    """
    start = len(BOM) if text.startswith(BOM) else 0
    if source.context:
        context = json.loads(source.context)
        return [Section(context["match"], context["settings"], start, len(text), first_line, context)]
    found: list[Section] = []
    match_id, line = "", first_line
    settings: dict[str, str] = {}
    mark = start if text.startswith(SPLIT_AT, start) else _next_mark(text, start)
    while mark >= 0:
        if found or match_id or text[start:mark].strip():
            found.append(Section(match_id, settings, start, mark, line))
        end = text.find(b"\n", mark) + 1 or len(text)
        line += text.count(b"\n", start, end)
        match_id, settings = _mark(text[mark:end])
        start = end
        mark = start if text.startswith(SPLIT_AT, start) else _next_mark(text, start)
    return [*found, Section(match_id, settings, start, len(text), line)]


def _next_mark(text: bytes, start: int) -> int:
    mark = text.find(b"\n" + SPLIT_AT, start)
    return mark + 1 if mark >= 0 else -1


def is_mark(line: bytes) -> bool:
    """Whether a line separates games."""
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


# ---------------------------------------------------------------- a last line without its end


def read_whole_lines(
    read: Callable[[bytes, Source, int], Read], text: bytes, source: Source, first_line: int
) -> list[Read]:
    """What `read` makes of a text without a torn last line, which counts among the other lines.

    A last line without its end may be the beginning of another one, as VII is of VIII. So it is torn, unless
    it ends a hand as the rules want, and would not without its last character; or unless no hand is open that
    it could be a part of, and it means nothing.
    """
    start = text.rfind(b"\n") + 1
    if start == len(text):
        return [read(text, source, first_line)]

    def going_on(piece: bytes) -> Read:
        return read(piece, replace(source, final=False), first_line)

    before, whole = going_on(text[:start]), going_on(text)
    shorter = text.removesuffix(b"\r")[:-1]
    if _is_over(before, whole) and (not _has_cut(before) or not _is_over(before, going_on(shorter))):
        return [read(text, source, first_line)]
    found = read(text[:start], source, first_line)
    found.lines_read += 1
    found.other_lines += 1
    return [found]


def _has_cut(read: Read) -> bool:
    return read.cut is not None and bool(read.cut.any())


def _is_over(before: Read, whole: Read) -> bool:
    """Whether a text ends between hands, the last one complete and legal.

    before
        The same without the last line.
    """
    if _has_cut(whole) or [one.reason for one in whole.rejects] != [one.reason for one in before.rejects]:
        return False
    if not len(whole.batch):
        return True
    last = fold_batch(whole.batch.take(np.array([len(whole.batch) - 1])))
    return bool(last.done[0]) and not last.reasons[0]
