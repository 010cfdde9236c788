"""Piles of small data files: whether there are enough for `compact` to merge."""

from bisect import bisect
from collections import Counter
from typing import Final

from cardlog.pipelines.storage.store import PARTITIONED, SCHEMAS, Store, game_of

PILE: Final = 32
"""How many small files of about one size a table may have, of a game if it is split by games, before it is
compacted by itself."""
SIZES: Final = (2**20, 4 * 2**20)
"""In bytes. Files below the first size pile up apart from those below the second, so that a row is rewritten
seldom. Larger ones do not pile up: to look for hands in one takes ten times as long as to open it, so hardly
anything is saved by merging what a large ingest has just written."""

Kind = tuple[str | None, int]
"""The game of a data file, and how many of `SIZES` it reaches."""


def kind_of(table: str, path: str, size: int) -> Kind:
    """What a data file may pile up with."""
    return game_of(path) if table in PARTITIONED else None, bisect(SIZES, size)


def piles(store: Store, table: str, version: int | None = None) -> set[Kind]:
    """Those that are high enough."""
    sizes = store.bytes_of(table, version)
    if len(sizes) < PILE:
        return set()
    counts = Counter(kind_of(table, path, size) for path, size in sizes.items())
    return {kind for kind, count in counts.items() if count >= PILE and kind[1] < len(SIZES)}


def is_piled_up(store: Store) -> bool:
    """Whether some table should be compacted."""
    return any(piles(store, name) for name in SCHEMAS)
