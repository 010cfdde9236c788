"""The order of training rows: hand after hand, or mixed over all hands.

Who streams rows through a small shuffle buffer needs them mixed beforehand, since rows of one hand share
their result. Mixing takes no more memory than a row group, in two steps:

1. Each batch of events, some thousand hands, is mixed when it is encoded, and cut into pieces.
2. The pieces of all batches follow each other in a random order. Where they are written, as many together as
   make a row group are mixed once more.

Both follow from the seed and the hands, not from how the work is divided. Sorted by `hand_id` and `step` the
rows are in the order of the hands again.
"""

from collections.abc import Iterable, Iterator
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

HAND: Final = "hand"
MIXED: Final = "mixed"
ORDERS: Final = (MIXED, HAND)
PIECE_ROWS: Final = 1_000


def key_of(*numbers: int) -> int:
    """64 random bits that follow from some numbers."""
    seeds = np.random.SeedSequence([number % 2**64 for number in numbers])
    return int(seeds.generate_state(1, np.uint64)[0])


def permutation(count: int, key: int) -> NDArray[np.int64]:
    """A random order of so many things, by a generator that NumPy promises not to change."""
    return np.argsort(np.random.PCG64(key).random_raw(count), kind="stable")


def pieces(rows: NDArray[np.int64], key: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Rows of a batch, mixed and cut into pieces, each with a key of its own."""
    rows = rows[permutation(len(rows), key)]
    for number, first in enumerate(range(0, len(rows), PIECE_ROWS)):
        yield key_of(key, number), rows[first : first + PIECE_ROWS]


def windows(found: Iterator[pa.RecordBatch], sizes: Iterable[int]) -> Iterator[pa.RecordBatch]:
    """Rows, as many together as each of the sizes; there may be fewer at the end."""
    rows = next(found)
    for size in sizes:
        waiting: list[pa.RecordBatch] = []
        while size and rows is not None:
            waiting.append(rows[:size])
            size, rows = size - len(waiting[-1]), rows[size:] if size < len(rows) else next(found, None)
        yield pa.concat_batches(waiting)


def mixed(found: Iterable[pa.RecordBatch], key: int) -> Iterator[pa.RecordBatch]:
    """Rows, each batch of them mixed."""
    for number, rows in enumerate(found):
        yield rows.take(pa.array(permutation(len(rows), key_of(key, number))))
