"""Finds where hands and matches begin and end, and lines outside of them."""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import phrases
from cardlog.schemas.events import compiled_dtype

HAND: Final = compiled_dtype(
    [
        ("match", np.int32),
        ("number", np.int32),  # of the hand in its match, from 0
        ("first", np.int32),  # indices of its first and last line
        ("last", np.int32),
        ("stray", np.int8),  # `HALF`, `JUNK`, or 0 for a whole hand
        ("ended", np.int8),  # whether its last line was seen
        ("cut", np.int8),  # whether the text ends in the middle of it
        ("totals", np.int32, (2,)),  # lines of the score of the match
        # Filled in by `parser`:
        ("dealer", np.int8),
        ("dialect", np.int8),
        ("ordered", np.int8),  # seats whose cards are in the order of the deal, one bit each
        ("prompted", np.int8),  # seats that were asked at the keyboard
        ("acted", np.int8),  # seats that bid or played
        ("fault", np.int8),  # of `faults`
        ("line", np.int32),  # index of the line at fault
        ("offset", np.int64),  # index of its first event
        ("befores", np.int8),  # number of possible scores before it
        ("before", np.int32, (2, 2)),
        ("in_match", np.int8),  # whether the score is known
        ("score", np.int32, (2,)),  # the score before it
    ]
)
MATCH: Final = compiled_dtype(
    [
        ("section", np.int32),
        ("pair_a", np.int32),  # lines that name the pairs, or `NO_LINE`
        ("pair_b", np.int32),
        ("hands", np.int32),
        ("fresh", np.int8),  # whether it begins here, at 0 : 0; `RESUMED` if the score is given
    ]
)
NO_LINE: Final = -1
_AWAITED: Final = -2
"""Stands for a line of totals that is expected next."""
HALF, JUNK = 1, 2
"""A hand without its beginning; lines that are not a hand."""
RESUMED: Final = 2


_SO_FAR: Final = compiled_dtype(
    [
        ("section", np.int32),
        ("hands", np.int32),  # found so far, including the open one
        ("matches", np.int32),
        ("is_open", np.bool_),  # whether the last hand has not ended
    ]
)


class _Search(NamedTuple):
    """The lines, the hands and matches found in them, and how many there are."""

    lines: Any
    hands: Any
    matches: Any
    so_far: Any


def find_hands(
    lines: NDArray[np.void], sections: NDArray[np.int64]
) -> tuple[NDArray[np.void], NDArray[np.void]]:
    """The hands and the matches of a text, as `HAND` and `MATCH`.

    sections
        Index of every section's first line, and the number of lines: shape (sections + 1,).
    """
    hands = np.zeros(len(lines) + 1, HAND)
    matches = np.zeros(len(sections) - 1 + len(lines), MATCH)
    so_far = np.zeros(1, _SO_FAR)
    _find_hands(lines, sections, hands, matches, so_far)
    count, games = int(so_far["hands"][0]), int(so_far["matches"][0])
    hands, matches = hands[:count], matches[:games]
    # Of the hands cut off by the end of a section, only the last one of the text may go on.
    hands["cut"][:-1] = 0
    if count and hands["match"][-1] != games - 1:
        hands["cut"][-1] = 0
    return hands, matches


@compiled
def _find_hands(lines: Any, sections: NDArray[np.int64], hands: Any, matches: Any, progress: Any) -> None:
    so_far = progress[0]
    search = _Search(lines, hands, matches, so_far)
    for section in range(len(sections) - 1):
        so_far.section = section
        _new_match(search)
        for index in range(sections[section], sections[section + 1]):
            _add_line(search, index)
        if so_far.is_open:
            hand = _last_hand(search)
            _close(search, sections[section + 1])
            hand.cut = hand.stray == 0


@compiled
def _last_hand(search: _Search) -> Any:
    return search.hands[search.so_far.hands - 1]


@compiled
def _last_match(search: _Search) -> Any:
    return search.matches[search.so_far.matches - 1]


@compiled
def _new_match(search: _Search) -> None:
    so_far = search.so_far
    so_far.matches += 1
    match = _last_match(search)
    match.section = so_far.section
    match.pair_a = NO_LINE
    match.pair_b = NO_LINE
    match.hands = 0
    match.fresh = 0


