"""Commands in processes of their own: killed at any moment, several at once.
What they do to the tables at each of their steps is `test_store_machine`'s."""

import os
import random
import shutil
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.erasures import KEY
from cardlog.pipelines.storage.store import SCHEMAS, Store
from cardlog.pipelines.upkeep.vacuum import vacuum
from cardlog.pipelines.upkeep.verify import verify
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.disturbed import rule_with_a_slip
from tests.support.figures import report
from tests.support.forked import CLI, Forked, python
from tests.support.soak import soak
from tests.support.store_world import check_moment
from tests.support.stores import (
    ALL,
    ask,
    assert_same,
    built,
    check_books,
    check_numbers,
    copied,
    differences,
    ingest,
    one,
    stored,
)

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("own_temporary_folder")]

KILLS = int(os.environ.get("CARDLOG_SOAK_KILLS", "200"))
"""Of all commands together, in the long form."""
SECONDS = float(os.environ.get("CARDLOG_SOAK_SECONDS", "600"))
"""How long writers go on in the long form."""
VACUUM_SECONDS = 300.0
"""What is younger than that may belong to a writer that is still going."""
BEAM = "-- --runner=DirectRunner"
COMMANDS = {
    "build": "build --no-marts --store {store}",
    "ingest": "ingest {new} --store {store}",
    "export": "export --game kaiser --format playedhand-csv {out} --store {store}",
    "vacuum": "vacuum --older-than 0 --store {store}",
    "compact": "compact --store {store}",
    "retry": "quarantine retry --store {store}",
    "forget": "forget --yes --dataset other --store {store}",
    "rebuild": "rebuild --no-marts --store {store}",
    "beam-ingest": f"ingest {{new}} --store {{store}} {BEAM}",
    "beam-build": f"build --no-marts --store {{store}} {BEAM}",
    "dbt": "build --store {store}",
}


