"""Damage done to transcripts of Pinochle's protocol."""

import json
import random
from functools import cache
from typing import Any

from tests.support.pinochle_logs import sample

RANKS = "ATKQJ9"
PACK = [rank + suit for suit in "DCHS" for rank in RANKS]

# ---------------------------------------------------------------- damage


@cache
def sessions() -> tuple[bytes, ...]:
    """The sessions of the sample, each with its mark."""
    mark = b"=== SESSION"
    return tuple(mark + part for part in sample().split(mark)[1:])


def other_value(rng: random.Random, line: bytes) -> bytes:
    """The line with a changed card, number or seat."""
    head, brace, body = line.partition(b"{")
    try:
        pairs: dict[str, Any] = json.loads(brace + body)
    except ValueError:
        return line
    name = rng.choice(list(pairs))
    value = pairs[name]
    if isinstance(value, bool):
        pairs[name] = not value
    elif isinstance(value, int):
        pairs[name] = rng.choice((value + 1, value - 1, 0, 1, 2, 3, 4, 20, 25, 2**31, -1, 1.5, None))
    elif isinstance(value, str) and len(value) == 2:
        pairs[name] = rng.choice((*PACK, "8D", "XX", ""))
    elif isinstance(value, str) and len(value) == 1:
        pairs[name] = rng.choice(("C", "D", "H", "S", "N", "~", ""))
    elif isinstance(value, list) and value:
        index = rng.randrange(len(value))
        if isinstance(value[0], str):
            value[index] = rng.choice(PACK)
        else:
            value[index] += rng.choice((-1, 1, 10))
        if rng.random() < 0.2:
            value.pop()
    elif isinstance(value, str):
        digits = [index for index, letter in enumerate(value) if letter.isdigit()]
        if digits:
            index = rng.choice(digits)
            pairs[name] = value[:index] + str(rng.randrange(10)) + value[index + 1 :]
        else:
            pairs[name] = rng.choice(("Play", "Bid", "Meld", "Deal", "Score", "Hello", "Nothing"))
    if rng.random() < 0.1:
        pairs["Extra"] = 1
    return head + json.dumps(pairs, separators=(",", ":"), sort_keys=True).encode() + b"\n"
