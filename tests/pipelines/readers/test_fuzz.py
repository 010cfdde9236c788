"""Damaged rows by the thousand: nothing crashes, nothing is lost, nothing illegal is stored.

What a row should come to is decided by `csv_rows.judged`, which shares no code with the reader and
the rules under test.
"""

import gzip
import random
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardlog.pipelines import runs
from cardlog.pipelines.build.projections import project
from cardlog.pipelines.ingest import sources
from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.base import Read, Source
from cardlog.pipelines.readers.playedhand_csv import reader as playedhand_csv
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.reasons import Reason
from tests.support.csv_rows import HEADER, changed, dump, dump_lines, field, judged
from tests.support.mutants import mutants
from tests.support.soak import soak
from tests.support.stores import ask, assert_same, dicts, ingest

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


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=3000), st.sampled_from([HEADER, b"", b"\x00", HEADER.replace(b"id", b"id,id")]))
def test_any_bytes_are_accounted_for(text: bytes, head: bytes) -> None:
    (read,) = playedhand_csv.read(text, Source("0" * 64, "-", "playedhand-csv", head))
    assert read.lines_read == text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    assert read.lines_read == read.other_lines + len(read.batch) + len(read.rejects)
    lines = text.split(b"\n")
    for reject in read.rejects:
        assert reject.raw == lines[reject.first_line - 1].removesuffix(b"\r")


@pytest.mark.parametrize("seed", [0, *soak(1, 2)])
def test_stored_rows_have_the_results_of_the_second_opinion(seed: int) -> None:
    lines = [line for line in mutants(seed + 100, 1500) if judged(line)]
    verdicts = judge(read_lines(lines))
    assert verdicts.kept.tolist() == list(range(len(lines)))
    rows = dict(project(verdicts.batch, ("playedhand",)))["playedhand"].to_pylist()
    for line, row in zip(lines, rows, strict=True):
        replay = judged(line)
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


# ---------------------------------------------------------------- whole ingests


def other_id(line: bytes, number: int) -> bytes:
    """The row with an id of its own, if it has one that can be read."""
    first, comma, rest = line.partition(b",")
    return b"%d," % number + rest if comma and first.isdigit() and len(first) == 6 else line


@pytest.mark.long
@pytest.mark.parametrize(("seed", "count"), [(1, 150), *soak(*((seed, 999) for seed in range(4)))])
def test_ingests_of_damaged_rows(
    seed: int, count: int, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many rows in several files and blocks: whatever is stored is legal, the rest is kept."""
    rng = random.Random(seed)
    lines = [other_id(line, 200_000 + number) for number, line in enumerate(mutants(seed + 200, count))]
    monkeypatch.setattr(sources, "BLOCK_BYTES", rng.choice((500, 20_000, 2**24)))
    paths, expected = [], {}
    for number in range(3):
        mine = lines[number * count // 3 : (number + 1) * count // 3]
        text = dump(*mine, end=rng.choice((b"\n", b"\r\n")))
        paths.append(tmp_path / f"{number}.csv")
        paths[-1].write_bytes(gzip.compress(text) if number == 1 else text)
        expected |= {(str(paths[-1]), number): line for number, line in enumerate(mine, start=2)}
    result = ingest(store, *paths)
    runs.build(store)
    kept = {
        (row["source_path"], row["first_line"]): row["raw"].encode(row["raw_encoding"])
        for row in dicts(store, "from quarantine")
    }
    assert {key: expected[key] for key in kept} == kept
    path_of = {row["source_id"]: row["source_path"] for row in result.rows}
    rows = dicts(store, "from playedhand")
    stored = {(path_of[row["source_id"]], row["source_line"]): row for row in rows}
    assert len(stored) == len(rows)
    assert not stored.keys() & kept.keys()
    for key, row in stored.items():
        replay = judged(expected[key])
        assert replay is not None, expected[key]
        found = [row[name] for name in ("status", "declarer", "contract", "trump")]
        assert found == [replay.status, replay.declarer, replay.contract, replay.trump]
        assert (row["trick_winners"] or "") == replay.trick_winners
    # What is neither stored nor kept is blank, or says what a stored hand says already.
    for key in expected.keys() - stored.keys() - kept.keys():
        assert expected[key] in (b"", b"\\.", HEADER) or judged(expected[key])
    reasons = dict(ask(store, "select reason, count(*) from quarantine group by all"))
    assert sum(judged(line) is None for line in expected.values() if line) == sum(
        reasons.values()
    ) - reasons.get("conflict", 0)
    assert len(stored) > count / 5
    assert len(kept) > count / 2.5


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    """As long as no two say different things of one hand."""
    lines = [other_id(line, 200_000 + number) for number, line in enumerate(mutants(300, 600))]
    seen: set[bytes] = set()
    lines = [
        line for line in lines if not (line.split(b",", 1)[0] in seen or seen.add(line.split(b",", 1)[0]))
    ]
    first, second = (Store(str(tmp_path / name)) for name in ("first", "second"))
    (tmp_path / "a.csv").write_bytes(dump(*lines))
    (tmp_path / "b.csv").write_bytes(dump(*random.Random(1).sample(lines, len(lines))))
    ingest(first, tmp_path / "a.csv")
    ingest(second, tmp_path / "b.csv")
    without = (
        "source_id",
        "source_line",
        "source_path",
        "ingest_id",
        "first_line",
        "last_line",
        "quarantine_id",
    )
    assert_same(first, second, ["events", "quarantine"], without=without)


def test_the_second_opinion_can_disagree() -> None:
    """`check_lines` fails if a row is stored that must not be, or kept out that may be stored."""
    line = dump_lines()[0]
    wrong = changed(line, player_0_ai="t")
    read = read_lines([line])
    with pytest.raises(AssertionError):
        check_lines(read, [changed(line, setting_min_bid="12")])
    illegal = changed(line, setting_min_bid="12")
    read = read_lines([illegal])
    read.rejects.clear()
    with pytest.raises(AssertionError):
        check_lines(read, [wrong])
    assert field(wrong, "player_0_ai") == "t"
