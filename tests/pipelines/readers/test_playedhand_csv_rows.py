"""Damaged rows of Kaiser's CSV by the thousand: each ends where the second opinion says.

What a row should come to is decided by `csv_rows.judged`, which shares no code with the reader and
the rules under test.
"""

from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardlog.pipelines.derive.projections import project
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import HEADER, judged
from tests.support.mutants import mutants
from tests.support.soak import soak

SOURCE = Source("0" * 64, "-", "playedhand-csv", HEADER)
REASONS = {reason.code for reason in Reason} - {"ok"}


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
