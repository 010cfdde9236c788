"""The benchmarks run and show what they promise; no time is asserted."""

import gzip
import json
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import original
from benchmarks.figures import HEADINGS, Figure, Rounds, interleaved

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "kaiser"


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict]:
    """What two cheap benchmarks print on little data, and the JSON they write."""
    folder = tmp_path_factory.mktemp("bench")
    result = folder / "figures.json"
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--json", str(result), "fold", "size"],
        cwd=ROOT, env=os.environ | {"CARDLOG_BENCH_DIR": str(folder)}, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, json.loads(result.read_text())


@pytest.mark.long
def test_the_table_has_a_row_for_every_figure(ran: tuple[str, dict]) -> None:
    printed, result = ran
    heading, *rows = [line for line in printed.splitlines() if line[:1] in "│┃"]
    assert [cell.strip() for cell in heading.strip("┃").split("┃")] == list(HEADINGS)
    whats = [line.strip("│").split("│")[0].strip() for line in rows]
    assert whats == [figure["what"] for figure in result["figures"]]


@pytest.mark.long
def test_figures_agree_with_their_values_and_target(ran: tuple[str, dict]) -> None:
    _, result = ran
    for figure in result["figures"]:
        assert 0 < min(figure["values"]) <= figure["median"] <= max(figure["values"])
        assert figure["met"] == (figure["ratio"] >= 1)


@pytest.mark.long
def test_the_machine_is_told(ran: tuple[str, dict]) -> None:
    printed, result = ran
    assert {"cores", "cpu", "python", "load"} <= result["machine"].keys()
    assert f"Python {result['machine']['python']}" in printed
    assert "--quick" in printed


def test_an_unknown_benchmark_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    from benchmarks.__main__ import main  # which loads a browser's driver

    with pytest.raises(SystemExit) as end:
        main(["speed"])
    assert end.value.code == 2
    assert "there is no benchmark speed" in capsys.readouterr().err


@pytest.mark.parametrize(("at_most", "met"), [(False, True), (True, False)])
def test_a_ratio_of_one_or_more_is_met(at_most: bool, met: bool) -> None:
    figure = Figure("speed", [18.0, 20.0, 21.0], "hands/s", 10.0, at_most)
    assert figure.ratio == (0.5 if at_most else 2.0)
    assert figure.met is met


@pytest.mark.long
def test_what_is_compared_runs_in_turn() -> None:
    order: list[str] = []
    found = interleaved(2, a=lambda: order.append("a"), b=lambda: order.append("b"))
    assert order == ["a", "b"] * 3
    assert {name: len(rounds.walls) for name, rounds in found.items()} == {"a": 2, "b": 2}


def test_a_comparison_is_the_median_of_its_rounds() -> None:
    ours, theirs = Rounds([2.0, 9.0, 4.0], [1.0] * 3), Rounds([1.0, 3.0, 4.0], [2.0] * 3)
    assert ours.over(theirs, "it", 1.0) == Figure("it", [2.0, 3.0, 1.0], "×", 1.0, at_most=True, cpu=0.5)
    assert ours.over(theirs, "it").met is None


def test_the_yardstick_replays_as_the_original_does() -> None:
    with (
        gzip.open(FIXTURES / "playedhand.csv.gz", "rt") as lines,
        gzip.open(FIXTURES / "oracle.jsonl.gz", "rt") as oracle,
    ):
        for row, line in islice(zip(original.rows(lines), oracle, strict=True), 500):
            told = json.loads(line)
            winners = original.replay(row)
            assert "".join(map(str, winners)) == told["trick_winners"]
            assert original.points(row, winners) == told["points"]
