"""Flip bits of a file, to test that damage is detected."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def flipped(path: Path, bit: int) -> Iterator[None]:
    """A file with one bit flipped while the context is open."""
    content = path.read_bytes()
    damaged = bytearray(content)
    damaged[bit // 8] ^= 1 << bit % 8
    path.write_bytes(damaged)
    try:
        yield
    finally:
        path.write_bytes(content)


def some_bits(path: Path, count: int, seed: int) -> list[int]:
    """Random bits of a file, by seed, and the first and last one."""
    bits = 8 * path.stat().st_size
    rng = random.Random(seed)
    return [0, bits - 1, *(rng.randrange(bits) for _ in range(count))]
