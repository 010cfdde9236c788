"""Damaged rows of Kaiser's CSV by the thousand: each ends where `csv_rows.judged`, a second opinion, says."""

import random
from collections import Counter

import pytest

from tests.support.csv_rows import COLUMNS, HEADER, dump_lines, judged
from tests.support.damaged_logs import checked, damaged
from tests.support.soak import soak

HANDS = slice(COLUMNS.index("player_0_hand"), COLUMNS.index("played_cards") + 1)


def mutants(seed: int, count: int) -> list[bytes]:
    """`count` rows, most with one to three damages, none with a line end."""
    rng, rows = random.Random(seed), dump_lines()
    found = []
    for _ in range(count):
        fields = rng.choice(rows).split(b",")
        for _ in range(rng.choice((0, 1, 1, 1, 1, 2, 3))):
            what = rng.randrange(3)
            if what == 0:  # an auction, or a hand, that stops short
                bid = COLUMNS.index(f"player_{rng.randrange(4)}_bid")
                fields[bid] = rng.choice((b"", b"pass", b"8", b"9N"))
                fields[HANDS.stop - 1] = fields[HANDS.stop - 1][: rng.choice((0, 0, 2 * rng.randrange(33)))]
                continue
            # Two cards are exchanged, in all hands or in one.
            one, other = (rng.choice(fields[HANDS])[:16] or b"5H3S" for _ in range(2))
            cards = one[:2], other[-2:]
            for field in range(HANDS.start, HANDS.stop - (what == 1)):
                text = fields[field].replace(cards[0], b"__").replace(cards[1], cards[0])
                fields[field] = text.replace(b"__", cards[1])
        line = b",".join(fields)
        line = damaged(rng, line, "playedhand-csv") if rng.random() < 0.6 else line
        found.append(line.replace(b"\n", b"").rstrip(b"\r"))
    return found


def check_lines(lines: list[bytes]) -> Counter[str]:
    """Every line is a stored hand, a rejected one or a known line, as the second opinion says."""
    [found] = checked("playedhand-csv", b"".join(line + b"\n" for line in (HEADER, *lines)))
    first_lines = found.read.first_lines[found.kept].tolist()
    stored = dict(zip(first_lines, found.done.tolist(), strict=True))
    rejects = {reject.first_line: reject for reject in found.rejects}
    assert found.read.lines_read == 1 + len(lines)
    ends = Counter[str]()
    for number, line in enumerate(lines, 2):
        if number in rejects:
            assert rejects[number].raw == line
            assert judged(line) is None, (line, rejects[number])
            ends[rejects[number].reason.code] += 1
        elif number in stored:
            replay = judged(line)
            assert replay is not None, line
            assert replay.status == ("complete" if stored[number] else "aborted"), line
            ends[replay.status] += 1
        else:
            assert line in (b"", b"\\.", HEADER), line
            ends["no hand"] += 1
    return ends


@pytest.mark.parametrize(("seed", "count"), [
    (0, 2000), (1, 2000), *soak(*((seed, 2000) for seed in range(2, 10))),
    *soak(*((seed, 5000) for seed in range(1000, 1200))),
])  # fmt: skip
def test_damaged_rows_are_judged_rightly(seed: int, count: int) -> None:
    ends = check_lines(mutants(seed, count))
    # The damage is of all kinds: no test of crashes alone.
    assert min(ends[name] for name in ("complete", "aborted", "unparsable", "bad_bid", "must_follow")) > 20
