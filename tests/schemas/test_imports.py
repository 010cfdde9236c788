"""One package, cardlog, whose layers import one way: schemas, models, pipelines, without cycles."""

import subprocess
import sys
from pathlib import Path

import pytest

import cardlog

REPO = Path(__file__).parents[2]
FORBIDDEN = {
    "schemas": {"cardlog.models", "cardlog.pipelines"},
    "models": {"cardlog.pipelines"},
    "pipelines": set[str](),
}
"""What no module of a layer may import."""


def test_the_package_is_this_repositorys() -> None:
    assert cardlog.__file__ is not None
    assert Path(cardlog.__file__) == REPO / "cardlog" / "__init__.py"


@pytest.mark.parametrize("name", [*FORBIDDEN, "dbt_project"])
def test_the_layers_are_the_folders_beside_it(name: str) -> None:
    assert (REPO / "cardlog" / name).readlink() == Path("..") / name


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("cardlog.schemas.versions", FORBIDDEN["schemas"]),
        ("cardlog.models.kaiser.rules", FORBIDDEN["models"]),
    ],
)
def test_importing_one_does_not_load_what_builds_on_it(name: str, others: set[str]) -> None:
    program = f"import sys, {name}; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    loaded = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=True).stdout.split()
    assert name in loaded
    assert not others & set(loaded)
    assert "apache_beam" not in loaded


@pytest.mark.long
def test_a_small_ingest_and_build_do_not_load_beam(tmp_path: Path) -> None:
    program = """
import sys
from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
store = Store(sys.argv[1])
assert runs.ingest(store, [sys.argv[2]]).rows
assert runs.build(store)["playedhand"]
print("apache_beam" in sys.modules)
"""
    log = REPO / "tests" / "fixtures" / "kaiser" / "playedhand_sample.csv"
    command = [sys.executable, "-c", program, str(tmp_path / "store"), str(log)]
    done = subprocess.run(command, cwd=REPO, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("False\n", "")
