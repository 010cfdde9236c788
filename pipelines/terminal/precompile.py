"""Compile the rules of all games and parse the dbt project before they are needed: in an image, before tests.

Compiled code is cached, so that the first run of a command need not wait for it.
"""

import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from cardlog import models
from cardlog.pipelines import runs
from cardlog.pipelines.export.simulate import simulate
from cardlog.pipelines.sql import marts
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.terminal.demo import samples

HANDS = 50


def game(name: str) -> None:
    """Simulate some hands of a game; ingest and build them and its shortest logs."""
    with tempfile.TemporaryDirectory(prefix="cardlog-compile-") as folder:
        logs = [str(path) for path in (samples() / name).glob("*sample*")]
        if models.game(name).players is not None:
            logs.append(f"{folder}/played.jsonl")
            simulate(name, HANDS, 1, logs[-1])
        store = Store(f"{folder}/store")
        runs.ingest(store, logs)
        runs.build(store)


def main() -> None:
    """Compile all games, as many at a time as there are cores."""
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as pool:
        warehouse = pool.submit(marts.empty)
        list(pool.map(game, models.GAMES))
        warehouse.result()


if __name__ == "__main__":
    print("Compiling the rules of the games …", file=sys.stderr)
    main()
