"""Damaged rows of Kaiser's CSV by the thousand: each ends where the second opinion says.

What a row should come to is decided by `csv_rows.judged`, which shares no code with the reader and
the rules under test.
"""

import random
from collections import Counter

import pytest

from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import COLUMNS, HEADER, dump_lines, judged
from tests.support.damaged_logs import damaged
from tests.support.soak import soak

SOURCE = Source("0" * 64, "-", "playedhand-csv", HEADER)
REASONS = {reason.code for reason in Reason} - {"ok"}
HANDS = slice(COLUMNS.index("player_0_hand"), COLUMNS.index("played_cards") + 1)
VALUES = (
    "", "\\N", " ", "0", "-0", "1", "4", "-1", "7", "12", "13", "62", "128", "2147483647", "2147483648",
    "-2147483648", "t", "true", "True", "1e3", "pass", "PASS", "8S", "8N", "12N", "13N", "N", "7c", "07",
    "3SAS", "7C8C9CTCJCQCKC7C", "7C8C9CTCJCQCKC", "2C", "??", "ÄÖ", "2016-03-01T21:16:07Z", "infinity",
    "2016-02-30 00:00:00+00", "2016-03-01 21:16:07", "2016-03-01 21:16:07.1+05:30", "2016-03-01 24:00:00+00",
    "2016-03-01 21:16:07.2261591+00", "0001-01-01 00:00:00+05", "9999-12-31 23:59:59-05",
)  # fmt: skip


def mutants(seed: int, count: int) -> list[bytes]:
    """`count` rows, most with one to three damages, none with a line end."""
    rng, rows = random.Random(seed), dump_lines()
    found = []
    for _ in range(count):
        fields = rng.choice(rows).split(b",")
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
            at, what = rng.randrange(len(fields)), rng.randrange(5)
            if what == 0:
                fields[at] = rng.choice(rng.choice(rows).split(b","))
            elif what == 1:
                fields[at] = rng.choice(VALUES).encode()
            elif what == 2:  # an auction, or a hand, that stops short
                fields[COLUMNS.index(f"player_{rng.randrange(4)}_bid")] = rng.choice(
                    (b"", b"pass", b"8", b"9N")
                )
                fields[HANDS.stop - 1] = fields[HANDS.stop - 1][: rng.choice((0, 0, 2 * rng.randrange(33)))]
            else:  # two cards exchanged, in all hands or in one
                one, other = (rng.choice(fields[HANDS])[:16] or b"5H3S" for _ in range(2))
                cards = one[:2], other[-2:]
                for field in range(HANDS.start, HANDS.stop - (what == 3)):
                    text = fields[field].replace(cards[0], b"__").replace(cards[1], cards[0])
                    fields[field] = text.replace(b"__", cards[1])
        line = b",".join(fields)
        line = damaged(rng, line, "playedhand-csv") if rng.random() < 0.3 else line
        found.append(line.replace(b"\n", b"").rstrip(b"\r"))
    return found


def check_lines(read: Read, lines: list[bytes]) -> Counter[str]:
    """Every line is a stored hand, a rejected one or a known line, as the second opinion says."""
    verdicts = judge(read)
    stored = dict(zip((read.first_lines[verdicts.kept] - 1).tolist(), verdicts.done.tolist(), strict=True))
    rejects = {reject.first_line - 1: reject for reject in verdicts.rejects}
    assert len(stored) == len(verdicts.kept)
    assert len(rejects) == len(verdicts.rejects)
    assert not stored.keys() & rejects.keys()
    assert read.lines_read == len(lines) == len(stored) + len(rejects) + read.other_lines
    ends = Counter[str]()
    for number, line in enumerate(lines):
        if number in rejects:
            reject = rejects[number]
            assert (reject.raw, reject.last_line) == (line, reject.first_line)
            assert reject.reason.code in REASONS
            assert reject.message
            assert judged(line) is None, (line, reject)
            ends[reject.reason.code] += 1
        elif number in stored:
            replay = judged(line)
            assert replay is not None, line
            assert replay.status == ("complete" if stored[number] else "aborted"), line
            ends[replay.status] += 1
        else:
            assert line in (b"", b"\\.", HEADER), line
            ends["no hand"] += 1
    return ends


def read_lines(lines: list[bytes]) -> Read:
    (read,) = playedhand_csv.read(b"".join(line + b"\n" for line in lines), SOURCE)
    return read


# ---------------------------------------------------------------- the reader and the rules


@pytest.mark.parametrize("seed", [0, 1, *soak(*range(2, 10))])
def test_damaged_rows_are_judged_rightly(seed: int) -> None:
    lines = mutants(seed, 2000)
    ends = check_lines(read_lines(lines), lines)
    # The damage is of all kinds: no test of crashes alone.
    assert min(ends[name] for name in ("complete", "aborted", "unparsable", "bad_bid", "must_follow")) > 20


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_damaged_rows_by_the_million(seed: int) -> None:
    lines = mutants(seed, 5000)
    check_lines(read_lines(lines), lines)
