"""The names of a match, and whose name a line contains."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Final

from cardlog.models.engine.trick import SEATS
from cardlog.pipelines.readers import transcript

_AND: Final = b" i "
"""The word between the names of a pair."""
_ANDS: Final = re.compile(b"(?=" + _AND + b")")


@dataclass(eq=False)
class Match(transcript.Match):
    """A match. `pairs` has the names of the pairs, by the kinds of the lines that name them, ``pair_a`` and
    ``pair_b``; it is empty unless the match begins in this text, at 0 : 0."""

    pairs: dict[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Names:
    """The players of a match by seat, and its pairs; empty if unknown."""

    seats: tuple[bytes, ...] = ()
    pairs: tuple[bytes, ...] = ()


@lru_cache(maxsize=1024)
def find_name(names: tuple[bytes, ...], name: bytes, *words: bytes) -> tuple[int, ...]:
    """The indices of the names that may be meant, the likeliest first: this name, or this name without one of
    some words before it. One player may be called ``Player Two`` and another ``Two``.

    A name may begin or end with blanks. If those in the text differ, as when tabs were replaced, a name that
    is equal without them is meant if it is the only one."""
    indices: list[int] = []
    for text in (name, *(name.removeprefix(word) for word in words)):
        equal = [index for index, player in enumerate(names) if player == text]
        stripped = [index for index, player in enumerate(names) if player.strip(b" ") == text.strip(b" ")]
        indices += equal or (stripped if len(stripped) == 1 else [])
    return tuple(indices)


def find_names(pairs: Iterable[tuple[bytes, ...]], counts: Counter[bytes]) -> Names:
    """The players of a match. The word between the names of a pair may also be part of a name, so the split
    that agrees with most lines is chosen.

    pairs
        The names of the two pairs from some lines, the best source first.
    counts
        How often each name occurs in lines that name one player.
    """
    best, most = Names(), -1
    for pair in pairs:
        for (a1, a2), (b1, b2) in product(*map(_splits, pair)):
            names = Names((a1, b1, a2, b2), (a1 + _AND + a2, b1 + _AND + b2))
            count = sum(counts[name] for name in set(names.seats))
            if count > most and len(set(names.seats)) == SEATS:
                best, most = names, count
        if most == counts.total():
            break
    return best


def _splits(pair: bytes) -> list[tuple[bytes, bytes]]:
    """The ways to split a pair into names, with and without the blanks at its ends. In ``Ana i i Eva`` the
    word between the names occurs twice, sharing a blank."""
    return [
        (text[: word.start()], text[word.start() + len(_AND) :])
        for text in dict.fromkeys((pair, pair.strip(b" ")))
        for word in _ANDS.finditer(text)
    ]
