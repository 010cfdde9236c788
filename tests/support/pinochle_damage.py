"""Damage done to transcripts of Pinochle's protocol."""

import json
import random
import re
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


def excerpts(rng: random.Random, *hands: int) -> bytes:
    """The beginnings of some sessions, each with its mark and this many hands, no session twice."""
    texts = rng.sample(sessions(), len(hands))
    return b"".join(_beginning(text, count) for text, count in zip(texts, hands, strict=True))


def _beginning(text: bytes, hands: int) -> bytes:
    deals = [found.start() for found in re.finditer(rb'(?m)^--> .*"Type":"Deal"}$', text)]
    return text[: deals[hands]] if len(deals) > hands else text


BYTES = b"\x00\r\t \"',.;:-+{}[]\\0123456789TJQKACDHSNPlayBidTrumpMeld<>\x7f\x80\xc3\xff"


def damaged(rng: random.Random, text: bytes) -> bytes:
    """The text with one to four defects."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        lines = text.splitlines(keepends=True)
        index = rng.randrange(len(lines))
        what = rng.randrange(10)
        if what <= 2:
            at = rng.randrange(len(text))
            new = bytes([rng.choice(BYTES)])
            after = rng.choice((new + text[at + 1 :], new + text[at:], text[at + 1 :]))
            text = text[:at] + after
            continue
        if what == 3:
            del lines[index]
        elif what == 4:
            lines.insert(index, lines[index])
        elif what == 5:
            other = rng.randrange(len(lines))
            lines[index], lines[other] = lines[other], lines[index]
        elif what == 6:
            lines[index:] = lines[index + rng.randrange(1, 60) :]
        elif what == 7:
            lines.insert(index, rng.choice(lines))
        else:
            lines[index] = other_value(rng, lines[index])
        text = b"".join(lines) or b"\n"
    return text


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
