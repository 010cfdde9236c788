"""Chance: a small generator that gives the same numbers on every machine, in compiled code and out.

It is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
A stream is a NumPy array of one number; each hand that is played has its own, so that hands do not
depend on how many were played in one go.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import compiled

STEP: Final = np.uint64(0x9E3779B97F4A7C15)
"""What the counter of a stream grows by."""
THOUSAND: Final = 1000


@compiled
def mixed(number: np.uint64) -> np.uint64:
    """A number whose bits depend on all bits of another one, each number once."""
    number = (number ^ (number >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    number = (number ^ (number >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return number ^ (number >> np.uint64(31))


@compiled
def begin(chance: Any, key: np.uint64, number: int) -> None:
    """Set a stream to the beginning of the one with this number, of those that a key has."""
    chance[0] = mixed(key ^ mixed(np.uint64(number) + STEP))


@compiled
def draw(chance: Any) -> np.uint64:
    """The next 64 bits of a stream."""
    chance[0] += STEP
    return mixed(chance[0])


@compiled
def below(chance: Any, count: int) -> int:
    """A whole number from 0 to count - 1; count at most 2**31."""
    return int(np.int64((draw(chance) >> np.uint64(32)) * np.uint64(count) >> np.uint64(32)))


@compiled
def happens(chance: Any, thousandths: int) -> bool:
    """Whether something comes to pass that does so this many times in a thousand."""
    return below(chance, THOUSAND) < thousandths


@compiled
def pick(chance: Any, weights: Any) -> int:
    """The place of one of some weights, each as likely as it is heavy; they sum to a thousand."""
    left = below(chance, THOUSAND)
    for place in range(len(weights)):
        left -= weights[place]
        if left < 0:
            return place
    return len(weights) - 1


@compiled
def shuffle(chance: Any, items: Any) -> None:
    """Bring the items of an array into a random order, every order as likely as any other."""
    for last in range(len(items) - 1, 0, -1):
        other = below(chance, last + 1)
        items[last], items[other] = items[other], items[last]
