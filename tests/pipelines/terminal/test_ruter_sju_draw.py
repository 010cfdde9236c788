"""`cardlog show` of a hand of Ruter Sju."""

import io

import numpy as np
from rich.console import Console

from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.terminal import drawings as draw
from tests.support.ruter_sju_logs import read_text, text_of


def shown(name: str, match: str) -> list[str]:
    batch: Batch = read_text(text_of(name)).batch
    [hand] = [index for index, which in enumerate(batch.match_of) if batch.matches[which] == match]
    console = Console(width=300, record=True, file=io.StringIO())
    console.print(draw.hand(batch.take(np.array([hand]))))
    return console.export_text().splitlines()


def test_a_whole_hand_lap_by_lap() -> None:
    """The first laps as in samples/R0000, and a turn of two cards."""
    lines = shown("transcripts", "R0000")
    assert "complete" in lines[0]
    assert lines[1].strip() == "4 suits of 13 · rules: original"
    start = next(index for index, line in enumerate(lines) if line.split()[:1] == ["lap"])
    assert [line.split() for line in lines[start + 1 : start + 4]] == [
        ["1", "6♦", "block", "7♦"],
        ["2", "5♦", "blocked", "7♠"],
        ["3", "8♦", "blocked", "8♠"],
    ]
    assert any("K♥ J♦" in line for line in lines)
    assert lines[-1].strip() == "Out: 1. 1 · 2. 2 · 3. 0"
    assert "all" in lines[-2]


def test_other_suits_and_ranks_are_written_out() -> None:
    lines = shown("variants_transcripts", "V3_0000")
    assert "suit 4" in " ".join(lines)
    assert any("14/4" in line for line in lines)


def test_a_hand_that_breaks_off_says_so() -> None:
    lines = shown("edge_human_transcripts", "H0007")
    assert "broken off" in lines[0]
    assert lines[-1].strip() == "Out: nobody · the record of this hand ends here"
    assert any("Farmor (human)" in line for line in lines)
