"""A small random number generator, the same on every machine, compiled or not: SplitMix64 (Steele, Lea and
Flood, "Fast splittable pseudorandom number generators", 2014). A stream is an array of one number; each hand
has its own, so that hands do not depend on how many are played at a time."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled

STEP: Final = np.uint64(0x9E3779B97F4A7C15)  # the increment of a stream's counter
THOUSAND: Final = 1000


@compiled
def mixed(number: np.uint64) -> np.uint64:
    """A bijection in which each output bit depends on all input bits."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def begin(rng: Any, key: np.uint64, number: Int) -> None:
    """Set a stream to the beginning of a key's stream of this number."""
    rng[0] = mixed(key ^ mixed(np.uint64(number) + STEP))


@compiled
def draw(rng: Any) -> np.uint64:
    """The next 64 bits of a stream."""
    rng[0] += STEP
    return mixed(rng[0])


@compiled
def below(rng: Any, count: Int) -> Int:
    """An integer from 0 to count - 1; count at most 2**31."""
    return np.int64((draw(rng) >> np.uint64(32)) * np.uint64(count) >> np.uint64(32))


@compiled
def with_probability(rng: Any, thousandths: Int) -> bool:
    """True with probability thousandths/1000."""
    return bool(below(rng, THOUSAND) < thousandths)


@compiled
def pick(rng: Any, weights: Any) -> Int:
    """Index i with probability weights[i]/1000; the weights sum to a thousand."""
    left = below(rng, THOUSAND)
    for index in range(len(weights)):
        left -= weights[index]
        if left < 0:
            return index
    return len(weights) - 1


@compiled
def shuffle(rng: Any, items: Any) -> None:
    """Shuffle an array in place, every order equally likely."""
    for last in range(len(items) - 1, 0, -1):
        other = below(rng, last + 1)
        items[last], items[other] = items[other], items[last]
