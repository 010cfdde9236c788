"""Train, validation and test: by match where there is one, else by hand, from a hash with a seed.

So a match is never in two splits, and stays in its own when more data comes.
"""

import hashlib
from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from cardlog.pipelines.export.output import OutputError

SPLITS: Final = ("train", "validation", "test")


def parse_splits(text: str) -> tuple[int, ...]:
    """Percentages of train, validation and test. Raises OutputError if that is not what they are."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != len(SPLITS) or not all(part.isascii() and part.isdecimal() for part in parts):
        raise OutputError(f"splits is {text!r}; it must be three percentages, as 80,10,10")
    percentages = tuple(int(part) for part in parts)
    if sum(percentages) != 100:
        raise OutputError(f"splits is {text!r}; the three must sum to 100")
    return percentages


def split_of(rows: pa.Table, seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    """The split of each row of `decisions`, as an index into `SPLITS`."""
    of_hand = _split_of_labels(rows.column("hand_id"), seed, splits)
    of_match = _split_of_labels(rows.column("match_id"), seed, splits)
    return np.where(of_match < 0, of_hand, of_match)


def _split_of_labels(column: pa.ChunkedArray, seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    """The split of each label of a dictionary column, -1 for null."""
    if not len(column):
        return np.zeros(0, np.int8)
    labels = column.combine_chunks()
    numbers = [_split_of_name(name, seed, splits) for name in labels.dictionary.to_pylist()]
    return np.asarray(np.array([*numbers, -1], np.int8)[labels.indices.fill_null(-1)])


@lru_cache(maxsize=2**16)
def _split_of_name(name: str, seed: int, splits: tuple[int, ...]) -> int:
    """Where a match or a hand belongs: a matter of its name and the seed alone."""
    digest = hashlib.blake2b(f"{seed}\0{name}".encode(), digest_size=8).digest()
    point = int.from_bytes(digest, "little") * 100 >> 64
    number = 0
    while point >= splits[number]:
        point -= splits[number]
        number += 1
    return number
