"""Damaged logs of every format by the thousand: 0 crashes, 0 lines lost, 0 illegal hands stored."""

import itertools
import os
from collections import Counter

import pytest

from cardlog.pipelines import readers
from cardlog.pipelines.ingest.judge import Judged
from cardlog.pipelines.readers.base import Read
from tests.support import damaged_logs
from tests.support.csv_rows import HEADER
from tests.support.damaged_logs import check, pieces, summary, try_damage
from tests.support.figures import report
from tests.support.soak import soak

INPUTS = int(os.environ.get("CARDLOG_SOAK_INPUTS", "100000"))
"""Of each format, in the long form."""
FORMATS = list(readers.FORMATS)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("count", [20, *soak(60)])
def test_logs_without_damage_are_stored(count: int, name: str) -> None:
    header = HEADER + b"\n" if name == "playedhand-csv" else b""
    found = pieces(name)[:: max(1, len(pieces(name)) // count)]
    ends = sum((check(name, header + piece, True) for piece in found), Counter[str]())
    assert set(ends) <= {"complete", "aborted", "incomplete"}  # a game that is cut may end in a deal
    assert ends["complete"] > 10 * ends["incomplete"]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("inputs", [50, *soak(150)])
def test_damaged_logs(inputs: int, name: str) -> None:
    ends = try_damage(name, range(inputs))
    assert ends["complete"] > inputs / 8
    assert (
        sum(ends[reason] for reason in ("unparsable", "incomplete", "out_of_order", "must_follow"))
        > inputs / 8
    )


@pytest.mark.soak
@pytest.mark.parametrize("tenth", range(10))
@pytest.mark.parametrize("name", FORMATS)
def test_damaged_logs_by_the_hundred_thousand(name: str, tenth: int) -> None:
    inputs = INPUTS // 10
    start = 1_000_000 + tenth * inputs
    report(summary(name, inputs, try_damage(name, range(start, start + inputs))))


# ---------------------------------------------------------------- the checks can fail


@pytest.mark.parametrize("name", FORMATS)
def test_a_line_that_is_lost_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = readers.get(name)
    original = reader.read

    def careless(*given: object) -> list[Read]:
        reads = original(*given)  # type: ignore[arg-type]
        reads[0].other_lines -= 1
        return reads

    monkeypatch.setattr(reader, "read", careless)
    with pytest.raises(AssertionError):
        check(name, pieces(name)[0])


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "five-card-draw-transcript"])
def test_an_illegal_hand_that_is_stored_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first two cards that are played are swapped; in poker no card is played by itself."""
    original = damaged_logs.judge

    def careless(read: Read) -> Judged:
        judged = original(read)
        batch = judged.batch
        for begin, end in itertools.pairwise(batch.offsets.tolist()):
            played = [at for at in range(begin, end) if batch.events["count"][at] == 1][:2]
            if len(played) == 2:
                batch.events["cards"][played] = batch.events["cards"][played[::-1]]
        return judged

    monkeypatch.setattr(damaged_logs, "judge", careless)
    noticed = sum(not is_fine(name, piece) for piece in pieces(name)[:20])
    assert noticed > 5


def is_fine(name: str, piece: bytes) -> bool:
    try:
        check(name, piece, True)
    except Exception:  # whatever the second opinion of the game raises
        return False
    return True
