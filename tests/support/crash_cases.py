"""The commands that write, each with a store that gives it work, and the expected results."""

import random
import shlex
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import pyarrow.parquet as pq
from deltalake import DeltaTable
from deltalake.exceptions import TableNotFoundError

from cardlog import models
from cardlog.pipelines import runs
from cardlog.pipelines.events import folding
from cardlog.pipelines.sql import warehouse
from cardlog.pipelines.storage.store import Store
from tests.support.child import Child
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.stores import ALL, PROJECTIONS, RECORDS, assert_same, copied, data_files, ingest

Seen = tuple[int, int, int]
"""Rows of events, and rows of quarantine and ingests that count."""
Seens = tuple[Seen, dict[str, int], int | None]
"""Everything a reader sees: the tables of record, the rows of each projection, the hands of the marts."""


@dataclass
class Case:
    """A command, the store before it, and the store after an undisturbed run."""

    name: str
    line: str
    before: Path
    after: Store = field(init=False)
    out: bytes = b""
    seconds: float = 0.0
    states: list[Seens] = field(default_factory=list)

    def command(self, folder: Path) -> str:
        """The command line for the copy in a folder."""
        where = {"store": shlex.quote(str(folder / "store")), "out": shlex.quote(str(folder / "out.csv"))}
        return f"cardlog {self.line.format(**where)} "

    def copy(self, folder: Path) -> Store:
        """A copy of the store before the command."""
        return copied(Store(str(self.before)), folder / "store")

    def run(self, folder: Path) -> dict[str, Any]:
        """Run it in a process of its own; returns its report."""
        [result] = Child(str(folder / "store"), self.command(folder)).go().finished()
        return result

    def undisturbed(self, folder: Path) -> "Case":
        """Run the command undisturbed, to record its result and duration."""
        self.after = self.copy(folder)
        self.states = [seen(self.after)]
        began = time.monotonic()
        result = self.run(folder)
        self.seconds = time.monotonic() - began
        assert (result["code"], "Traceback" in result["err"]) == (0, False), result
        self.states.append(seen(self.after))
        if "{out}" in self.line:
            self.out = (folder / "out.csv").read_bytes()
        return self

    def check(self, folder: Path) -> str:
        """Check that a reader sees each part as before or as after the command; returns which."""
        current = seen(Store(str(folder / "store")))
        before, after = self.states
        assert current[0] in (before[0], after[0])
        for name in PROJECTIONS:
            assert current[1][name] in (before[1][name], after[1][name])
        assert current[2] in (before[2], after[2])
        if (folder / "out.csv").exists():
            assert (folder / "out.csv").read_bytes() == self.out
            return "after"
        if self.out or current == before != after:
            return "before"
        return "after" if current == after else "in between"

    def finish(self, folder: Path) -> None:
        """Run the command again; the tables must equal those of the undisturbed run."""
        if not (folder / "out.csv").exists():
            result = self.run(folder)
            assert (result["code"], "Traceback" in result["err"]) == (0, False), result
        if self.out:
            assert (folder / "out.csv").read_bytes() == self.out
        store = Store(str(folder / "store"))
        assert_same(self.after, store, ALL)
        assert seen(store) == self.states[1]


def rows_seen(store: Store, name: str) -> int:
    """The rows of a table as its log has it now, none if there is no table yet."""
    try:
        return sum(pq.read_metadata(path).num_rows for path in data_files(store, name))
    except TableNotFoundError:
        return 0


def records_seen(store: Store) -> Seen:
    """What a reader of the tables of record sees: first `events`, then of the others what counts."""
    try:
        events = DeltaTable(store.uri("events"))
        others = [
            [pq.read_table(path, columns=["ingest_id", "attempt"]) for path in data_files(store, name)]
            for name in RECORDS[1:]
        ]
    except TableNotFoundError:
        return 0, 0, 0
    rows = sum(pq.read_metadata(path.removeprefix("file://")).num_rows for path in events.file_uris())
    counting = [
        sum(
            events.transaction_version(ingest_id) == attempt
            for table in tables
            for ingest_id, attempt in zip(*(table.column(n).to_pylist() for n in (0, 1)), strict=True)
        )
        for tables in others
    ]
    return rows, counting[0], counting[1]


