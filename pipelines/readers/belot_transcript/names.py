"""The names of a match, and whose name a line contains."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Final

from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.transcript import as_text

NO_NAME: Final = -1
_CODE_PAGE: Final = "cp1250"
"""The old one of Windows for Croatian."""
_AND: Final = b" i "
"""The word between the names of a pair."""
_ANDS: Final = re.compile(b"(?=" + _AND + b")")


@dataclass(eq=False)
class Match(transcript.Match):
    """A match.

    pair_a, pair_b
        The names of the pairs, if lines name them.
    is_fresh
        Whether it begins here, at 0 : 0.
    """

    pair_a: bytes | None = None
    pair_b: bytes | None = None
    is_fresh: bool = False


@dataclass(frozen=True)
class Names:
    """The players of a match by seat, and its pairs; empty if unknown."""

    seats: tuple[bytes, ...] = ()
    pairs: tuple[bytes, ...] = ()

    def seat(self, name: bytes) -> int:
        """The seat with this name, `NO_NAME` if nobody has it."""
        return _find(name, self.seats)

    def team(self, name: bytes) -> int:
        """The team whose pair has this name, `NO_NAME` if none has."""
        return _find(name, self.pairs)

    def seat_after(self, name: bytes, *words: bytes, likely: int = NO_NAME) -> int:
        """The seat with this name, with or without one of some words before it. If two seats are possible,
        because one is called ``Player Two`` and another ``Two``, it is the likely one."""
        found = [name, *(name.removeprefix(word) for word in words)]
        if likely != NO_NAME and self.seats[likely] in found:
            return likely
        seats = (self.seat(one) for one in dict.fromkeys(found))
        return next((seat for seat in seats if seat != NO_NAME), NO_NAME)


def _find(name: bytes, names: tuple[bytes, ...]) -> int:
    """The index of a name. A name may begin or end with blanks. If the text has others, as when tabs were
    replaced, the only name that is equal without them counts."""
    if name in names:
        return names.index(name)
    found = [number for number, one in enumerate(names) if one.strip(b" ") == name.strip(b" ")]
    return found[0] if len(found) == 1 else NO_NAME


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


@lru_cache(maxsize=256)
def players_of(names: Names, prompted: int, acted: int) -> list[dict[str, str]]:
    """A seat that was asked at the keyboard is a person; one that acted without being asked is a program."""
    players = []
    for seat, name in enumerate(names.seats):
        player = {"name": as_text(name, _CODE_PAGE)}
        if prompted >> seat & 1:
            player["kind"] = "human"
        elif acted >> seat & 1:
            player["kind"] = "computer"
        players.append(player)
    return players
