"""The interface of readers. A reader is pure: text in, events out, no file touched."""

import hashlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.readers.options import NO_OPTIONS, ReadOptions
from cardlog.schemas.reasons import Reason

if TYPE_CHECKING:
    from hashlib import blake2b

BOM: Final = b"\xef\xbb\xbf"
"""Byte order mark that some programs put before UTF-8."""


@dataclass(frozen=True)
class Source:
    """A file to read.

    source_id
        sha256 of the file.
    path
        Where it was, for messages.
    dataset
        Namespace of the hands' ids.
    head
        The first line that is not empty, without its line end; for a later block, see `Reader.head_after`.
    final
        Whether nothing will be appended: a hand cut off by the end of the text will not go on.
    context
        For a hand that is read again by itself: its `Read.context_of`.
    options
        What a user says about the file.
    key
        The key of the pseudonyms that replace persons' names; empty if names stay.
    """

    source_id: str
    path: str
    dataset: str
    head: bytes = b""
    final: bool = False
    context: str = ""
    options: ReadOptions = NO_OPTIONS
    key: bytes = field(default=b"", repr=False)


@dataclass(frozen=True)
class Reject:
    """A hand that could not be read or is illegal; it goes to quarantine."""

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
    """The result of reading a text: every line is in a hand, in a reject, or among the others.

    batch
        The hands in the order of the text, not judged yet.
    raw_of
        The text of a hand, by its index in the batch.
    first_lines, last_lines
        Lines of each hand of the batch, shape (hands,).
    lines_read, other_lines
        The number of lines in the text, and of those known to belong to no hand.
    cut
        Which hands the end of the text may have cut off, so that they may go on unless their play is over:
        shape (hands,). None: no hand.
    cut_after_play
        Which of these may go on even if their play is over, since their scores may follow: shape (hands,).
        None: no hand.
    context_of
        What the reader needs besides a hand's text to read it by itself, such as its match and number, by its
        index in the batch; empty if it needs nothing.
    """

    batch: Batch
    rejects: list[Reject]
    raw_of: Callable[[int], bytes]
    first_lines: NDArray[np.int32]
    last_lines: NDArray[np.int32]
    lines_read: int
    other_lines: int
    cut: NDArray[np.bool_] | None = None
    cut_after_play: NDArray[np.bool_] | None = None
    context_of: Callable[[int], str] = lambda _: ""

    @classmethod
    def joined(cls, reads: list["Read"]) -> "Read":
        """Several reads of one game as one."""
        starts = np.cumsum([0, *(len(read.batch) for read in reads)])

        def by_hand(name: str) -> Callable[[int], Any]:
            def call(hand: int) -> Any:
                index = int(np.searchsorted(starts, hand, "right")) - 1
                return getattr(reads[index], name)(hand - int(starts[index]))

            return call

        def masks(name: str) -> NDArray[np.bool_]:
            found = [getattr(read, name) for read in reads]
            none = (np.zeros(len(read.batch), np.bool_) for read in reads)
            return np.concatenate(
                [zeros if mask is None else mask for mask, zeros in zip(found, none, strict=True)]
            )

        return cls(
            Batch.joined([read.batch for read in reads]),
            [reject for read in reads for reject in read.rejects],
            by_hand("raw_of"),
            np.concatenate([read.first_lines for read in reads]),
            np.concatenate([read.last_lines for read in reads]),
            sum(read.lines_read for read in reads),
            sum(read.other_lines for read in reads),
            masks("cut"),
            masks("cut_after_play"),
            by_hand("context_of"),
        )

    def without(self, hands: list[int]) -> "Read":
        """The same result without these hands."""
        keep = np.delete(np.arange(len(self.batch)), hands)
        return replace(
            self,
            batch=self.batch.take(keep),
            raw_of=lambda hand: self.raw_of(int(keep[hand])),
            first_lines=self.first_lines[keep],
            last_lines=self.last_lines[keep],
            cut=None if self.cut is None else self.cut[keep],
            cut_after_play=None if self.cut_after_play is None else self.cut_after_play[keep],
            context_of=lambda hand: self.context_of(int(keep[hand])),
        )


@runtime_checkable
class Reader(Protocol):
    """A reader module.

    GAMES
        The games that its hands may belong to.
    LINE_PER_HAND
        Whether any run of whole lines can be read by itself. If not, a text is split only before lines that
        begin with ``SPLIT_AT``, a constant of the module, or not at all if there is none. A module whose
        hands may be interleaved has ``in_blocks(source)`` instead: an object that reads a text block by
        block, ``read(text, first_line, is_last)``.

    A module may have ``refusal(head, options)``: why a file that begins like this can't be read with these
    options, even if a user names the format, or an empty text. A module whose lines are read by a line before
    them, such as a header, has ``head_after(text, head)``: the `Source.head` after a text, from that before.
    """

    FORMAT: str
    GAMES: Collection[str]
    SUMMARY: str
    LINE_PER_HAND: bool

    @staticmethod
    def sniff(head: bytes) -> bool:
        """Whether the first bytes of a file look like this format."""
        ...

    @staticmethod
    def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
        """The hands of a text, one `Read` per game; its first line has the number `first_line`."""
        ...


def hand_name(format_name: str, dataset: str) -> "blake2b":
    """The hash to update with a hand's key in the source; its digest is the hand's id, 16 bytes."""
    return hashlib.blake2b(f"{format_name}\0{dataset}\0".encode(), digest_size=16)
