"""Piles of small data files: whether there are enough for `compact` to merge."""

from collections import Counter
from typing import Final

from cardlog.pipelines.storage.store import PARTITIONED, SCHEMAS, Store, game_of

SMALL_BYTES: Final = 16 * 2**20
"""Data files up to this size are merged, into files of about twice that."""
PILE: Final = 32
"""How many small files of about one size a table may have, of a game if it is split by games, before it is
compacted by itself."""
_TINY_BYTES: Final = 2**20
"""Files below this size pile up apart from larger ones, so that a row is rewritten seldom."""

Kind = tuple[str | None, bool]
"""The game of a data file, and whether it is tiny."""


def kind_of(table: str, path: str, size: int) -> Kind:
    """The pile that a small data file belongs to."""
    return game_of(path) if table in PARTITIONED else None, size < _TINY_BYTES


def piles(store: Store, table: str, version: int | None = None) -> set[Kind]:
    """Those that are high enough."""
    sizes = store.bytes_of(table, version)
    if len(sizes) < PILE:
        return set()
    small = ((path, size) for path, size in sizes.items() if size <= SMALL_BYTES)
    counts = Counter(kind_of(table, path, size) for path, size in small)
    return {kind for kind, count in counts.items() if count >= PILE}


def is_piled_up(store: Store) -> bool:
    """Whether some table should be compacted."""
    return any(piles(store, name) for name in SCHEMAS)
