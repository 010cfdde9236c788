"""The names of a match, and whose name a line contains."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Final

from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import transcript

_AND: Final = b" i "
"""The word between the names of a pair."""
_ANDS: Final = re.compile(b"(?=" + _AND + b")")


@dataclass(eq=False)
class Match(transcript.Match):
    """A match. `pairs` has the names of the pairs by the kinds of the lines that name them, ``pair_a`` and
    ``pair_b``; it is empty unless the match begins here, at 0 : 0."""

    pairs: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Names:
    """The players of a match by seat, and its pairs; empty if unknown."""

    seats: tuple[bytes, ...] = ()
    pairs: tuple[bytes, ...] = ()


@lru_cache(maxsize=1024)
def find_name(names: tuple[bytes, ...], name: bytes, *words: bytes) -> tuple[int, ...]:
    """The indices of the names that may be meant, the likeliest first: this one, or this one without one of
    some words before it. One may be called ``Player Two`` and another ``Two``.

    A name may begin or end with blanks. If the text has others, as when tabs were replaced, the only name
    that is equal without them counts."""
    found: list[int] = []
    for text in (name, *(name.removeprefix(word) for word in words)):
        equal = [index for index, one in enumerate(names) if one == text]
        stripped = [index for index, one in enumerate(names) if one.strip(b" ") == text.strip(b" ")]
        found += equal or (stripped if len(stripped) == 1 else [])
    return tuple(found)


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
