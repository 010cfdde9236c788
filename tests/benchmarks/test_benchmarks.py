"""The benchmarks run and show what they promise; no time is asserted."""

import gzip
import json
import os
import re
import subprocess
import sys
from io import StringIO
from itertools import islice
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks import original
from benchmarks.__main__ import main
from benchmarks.figures import HEADINGS, Figure, machine, show
from benchmarks.release import RELEASE

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "kaiser"


@pytest.mark.long
def test_the_table_has_a_row_for_every_figure(tmp_path: Path) -> None:
    """With two cheap benchmarks on little data."""
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "fold", "size"],
        cwd=ROOT, env=os.environ | {"TMPDIR": str(tmp_path)}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    heading, *rows = [line for line in run.stdout.splitlines() if line[:1] in "│┃"]
    assert [cell.strip() for cell in heading.strip("┃").split("┃")] == list(HEADINGS)
    assert [line.strip("│").split("│")[0].strip() for line in rows] == [
        "fold alone, legality included, one core", "events of the fixture",
    ]  # fmt: skip
    assert all("yes" in row or "NO" in row for row in rows)
    has_release = subprocess.run(["git", "cat-file", "-e", RELEASE], cwd=ROOT, check=False).returncode == 0
    assert [line.split("│")[5].strip()[:1] for line in rows] == ["×" if has_release else ""] * 2
    assert "Python 3" in run.stdout
    assert "--quick" in run.stdout
    assert list(tmp_path.iterdir()) == []


def test_an_unknown_benchmark_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["speed"])
    assert exit_.value.code == 2
    assert "there is no benchmark speed" in capsys.readouterr().err


@pytest.mark.parametrize(("target", "at_most", "ratio"), [(20, False, 1), (25, False, 0.8), (10, True, 0.5)])
def test_a_ratio_of_one_or_more_is_met(target: float, at_most: bool, ratio: float) -> None:
    figure = Figure("speed", [18.0, 20.0, 21.0], "hands/s", target, at_most)
    assert figure.ratio == ratio
    assert ("yes" in figure.cells()[-1]) is (ratio >= 1)


@pytest.mark.parametrize("at_most", [False, True])
def test_what_fell_by_more_than_a_tenth_since_the_release_is_named(at_most: bool) -> None:
    output = StringIO()
    before = {"slower": 70.0 if at_most else 130.0, "same": 95.0 if at_most else 105.0}
    values = [Figure(name, [1.0], "s", at_most=at_most, cpu=100.0) for name in ("slower", "same", "new")]
    compared = [figure.against(before.get(figure.name)) for figure in values]
    show(Console(file=output, width=300), compared, machine(), quick=False)
    ending = output.getvalue().partition("Last release")[2]
    assert "slower: 0.7" in ending
    assert not re.search("same|new", ending)


def test_the_baseline_replays_as_the_original_does() -> None:
    with (
        gzip.open(FIXTURES / "playedhand.csv.gz", "rt") as lines,
        gzip.open(FIXTURES / "oracle.jsonl.gz", "rt") as oracle,
    ):
        for row, line in islice(zip(original.rows(lines), oracle, strict=True), 500):
            expected = json.loads(line)
            winners = original.replay(row)
            assert "".join(map(str, winners)) == expected["trick_winners"]
            assert original.points(row, winners) == expected["points"]