def seen(store: Store) -> Seens:
    return records_seen(store), {name: rows_seen(store, name) for name in PROJECTIONS}, marts_seen(store)


def marts_seen(store: Store) -> int | None:
    path = warehouse.path_of(store)
    if not path.exists():
        return None
    with duckdb.connect(str(path), read_only=True) as connection:
        [(count,)] = connection.execute("select count(*) from hands").fetchall()
    return int(count)


def stores(folder: Path, rows: int) -> dict[str, Path]:
    """Initial stores: a built one, one with unbuilt hands, one with unused files, one of two builds, and one
    with quarantined hands that are now legal."""
    lines = [changed(line, id=str(int(line[:6]) + 20_000 * n)) for n in range(2) for line in dump_lines()]
    first, second = folder / "first.csv", folder / "second.csv"
    first.write_bytes(dump(*lines[:rows], *edge_lines()[:40]))
    second.write_bytes(dump(*lines[rows // 2 : 2 * rows], *edge_lines()))
    found = {name: folder / name for name in ("built", "behind", "wasteful", "piled", "mended")}
    built = Store(str(found["built"]))
    ingest(built, first)
    runs.build(built)
    ingest(behind := copied(built, found["behind"]), second)
    runs.build(copied(built, found["wasteful"]), afresh=True)
    (found["wasteful"] / "events" / "game=kaiser" / "stray.parquet").write_bytes(b"left behind")
    runs.build(copied(behind, found["piled"]))
    with rule_with_a_slip():
        ingest(Store(str(found["mended"])), first)
    return found


@contextmanager
def rule_with_a_slip() -> Iterator[None]:
    """The openings of one dealer are refused."""
    game = models.game("kaiser")
    begin: Callable[[dict[str, Any]], Any] = game.begin

    def strict(detail: dict[str, Any]) -> Any:
        if detail["dealer"] == 2:
            raise ValueError("seat 2 can't deal")
        return begin(detail)

    with (
        mock.patch.object(folding, "_opening", folding._opening.__wrapped__),
        mock.patch.dict(models.GAMES.ours, kaiser=replace(game, begin=strict)),
    ):
        yield


LINES = {
    "ingest": ("built", "ingest {second} --store {{store}}"),
    "build": ("behind", "build --no-marts --store {{store}}"),
    "beam-ingest": ("built", "ingest {second} --store {{store}} -- --runner=DirectRunner"),
    "beam-build": ("behind", "build --no-marts --store {{store}} -- --runner=DirectRunner"),
    "rebuild": ("behind", "rebuild --no-marts --store {{store}}"),
    "export": ("built", "export --game kaiser --format playedhand-csv {{out}} --store {{store}}"),
    "vacuum": ("wasteful", "vacuum --older-than 0 --store {{store}}"),
    "compact": ("piled", "compact --store {{store}}"),
    "retry": ("mended", "quarantine retry --store {{store}}"),
    "dbt": ("built", "build --store {{store}}"),
}
"""Each command, and its initial store."""


class Cases:
    """The cases over stores of some rows, each created on first use."""

    def __init__(self, folder: Path, rows: int) -> None:
        self._folder = folder
        self._stores = stores(folder, rows)
        self._made: dict[str, Case] = {}

    def __getitem__(self, name: str) -> Case:
        if name not in self._made:
            store, line = LINES[name]
            line = line.format(second=shlex.quote(str(self._folder / "second.csv")))
            case = Case(name, line, self._stores[store])
            self._made[name] = case.undisturbed(self._folder / f"{name}-undisturbed")
        return self._made[name]


def kill(case: Case, folder: Path, rng: random.Random) -> str:
    """Kill the command at a random moment, check the store, and run it again; returns how far it had got."""
    case.copy(folder)
    child = Child(str(folder / "store"), case.command(folder)).go()
    child.process.join(rng.uniform(0, case.seconds * 1.1))
    child.kill()
    outcome = case.check(folder)
    case.finish(folder)
    shutil.rmtree(folder)
    return outcome
