"""The data: the fixture, simulated logs and stores made of them, kept between runs.

They are in `$CARDLOG_BENCH_DIR`, by default a folder of the system's for temporary files, below a
digest of the sources they were made by. Only data is kept, never a time.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardlog.pipelines import runs
from cardlog.pipelines.export import simulate
from cardlog.pipelines.sql import marts
from cardlog.pipelines.storage.store import Store

ROOT: Final = Path(__file__).resolve().parent.parent
FIXTURE: Final = ROOT / "tests" / "fixtures" / "kaiser" / "playedhand.csv.gz"
SEED: Final = 1


@dataclass(frozen=True)
class Sizes:
    """How much data the benchmarks use, and how long they take.

    hands, some_hands
        Of the large store and of the small one.
    ingest_hands
        Of the large log that is ingested.
    original_hands
        Hands that the original code is timed on; its rate is the same for more.
    rounds
        How often what takes seconds is timed; what takes less is timed more often.
    little
        Whether the data is only to see that it runs.
    """

    hands: int
    some_hands: int
    ingest_hands: int
    original_hands: int
    rounds: int
    little: bool

    def part(self, amount: int) -> int:
        """An amount of work, or a tenth of it to see that it runs."""
        return amount // 10 if self.little else amount


FULL: Final = Sizes(2_000_000, 500_000, 500_000, 20_000, 3, False)
QUICK: Final = Sizes(20_000, 5_000, 20_000, 2_000, 3, True)


class Data:
    """Logs and stores of Kaiser, made on first use."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        base = os.environ.get("CARDLOG_BENCH_DIR")
        root = Path(base) if base else Path(tempfile.gettempdir()) / f"cardlog-bench-{os.getuid()}"
        self._folder = root / _sources_digest()
        for old in root.iterdir() if root.exists() else ():
            if old != self._folder:
                shutil.rmtree(old, ignore_errors=True)
        self._folder.mkdir(parents=True, exist_ok=True)

    def log(self, hands: int) -> Path:
        """A simulated playedhand.csv."""
        path = self._folder / f"{hands}.csv"
        if not path.exists():
            with self.scratch() as folder:
                simulate.simulate("kaiser", hands, SEED, str(folder / path.name))
                (folder / path.name).rename(path)
        return path

    def store(self, hands: int) -> Store:
        """A store with the events of a simulated log, nothing built."""
        return self._kept(f"{hands}-events", lambda store: runs.ingest(store, [str(self.log(hands))]))

    def fixture_store(self) -> Store:
        """A store with the events of the fixture."""
        return self._kept("fixture-events", lambda store: runs.ingest(store, [str(FIXTURE)]))

    def decided_store(self, hands: int) -> Store:
        """A store with events and all tables, without the marts."""
        return self._kept(f"{hands}-decided", runs.build, self.store(hands))

    def built_store(self, hands: int) -> Store:
        """A store with events, all tables and the marts."""
        return self._kept(f"{hands}-built", marts.build, self.decided_store(hands))

    def _kept(self, name: str, fill: Callable[[Store], object], base: Store | None = None) -> Store:
        path, done = self._folder / name, self._folder / f"{name}.done"
        if not done.exists():  # made where it stays, because a warehouse names the files that it reads
            shutil.rmtree(path, ignore_errors=True)
            if base is not None:
                shutil.copytree(base.root, path, copy_function=os.link)
            fill(Store(str(path)))
            done.touch()
        return Store(str(path))

    @contextmanager
    def copy(self, store: Store) -> Iterator[Store]:
        """A copy of a store, whose files are not copied but shared, to build in."""
        with self.scratch() as folder:
            shutil.copytree(store.root, folder / "store", copy_function=os.link)
            yield Store(str(folder / "store"))

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """An empty folder, removed afterwards."""
        with tempfile.TemporaryDirectory(prefix="scratch-", dir=self._folder) as folder:
            yield Path(folder)


def _sources_digest() -> str:
    """A digest of everything that determines the data."""
    digest = hashlib.sha256()
    for package in ("schemas", "models", "pipelines", "dbt_project"):
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix in (".py", ".sql", ".yml", ".csv") and "target" not in path.parts:
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
