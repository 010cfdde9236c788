"""Keys of names of 32 hex digits, such as hand ids and positions in matches: 64-bit hashes for look-ups."""

import numpy as np
from numpy.typing import NDArray

Keys = NDArray[np.uint64]


def keys_of(names: NDArray[np.bytes_]) -> Keys:
    """The keys of names of 32 hex digits, dtype S32, in the order of the names."""
    words = np.frombuffer(bytes.fromhex(np.ascontiguousarray(names).tobytes().decode()), ">u8")
    high, low = words.reshape(-1, 2).astype(np.uint64).T
    mixed = high ^ (low * np.uint64(0x9E3779B97F4A7C15))
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))


def having_keys(names: NDArray[np.bytes_], keys: Keys) -> NDArray[np.bool_]:
    """Which names have one of some sorted keys."""
    if not len(keys) or not len(names):
        return np.zeros(len(names), bool)
    wanted = keys_of(names)
    return np.asarray(keys[np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)] == wanted)
