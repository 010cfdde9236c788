"""A game is added the way CONTRIBUTING says: to a copy of the project, which then has six.

The game is in tests/sixth_game, each file where it would be in the project: high card, three tricks of four
players in two teams. What is left out of CONTRIBUTING's list is its last point, tests of the game's
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
LINES = {
    "models/__init__.py": (
        ("\nGAMES: Final", "from cardlog.models.high_card import HIGH_CARD\n"),
        ("\n    },\n", '        "high_card": HIGH_CARD,\n'),
    ),
    "pipelines/derive/projections/__init__.py": (
        ("\nTABLES: Final", "from cardlog.pipelines.derive.projections import high_card\n"),
        ("\n    },\n", '        "high_card": high_card.TABLES,\n'),
    ),
    "pipelines/hands/__init__.py": (
        ("\nDESCRIBERS: Final", "from cardlog.pipelines.hands import high_card\n"),
        ("\n    },\n", '        "high_card": high_card.DESCRIBER,\n'),
    ),
    "pipelines/readers/__init__.py": (
        ("\n}\n", '    "high-card-log": "cardlog.pipelines.readers.high_card_log.reader",\n'),
    ),
    "dbt_project/seeds/match_rules.csv": (("", "high_card,points,3,nobody,,,\n"),),
    "dbt_project/seeds/hand_rules.csv": (("", "high_card,1,0,0,,,false\n"),),
}
"""By file: the lines that name the game, and before what each stands; at the end of the file if nothing."""
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
from cardlog.pipelines.hands import drawing as draw
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


def register(copy: Path, *paths: str) -> None:
    """Add the game's lines to its registries."""
    for path in paths or LINES:
        file = copy / path
        text = file.read_text(encoding="utf-8")
        for before, line in LINES[path]:
            head, found, tail = text.partition(before) if before else (text, "", "")
            text = f"{head}\n{line.rstrip()}{found}{tail}" if before else text + line
        file.write_text(text, encoding="utf-8")


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
    chosen = ["tests/test_games.py", "-k", "high_card", "-m", "long or not long"]
    return run(copy, "-m", "pytest", "-p", "no:cacheprovider", "--tb=short", *chosen)


@pytest.mark.long
def test_a_game_that_is_only_named_is_told_what_it_lacks(copy: Path) -> None:
    """Its model is there, and its line in the registry of games; nothing else."""
    shutil.copytree(FILES / "models", copy / "models", dirs_exist_ok=True)
    register(copy, "models/__init__.py")
    result = contract(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "high_card: it is missing in TABLES of pipelines/derive/projections/__init__.py" in result.stdout
    for part in (
        "docs/rules/high_card.md",
        "a reader in pipelines/readers",
        "tests/fixtures/high_card",
        "a mart, dbt_project/models/marts/high_card/high_card_",
        "a line in dbt_project/seeds/match_rules.csv",
    ):
        assert f"high_card lacks {part}" in result.stdout, result.stdout


def test_the_files_are_those_that_contributing_names() -> None:
    text = (REPO / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.split("## Add a game\n")[1].split("\n## ")[0]
    steps = section.split("9. **Tests**")[0]
    named = {name.replace("whist", "high_card") for name in re.findall(r"`([\w./…]+/[\w./…]*)`", steps)}
    registries = {path for path in named if path.endswith(("__init__.py", ".csv"))}
    assert registries - {"models/high_card/__init__.py"} == set(LINES)
    own = {path for path in named if "high_card" in path}
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


@pytest.mark.long
def test_a_sixth_game_is_its_files_and_its_lines_in_the_registries(copy: Path) -> None:
    before = digests(copy)
    assert not set(before) & set(game_files())
    register(copy)
    lay_over(copy)
    after = digests(copy)
    assert {name for name in before if after[name] != before[name]} == set(LINES)
    assert sorted(set(after) - set(before)) == game_files()

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
        "plays": 12 * (SIMULATED + 45) + 7,
        "seats": 4 * (SIMULATED + 46),
        "bids": 0,
        "decisions": 12 * (SIMULATED + 45) + 7,
    }
    assert found["games"] == [["high_card", "cardlog-jsonl", SIMULATED], ["high_card", "high-card-log", 46]]

    lines = (copy / SAMPLE).read_text(encoding="utf-8").splitlines()
    [[reason, line, raw]] = found["quarantine"]
    assert (reason, raw) == ("must_follow", lines[line - 1])
    logged = re.findall(r"dealer (.): .*, team (.) wins$", "\n".join(lines[:46]), re.MULTILINE)
    won = Counter(("high-card-log", dealer, winner) for dealer, winner in logged)
    assert won.total() == 45
    for event in map(json.loads, (copy / "played.jsonl").read_text(encoding="utf-8").splitlines()):
        if event["seq"] == 0:
            dealer = event["detail"]["dealer"]
        elif (event["kind"], event["action"], event.get("amount")) == ("score", "hand", 1):
            won["cardlog-jsonl", str(dealer), str(event["seat"])] += 1
    assert won.total() == SIMULATED + 45
    for dataset, dealer, hands, won_by_0, won_by_1, tricks, by_leader in found["mart"]:
        assert (won_by_0, won_by_1) == tuple(won[dataset, f"{dealer}", team] for team in "01")
        assert (hands, tricks) == (won_by_0 + won_by_1, 3 * (won_by_0 + won_by_1))
        assert hands <= by_leader <= tricks
    assert len(found["mart"]) == 8

    whole, broken = found["drawn"]
    [winner] = map(int, re.findall(r"^high card 7,.*team (.) wins$", "\n".join(lines), re.MULTILINE))
    assert f"Seats {winner} and {winner + 2} win with " in whole
    assert "broken off" in broken
