"""The data: the fixture, simulated logs and stores made of them, kept between runs.

They lie in `$CARDLOG_BENCH_DIR`, by default a folder of the system's for temporary files, below a
name that stands for the sources they were made by. Only data is kept, never a time.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cardlog.pipelines import runs
from cardlog.pipelines.export import simulate
from cardlog.pipelines.storage.store import Store

ROOT: Final = Path(__file__).resolve().parent.parent
FIXTURE: Final = ROOT / "tests" / "fixtures" / "kaiser" / "playedhand.csv.gz"
GAME: Final = "kaiser"
SEED: Final = 1
KEPT_FOLDERS: Final = 2
TABLES: Final = ("playedhand", "tricks")


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
    """Logs and stores, made on first use."""

    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self._folder = _folder()

    def log(self, hands: int) -> Path:
        """A simulated playedhand.csv."""
        path = self._folder / f"{hands}.csv"
        if not path.exists():
            draft = self._folder / f"draft-{os.getpid()}-{hands}.csv"
            simulate.simulate(GAME, hands, SEED, str(draft))
            draft.replace(path)
        return path

    def store(self, hands: int) -> Store:
        """A store with the events of a simulated log, nothing built."""
        return self._kept(f"{hands}-events", self.log(hands))

    def fixture_store(self) -> Store:
        """A store with the events of the fixture."""
        return self._kept("fixture-events", FIXTURE)

    def _kept(self, name: str, log: Path) -> Store:
        path = self._folder / name
        if not path.exists():
            with self.scratch() as folder:
                runs.ingest(Store(str(folder / "store")), [str(log)])
                _move(folder / "store", path)
        return Store(str(path))

    def built_store(self, hands: int) -> Store:
        """A store with events, `playedhand`, `tricks` and the marts."""
        from cardlog.pipelines.sql import marts

        path = self._folder / f"{hands}-built"
        store = Store(str(path))
        done = path / "done"
        if not done.exists():
            # Made where it stays, because the warehouse knows its files by their whole path.
            shutil.rmtree(path, ignore_errors=True)
            shutil.copytree(self.store(hands).root, path, copy_function=os.link)
            runs.build(store, wanted=TABLES)
            marts.build(store)
            done.touch()
        return store

    def decided_store(self, hands: int) -> Store:
        """A store with events and all tables, without the marts."""
        path = self._folder / f"{hands}-decided"
        if not path.exists():
            with self.copy(self.store(hands)) as store:
                runs.build(store)
                _move(Path(store.root), path)
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


def _folder() -> Path:
    """The folder for data made by these sources; a few older ones are kept."""
    base = os.environ.get("CARDLOG_BENCH_DIR")
    root = Path(base) if base else Path(tempfile.gettempdir()) / f"cardlog-bench-{os.getuid()}"
    folder = root / _sources_digest()
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    others = sorted((path for path in root.iterdir() if path.is_dir()), key=lambda path: path.stat().st_mtime)
    for path in others[:-KEPT_FOLDERS]:
        shutil.rmtree(path, ignore_errors=True)
    return folder


def _sources_digest() -> str:
    """A digest of everything that determines the data."""
    digest = hashlib.sha256()
    for package in ("schemas", "models", "pipelines", "dbt_project"):
        for path in sorted((ROOT / package).rglob("*")):
            if path.suffix in (".py", ".sql", ".yml", ".csv") and "target" not in path.parts:
                digest.update(f"{path.relative_to(ROOT)}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]


def _move(made: Path, path: Path) -> None:
    """Move finished data to its final path, unless another process was faster."""
    try:
        made.rename(path)
    except OSError:
        if not path.exists():
            raise
