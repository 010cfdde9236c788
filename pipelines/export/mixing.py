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

from cardlog.models.rng import STEP

HAND: Final = "hand"
MIXED: Final = "mixed"
ORDERS: Final = (MIXED, HAND)
PIECE_ROWS: Final = 1_000


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's output function, as `cardlog.models.rng.mixed`, of an array."""
    numbers = (numbers ^ numbers >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    numbers = (numbers ^ numbers >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return numbers ^ numbers >> np.uint64(31)


def key_of(*numbers: int) -> int:
    """64 random bits that follow from some numbers."""
    key = np.zeros(1, np.uint64)
    for number in numbers:
        key = _mixed(key ^ _mixed(np.array([number % 2**64], np.uint64) + STEP))
    return int(key[0])


def permutation(count: int, key: int) -> NDArray[np.int64]:
    """A random order of so many things, the same on every machine: SplitMix64's numbers, sorted."""
    return np.argsort(_mixed(np.arange(1, count + 1, dtype=np.uint64) * STEP + np.uint64(key)), kind="stable")


def pieces(rows: NDArray[np.int64], key: int) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Rows of a batch, mixed and cut into pieces, each with a key of its own."""
    rows = rows[permutation(len(rows), key)]
    for number, first in enumerate(range(0, len(rows), PIECE_ROWS)):
        yield key_of(key, number), rows[first : first + PIECE_ROWS]


def windows(found: Iterator[pa.RecordBatch], size: int) -> Iterator[pa.RecordBatch]:
    """Rows, as many together as `size`; the last ones may be fewer."""
    waiting: list[pa.RecordBatch] = []
    held = 0
    for rows in found:
        while len(rows):
            taken = rows[: size - held]
            waiting.append(taken)
            held += len(taken)
            rows = rows[len(taken) :]
            if held == size:
                yield pa.concat_batches(waiting)
                waiting, held = [], 0
    if held:
        yield pa.concat_batches(waiting)


def mixed(found: Iterable[pa.RecordBatch], key: int) -> Iterator[pa.RecordBatch]:
    """Rows, each batch of them mixed."""
    for number, rows in enumerate(found):
        yield rows.take(pa.array(permutation(len(rows), key_of(key, number))))
