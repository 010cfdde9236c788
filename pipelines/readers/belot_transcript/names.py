"""The names of a match, and whose name a line contains."""

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
"""Number of names in a match: those of the seats, then of the pairs."""
NO_NAME: Final = -1
_AND: Final = b" i "
"""The word between the names of a pair."""
_ANDS: Final = re.compile(b"(?=" + _AND + b")")


@dataclass(frozen=True)
class Names:
    """The players of a match by seat, and its pairs; empty if unknown."""

    seats: tuple[bytes, ...] = ()
    pairs: tuple[bytes, ...] = ()


def find_names(pairs: Iterable[tuple[bytes, ...]], counts: Counter[bytes]) -> Names:
    """The players of a match. The word between the names of a pair may be part of a name, so the split that
    agrees with most lines is chosen.

    pairs
        The two pairs as some lines name them, the best source first.
    counts
        How often each name occurs in lines with the name of one player.
    """
    best, most = Names(), -1
    for pair in pairs:
        for (a1, a2), (b1, b2) in product(*map(_splits, pair)):
            names = Names((a1, b1, a2, b2), (a1 + _AND + a2, b1 + _AND + b2))
            agree = sum(counts[name] for name in set(names.seats))
            if agree > most and len(set(names.seats)) == SEATS:
                best, most = names, agree
        if most == counts.total():
            break
    return best


def _splits(pair: bytes) -> list[tuple[bytes, bytes]]:
    """The ways to split a pair into names: as it is, and without blanks at its ends. In ``Ana i i Eva`` the
    word between the names occurs at two offsets that share a blank."""
    return [
        (text[: word.start()], text[word.start() + len(_AND) :])
        for text in dict.fromkeys((pair, pair.strip(b" ")))
        for word in _ANDS.finditer(text)
    ]


def as_text(name: bytes) -> str:
    """A name as text: UTF-8, else the old Windows code page of Croatian."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode("cp1250", "replace")


class NameTable(NamedTuple):
    """Names in compiled form.

    letters
        All names, one after the other.
    bounds
        Start and end of each name in `letters`: shape (matches, `NAMES`, 2), or (`NAMES`, 2) for one match;
        `NO_NAME` where the players are unknown.
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
    """Whether a span is exactly one of a match's names."""
    begin, stop = names.bounds[number, 0], names.bounds[number, 1]
    return bool(begin != NO_NAME and equals(text, start, end, names.letters[begin:stop]))


@compiled
def find_seat(text: Bytes, start: Int, end: Int, names: NameTable) -> Int:
    """The seat with this name, `NO_NAME` if nobody has it."""
    return _find(text, start, end, names, 0, SEATS)


@compiled
def find_team(text: Bytes, start: Int, end: Int, names: NameTable) -> Int:
    """The team whose pair has this name, `NO_NAME` if none has."""
    return _find(text, start, end, names, SEATS, NAMES)


@compiled
def _find(text: Bytes, start: Int, end: Int, names: NameTable, first: Int, last: Int) -> Int:
    """The index of a span among the names `first` to `last`, `NO_NAME` if it is not one of them.

    A name may begin or end with blanks. If the text has others, as when tabs were replaced, the only name
    that is equal without them counts."""
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
    """The seat that a span names, with or without a word before the name. If two seats are possible, because
    one is called ``Player Two`` and another ``Two``, it is the likely one."""
    after = start + len(word) if starts_with(text, start, end, word) else start
    if likely >= 0 and (is_name(text, start, end, names, likely) or is_name(text, after, end, names, likely)):
        return likely
    seat = find_seat(text, start, end, names)
    return find_seat(text, after, end, names) if seat == NO_NAME else seat
