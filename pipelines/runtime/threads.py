"""Work on all cores of this machine: compiled functions, Arrow and Parquet release Python's lock."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Piece = TypeVar("Piece")
Result = TypeVar("Result")


def on_all_cores(work: Callable[[Piece], Result], pieces: Iterable[Piece]) -> list[Result]:
    """The results for some pieces of work, in their order, done by a thread for each core.

    Raises what the first piece that fails raises; pieces that were not begun are cancelled.
    """
    pieces = list(pieces)
    count = min(cores(), len(pieces))
    if count < 2:
        return [work(piece) for piece in pieces]
    pool = ThreadPoolExecutor(count, "work")
    try:
        return list(pool.map(work, pieces))
    finally:
        pool.shutdown(cancel_futures=True)


def gathered(
    pieces: Iterable[Piece], size_of: Callable[[Piece], int], limit: int
) -> Iterator[tuple[Piece, ...]]:
    """Pieces of work in groups, in their order, none larger than a limit unless a single piece is."""
    group: list[Piece] = []
    total = 0
    for piece in pieces:
        size = size_of(piece)
        if group and total + size > limit:
            yield tuple(group)
            group, total = [], 0
        group.append(piece)
        total += size
    if group:
        yield tuple(group)


def cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