class Commands:
    """A store that gives every command something to do, and what it is after each of them."""

    def __init__(self, folder: Path, rows: int) -> None:
        lines = [changed(line, id=str(int(line[:6]) + 20_000 * n)) for n in range(2) for line in dump_lines()]
        self.before = Store(str(folder / "store"))
        built(self.before, folder, dump(*lines[:rows], *edge_lines()), "a.csv")
        built(self.before, folder, dump(*lines[:rows]), "b.csv", dataset="other")
        with rule_with_a_slip():
            stored(self.before, folder, dump(*lines[rows : 2 * rows]), "c.csv")
        stray = Path(self.before.uri("events"), "game=kaiser", "stray.parquet")
        stray.write_bytes(b"left behind")
        self.new = folder / "d.csv"
        self.new.write_bytes(dump(*lines[rows // 2 : 3 * rows]))
        self._folder = folder
        self._after: dict[str, tuple[Store, float]] = {}

    def line(self, name: str, store: Store) -> list[str]:
        """The command line for a copy of the store."""
        words = {"new": self.new, "store": store.root, "out": Path(store.root).with_name("out.csv")}
        return [word.format(**words) for word in COMMANDS[name].split()]

    def run(self, name: str, store: Store) -> None:
        """Run a command, which must succeed."""
        done = python(CLI, *self.line(name, store), cwd=self._folder)
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), done.stderr

    def after(self, name: str) -> tuple[Store, float]:
        """The store after an undisturbed command, and the seconds that this took."""
        if name not in self._after:
            store = copied(self.before, self._folder / name / "store")
            began = time.monotonic()
            self.run(name, store)
            self._after[name] = store, time.monotonic() - began
        return self._after[name]

    def check(self, name: str, store: Store) -> str:
        """Every table is as before or as after the command, which does the rest when it is run again; tells
        how far it had come."""
        after, _ = self.after(name)
        both = (self.before, after)
        fits = {table: [not differences(each, store, [table]) for each in both] for table in ALL}
        assert all(map(any, fits.values())), fits
        problems = {problem.place for problem in verify(store).problems}
        assert problems <= ({KEY} if name == "forget" else set())
        out, expected = (Path(each.root).with_name("out.csv") for each in (store, after))
        if not out.exists():
            self.run(name, store)
        assert out.exists() == expected.exists()
        assert not out.exists() or out.read_bytes() == expected.read_bytes()
        assert_same(after, store)
        if name == "dbt":
            sql = "select count(*) from hands"
            assert query.connect(store).run(sql).fetchall() == query.connect(after).run(sql).fetchall()
        came = ["after" if is_after else "before" for is_before, is_after in fits.values() if not is_before]
        return "before" if not came else "after" if all(fits[table][1] for table in ALL) else "in between"


def kill(commands: Commands, name: str, folder: Path, rng: random.Random) -> str:
    """Kill a command at a random moment."""
    store = copied(commands.before, folder / "store")
    child = Forked(CLI, *commands.line(name, store), cwd=folder)
    child.process.join(rng.uniform(0, commands.after(name)[1] * 1.1))
    child.kill()
    came = commands.check(name, store)
    shutil.rmtree(folder)
    return came


@pytest.mark.parametrize(("rows", "kills"), [(30, 1), *soak((5_000, KILLS))])
def test_killed_and_done_again(rows: int, kills: int, tmp_path: Path) -> None:
    names = ([*COMMANDS] * (kills // len(COMMANDS) + 1))[:kills]
    commands, rng = Commands(tmp_path, rows), random.Random(1)
    came = Counter(kill(commands, name, tmp_path / str(n), rng) for n, name in enumerate(names))
    if kills > 1:
        report(
            f"kills: {kills} at random moments of {', '.join(COMMANDS)}: {came['before']} left the store as "
            f"before, {came['in between']} between two commits, {came['after']} as after; 0 half visible, "
            "all done again with the tables of an undisturbed run"
        )


# ---------------------------------------------------------------- several at once


def test_a_table_is_made_once(tmp_path: Path) -> None:
    """However many make it at the same moment: made twice, it would seem to hold something already."""
    for number in range(5):
        stores = [Store(str(tmp_path / str(number))) for _ in range(6)]
        start = Barrier(len(stores))
        with ThreadPoolExecutor(len(stores)) as pool:
            list(pool.map(lambda store, start=start: (start.wait(), store.create()), stores))
        assert {name: stores[0].table(name).version() for name in SCHEMAS} == dict.fromkeys(SCHEMAS, 0)


def slices(folder: Path, count: int, rows: int, overlap: int) -> list[Path]:
    """So many files of so many rows, each with some rows of the next and some damaged ones."""
    rng, paths = random.Random(0), [folder / f"{number}.csv" for number in range(count)]
    for number, path in enumerate(paths):
        start = number * (rows - overlap)
        mine = [*dump_lines()[start : start + rows], *edge_lines()[number::count]]
        path.write_bytes(dump(*rng.sample(mine, len(mine))))
    return paths


def write_for(store: Store, paths: list[Path], writers: int, seconds: float) -> Counter[str]:
    """Let so many processes ingest and build one thing after the other, reading and vacuuming meanwhile.
    What was done how often."""
    rng, done = random.Random(1), Counter[str]()
    store.create()
    fresh, children = list(paths), list[Forked]()
    end, vacuumed, hands = time.monotonic() + seconds, time.monotonic(), 0
    while children or time.monotonic() < end:
        for child in [child for child in children if not child.process.is_alive()]:
            assert child.ended().returncode == 0
            done["steps"] += 1
            children.remove(child)
        while len(children) < writers and time.monotonic() < end:
            line = [rng.choice(("build", "build", "rebuild")), "--no-marts"]
            if rng.random() < 0.5:
                line = ["ingest", str(fresh.pop() if fresh else rng.choice(paths)), str(rng.choice(paths))]
            children.append(Forked(CLI, *line, "--store", store.root, cwd=paths[0].parent))
        before, hands = hands, check_moment(store, (0, 0, 0))
        assert before <= hands
        done["looks"] += 1
        if time.monotonic() > vacuumed + min(seconds / 10, 30):
            done["removed"] += len(vacuum(store, VACUUM_SECONDS, dry_run=False))
            done["vacuums"] += 1
            vacuumed = time.monotonic()
    for path in fresh:
        ingest(store, path)
    return done + Counter({"hands": hands})


@pytest.mark.parametrize(
    ("files", "writers", "seconds"), [((6, 60, 20), 3, 2.0), *soak(((190, 150, 50), 8, SECONDS))]
)
def test_writers_readers_and_a_vacuum(
    files: tuple[int, int, int], writers: int, seconds: float, store: Store, tmp_path: Path
) -> None:
    """The tables hold what one process makes of the same files; no source and no bad row is there twice."""
    paths = slices(tmp_path, *files)
    done = write_for(store, paths, writers, seconds)
    assert min(done["steps"], done["looks"], done["vacuums"]) > 0
    assert ask(store, "select source_id from ingests group by source_id having count(*) > 1") == []
    runs.build(store)
    check_books(store)
    check_numbers(store)
    alone = Store(str(tmp_path / "alone"))
    ingest(alone, *paths)
    assert one(store, "select count(*) from quarantine") == one(alone, "select count(*) from quarantine")
    runs.build(alone)
    assert_same(alone, store, ["events", "playedhand"], without=("source_id", "source_line"))
    assert_same(alone, store, ["tricks", "decisions"])
    report(
        f"writers: {writers} at once for {seconds:,.0f} s: {dict(done)}; the tables are those of one writer"
    )