@compiled
def _add_line(search: _Search, index: Int) -> None:
    """Assign the next line to the open hand, to a new one, or to none."""
    so_far = search.so_far
    kind = search.lines[index].kind
    if kind in (phrases.PAIR_A, phrases.PAIR_B, phrases.CRASH):
        _close(search, index)
        if kind != phrases.CRASH:
            _name_pair(search, index, kind)
    elif kind == phrases.DEALER and so_far.is_open and _last_hand(search).stray == JUNK:
        # The junk was the damaged first line of this hand.
        _make_half(search, index)
    elif kind == phrases.SHARING or (
        kind == phrases.DEALER and not (so_far.is_open and _awaits_dealer(search, index))
    ):
        _close(search, index)
        hand = _open(search, index)
        hand.number = _count_hand(search)
        hand.stray = HALF if kind == phrases.DEALER else 0
    elif so_far.is_open:
        _extend(search, index, kind)
    elif kind == phrases.WON and so_far.hands > 0 and _may_be_won(search):
        _last_hand(search).last = index
    elif kind not in (phrases.BLANK, phrases.NOISE, phrases.TRACE, phrases.MARK):
        _open(search, index).stray = JUNK
        _extend(search, index, kind)


@compiled
def _name_pair(search: _Search, index: Int, kind: int) -> None:
    """Note a line that names a pair; a new match begins with the first one."""
    match = _last_match(search)
    goes_on = kind == phrases.PAIR_B and match.pair_b == NO_LINE and match.hands == 0
    if (match.pair_a != NO_LINE or match.pair_b != NO_LINE or match.hands > 0) and not goes_on:
        _new_match(search)
        match = _last_match(search)
    match.fresh = 1
    if kind == phrases.PAIR_A:
        match.pair_a = index
    else:
        match.pair_b = index


@compiled
def _open(search: _Search, index: Int) -> Any:
    """A new hand that begins with a line."""
    so_far = search.so_far
    so_far.hands += 1
    so_far.is_open = True
    hand = _last_hand(search)
    hand.match = so_far.matches - 1
    hand.number = 0
    hand.first = index
    hand.last = index
    hand.stray = 0
    hand.ended = 0
    hand.cut = 0
    hand.totals[:] = NO_LINE
    return hand


@compiled
def _extend(search: _Search, index: Int, kind: int) -> None:
    """Add a line to the open hand, which ends with the second line of totals."""
    hand = _last_hand(search)
    if hand.stray == JUNK and kind in (phrases.HEADER, phrases.CARD):
        _make_half(search, index)
    hand.last = index
    if kind == phrases.TOTALS:
        hand.totals[:] = _AWAITED
    elif kind == phrases.PAIR_POINTS:
        for pair in range(2):
            if hand.totals[pair] == _AWAITED:
                hand.totals[pair] = index
                hand.ended = pair
                break
    search.so_far.is_open = not hand.ended


@compiled
def _make_half(search: _Search, index: Int) -> None:
    """Turn junk into a hand whose beginning is missing."""
    hand = _last_hand(search)
    hand.stray = HALF
    hand.number = _count_hand(search)
    hand.last = index


@compiled
def _close(search: _Search, stop: Int) -> None:
    """Cut off the open hand, if there is one, before line `stop`, without blank lines and noise at its
    end."""
    if not search.so_far.is_open:
        return
    search.so_far.is_open = False
    hand = _last_hand(search)
    if hand.stray == 0:
        hand.last = stop - 1
    while hand.last > hand.first and search.lines[hand.last].kind in (
        phrases.BLANK, phrases.NOISE, phrases.TRACE
    ):  # fmt: skip
        hand.last -= 1


@compiled
def _count_hand(search: _Search) -> Int:
    """The number of a new hand in its match."""
    match = _last_match(search)
    number: Int = match.hands
    match.hands += 1
    return number


@compiled
def _awaits_dealer(search: _Search, index: Int) -> bool:
    """Whether the open hand has begun, but not named its dealer."""
    first = _last_hand(search).first
    if search.lines[first].kind != phrases.SHARING:
        return False
    for before in range(first + 1, index):
        if search.lines[before].kind not in (phrases.BLANK, phrases.NOISE, phrases.UNKNOWN):
            return False
    return True


@compiled
def _may_be_won(search: _Search) -> bool:
    """Whether a line with the winner can belong to the last hand."""
    hand = _last_hand(search)
    return bool(hand.match == search.so_far.matches - 1 and hand.ended)
