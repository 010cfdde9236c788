"""The wheel, installed: one name, which works beside packages of the user's own, and all that it needs.

Its dependencies are those of this environment; nothing is fetched.
"""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import cardlog

pytestmark = pytest.mark.long

REPO = Path(__file__).parents[2]

PROGRAM = """
from pathlib import Path
import models, pipelines
import cardlog

here, site = Path.cwd(), Path({site!r})
assert Path(models.__file__).is_relative_to(here) and Path(pipelines.__file__).is_relative_to(here)
assert Path(cardlog.__file__).is_relative_to(site), cardlog.__file__

store = cardlog.open("store")
store.ingest(cardlog.simulate("kaiser", 20, "played.csv", seed=1))
print(store.build(marts=False).rows["playedhand"])
[(hand_id,)] = store.sql("select hand_id from playedhand order by hand_id limit 1").fetchall()
print(store.hand(hand_id[:8]).id == hand_id, str(store.hand(hand_id)).startswith("Kaiser hand"))

from cardlog.pipelines.sql.warehouse import DBT_PROJECT
from cardlog.pipelines.terminal.demo import logs
assert (DBT_PROJECT / "dbt_project.yml").is_file() and DBT_PROJECT.is_relative_to(site)
print(len(logs()) == 14 and all(Path(log).is_relative_to(site) and Path(log).is_file() for log in logs()))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built without a network."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=REPO, check=True, capture_output=True)
    [wheel] = out.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel installed."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    command += ["--disable-pip-version-check", "--target", str(folder), str(wheel)]
    subprocess.run(command, check=True, capture_output=True)
    return folder


def test_it_has_one_name(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert tops == {"cardlog", f"cardlog-{cardlog.__version__}.dist-info"}
    assert not [name for name in names if "__pycache__" in name or "/target/" in name]


def test_it_has_every_file_of_the_packages(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in ("schemas", "models", "pipelines", "web"):
        modules = {f"cardlog/{path.relative_to(REPO)}" for path in (REPO / folder).rglob("*.py")}
        assert modules <= names
    page = {
        f"cardlog/{path.relative_to(REPO)}"
        for folder in ("templates", "static")
        for path in (REPO / "web" / folder).iterdir()
    }
    assert page
    assert page <= names
    dbt = {f"cardlog/{path.relative_to(REPO)}" for path in (REPO / "dbt_project").glob("models/**/*.*ml")}
    assert {*dbt, "cardlog/py.typed", "cardlog/dbt_project/dbt_project.yml"} <= names
    weights = {f"cardlog/{path.relative_to(REPO)}" for path in (REPO / "models").glob("*/network.npz")}
    assert weights
    assert weights <= names


def test_it_runs_beside_packages_of_the_users_own(site: Path, tmp_path: Path) -> None:
    for name in ("models", "pipelines", "schemas", "tests"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "main.py").write_text(PROGRAM.format(site=str(site)))
    environment = {**os.environ, "PYTHONPATH": str(site), "PYTHONSAFEPATH": ""}
    done = subprocess.run(
        [sys.executable, "main.py"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n") == ["20", "True True", "True", ""]
