"""Groups the lines of cardlog-jsonl by hand; hands may be interleaved."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.readers.arrays import Offsets
from cardlog.pipelines.readers.cardlog_jsonl.columns import Columns
from cardlog.pipelines.readers.cardlog_jsonl.lines import MOST_EVENTS, NO_SEQ
from cardlog.pipelines.readers.json_lines import shown
from cardlog.schemas.reasons import Reason

Fault = tuple[Reason, str]

_SAME: Final = ("game", "match_id", "hand_no")
"""Columns that are the same on all lines of a hand."""
_WRONG, _MIXED, _MIXED_SEQ, _BAD_SEQ, _TOO_LONG = 1, 2, 2 + len(_SAME), 3 + len(_SAME), 4 + len(_SAME)
"""What can be wrong with a line in its hand; `_MIXED` and up is an index into `_SAME`."""


class Hands:
    """The lines by hand. Hands are numbered in the order in which they begin.

    columns, numbers
        The lines, and their numbers in the file.
    order, bounds
        The lines of a hand are ``order[bounds[hand] : bounds[hand + 1]]``, in the file's order.
    firsts, lasts
        First and last line of each hand.
    """

    def __init__(self, columns: Columns, numbers: Offsets) -> None:
        self.columns, self.numbers = columns, numbers
        hand_of = columns.of["hand_id"]
        counts = np.bincount(hand_of[hand_of >= 0], minlength=len(columns.names["hand_id"]))
        self.order = np.argsort(hand_of, kind="stable")[len(hand_of) - counts.sum() :]
        self.bounds = np.append(0, np.cumsum(counts))
        self.firsts, self.lasts = self.order[self.bounds[:-1]], self.order[self.bounds[1:] - 1]

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def lines(self, hand: int) -> Offsets:
        """The lines of a hand."""
        return self.order[self.bounds[hand] : self.bounds[hand + 1]]

    def raw(self, hand: int) -> bytes:
        """The text of a hand."""
        return b"\n".join(map(self.columns.raw_line, self.lines(hand).tolist()))

    def of(self, name: str) -> NDArray[np.int32]:
        """A column by hands: what their first lines have."""
        values: NDArray[np.int32] = self.columns.of[name][self.firsts].astype(np.int32)
        return values

    def faults(self, broken: Offsets) -> dict[int, Fault]:
        """The hands that can't be read, with reason and message.

        broken
            Numbers of all lines so far that belong to no hand.
        """
        found = self._faults_of_lines()
        most_cards = np.maximum.reduceat(self.columns.of["cards"][self.order], self.bounds[:-1])
        for number, name in enumerate(self.columns.names["game"]):
            of_game = self.of("game") == number
            if name not in models.GAMES:
                message = f"There is no game {shown(name)}; there are: {', '.join(models.GAMES)}."
            else:
                most = models.game(name).event["cards"].shape[0]
                of_game &= most_cards > most
                message = f"An event has more cards than {most}, the most that an event of {name} shows."
            for hand in np.flatnonzero(of_game).tolist():
                found.setdefault(hand, (Reason.UNPARSABLE, message))
        firsts, lasts = self.numbers[self.firsts], self.numbers[self.lasts]
        between = np.searchsorted(broken, firsts) != np.searchsorted(broken, lasts)
        for hand in np.flatnonzero(between & (self.of("seq") == NO_SEQ)).tolist():
            message = "A line between its lines can't be read; without seq an event may be missing."
            found.setdefault(hand, (Reason.INCOMPLETE, message))
        return found

    def _faults_of_lines(self) -> dict[int, Fault]:
        """The hands with lines that are wrong, or do not belong together."""
        hand_of = np.repeat(np.arange(len(self)), np.diff(self.bounds))
        wanted = np.arange(len(self.order)) - self.bounds[hand_of]
        seq = self.columns.of["seq"][self.order]
        faults = np.zeros(len(self.order), np.int8)
        faults[wanted >= MOST_EVENTS] = _TOO_LONG
        faults[(seq != NO_SEQ) & (seq != wanted)] = _BAD_SEQ
        faults[(seq == NO_SEQ) != (self.of("seq") == NO_SEQ)[hand_of]] = _MIXED_SEQ
        for number, name in reversed([*enumerate(_SAME)]):
            faults[self.columns.of[name][self.order] != self.of(name)[hand_of]] = _MIXED + number
        faults[np.isin(self.order, list(self.columns.problems))] = _WRONG
        first: dict[int, int] = {}
        for index in np.flatnonzero(faults).tolist():
            hand = int(hand_of[index])
            if hand not in first or (faults[index] == _WRONG and faults[first[hand]] != _WRONG):
                first[hand] = index
        return {hand: self._fault(hand, int(faults[index]), index) for hand, index in first.items()}

    def _fault(self, hand: int, fault: int, index: int) -> Fault:
        """What is wrong with a line; index: in `order`."""
        line, number = int(self.order[index]), int(self.numbers[self.order[index]])
        if fault == _WRONG:
            problem = self.columns.problems[line]
            return problem.reason, f"Line {number}: {problem}."
        if fault == _MIXED_SEQ:
            return Reason.UNPARSABLE, "Some lines of the hand have seq and some have not."
        if fault == _TOO_LONG:
            return Reason.UNPARSABLE, f"The hand has more than {MOST_EVENTS} events."
        if fault == _BAD_SEQ:
            seq = self.columns.of["seq"]
            wanted, given = index - int(self.bounds[hand]), int(seq[line])
            found = f"line {number} has seq {given}"
            if given < wanted or wanted in seq[self.lines(hand)]:
                return Reason.OUT_OF_ORDER, f"The events are not in order: {found} where {wanted} should be."
            return Reason.INCOMPLETE, f"Event {wanted} is missing: {found} where it should be."
        where = f"line {number} differs from line {self.numbers[self.firsts[hand]]}"
        return Reason.UNPARSABLE, f"The lines of a hand must have the same {_SAME[fault - _MIXED]}; {where}."
