"""Where the hands of belot's transcripts begin and end, and which lines are in none."""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import lines
from cardlog.schemas.events import compiled_dtype

HAND: Final = compiled_dtype(
    [
        ("match", np.int32),
        ("number", np.int32),  # place in its match
        ("first", np.int32),  # its first and last line, counted from 0 in the text
        ("last", np.int32),
        ("stray", np.int8),  # `HALF`, `JUNK`, or 0 if it is neither
        ("ended", np.int8),  # whether its last line was seen
        ("cut", np.int8),  # whether the text ends before it does
        ("totals", np.int32, (2,)),  # lines of the score of the match
        # What `belot_hands.parse` finds.
        ("dealer", np.int8),
        ("dialect", np.int8),
        ("ordered", np.int8),  # seats whose cards are in the order of the deal, one bit each
        ("prompted", np.int8),  # seats that were asked at the keyboard
        ("acted", np.int8),  # seats that bid or played
        ("reason", np.int8),  # why it can't be read, 0 if it can
        ("what", np.int8),  # which sentence says so
        ("line", np.int32),  # the line that is wrong
        ("offset", np.int64),  # where its events begin
        ("befores", np.int8),  # how many scores of the match before it are possible
        ("before", np.int32, (2, 2)),
        ("in_match", np.int8),  # whether one was chosen
        ("score", np.int32, (2,)),  # which
    ]
)
MATCH: Final = compiled_dtype(
    [
        ("section", np.int32),
        ("pair_a", np.int32),  # lines that name the pairs, -1 where there is none
        ("pair_b", np.int32),
        ("hands", np.int32),
        ("first_hand", np.int32),
        ("fresh", np.int8),  # whether it begins in this text, at 0 : 0; `TOLD` if the score was told
    ]
)
NO_LINE: Final = -1
AWAITED: Final = -2
"""Stands for a line of totals that must come next."""
HALF, JUNK = 1, 2
"""A hand whose beginning is missing; lines that are none."""
TOLD: Final = 2


@compiled
def segment(
    kinds: NDArray[np.uint8],
    section_starts: NDArray[np.int64],
    hands: Any,
    matches: Any,
) -> tuple[int, int]:
    """Find the hands and the matches; returns how many there are of each.

    section_starts
        The first line of every section, and the number of lines: shape (sections + 1,).
    hands, matches
        Out: what is found, `HAND` and `MATCH`; as many as lines are enough.
    """
    count = 0
    games = 0
    for section in range(len(section_starts) - 1):
        first, stop = section_starts[section], section_starts[section + 1]
        games = _new_match(matches, games, section, count)
        count, games = _section(kinds, first, stop, section, hands, count, matches, games)
    return count, games


@compiled
def _new_match(matches: Any, games: int, section: int, count: int) -> int:
    match = matches[games]
    match.section = section
    match.pair_a = NO_LINE
    match.pair_b = NO_LINE
    match.hands = 0
    match.first_hand = count
    match.fresh = 0
    return games + 1


