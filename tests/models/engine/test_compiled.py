"""Compiled code is cached under the digest of all that it was compiled from, wherever the tree is; the first
use of a game says why it takes a while, and compiles only that game."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cardlog import models
from cardlog.models.engine import compiled, dispatcher

ROOT = Path(compiled.__file__).resolve().parents[2]
CALL_ONE = """
from cardlog.models.belote.score import run_value
run_value(3, 0)
print(sum(run_value.stats.cache_hits.values()), sum(run_value.stats.cache_misses.values()))
"""


def test_a_digest_covers_indirect_imports_and_nothing_else() -> None:
    reached = dispatcher._imports_of("cardlog.models.kaiser.decisions")
    assert {"cardlog.models.kaiser.legal", "cardlog.models.engine.trick", "cardlog.schemas.cards"} <= reached
    modules = ("kaiser.rules", "kaiser.decisions", "engine.trick")
    assert len({dispatcher._digest_of(frozenset([f"cardlog.models.{name}"])) for name in modules}) == 3


def copy_of_the_rules(folder: Path) -> Path:
    for name in ("schemas", "models"):
        ignore = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / "cardlog" / name, ignore=ignore)
    (folder / "cardlog" / "__init__.py").touch()  # otherwise an installed one would come first
    return folder


def run(program: str, folder: Path, cache: Path, **variables: str) -> tuple[str, str]:
    """What a program that is run in a folder prints, and what it says on standard error."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)} | variables
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def hits_and_misses(tree: Path, cache: Path) -> tuple[int, int]:
    hits, misses = run(CALL_ONE, tree, cache, PYTHONPATH=str(tree))[0].split()
    return int(hits), int(misses)


@pytest.mark.long
@pytest.mark.skipif(dispatcher.numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_a_copy_of_the_tree_starts_warm_and_only_relevant_edits_recompile(tmp_path: Path) -> None:
    first, second = copy_of_the_rules(tmp_path / "first"), copy_of_the_rules(tmp_path / "second")
    assert hits_and_misses(first, tmp_path / "cache") == (0, 1)
    assert hits_and_misses(second, tmp_path / "cache") == (1, 0)
    with (second / "cardlog" / "models" / "kaiser" / "rules.py").open("a") as file:
        file.write("\n# another game\n")
    assert hits_and_misses(second, tmp_path / "cache") == (1, 0)
    with (second / "cardlog" / "models" / "engine" / "trick.py").open("a") as file:
        file.write("\n# what belote is compiled from\n")
    assert hits_and_misses(second, tmp_path / "cache") == (0, 1)


@pytest.mark.skipif(dispatcher.numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_it_runs_where_nothing_can_be_cached(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    assert hits_and_misses(copy_of_the_rules(tmp_path / "tree"), blocked) == (0, 1)


SMALL = """
import numpy as np
from cardlog.models.ruter_sju import legal, state as of
from cardlog.models.kaiser import rules as unused
state = np.zeros(1, of.STATE)[0]
print(legal.holding(state, np.int64(0), np.int64(0)), legal.holding(state, np.int8(0), np.int8(0)))
"""
WHOLE = "import cardlog; cardlog.simulate('ruter_sju', 1, 'log.jsonl'); import os; os.remove('log.jsonl')"
MESSAGE = "cardlog: compiling the rules of ruter_sju, once …\n"


@pytest.mark.parametrize(
    "program", [pytest.param(SMALL, marks=pytest.mark.long), pytest.param(WHOLE, marks=pytest.mark.soak)]
)
def test_the_first_use_of_a_game_says_that_it_is_compiled_and_nothing_else_is(
    program: str, tmp_path: Path
) -> None:
    cache = tmp_path / "cache"
    assert [run(program, tmp_path, cache)[1] for _ in range(2)] == [MESSAGE, ""]
    modules = {path.parents[2].name for path in cache.glob("**/*.nbi")}
    games = set(models.GAMES) & {name.split(".")[2] for name in modules if name.count(".") == 3}
    assert games == {"ruter_sju"}
    assert program == WHOLE or run(program, tmp_path, cache, NUMBA_DISABLE_JIT="1")[1] == ""
