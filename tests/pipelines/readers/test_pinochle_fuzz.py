"""Damaged transcripts by the hundred: nothing crashes, nothing is lost, nothing illegal is stored, and a
log that grows comes to the same hands as the whole."""

import itertools
import random
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardlog.pipelines import runs
from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Read
from cardlog.pipelines.storage.store import Store
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.pinochle_damage import damaged, excerpts
from tests.support.pinochle_logs import LOGS, log, read_text, sample
from tests.support.pinochle_referee import Illegal, judge_hand
from tests.support.soak import soak
from tests.support.stores import PROJECTIONS, assert_same, dicts, ingest


@cache
def raws() -> list[bytes]:
    """The lines of each hand of the logs."""
    return [log(name).read.raw_of(hand) for name in LOGS for hand in range(len(log(name).read.batch))]


def check(text: bytes, final: bool = False) -> tuple[Judged, Counter[str]]:
    """Read and judge a text: every line is accounted for once, and what is stored is legal."""
    read = read_text(text, final)
    judged = judge(read)
    check_lines(text, read, judged)
    assert len(judged.kept) + len(judged.rejects) == len(read.batch) + len(read.rejects)
    ends = Counter[str]()
    for reject in judged.rejects:
        assert reject.message.endswith(".")
        ends[reject.reason.code] += 1
    batch = judged.batch
    for hand in range(len(batch)):
        status = judge_hand(batch, hand)
        assert (status == "complete") == bool(judged.done[hand])
        ends[status] += 1
    return judged, ends


def check_lines(text: bytes, read: Read, judged: Judged) -> None:
    """Each line is in one hand or reject, or it is one of the others."""
    lines = text.split(b"\n")
    count = len(lines) - (lines[-1] == b"")
    spans = [*zip(read.first_lines.tolist(), read.last_lines.tolist(), strict=True)]
    spans += [(reject.first_line, reject.last_line) for reject in read.rejects]
    spans.sort()
    assert read.lines_read == count
    assert count == read.other_lines + sum(last - first + 1 for first, last in spans)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
    for reject in judged.rejects:
        raw = b"\n".join(lines[reject.first_line - 1 : reject.last_line])
        if reject.first_line == 1:
            raw = raw.removeprefix(b"\xef\xbb\xbf")
        assert reject.raw.removesuffix(b"\r") == raw.removesuffix(b"\r")


def test_the_second_opinion_agrees_on_all_logs() -> None:
    for name in LOGS:
        batch = log(name).judged.batch
        assert {judge_hand(batch, hand) for hand in range(len(batch))} == {"complete"}


def test_the_second_opinion_can_disagree() -> None:
    batch = log("head2014").judged.batch
    first = batch.offsets[0]
    plays = first + (batch.events["action"][first : batch.offsets[1]] == Action.PLAY_CARD).nonzero()[0]
    for one, other in ((plays[0], plays[4]), (plays[1], plays[5]), (plays[-1], plays[3])):
        changed = batch.take((batch.offsets[:1] * 0).astype(int))
        shown, here, there = changed.events["cards"], one - first, other - first
        shown[[here, there]] = shown[[there, here]]
        with pytest.raises(Illegal):
            judge_hand(changed, 0)


def check_damaged(seed: int) -> Counter[str]:
    chance = random.Random(seed)
    text = excerpts(chance, 3, 2)
    broken = damaged(chance, text)
    judged, ends = check(broken, chance.random() < 0.3)
    if broken.count(b"=== SESSION ") == text.count(b"=== SESSION "):
        stored = {judged.read.raw_of(hand) for hand in judged.kept}
        lines = b"\n" + broken + b"\n"
        lost = [raw for raw in raws() if b"\n" + raw + b"\n" in lines and raw not in stored]
        assert not lost, "a hand that was not damaged is not stored"
    return ends


