"""The hands of cardlog-jsonl: their lines, and what is wrong with them."""

from dataclasses import dataclass, field
from typing import Any, Final

from cardlog import models
from cardlog.pipelines.events.batch import NO_HAND_NO
from cardlog.pipelines.readers.cardlog_jsonl.lines import MOST_EVENTS, NO_SEQ, BadLine, Line
from cardlog.pipelines.readers.json_lines import shown
from cardlog.schemas.reasons import Reason

Fault = tuple[Reason, str]

_SAME: Final = ("game", "match_id", "hand_no")
"""Columns that are the same on all lines of a hand."""
_NULLS: Final[dict[str, Any]] = {"match_id": "", "hand_no": NO_HAND_NO, "seq": NO_SEQ}


@dataclass(slots=True)
class Hand:
    """A hand so far.

    at
        Where its last line is, in bytes.
    size
        Its bytes.
    broken_before
        How many lines that can't be read came before it.
    has_gap
        Whether such lines came since.
    lines, raws, numbers
        Its lines, their text, and their numbers in the file.
    problems
        What is wrong with lines by themselves, by their index.
    """

    at: int
    broken_before: int
    size: int = 0
    has_gap: bool = False
    lines: list[Line] = field(default_factory=list)
    raws: list[bytes] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    problems: dict[int, BadLine] = field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        """Its text."""
        return b"\n".join(self.raws)

    @property
    def match(self) -> tuple[str, str] | None:
        """Its game and match, if it is in one."""
        first = self.lines[0]
        return (first.game, first.match_id) if first.match_id else None

    def fault(self) -> Fault | None:
        """Why it can't be read."""
        for index, problem in self.problems.items():
            return problem.reason, f"Line {self.numbers[index]}: {problem}."
        # What most hands are like, in less time.
        count = len(self.lines)
        in_order = [line.seq for line in self.lines] in ([*range(count)], [NO_SEQ] * count)
        is_one = len({(line.game, line.match_id, line.hand_no) for line in self.lines}) == 1
        is_fine = in_order and is_one and count <= MOST_EVENTS
        fault = None if is_fine else self._fault_of_lines()
        return fault or self._fault_of_game() or self._fault_of_gap()

    def _fault_of_lines(self) -> Fault | None:
        """The first line that does not belong where it is."""
        first = self.lines[0]
        for index, line in enumerate(self.lines):
            for name in _SAME:
                if _value(line, name) != _value(first, name):
                    where = f"line {self.numbers[index]} differs from line {self.numbers[0]}"
                    return Reason.UNPARSABLE, f"The lines of a hand must have the same {name}; {where}."
            seq = _value(line, "seq")
            if (seq == NO_SEQ) != (_value(first, "seq") == NO_SEQ):
                return Reason.UNPARSABLE, "Some lines of the hand have seq and some have not."
            if seq not in (NO_SEQ, index):
                found = f"line {self.numbers[index]} has seq {seq}"
                if seq < index or any(line.seq == index for line in self.lines):
                    problem = f"The events are not in order: {found} where {index} should be."
                    return Reason.OUT_OF_ORDER, problem
                return Reason.INCOMPLETE, f"Event {index} is missing: {found} where it should be."
            if index >= MOST_EVENTS:
                return Reason.UNPARSABLE, f"The hand has more than {MOST_EVENTS} events."
        return None

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
        if self.has_gap and _value(self.lines[0], "seq") == NO_SEQ:
            message = "A line between its lines can't be read; without seq an event may be missing."
            return Reason.INCOMPLETE, message
        return None


def _value(line: Line, name: str) -> Any:
    """What a line says, one value for all ways to say nothing."""
    value = getattr(line, name)
    return _NULLS[name] if value is None else value
