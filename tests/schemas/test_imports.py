"""One package, cardlog, that links to its layers; which may import which is tested in test_architecture."""

import subprocess
import sys
from pathlib import Path

import pytest

REPO = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["schemas", "models", "pipelines", "dbt_project"])
def test_the_layers_are_the_folders_beside_it(name: str) -> None:
    assert (REPO / "cardlog" / name).readlink() == Path("..") / name


def test_status_loads_no_rules() -> None:
    program = "import sys, cardlog.pipelines.upkeep.status; print('numba' in sys.modules)"
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True)
    assert process.stdout == "False\n"


@pytest.mark.long
def test_a_small_ingest_and_build_do_not_load_beam(tmp_path: Path) -> None:
    program = """
import sys
from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
store = Store(sys.argv[1])
assert runs.ingest(store, [sys.argv[2]]).sources
assert runs.build(store)["playedhand"]
print("apache_beam" in sys.modules)
"""
    log = REPO / "tests" / "fixtures" / "kaiser" / "playedhand_sample.csv"
    command = [sys.executable, "-c", program, str(tmp_path / "store"), str(log)]
    process = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert (process.stdout, process.stderr) == ("False\n", "")


@pytest.mark.long
def test_tests_are_collected_without_the_extras() -> None:
    program = """
import sys
import pytest
sys.modules |= dict.fromkeys(("torch", "torchdata", "matplotlib", "pettingzoo"))
sys.exit(pytest.main(["--collect-only", "--quiet", "-p", "no:cacheprovider", "-m", "not cluster"]))
"""
    command = [sys.executable, "-c", program]
    process = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stdout[-2000:]
