"""Train, validation and test: by match where there is one, else by hand, from a hash with a seed.

So a match is never in two splits, and stays in its own when more data comes.
"""

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from cardlog.pipelines.events.batch import NO_MATCH, Batch
from cardlog.pipelines.export.output import OutputError
from cardlog.pipelines.export.spec import SPLITS


def parse_splits(given: str | Sequence[int]) -> tuple[int, ...]:
    """Percentages of train, validation and test. Raises OutputError if that is not what they are."""
    text = given if isinstance(given, str) else ",".join(map(str, given))
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != len(SPLITS) or not all(part.isascii() and part.isdecimal() for part in parts):
        raise OutputError(f"splits is {text!r}; it must be three percentages, as 80,10,10")
    percentages = tuple(int(part) for part in parts)
    if sum(percentages) != 100:
        raise OutputError(f"splits is {text!r}; the three must sum to 100")
    return percentages


def splits_of(batch: Batch, seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    """The split of each hand of a batch, as an index into `SPLITS`: shape (hands,)."""
    alone = np.flatnonzero(batch.match_of == NO_MATCH)
    of_match = _splits_of_names([name.encode() for name in batch.matches], seed, splits)
    found = np.append(of_match, np.int8(-1))[batch.match_of]
    found[alone] = _splits_of_names(batch.hand_ids[alone].tolist(), seed, splits)
    return found


def _splits_of_names(names: list[bytes], seed: int, splits: tuple[int, ...]) -> NDArray[np.int8]:
    """The splits of matches or hands, which depend on their names and the seed alone."""
    prefix = f"{seed}\0".encode()
    digests = (hashlib.blake2b(prefix + name, digest_size=8).digest() for name in names)
    points = [int.from_bytes(digest, "little") * 100 >> 64 for digest in digests]
    return np.searchsorted(np.cumsum(splits), points, "right").astype(np.int8)