@compiled
def _section(
    kinds: NDArray[np.uint8],
    first: Int,
    stop: Int,
    section: int,
    hands: Any,
    count: int,
    matches: Any,
    games: int,
) -> tuple[int, int]:
    """The hands of one section; returns how many hands and matches there are now."""
    is_open = False
    for line in range(first, stop):
        kind = kinds[line]
        if kind in (lines.PAIR_A, lines.PAIR_B, lines.CRASH):
            if is_open:
                _close(kinds, hands[count - 1], line)
            is_open = False
            if kind != lines.CRASH:
                games = _name_pair(matches, games, section, count, line, kind)
        elif kind == lines.DEALER and is_open and hands[count - 1].stray == JUNK:
            # What seemed to be no hand is the spoilt first line of this one.
            _make_half(hands[count - 1], matches, games, line)
        elif kind == lines.SHARING or (
            kind == lines.DEALER and not (is_open and _awaits_dealer(kinds, hands[count - 1], line))
        ):
            if is_open:
                _close(kinds, hands[count - 1], line)
            hand = _open(hands, count, games, line)
            hand.number = _count_hand(matches, games)
            hand.stray = HALF if kind == lines.DEALER else 0
            count += 1
            is_open = True
        elif is_open:
            is_open = not _goes_on(kind, hands[count - 1], matches, games, line)
        elif kind == lines.WON and count > 0 and _may_be_won(hands[count - 1], games):
            hands[count - 1].last = line
        elif kind not in (lines.BLANK, lines.NOISE, lines.TRACE, lines.PARTIAL, lines.MARK):
            hand = _open(hands, count, games, line)
            hand.stray = JUNK
            count += 1
            is_open = not _goes_on(kind, hand, matches, games, line)
    if is_open:
        _close(kinds, hands[count - 1], stop)
        hands[count - 1].cut = hands[count - 1].stray == 0
    return count, games


@compiled
def _name_pair(matches: Any, games: int, section: int, count: int, line: Int, kind: int) -> int:
    """Note a line that names a pair; a new match begins with the first one."""
    match = matches[games - 1]
    goes_on = kind == lines.PAIR_B and match.pair_b == NO_LINE and match.hands == 0
    if (match.pair_a != NO_LINE or match.pair_b != NO_LINE or match.hands > 0) and not goes_on:
        games = _new_match(matches, games, section, count)
        match = matches[games - 1]
    match.fresh = 1
    if kind == lines.PAIR_A:
        match.pair_a = line
    else:
        match.pair_b = line
    return games


@compiled
def _goes_on(kind: int, hand: Any, matches: Any, games: int, line: Int) -> bool:
    """Put a line to the open hand; returns whether it is the last one."""
    if hand.stray == JUNK and kind in (lines.HEADER, lines.CARD):
        _make_half(hand, matches, games, line)
    hand.last = line
    if kind == lines.TOTALS:
        hand.totals[:] = AWAITED
    elif kind == lines.PAIR_POINTS:
        for pair in range(2):
            if hand.totals[pair] == AWAITED:
                hand.totals[pair] = line
                hand.ended = pair
                break
    return bool(hand.ended)


@compiled
def _make_half(hand: Any, matches: Any, games: int, line: Int) -> None:
    """What was no hand is one whose beginning is missing."""
    hand.stray = HALF
    hand.number = _count_hand(matches, games)
    hand.last = line


@compiled
def _open(hands: Any, count: int, games: int, line: Int) -> Any:
    hand = hands[count]
    hand.match = games - 1
    hand.number = 0
    hand.first = line
    hand.last = line
    hand.stray = 0
    hand.ended = 0
    hand.cut = 0
    hand.totals[:] = NO_LINE
    return hand


@compiled
def _close(kinds: NDArray[np.uint8], hand: Any, stop: Int) -> None:
    """A hand ends before a line without having come to its end, but not with lines that say nothing."""
    if hand.stray == 0:
        hand.last = stop - 1
    while hand.last > hand.first and kinds[hand.last] in (lines.BLANK, lines.NOISE, lines.TRACE):
        hand.last -= 1


@compiled
def _count_hand(matches: Any, games: int) -> int:
    number = matches[games - 1].hands
    matches[games - 1].hands += 1
    return int(number)


@compiled
def _awaits_dealer(kinds: NDArray[np.uint8], hand: Any, line: Int) -> bool:
    """Whether a hand has begun, but not told who deals."""
    if kinds[hand.first] != lines.SHARING:
        return False
    for before in range(hand.first + 1, line):
        if kinds[before] not in (lines.BLANK, lines.NOISE, lines.UNKNOWN):
            return False
    return True


@compiled
def _may_be_won(hand: Any, games: int) -> bool:
    """Whether the line that names a winner can belong to the last hand."""
    return bool(hand.match == games - 1 and hand.ended)
