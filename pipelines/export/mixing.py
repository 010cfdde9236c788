"""The order of training rows: hand after hand, or mixed over all hands.

A learner that streams rows through a small shuffle buffer needs them mixed beforehand, since rows of one hand
share their result. Mixing takes no more memory than a row group, in two steps:

1. Each batch of events, a few thousand hands, is mixed when it is encoded, and cut into pieces.
2. The pieces of all batches are put in a random order. When they are written, the rows of each row group are
   mixed once more.

Both depend on the seed and the hands, not on how the work is divided. Sorting by `hand_id` and `step` gives
the order of the hands again.
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
    """64 random bits, determined by some numbers."""
    seeds = np.random.SeedSequence([number % 2**64 for number in numbers])
    return int(seeds.generate_state(1, np.uint64)[0])


def permutation(count: int, key: int) -> NDArray[np.int64]:
    """A random order of `count` things, by a generator that NumPy promises not to change."""
    return np.argsort(np.random.PCG64(key).random_raw(count), kind="stable")


def pieces(rows: NDArray[np.int64], key: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Rows of a batch, mixed and cut into pieces, each with a key of its own."""
    rows = rows[permutation(len(rows), key)]
    for number, first in enumerate(range(0, len(rows), PIECE_ROWS)):
        yield key_of(key, number), rows[first : first + PIECE_ROWS]


def windows(batches: Iterator[pa.RecordBatch], sizes: Iterable[int]) -> Iterator[pa.RecordBatch]:
    """The rows of batches in new ones of these sizes; the last one may be smaller."""
    rows = next(batches)
    for size in sizes:
        parts: list[pa.RecordBatch] = []
        while size and rows is not None:
            parts.append(rows[:size])
            size, rows = size - len(parts[-1]), rows[size:] if size < len(rows) else next(batches, None)
        yield pa.concat_batches(parts)


def mixed(batches: Iterable[pa.RecordBatch], key: int) -> Iterator[pa.RecordBatch]:
    """Batches, the rows of each mixed."""
    for number, rows in enumerate(batches):
        yield rows.take(pa.array(permutation(len(rows), key_of(key, number))))
