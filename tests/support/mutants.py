"""Randomly damaged rows of playedhand.csv, the same for the same seed."""

import random

from tests.support.csv_rows import COLUMNS, dump_lines

VALUES = (
    "", "\\N", " ", "0", "-0", "00", "1", "4", "-1", "3", "5", "6", "7", "8", "12", "13", "52", "62", "99",
    "100", "127", "128", "2147483647", "2147483648", "-2147483647", "-2147483648", "9999999999",
    "99999999999", "t", "f", "true", "false", "T", "True", "1e3", "nan",
    "pass", "PASS", "pas", "passs", "7C", "7N", "8S", "8N", "12N", "13N", "N", "C", "7c", "07", "7CC", "5H",
    "2016-03-01 21:16:07.226159+00", "2016-03-01T21:16:07Z", "2016-02-30 00:00:00+00", "2016-03-01 21:16:07",
    "2016-03-01 21:16:07-06", "2016-03-01 21:16:07.1+05:30", "2016-03-01 21:16:07.+00",
    "2016-03-01 24:00:00+00", "2016-03-01 21:16:07.2261591+00", "0001-01-01 00:00:00+05",
    "9999-12-31 23:59:59-05", "0000-01-01 00:00:00+00", "2016-03-01 21:16:07+16", "2016-03-01 21:16:07+0530",
    "2016-03-01 21:16:07+05:", "infinity", "1969-12-31 23:59:59.5+00",
    "3S", "3SAS", "6D", "7C8C9CTCJCQCKCAC", "7C8C9CTCJCQCKC7C", "7C8C9CTCJCQCKC", "7C8C9CTCJCQCKCACA", "2C",
    "??", "ÄÖ",
)  # fmt: skip
BYTES = b"\x00\r\t \"',.;:-+0123456789TJQKACDHSNtfpas\\\x7f\x80\xc3\xff"


def mutants(seed: int, count: int) -> list[bytes]:
    """`count` rows, most with one to three damages, none with a line end."""
    rng = random.Random(seed)
    lines = dump_lines()
    return [_mutant(rng, rng.choice(lines), lines).replace(b"\n", b"").rstrip(b"\r") for _ in range(count)]


def _mutant(rng: random.Random, line: bytes, lines: tuple[bytes, ...]) -> bytes:
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
        line = rng.choice(_DAMAGES)(rng, line, lines)
    return line


def _byte(rng: random.Random, line: bytes, lines: tuple[bytes, ...]) -> bytes:
    index = rng.randrange(len(line) + 1)
    new = bytes([rng.choice(BYTES)])
    return rng.choice(
        (
            line[:index] + new + line[index:],
            line[:index] + new + line[index + 1 :],
            line[:index] + line[index + 1 :],
        )
    )


def _slice(rng: random.Random, line: bytes, lines: tuple[bytes, ...]) -> bytes:
    start, end = sorted(rng.randrange(len(line) + 1) for _ in range(2))
    return rng.choice(
        (line[:start] + line[end:], line[:end] + line[start:], line[:start], line[start:], line * 2)
    )


def _fields(rng: random.Random, line: bytes, lines: tuple[bytes, ...]) -> bytes:
    fields = line.split(b",")
    a, b = (rng.randrange(len(fields)) for _ in range(2))
    what = rng.randrange(6)
    if what == 0:
        fields[a], fields[b] = fields[b], fields[a]
    elif what == 1:
        other = rng.choice(lines).split(b",")
        fields[a] = other[a % len(other)]
    elif what == 2:
        fields.insert(a, fields[b])
    elif what == 3:
        del fields[a]
    elif what == 4:
        fields[a] = b'"' + fields[a] + b'"'
    else:
        fields[a] = rng.choice(VALUES).encode()
    return b",".join(fields)


def _cards(rng: random.Random, line: bytes, lines: tuple[bytes, ...]) -> bytes:
    """Change or remove cards in the hands or among those played."""
    fields = line.split(b",")
    if len(fields) != len(COLUMNS):
        return line
    a, b = (
        rng.choice(
            (
                "player_0_hand",
                "player_1_hand",
                "player_2_hand",
                "player_3_hand",
                "played_cards",
                "played_cards",
            )
        )
        for _ in range(2)
    )
    first, second = fields[COLUMNS.index(a)], fields[COLUMNS.index(b)]
    if len(first) < 2 or len(second) < 2:
        return line
    start, other = 2 * rng.randrange(len(first) // 2), 2 * rng.randrange(len(second) // 2)
    what = rng.randrange(4)
    if what == 0:
        fields[COLUMNS.index(a)] = first[:start]
    elif what == 1:
        fields[COLUMNS.index("played_cards")] = fields[COLUMNS.index("played_cards")][: 2 * rng.randrange(33)]
    else:
        x, y = first[start : start + 2], second[other : other + 2]
        swapped = (
            [f.replace(x, b"__").replace(y, x).replace(b"__", y) for f in fields[11:16]]
            if what == 2
            else fields[11:16]
        )
        fields[11:16] = swapped
        if what == 3:
            fields[COLUMNS.index(a)] = first[:start] + y + first[start + 2 :]
    return b",".join(fields)


def _auction(rng: random.Random, line: bytes, lines: tuple[bytes, ...]) -> bytes:
    """Change or remove bids, mostly of hands not played."""
    fields = line.split(b",")
    if len(fields) != len(COLUMNS):
        return line
    first = COLUMNS.index("player_0_bid")
    for seat in range(4):
        if rng.random() < 0.4:
            fields[first + seat] = rng.choice(
                (b"", b"pass", b"7", b"8", b"7N", b"7C", b"8H", b"9N", b"12", b"\\N")
            )
    if rng.random() < 0.6:
        fields[COLUMNS.index("played_cards")] = b""
    if rng.random() < 0.1:
        fields[11:16] = [rng.choice((b"", hand)) for hand in fields[11:16]]
    return b",".join(fields)


_DAMAGES = (_byte, _slice, _fields, _fields, _cards, _cards, _auction)
