"""The data: the fixture, simulated logs and stores made of them, in a folder that is removed after a run."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from cardlog.pipelines import runs
from cardlog.pipelines.export import simulate
from cardlog.pipelines.sql import marts
from cardlog.pipelines.storage.store import Store

ROOT: Final = Path(__file__).resolve().parent.parent
FIXTURE: Final = ROOT / "tests" / "fixtures" / "kaiser" / "playedhand.csv.gz"
SEED: Final = 1
QUICK: Final = 100  # a quick run, which only shows that the benchmarks run, has 1/100 of the data


class Data:
    """Logs and stores of Kaiser, made on first use in a folder.

    hands, some_hands
        How many the large store has, and a smaller one.
    """

    def __init__(self, folder: Path, *, quick: bool) -> None:
        self._folder, self._quick = folder, quick
        self.hands, self.some_hands = self.part(2_000_000), self.part(500_000)

    def part(self, amount: int) -> int:
        """An amount of work, reduced in a quick run."""
        return amount // QUICK if self._quick else amount

    def log(self, hands: int) -> Path:
        """A simulated playedhand.csv."""
        path = self._folder / f"{hands}.csv"
        if not path.exists():
            simulate.simulate("kaiser", hands, SEED, str(path))
        return path

    def store(self, hands: int) -> Store:
        """A store with the events of a simulated log, nothing built."""
        return self._stored(self.log(hands), f"{hands}")

    def fixture_store(self) -> Store:
        """A store with the events of the fixture."""
        return self._stored(FIXTURE, "fixture")

    def built_store(self, hands: int) -> Store:
        """A store with events, all tables and the marts."""
        path = self._folder / f"{hands}-built"
        store = Store(str(path))
        if not path.exists():
            shutil.copytree(self.store(hands).root, path, copy_function=os.link)
            runs.build(store)
            marts.build(store)
        return store

    def _stored(self, log: Path, name: str) -> Store:
        path = self._folder / name
        store = Store(str(path))
        if not path.exists():
            runs.ingest(store, [str(log)])
        return store

    @contextmanager
    def copy(self, store: Store) -> Iterator[Store]:
        """A copy of a store to build in; its files are hard links."""
        with self.scratch() as folder:
            shutil.copytree(store.root, folder / "store", copy_function=os.link)
            yield Store(str(folder / "store"))

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """An empty folder, removed afterwards."""
        with tempfile.TemporaryDirectory(prefix="scratch-", dir=self._folder) as folder:
            yield Path(folder)
