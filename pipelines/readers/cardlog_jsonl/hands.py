"""Groups the lines of cardlog-jsonl by hand; hands may be interleaved."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.pipelines.readers.cardlog_jsonl.lines import (
    CARDS_TEXT,
    GAME_TEXT,
    HAND_TEXT,
    MATCH_TEXT,
    MOST_EVENTS,
    NO_SEQ,
    WRONG,
    Lines,
    Offsets,
    distinct,
)
from cardlog.pipelines.readers.scan import Bytes

FINE, HAS_WRONG, MIXED_GAME, MIXED_MATCH, MIXED_HAND_NO, MIXED_SEQ, BAD_SEQ, TOO_LONG = range(8)
"""What can be wrong with a hand."""


class Checks(NamedTuple):
    """What is known of each hand, arrays of shape (hands,).

    faults, fault_lines
        The hand's fault, and the line that has it.
    most_cards
        The most cards on one line.
    """

    faults: NDArray[np.int8]
    fault_lines: Offsets
    most_cards: NDArray[np.int32]


@dataclass
class Hands:
    """The lines by hand. Hands are numbered in the order in which they begin.

    order, bounds
        The lines of a hand are ``order[bounds[hand] : bounds[hand + 1]]``, in the file's order.
    games, game_lines
        The number of each hand's game by its first line, or -1: shape (hands,); and for each number a line
        that has it. Likewise matches.
    """

    order: Offsets
    bounds: Offsets
    checks: Checks
    games: NDArray[np.int32]
    game_lines: Offsets
    matches: NDArray[np.int32]
    match_lines: Offsets

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def lines(self, hand: int) -> Offsets:
        """The lines of a hand."""
        return self.order[self.bounds[hand] : self.bounds[hand + 1]]

    @property
    def firsts(self) -> Offsets:
        """The first line of each hand."""
        return self.order[self.bounds[:-1]]

    @property
    def lasts(self) -> Offsets:
        """The last line of each hand."""
        return self.order[self.bounds[1:] - 1]


def gather(buffer: Bytes, lines: Lines) -> Hands:
    """Find the lines of each hand, and check that they belong together."""
    hand_of, firsts = distinct(buffer, lines, HAND_TEXT)
    games, game_lines = distinct(buffer, lines, GAME_TEXT)
    matches, match_lines = distinct(buffer, lines, MATCH_TEXT)
    count = len(firsts)
    bounds = np.append(0, np.cumsum(np.bincount(hand_of[hand_of >= 0], minlength=count)))
    order = np.empty(bounds[-1], np.int64)
    _sort(hand_of, bounds[:-1].copy(), order)
    checks = Checks(np.zeros(count, np.int8), np.zeros(count, np.int64), np.zeros(count, np.int32))
    _check(lines, games, matches, order, bounds, checks)
    firsts = order[bounds[:-1]]
    return Hands(order, bounds, checks, games[firsts], game_lines, matches[firsts], match_lines)


@compiled
def _sort(hand_of: NDArray[np.int32], ends: Offsets, order: Offsets) -> None:
    """Group the lines by hand, in the order of the file.

    ends
        The index of each hand's next line in `order`: shape (hands,).
    """
    for number in range(len(hand_of)):
        hand = hand_of[number]
        if hand >= 0:
            order[ends[hand]] = number
            ends[hand] += 1


@compiled
def _check(lines: Any, games: Any, matches: Any, order: Offsets, bounds: Offsets, checks: Checks) -> None:
    """Check that the lines of each hand agree on its columns, and are numbered without gaps."""
    for hand in range(len(bounds) - 1):
        first = order[bounds[hand]]
        head = lines[first]
        most_characters = 0
        for index in range(bounds[hand], bounds[hand + 1]):
            number = order[index]
            line = lines[number]
            seq = index - bounds[hand]
            most_characters = max(most_characters, line.size[CARDS_TEXT])
            fault = FINE
            if line.state == WRONG:
                fault = HAS_WRONG
            elif games[number] != games[first]:
                fault = MIXED_GAME
            elif matches[number] != matches[first]:
                fault = MIXED_MATCH
            elif line.hand_no != head.hand_no:
                fault = MIXED_HAND_NO
            elif (line.seq == NO_SEQ) != (head.seq == NO_SEQ):
                fault = MIXED_SEQ
            elif line.seq != NO_SEQ and line.seq != seq:
                fault = BAD_SEQ
            elif seq >= MOST_EVENTS:
                fault = TOO_LONG
            if fault == HAS_WRONG or (fault != FINE and checks.faults[hand] == FINE):
                checks.faults[hand] = fault
                checks.fault_lines[hand] = number
                if fault == HAS_WRONG:
                    break
        checks.most_cards[hand] = most_characters // 2
