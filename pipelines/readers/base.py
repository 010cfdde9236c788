"""What every reader takes and gives. A reader is pure: text in, events out, no file touched."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.storage.batch import Batch
from cardlog.schemas.reasons import Reason

if TYPE_CHECKING:
    from hashlib import blake2b


@dataclass(frozen=True)
class Source:
    """A file that is read.

    source_id
        sha256 of the file as it is.
    path
        Where it was, for people.
    dataset
        Name space of the hands' ids.
    head
        The first line of the text that is not empty, without its line end.
    final
        Whether a hand that the end of the text cuts off will not go on.
    context
        What a reader said of the text of a hand that is read by itself; see `Read.contexts`.
    """

    source_id: str
    path: str
    dataset: str
    head: bytes = b""
    final: bool = False
    context: str = ""


@dataclass(frozen=True)
class Reject:
    """A hand that could not be read or judged: what goes to quarantine."""

    reason: Reason
    message: str
    raw: bytes
    first_line: int
    last_line: int
    hand_id: str | None = None
    game: str | None = None
    context: str = ""


@dataclass
class Read:
    """What a reader made of some text: every line is in a hand, in a reject, or among the others.

    batch
        The hands, in the order they were found; still to be judged.
    raw_of
        The text of a hand of the batch, by its place there.
    first_lines, last_lines
        Lines of each hand of the batch, shape (hands,).
    lines_read, other_lines
        Lines in the text, and those of them that belong to no hand and are known.
    cut
        Which hands the end of the text may have cut off, so that they may still go on: shape
        (hands,); none if left out.
    ends_with_play
        Whether a hand has no more text once its play is over; then it is not cut.
    contexts
        For each hand what the reader must be told, besides its text, to read it by itself, as its
        match and its place there; empty if that is nothing.
    """

    batch: Batch
    rejects: list[Reject]
    raw_of: Callable[[int], bytes]
    first_lines: NDArray[np.int32]
    last_lines: NDArray[np.int32]
    lines_read: int
    other_lines: int
    cut: NDArray[np.bool_] | None = None
    ends_with_play: bool = True
    contexts: Sequence[str] = ()

    @classmethod
    def joined(cls, reads: list["Read"]) -> "Read":
        """Reads of one game as one."""
        starts = np.cumsum([0, *(len(read.batch) for read in reads)])

        def raw_of(hand: int) -> bytes:
            number = int(np.searchsorted(starts, hand, "right")) - 1
            return reads[number].raw_of(hand - int(starts[number]))

        cuts = [np.zeros(len(read.batch), np.bool_) if read.cut is None else read.cut for read in reads]
        return cls(
            Batch.joined([read.batch for read in reads]),
            [reject for read in reads for reject in read.rejects],
            raw_of,
            np.concatenate([read.first_lines for read in reads]),
            np.concatenate([read.last_lines for read in reads]),
            sum(read.lines_read for read in reads),
            sum(read.other_lines for read in reads),
            np.concatenate(cuts),
            all(read.ends_with_play for read in reads),
            [context for read in reads for context in read.contexts or [""] * len(read.batch)],
        )

    def without(self, hands: list[int]) -> "Read":
        """The same without these hands of the batch."""
        keep = np.delete(np.arange(len(self.batch)), hands)
        return replace(
            self,
            batch=self.batch.take(keep),
            raw_of=lambda hand: self.raw_of(int(keep[hand])),
            first_lines=self.first_lines[keep],
            last_lines=self.last_lines[keep],
            cut=None if self.cut is None else self.cut[keep],
            contexts=[self.contexts[hand] for hand in keep.tolist()] if self.contexts else [],
        )


class Reader(Protocol):
    """A reader module.

    GAMES
        The games its hands may be of.
    LINE_PER_HAND
        Whether any run of whole lines can be read by itself. If not, a text is parted only before
        lines that begin with ``PARTED_AT``, a constant of the module, or if it has none, not at all.
        A module whose hands may be mixed has ``in_blocks(source)`` instead: what it gives reads the
        blocks of a text one after the other, ``read(text, first_line, is_last)``.
    """

    FORMAT: str
    GAMES: tuple[str, ...]
    SUMMARY: str
    LINE_PER_HAND: bool

    @staticmethod
    def sniff(head: bytes) -> bool:
        """Whether a file that begins so looks like this format."""
        ...

    @staticmethod
    def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
        """The hands of a text, one `Read` a game; its first line has the number `first_line`."""
        ...


def hand_name(format_name: str, dataset: str) -> "blake2b":
    """The hash that, fed with the source's own key of a hand, gives its id of 16 bytes."""
    return hashlib.blake2b(f"{format_name}\0{dataset}\0".encode(), digest_size=16)
