"""The first use of a game prints why it takes a while, and compiles only that game."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardlog import models

REPO = Path(__file__).parents[3]
SMALL = """
import numpy as np
from cardlog.models.ruter_sju import legal, state as of
from cardlog.models.kaiser import rules as unused
state = np.zeros(1, of.STATE)[0]
print(legal.holding(state, np.int64(0), np.int64(0)), legal.holding(state, np.int8(0), np.int8(0)))
"""
WHOLE = "import cardlog; cardlog.simulate('ruter_sju', 1, 'log.jsonl'); open('log.jsonl').close()"


def run(program: str, folder: Path, **variables: str) -> str:
    """What a program prints on standard error, with its own cache of compiled code."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **variables}
    for log in folder.glob("*.jsonl"):
        log.unlink()
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    ).stderr


def compiled_games(folder: Path) -> set[str]:
    modules = {path.parents[2].name for path in (folder / "cache").glob("**/*.nbi")}
    return set(models.GAMES) & {name.split(".")[2] for name in modules if name.count(".") == 3}


@pytest.mark.long
def test_the_first_use_of_a_game_says_that_it_is_compiled(tmp_path: Path) -> None:
    message = "cardlog: compiling the rules of ruter_sju, once …\n"
    assert run(SMALL, tmp_path) == message
    assert run(SMALL, tmp_path) == ""
    assert compiled_games(tmp_path) == {"ruter_sju"}
    assert run(SMALL, tmp_path, NUMBA_DISABLE_JIT="1") == ""


@pytest.mark.soak
def test_nothing_but_that_game_is_compiled(tmp_path: Path) -> None:
    assert run(WHOLE, tmp_path) == "cardlog: compiling the rules of ruter_sju, once …\n"
    assert run(WHOLE, tmp_path) == ""
    assert compiled_games(tmp_path) == {"ruter_sju"}
