"""Damaged rows of Kaiser's CSV by the thousand: each ends where the second opinion says.

What a row should come to is decided by `csv_rows.judged`, which shares no code with the reader and
the rules under test.
"""

import random
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardlog.pipelines.derive.projections import project
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


LINE = st.one_of(
    st.binary(max_size=80),
    st.text('0123456789,TJQKACDHSNpast\\N-: +"\r', max_size=120).map(str.encode),
    st.lists(
        st.sampled_from(["", "t", "7", "pass", "8S", "3SAS", "\\N", '"', "x"]), min_size=19, max_size=21
    ).map(lambda fields: ",".join(fields).encode()),
)


@settings(deadline=None, max_examples=60)
@given(st.lists(LINE, max_size=30))
@example([b'"'])
@example([b'"' * 39 + b"," * 19])
@example([b"\\.", b"\\.\r", b"\\", b"."])
@example([b"\xef\xbb\xbf", b"\xef\xbb\xbf\xef\xbb\xbf"])
def test_any_lines_are_accounted_for(lines: list[bytes]) -> None:
    lines = [line.replace(b"\n", b"").rstrip(b"\r") for line in lines]
    if lines and lines[0].startswith(b"\xef\xbb\xbf"):
        lines.insert(0, b"")
    check_lines(read_lines(lines), lines)


@pytest.mark.parametrize("seed", [0, *soak(1, 2)])
def test_stored_rows_have_the_results_of_the_second_opinion(seed: int) -> None:
    lines = [line for line in mutants(seed + 100, 1500) if judged(line)]
    verdicts = judge(read_lines(lines))
    assert verdicts.kept.tolist() == list(range(len(lines)))
    rows = dict(project(verdicts.batch, ("playedhand",)))["playedhand"].to_pylist()
    numbers = verdicts.batch.events["line"][verdicts.batch.offsets[:-1]]
    assert sorted(numbers.tolist()) == list(range(1, len(lines) + 1))
    for number, row in zip(numbers.tolist(), rows, strict=True):
        replay = judged(line := lines[number - 1])
        assert replay is not None
        points = [row["team_0_points"], row["team_1_points"]]
        score = [row["team_0_score"], row["team_1_score"]]
        assert (row["status"], row["trick_winners"]) == (replay.status, replay.trick_winners), line
        assert (row["declarer"], row["contract"], row["trump"]) == (
            replay.declarer,
            replay.contract,
            replay.trump,
        )
        assert (points, score) == (replay.points, replay.score or [None, None])
