"""A filter of the hands and sources in a data file, to look for some among many files: a small file beside
it says which, so that only those are opened that have one of them, and of those only the row groups.

A hand id, the position of a hand in its match and a source are names of 32 hex digits; a key is 64 bits made
of one. Of each key a data file holds, its filter keeps 36 bits or more and the row group. Keys are
in buckets of about sixteen by their highest bits, which therefore need not be kept: a filter takes 6.25 bytes
a key. One that is not there is found to be by mistake once in 2**28 times.

A filter is named by its data file and written before the commit that adds this; it carries a digest. Data
files of other programs have none, nor has one whose filter is damaged: they are read.
"""

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

SUFFIX: Final = ".keys"
NAME_DIGITS: Final = 32
"""Hex digits of a name that a key is made of."""
_MAGIC: Final = b"cardlog keys 1\n"
_DIGEST_BYTES: Final = 32
_BUCKET_KEYS: Final = 16
_REST_BITS: Final = 32
"""Bits of a key that are kept beside those that say its bucket."""
_SIZE: Final = struct.Struct("<QQ")
"""How many keys a set has, and how many bits say a bucket."""

Keys = NDArray[np.uint64]


def keys_of(names: NDArray[np.bytes_]) -> Keys:
    """The keys of names of 32 hex digits, dtype S32, in the order of the names."""
    words = np.frombuffer(bytes.fromhex(np.ascontiguousarray(names).tobytes().decode()), ">u8")
    high, low = words.reshape(-1, 2).astype(np.uint64).T
    mixed = high ^ (low * np.uint64(0x9E3779B97F4A7C15))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


@dataclass(frozen=True)
class KeySet:
    """Keys of a data file with the row group of each.

    bits
        How many of the highest bits say the bucket.
    offsets
        Where each bucket begins, uint32, and at last the end; shape (2**bits + 1,).
    rests, groups
        Of each key the bits below those of its bucket, and its row group; uint32 and uint16, by key.
    """

    bits: int
    offsets: NDArray[np.uint32]
    rests: NDArray[np.uint32]
    groups: NDArray[np.uint16]

    @classmethod
    def of(cls, keys: Keys, groups: NDArray[np.uint16]) -> "KeySet":
        """The set of some keys, in any order."""
        bits = max(1, (len(keys) // _BUCKET_KEYS).bit_length())
        order = np.argsort(keys, kind="stable")
        kept = keys[order] >> np.uint64(64 - bits - _REST_BITS)
        bounds = np.arange(2**bits + 1, dtype=np.uint64) << np.uint64(_REST_BITS)
        offsets = np.searchsorted(kept, bounds).astype(np.uint32)
        return cls(bits, offsets, kept.astype(np.uint32), groups[order])

    def groups_with(self, keys: Keys) -> list[int]:
        """The row groups that have one of some sorted keys, in order."""
        if not len(keys) or not len(self.rests):
            return []
        looked_for = keys >> np.uint64(64 - self.bits - _REST_BITS)
        buckets = np.arange(2**self.bits)
        if _BUCKET_KEYS * len(keys) < len(self.rests):
            buckets = np.unique(looked_for >> np.uint64(_REST_BITS)).astype(np.int64)
        starts, sizes = (
            self.offsets[buckets].astype(np.int64),
            np.diff(self.offsets).astype(np.int64)[buckets],
        )
        indices = np.arange(sizes.sum()) + np.repeat(starts - (np.cumsum(sizes) - sizes), sizes)
        high = np.repeat(buckets.astype(np.uint64) << np.uint64(_REST_BITS), sizes)
        held = high | self.rests[indices]
        nearest = np.minimum(np.searchsorted(looked_for, held), len(looked_for) - 1)
        found: list[int] = np.unique(self.groups[indices[looked_for[nearest] == held]]).tolist()
        return found

    def to_bytes(self) -> bytes:
        """As it is kept."""
        arrays = (self.offsets.astype("<u4"), self.rests.astype("<u4"), self.groups.astype("<u2"))
        return _SIZE.pack(len(self.rests), self.bits) + b"".join(array.tobytes() for array in arrays)


def path_of(data_file: str) -> str:
    """Where the filter of a data file is."""
    return data_file.removesuffix(".parquet") + SUFFIX


def packed(sets: Sequence[KeySet]) -> bytes:
    """The content of a filter of some sets."""
    body = b"".join(found.to_bytes() for found in sets)
    return _MAGIC + hashlib.sha256(body).digest() + body


def unpacked(content: bytes) -> list[KeySet]:
    """The sets of a filter. Raises ValueError if it is not what was written."""
    head = len(_MAGIC) + _DIGEST_BYTES
    body = memoryview(content)[head:]
    if content[:head] != _MAGIC + hashlib.sha256(body).digest():
        raise ValueError("its content is not what was written")
    sets, at = [], 0
    while at < len(body):
        size, bits = _SIZE.unpack_from(body, at)
        at += _SIZE.size
        arrays = []
        for kind, count in (("<u4", 2**bits + 1), ("<u4", size), ("<u2", size)):
            arrays.append(np.frombuffer(body, kind, count, at))
            at += arrays[-1].nbytes
        sets.append(KeySet(bits, *arrays))
    return sets
