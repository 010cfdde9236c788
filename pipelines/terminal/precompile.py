"""Compile the rules of all games and parse the dbt project before they are needed: in an image, before tests,
and, on as many cores as there are, in the first demo.

Compiled code is cached, so that the first run of a command need not wait for it.
"""

import os
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from cardlog import models
from cardlog.pipelines import operations, runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import marts
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.samples import samples

HANDS = 50
ANALYSED = next(name for name, game in models.GAMES.items() if game.solvable)
"""The game of which the demo prices cards."""


def is_done() -> bool:
    """Whether the rules of the games with sample logs are compiled, or can't be kept compiled."""
    stats = [getattr(models.game(name).evolve, "stats", None) for name in models.GAMES if _logs(name)]
    folders = [Path(found.cache_path) for found in stats if found is not None and found.cache_path]
    return all(any(folder.glob("*.nbi")) for folder in folders)


def game(name: str, playing: bool = True) -> None:
    """Ingest and build a game's shortest logs, and some simulated hands, unless not `playing`."""
    with tempfile.TemporaryDirectory(prefix="cardlog-compile-") as folder:
        logs = _logs(name)
        if playing and models.game(name).players is not None:
            logs.append(f"{folder}/played.jsonl")
            simulate(name, HANDS, 1, logs[-1])
        if logs:
            store = Store(f"{folder}/store")
            runs.ingest(store, logs)
            runs.build(store)
            if name == ANALYSED:
                operations.analyse(store, name)


def _logs(name: str) -> list[str]:
    return [str(path) for path in (samples() / name).glob("*sample*")]


def main(playing: bool = True) -> None:
    """Compile all games, in as many processes as there are cores, this one among them; only what logs need
    unless `playing`."""
    names = list(models.GAMES) if playing else [name for name in models.GAMES if _logs(name)]
    others = max(1, (os.cpu_count() or 1) - 1)
    with ProcessPoolExecutor(others, mp_context=get_context("spawn")) as pool:
        compiling = {name: pool.submit(game, name, playing) for name in names}
        marts.empty()  # here, since what it imports is needed here afterwards
        for name, future in reversed(compiling.items()):
            if future.cancel():
                game(name, playing)
        for future in compiling.values():
            if not future.cancelled():
                future.result()


if __name__ == "__main__":
    print("Compiling the rules of the games …", file=sys.stderr)
    main()
