"""One package, cardlog, that links to its layers; which may import which is tested in test_architecture."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.csv_rows import SAMPLE
from tests.support.soak import long

REPO = Path(__file__).parents[2]
HEAVY = {"apache_beam", "dbt", "deltalake", "duckdb", "numba", "numpy", "pandas", "pyarrow", "rich", "torch"}
SIMULATES = """
from cardlog.models.contest.simulation import Simulation
for player in ("random", "expert"):
    Simulation("kaiser", 1, (player,)).play(1)
"""
INGESTS = f"""
from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
store = Store("store")
assert runs.ingest(store, [{str(SAMPLE)!r}]).sources
assert runs.build(store)["playedhand"]
"""


def run(program: str, folder: Path = REPO) -> str:
    """The output of a program, run in its own process, which has nothing to complain of."""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-2000:] + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["schemas", "models", "pipelines", "dbt_project"])
def test_the_layers_are_the_folders_beside_it(name: str) -> None:
    assert (REPO / "cardlog" / name).readlink() == Path("..") / name


@pytest.mark.parametrize(
    ("program", "idle"),
    [
        ("import cardlog; dir(cardlog)", HEAVY),
        ("import cardlog.pipelines.upkeep.status", {"numba"}),
        (SIMULATES, {"cardlog.models.solve.solver"}),
        *long((INGESTS, {"apache_beam"})),
    ],
)
def test_a_program_loads_no_library_that_it_does_not_need(
    program: str, idle: set[str], tmp_path: Path
) -> None:
    assert not idle & {*run(f"import sys\n{program}\nprint(*sys.modules)", tmp_path).split()}


@pytest.mark.long
def test_tests_are_collected_without_the_extras() -> None:
    run(
        "import sys, pytest\n"
        'sys.modules |= dict.fromkeys(("torch", "torchdata", "matplotlib", "pettingzoo"))\n'
        'sys.exit(pytest.main(["--collect-only", "-qq", "-p", "no:cacheprovider", "-m", "not cluster"]))'
    )
