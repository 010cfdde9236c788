"""A game is added the way CONTRIBUTING says: to a copy of the project, which then has six.

The game is in tests/sixth_game, each file where it would be in the project: high card, two players
with three cards each. What is left out of CONTRIBUTING's list is its last point, tests of the game's
own and its mention in the pages.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from fnmatch import fnmatch
from pathlib import Path

import pytest

REPO = Path(__file__).parents[1]
FILES = Path(__file__).with_name("sixth_game")
COPIED = (
    "cardlog",
    "models",
    "pipelines",
    "schemas",
    "web",
    "dbt_project",
    "tests",
    "docs",
    "pyproject.toml",
)
LEFT_OUT = ("__pycache__", "target", "logs", FILES.name)
GAME_LINE = ("models/__init__.py", "GAMES", '    "high_card": "cardlog.models.high_card",\n')
FORMAT_LINE = (
    "pipelines/readers/__init__.py",
    "FORMATS",
    '    "high-card-log": "cardlog.pipelines.readers.high_card_log.reader",\n',
)
SAMPLE = "tests/fixtures/high_card/games_sample.txt"
SIMULATED = 60

THE_WHOLE_WAY = f"""
import io, json
from pathlib import Path
from rich.console import Console
from cardlog import models
from cardlog.pipelines import runs
from cardlog.pipelines.export import simulate
from cardlog.pipelines.sql import marts, query
from cardlog.pipelines.sql import hand_lookup
from cardlog.pipelines.terminal import drawings as draw
from cardlog.pipelines.storage.store import Store

simulate.simulate("high_card", {SIMULATED}, 1, "played.jsonl")
store = Store("store")
counts = runs.ingest(store, ["played.jsonl", "{SAMPLE}"]).counts
rows = runs.build(store)
marts.build(store)
connection = query.connect(store)
drawn = []
for (hand,) in connection.execute(
    "select hand_id from hands where source_hand_no in (7, 45) order by source_hand_no"
).fetchall():
    console = Console(width=120, record=True, file=io.StringIO())
    console.print(draw.hand(hand_lookup.find(store, hand)))
    drawn.append(console.export_text())
Path("found.json").write_text(json.dumps({{
    "module": models.__file__,
    "counts": vars(counts),
    "rows": rows,
    "mart": connection.execute("from high_card_results").fetchall(),
    "games": connection.execute("select game, dataset, hands from hands_per_day order by all").fetchall(),
    "quarantine": connection.execute("select reason, first_line, raw from quarantine").fetchall(),
    "drawn": drawn,
}}))
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The project as it is."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in COPIED:
        if (REPO / name).is_dir():
            shutil.copytree(
                REPO / name, folder / name, symlinks=True, ignore=shutil.ignore_patterns(*LEFT_OUT)
            )
        else:
            shutil.copy2(REPO / name, folder / name)
    return folder


def register(copy: Path, path: str, registry: str, line: str) -> None:
    """Add the game's line at the end of a registry."""
    file = copy / path
    head, rest = file.read_text(encoding="utf-8").split(f"\n{registry}: Final = {{\n")
    entries, tail = rest.split("\n}\n", 1)
    file.write_text(f"{head}\n{registry}: Final = {{\n{entries}\n{line}}}\n{tail}", encoding="utf-8")


def game_files() -> list[str]:
    """The files of the game, by their place in the project."""
    found = (path for path in FILES.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sorted(path.relative_to(FILES).as_posix() for path in found)


def lay_over(copy: Path) -> None:
    """Put the game's files where they belong."""
    for name in game_files():
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(FILES / name, copy / name)


def digests(folder: Path) -> dict[str, str]:
    """What is in every file."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def run(copy: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run Python in the copy, with the copy's packages and a place of its own for compiled code."""
    ours = ("NUMBA_CACHE_DIR", "PYTEST_", "COV_", "CARDLOG_")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"PYTHONPATH": str(copy), "NO_COLOR": "1"}
    return subprocess.run(
        [sys.executable, *arguments], cwd=copy, env=environment, capture_output=True, text=True, check=False
    )


def contract(copy: Path) -> "subprocess.CompletedProcess[str]":
    """Run the tests that every game must pass, for this one."""
    return run(
        copy,
        *["-m", "pytest", "-p", "no:cacheprovider", "--tb=short", "tests/test_games.py", "-k", "high_card"],
    )


