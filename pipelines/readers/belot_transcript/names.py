"""Who plays: the names of a match, and whose name stands in a line."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cardlog.models.belote.score import SEATS
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.bytes import equals, starts_with, strip
from cardlog.pipelines.readers.scan import Bytes

NAMES: Final = SEATS + 2
"""Names of a match: its seats', then its pairs'."""
NO_NAME: Final = -1
_AND: Final = b" i "
"""What stands between the names of a pair."""
_ANDS: Final = re.compile(b"(?=" + _AND + b")")


@dataclass(frozen=True)
class Names:
    """The players of a match, in the order of their seats, and its pairs; empty if not known."""

    seats: tuple[bytes, ...] = ()
    pairs: tuple[bytes, ...] = ()


def find_names(pairs: Iterable[tuple[bytes, ...]], heard: Counter[bytes]) -> Names:
    """Who plays a match. The word between the names of a pair may be in a name, so the names are taken
    that most lines agree with.

    pairs
        What some lines call the two pairs, the best source first.
    heard
        Names in lines that hold one player's name, and how often.
    """
    best, most = Names(), -1
    for pair in pairs:
        for (a1, a2), (b1, b2) in product(*map(_splits, pair)):
            names = Names((a1, b1, a2, b2), (a1 + _AND + a2, b1 + _AND + b2))
            agree = sum(heard[name] for name in set(names.seats))
            if agree > most and len(set(names.seats)) == SEATS:
                best, most = names, agree
        if most == heard.total():
            break
    return best


def _splits(pair: bytes) -> list[tuple[bytes, bytes]]:
    """The ways to split the names of a pair: as it stands, and without blanks at its ends. In ``Ana i i
    Eva`` the word between the names may stand at two offsets that share a blank."""
    return [
        (text[: word.start()], text[word.start() + len(_AND) :])
        for text in dict.fromkeys((pair, pair.strip(b" ")))
        for word in _ANDS.finditer(text)
    ]


def as_text(name: bytes) -> str:
    """A name as text: in UTF-8, else in the code page that Croatian was written in before."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("cp1250", "replace")


class NameTable(NamedTuple):
    """Names in compiled form.

    letters
        One name after the other.
    bounds
        Offsets of each match's names in that: shape (matches, `NAMES`, 2), `NO_NAME` where it is not
        known who plays; or of one match's, shape (`NAMES`, 2).
    """

    letters: Bytes
    bounds: NDArray[np.int64]


def name_table(names: list[Names]) -> NameTable:
    """The names of some matches in compiled form."""
    rows = [[*each.seats, *each.pairs] if each.seats else [b""] * NAMES for each in names]
    lengths = np.array([[len(name) for name in row] for row in rows], np.int64).reshape(-1, NAMES)
    stops = np.cumsum(lengths.ravel()).reshape(-1, NAMES)
    bounds = np.stack([stops - lengths, stops], axis=-1)
    bounds[[not each.seats for each in names]] = NO_NAME
    return NameTable(np.frombuffer(b"".join(name for row in rows for name in row) or b"\0", np.uint8), bounds)


@compiled
def is_name(text: Bytes, start: Int, end: Int, names: NameTable, number: Int) -> bool:
    """Whether a stretch is one of a match's names, to the letter."""
    begin, stop = names.bounds[number, 0], names.bounds[number, 1]
    return bool(begin != NO_NAME and equals(text, start, end, names.letters[begin:stop]))


@compiled
def find_seat(text: Bytes, start: Int, end: Int, names: NameTable) -> Int:
    """The seat whose name a stretch is, `NO_NAME` if it is nobody's."""
    return _find(text, start, end, names, 0, SEATS)


@compiled
def find_team(text: Bytes, start: Int, end: Int, names: NameTable) -> Int:
    """The team whose pair a stretch names, `NO_NAME` if none."""
    return _find(text, start, end, names, SEATS, NAMES)


@compiled
def _find(text: Bytes, start: Int, end: Int, names: NameTable, first: Int, last: Int) -> Int:
    """Which of some names a stretch is, counted from the first of them, `NO_NAME` if it is none.

    A name may begin or end with blanks. Where a text has other ones, as when tabs were made blanks, it is
    the only name that is the same without them.
    """
    for number in range(first, last):
        if is_name(text, start, end, names, number):
            return number - first
    start, end = strip(text, start, end)
    found: Int = NO_NAME
    for number in range(first, last):
        begin, stop = strip(names.letters, names.bounds[number, 0], names.bounds[number, 1])
        if equals(text, start, end, names.letters[begin:stop]):
            if found != NO_NAME:
                return NO_NAME
            found = number - first
    return found


@compiled
def find_seat_after(text: Bytes, start: Int, end: Int, word: Bytes, names: NameTable, likely: Int) -> Int:
    """The seat that a stretch names, with or without a word before the name. Where it can be read as two of
    them, as where one is called ``Player Two`` and another one ``Two``, it is the likely one."""
    after = start + len(word) if starts_with(text, start, end, word) else start
    if likely >= 0 and (is_name(text, start, end, names, likely) or is_name(text, after, end, names, likely)):
        return likely
    seat = find_seat(text, start, end, names)
    return find_seat(text, after, end, names) if seat == NO_NAME else seat