@pytest.mark.parametrize("inputs", [60, *soak(300)])
def test_damaged_transcripts(inputs: int) -> None:
    ends = Counter[str]()
    for seed in range(inputs):
        ends += check_damaged(seed)
    # The damage is of all kinds, and does not spread.
    assert ends["complete"] > 3 * ends.total() / 5
    assert (
        min(ends[reason] for reason in ("unparsable", "out_of_order", "aborted", "duplicate_card"))
        > inputs // 100 - 1
    )


@pytest.mark.soak
@pytest.mark.parametrize("start", range(1000, 21000, 1000))
def test_damaged_transcripts_by_the_thousand(start: int) -> None:
    for seed in range(start, start + 1000):
        check_damaged(seed)


PIECE = st.one_of(
    st.binary(max_size=60),
    st.sampled_from(sorted(set(sample().splitlines()), key=len)[:400]),
    st.sampled_from(
        [b"=== SESSION a ===", b"=== GAME b ===", b"=== ", b"-->", b"--> {", b"<-- {}", b"", b"\r"]
    ),
)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.lists(PIECE, max_size=40), st.booleans(), st.booleans())
@example([b"\xef\xbb\xbf"], False, False)
@example([b"", b"\xef\xbb\xbf"], False, False)
@example([b'--> {"Playerid":0,"Type":"Play"}'] * 3, True, False)
def test_any_lines_are_accounted_for(pieces: list[bytes], final: bool, whole: bool) -> None:
    check(b"\n".join(pieces) + b"\n" * whole, final)


# ---------------------------------------------------------------- a log that grows


def stored(text: bytes, final: bool = False) -> dict[bytes, int]:
    """The content of each hand that is stored of a text, by its id."""
    batch = judge(read_text(text, final)).batch
    return dict(zip(batch.hand_ids.tolist(), batch.content().tolist(), strict=True))


def check_growth(seed: int, cuts: int, broken: bool) -> None:
    chance = random.Random(seed)
    text = excerpts(chance, 2, 2)
    if broken:
        text = damaged(chance, text)
        if text.count(b"=== SESSION ") != 2 or not text.startswith(b"=== SESSION "):
            return  # then one match stands there twice, or has no name
    if chance.random() < 0.3:
        text = text.replace(b"\n", b"\r\n")
    whole = stored(text)
    for end in chance.sample(range(len(text)), cuts):
        part = stored(text[:end])
        assert part.items() <= whole.items(), (seed, end)
        if not broken:
            rejects = judge(read_text(text[:end])).rejects
            assert {reject.reason for reject in rejects} <= {Reason.INCOMPLETE}
            assert not judge(read_text(text[:end].rpartition(b"\n")[0], final=True)).rejects


def test_what_is_stored_of_a_part_is_what_is_stored_of_the_whole() -> None:
    for seed in range(6):
        check_growth(seed, 12, broken=False)
        check_growth(seed, 6, broken=True)


@pytest.mark.soak
@pytest.mark.parametrize("start", range(1000, 6000, 1000))
def test_growing_logs_by_the_thousand(start: int) -> None:
    for seed in range(start, start + 1000):
        check_growth(seed, 12, broken=seed % 2 == 1)


WITHOUT = ("source_id", "source_line")


@pytest.mark.long
def test_a_log_ingested_as_it_grows_ends_in_the_same_tables(tmp_path: Path) -> None:
    chance = random.Random(5)
    text = excerpts(chance, 3, 3)
    ends = [*sorted(chance.sample(range(len(text)), 4)), len(text)]
    grown, whole = (Store(str(tmp_path / name)) for name in ("grown", "whole"))
    path = tmp_path / "log.txt"
    for end in ends:
        path.write_bytes(text[:end])
        result = ingest(grown, path)
        if end < len(text):
            assert {row["reason"] for row in dicts(grown, "from quarantine")} <= {"incomplete"}
    assert result.rows[0]["duplicates"] + result.rows[0]["hands_stored"] == 6
    ingest(whole, path)
    runs.build(grown)
    runs.build(whole)
    assert len(dicts(whole, "from playedhand")) == 6
    assert_same(grown, whole, ["events", *PROJECTIONS], without=WITHOUT)
