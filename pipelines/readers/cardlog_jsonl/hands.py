"""The hands of cardlog-jsonl: their lines and their faults."""

from dataclasses import dataclass, field
from typing import Any, Final

from cardlog import models
from cardlog.pipelines.readers.cardlog_jsonl.lines import MOST_EVENTS, NO_SEQ, Fault, Line
from cardlog.pipelines.readers.json_lines import shown
from cardlog.schemas.reasons import Reason

_SAME: Final = ("game", "match_id", "hand_no")
"""Columns that must be the same on all lines of a hand."""


@dataclass(slots=True)
class Hand:
    """A hand so far.

    offset
        That of its last line.
    broken_before
        The number of unreadable lines before it.
    size
        In bytes.
    has_gap
        Whether there are unreadable lines between its lines.
    lines, raws, numbers
        Its lines, their text, and their numbers in the file.
    problem
        The fault of the first line that is wrong by itself.
    ignored
        The seq of each line of it that is ignored.
    """

    offset: int
    broken_before: int
    size: int = 0
    has_gap: bool = False
    lines: list[Line] = field(default_factory=list)
    raws: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    problem: Fault | None = None
    ignored: list[Any] = field(default_factory=list)

    @property
    def name(self) -> str:
        """Its id in the text."""
        return self.lines[0].hand_id

    @property
    def raw(self) -> bytes:
        """Its text."""
        return b"\n".join(self.raws)

    @property
    def match(self) -> tuple[str, str] | None:
        """Its game and match; None if it is in no match."""
        first = self.lines[0]
        return (first.game, first.match_id) if first.match_id else None

    def let_pass(self, seq: Any, raw: bytes) -> None:
        """Add an ignored line, only to the text."""
        self.raws.append(raw)
        self.ignored.append(seq)
        self.size += len(raw) + 1

    def fault(self) -> Fault | None:
        """Why it can't be read."""
        return self.problem or self._fault_of_order() or self._fault_of_game() or self._fault_of_gap()

    def _fault_of_order(self) -> Fault | None:
        """Of the first line that does not belong where it is."""
        for name in _SAME:
            values = [getattr(line, name) for line in self.lines]
            if values.count(values[0]) != len(values):
                index = next(index for index, value in enumerate(values) if value != values[0])
                where = f"line {self.numbers[index]} differs from line {self.numbers[0]}"
                return Reason.UNPARSABLE, f"The lines of a hand must have the same {name}; {where}."
        seqs: list[Any] = [line.seq for line in self.lines]
        if len(seqs) > MOST_EVENTS:
            return Reason.UNPARSABLE, f"The hand has more than {MOST_EVENTS} events."
        left = [seq for seq in range(len(seqs) + len(self.ignored)) if seq not in self.ignored]
        if seqs in (left[: len(seqs)], [NO_SEQ] * len(seqs)):
            return None
        if NO_SEQ in seqs:
            return Reason.UNPARSABLE, "Some lines of the hand have seq and some have not."
        index = next(index for index, seq in enumerate(seqs) if seq != index)
        where = f"line {self.numbers[index]} has seq {seqs[index]} where {index} should be."
        if seqs[index] < index or index in seqs:
            return Reason.OUT_OF_ORDER, f"The events are not in order: {where}"
        return Reason.INCOMPLETE, f"An event is missing: {where}"

    def _fault_of_game(self) -> Fault | None:
        game = self.lines[0].game
        if game not in models.GAMES:
            message = f"There is no game {shown(game)}; there are: {', '.join(models.GAMES)}."
            return Reason.UNPARSABLE, message
        most = models.game(game).event["cards"].shape[0]
        if any(line.cards and len(line.cards) > 2 * most for line in self.lines):
            message = f"An event has more cards than {most}, the most that an event of {game} shows."
            return Reason.UNPARSABLE, message
        return None

    def _fault_of_gap(self) -> Fault | None:
        if self.has_gap and self.lines[0].seq == NO_SEQ:
            message = "A line between its lines can't be read; without seq an event may be missing."
            return Reason.INCOMPLETE, message
        return None