def test_a_game_that_is_only_named_is_told_what_it_lacks(copy: Path) -> None:
    register(copy, *GAME_LINE)
    result = contract(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    for part in (
        "rules: models/high_card/rules.py",
        "decisions: models/high_card/decisions.py",
        "tables: pipelines/build/projections/high_card.py",
        "drawing: pipelines/terminal/drawings/high_card.py",
    ):
        assert re.search(f"high_card lacks .*{part}", result.stdout), result.stdout
    for part in (
        "docs/rules/high_card.md",
        "a reader in pipelines/readers",
        "tests/fixtures/high_card",
        "a mart, dbt_project/models/marts/high_card/high_card_",
    ):
        assert f"high_card lacks {part}" in result.stdout, result.stdout


def test_the_files_are_those_that_contributing_names() -> None:
    text = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Add a game\n")[1].split("\n## ")[0]
    steps = section.split("9. **Tests**")[0]
    named = {name.replace("whist", "high_card") for name in re.findall(r"`([\w./…]+/[\w./…]*)`", steps)}
    assert {path for path in named if path.endswith("__init__.py")} == {GAME_LINE[0], FORMAT_LINE[0]}
    own = {path for path in named if "high_card" in path and not path.startswith("web/")}  # that is optional
    assert len(own) == 10
    for path in own:
        assert list(FILES.glob(path.replace("…", "*"))), f"tests/sixth_game lacks {path}"
    patterns = {
        *(path.replace("…", "*") for path in own),
        "models/high_card/*.py",
        "pipelines/readers/*/*.py",
        "docs/formats/*.md",
    }
    for name in game_files():
        described = name.replace(".yml", ".sql")  # a mart "with its YAML"
        known = [path for path in patterns if fnmatch(described, path) or fnmatch(described, f"{path}/*")]
        assert known, f"CONTRIBUTING does not name {name}"


def test_a_sixth_game_is_its_files_and_a_line_in_each_registry(copy: Path) -> None:
    before = digests(copy)
    assert not set(before) & set(game_files())
    register(copy, *GAME_LINE)
    register(copy, *FORMAT_LINE)
    lay_over(copy)
    after = digests(copy)
    assert {name for name in before if after[name] != before[name]} == {GAME_LINE[0], FORMAT_LINE[0]}
    assert sorted(set(after) - set(before)) == game_files()
    for path, _, line in (GAME_LINE, FORMAT_LINE):
        with_line = (copy / path).read_text(encoding="utf-8")
        assert with_line.replace(line, "") == (REPO / path).read_text(encoding="utf-8")

    result = contract(copy)
    assert result.returncode == 0, result.stdout + result.stderr
    suite = (copy / "tests" / "test_games.py").read_text(encoding="utf-8")
    tests = len(re.findall(r"^def test_", suite, re.MULTILINE))
    assert re.search(rf"^{tests} passed, \d+ deselected in", result.stdout, re.MULTILINE), result.stdout

    result = run(copy, "-c", THE_WHOLE_WAY)
    assert result.returncode == 0, result.stdout + result.stderr
    check_what_came(copy, json.loads((copy / "found.json").read_text(encoding="utf-8")))


def check_what_came(copy: Path, found: dict) -> None:
    """What the copy made of its logs, against what they say."""
    assert Path(found["module"]).resolve() == copy / "models" / "__init__.py"
    assert found["counts"]["hands_stored"] == SIMULATED + 46
    assert (found["counts"]["hands_aborted"], found["counts"]["quarantined"]) == (1, 1)
    assert found["rows"] == {
        "playedhand": SIMULATED + 46,
        "tricks": 3 * (SIMULATED + 45) + 1,
        "plays": 6 * (SIMULATED + 45) + 3,
        "seats": 2 * (SIMULATED + 46),
        "bids": 0,
        "decisions": 6 * (SIMULATED + 45) + 3,
    }
    assert found["games"] == [["high_card", "cardlog-jsonl", SIMULATED], ["high_card", "high-card-log", 46]]

    lines = (copy / SAMPLE).read_text(encoding="utf-8").splitlines()
    [[reason, line, raw]] = found["quarantine"]
    assert (reason, raw) == ("must_follow", lines[line - 1])
    logged = re.findall(r"dealer (.): .*, seat (.) wins$", "\n".join(lines[:46]), re.MULTILINE)
    won = Counter(("high-card-log", dealer, winner) for dealer, winner in logged)
    assert won.total() == 45
    for event in map(json.loads, (copy / "played.jsonl").read_text(encoding="utf-8").splitlines()):
        if event["seq"] == 0:
            dealer = event["detail"]["dealer"]
        elif event["kind"] == "score":
            won["cardlog-jsonl", str(dealer), str(event["seat"])] += 1
    assert won.total() == SIMULATED + 45
    for dataset, dealer, hands, won_by_0, won_by_1, tricks, by_leader in found["mart"]:
        assert (won_by_0, won_by_1) == tuple(won[dataset, f"{dealer}", seat] for seat in "01")
        assert (hands, tricks) == (won_by_0 + won_by_1, 3 * (won_by_0 + won_by_1))
        assert hands <= by_leader <= tricks
    assert len(found["mart"]) == 4

    whole, broken = found["drawn"]
    [winner] = re.findall(r"^high card 7,.*seat (.) wins$", "\n".join(lines), re.MULTILINE)
    assert f"Seat {winner} wins with " in whole
    assert "broken off" in broken
