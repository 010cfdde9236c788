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
    """A file to read."""

    source_id: str  # its sha256
    path: str  # where it was, for messages
    dataset: str  # namespace of the hands' ids
    head: bytes = b""  # the first line that is not empty, without its end; of later blocks see `head_after`
    final: bool = False  # whether a hand cut off by the end of the text will not go on
    context: str = ""  # of a hand that is read again by itself: its `Read.context_of`
    options: ReadOptions = NO_OPTIONS  # what a user says about the file
    key: bytes = field(default=b"", repr=False)  # of pseudonyms for persons' names; empty if names stay
    followed: bool = False  # whether the text is a block, and the file goes on with the next hand


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
    file: int = 0  # its index among files that are read together


def _no_hand() -> NDArray[np.bool_]:
    return np.zeros(0, np.bool_)


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
        shape (hands,); by default no hand.
    cut_after_play
        Which of these may go on even if their play is over, since their scores may follow.
    context_of
        What the reader needs besides a hand's text to read it by itself, such as its match and number, by its
        index in the batch; empty if it needs nothing.
    files
        Of several files that are read together: the lines, the other lines and the hands of each.
    """

    batch: Batch
    rejects: list[Reject]
    raw_of: Callable[[int], bytes]
    first_lines: NDArray[np.int32]
    last_lines: NDArray[np.int32]
    lines_read: int
    other_lines: int
    cut: NDArray[np.bool_] = field(default_factory=_no_hand)
    cut_after_play: NDArray[np.bool_] = field(default_factory=_no_hand)
    context_of: Callable[[int], str] = lambda _: ""
    files: tuple[tuple[int, int, int], ...] = ()

    def __post_init__(self) -> None:
        none = np.zeros(len(self.batch), np.bool_)
        self.cut = self.cut if self.cut.size else none
        self.cut_after_play = self.cut_after_play if self.cut_after_play.size else none

    @classmethod
    def joined(cls, reads: list["Read"]) -> "Read":
        """Several reads of one game as one."""
        hands = [(read, hand) for read in reads for hand in range(len(read.batch))]

        def column(name: str) -> Any:
            return np.concatenate([getattr(read, name) for read in reads])

        return cls(
            Batch.joined([read.batch for read in reads]),
            [reject for read in reads for reject in read.rejects],
            lambda hand: hands[hand][0].raw_of(hands[hand][1]),
            column("first_lines"),
            column("last_lines"),
            sum(read.lines_read for read in reads),
            sum(read.other_lines for read in reads),
            column("cut"),
            column("cut_after_play"),
            lambda hand: hands[hand][0].context_of(hands[hand][1]),
        )

    def without(self, hands: list[int]) -> "Read":
        """The same result without these hands."""
        keep = np.delete(np.arange(len(self.batch)), hands)
        columns = ("first_lines", "last_lines", "cut", "cut_after_play")
        left: Any = {name: getattr(self, name)[keep] for name in columns}
        left["raw_of"] = lambda hand: self.raw_of(int(keep[hand]))
        left["context_of"] = lambda hand: self.context_of(int(keep[hand]))
        return replace(self, batch=self.batch.take(keep), **left)


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
