"""Runs that are cut: whatever is done again gives the tables of a run that was not."""

from pathlib import Path

import pytest

from cardlog.pipelines import runs
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep.vacuum import vacuum
from tests.support.child import BUILDS, KILLED, Child, step_of
from tests.support.crash_cases import Seen, records_seen, rows_seen
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.stores import ALL, PROJECTIONS, RECORDS, ask, assert_same, ingest

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("own_temporary_folder")]


class Work:
    """Some steps, and what the tables are after each of them if nobody interferes."""

    def __init__(self, folder: Path, rows: int) -> None:
        lines = [changed(line, id=str(int(line[:6]) + 20_000 * n)) for n in range(2) for line in dump_lines()]
        otherwise = [changed(line, player_0_ai="t", player_1_ai="t") for line in lines[:20]]
        self.files = [folder / "first.csv", folder / "second.csv"]
        self.files[0].write_bytes(dump(*lines[:rows], *edge_lines(), *lines[:30]))
        self.files[1].write_bytes(dump(*lines[rows // 2 : rows + rows // 2], *otherwise, *edge_lines()[:40]))
        self.steps = [step_of(self.files[0]), "build", step_of(self.files[1]), "build"]
        self.store = Store(str(folder / "undisturbed"))
        self.records: set[Seen] = {(0, 0, 0)}
        self.projections: dict[str, set[int]] = {name: {0} for name in PROJECTIONS}
        for step in self.steps:
            do(self.store, step)
            self.records.add(records_seen(self.store))
            for name in PROJECTIONS:
                self.projections[name].add(rows_seen(self.store, name))
        assert len(self.records) == len(self.projections["tricks"]) == 3

    def check(self, store: Store) -> None:
        """What a reader sees now is one of the states there may be, and no part of one."""
        assert records_seen(store) in self.records
        for name in PROJECTIONS:
            assert rows_seen(store, name) in self.projections[name]

    def finish(self, store: Store) -> None:
        """Do all steps again, and compare every row."""
        for step in self.steps:
            do(store, step)
        assert_same(self.store, store, ALL)
        vacuum(store, 0, dry_run=False)
        assert_same(self.store, store, ALL)


def do(store: Store, step: str) -> None:
    if step in BUILDS:
        runs.build(store, afresh=step == "rebuild")
    else:
        ingest(store, *step.split("|"))


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Work:
    return Work(tmp_path_factory.mktemp("work"), 60)


STEPS = ("first ingest", "first build", "second ingest", "second build")
COMMITS = [
    f"{table} of {step}"
    for step in STEPS
    for table in (("quarantine", "ingests", "events") if "ingest" in step else PROJECTIONS)
]
SHORT = (2, 10)
"""The moments of the short form: where a step is begun but not done. `test_cut_again_and_again` comes by
most of the others."""


@pytest.mark.parametrize(
    "commit",
    [n if n in SHORT else pytest.param(n, marks=pytest.mark.soak) for n in range(len(COMMITS))],
    ids=lambda n: f"before {COMMITS[n]}",
)
def test_cut_before_a_commit_and_done_again(commit: int, work: Work, store: Store) -> None:
    child = Child(store.root, *work.steps, commit=commit).go()
    assert len(child.results()) == STEPS.index(COMMITS[commit].split(" of ")[1])
    assert child.process.exitcode == KILLED
    work.check(store)
    versions = [store.table(name).version() for name in (*RECORDS[1:], "events", *PROJECTIONS)]
    assert sum(versions) == commit
    work.finish(store)
    # What was committed before the cut was taken up, not done again.
    versions = [store.table(name).version() for name in (*RECORDS[1:], "events", *PROJECTIONS)]
    assert versions == [2] * len(RECORDS + PROJECTIONS)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    """A file that has hands in common with the first one, some of them otherwise."""
    lines = dump_lines()
    path = tmp_path / "other.csv"
    path.write_bytes(
        dump(*lines[50:80], *(changed(line, player_0_ai="t", player_1_ai="t") for line in lines[:10]))
    )
    return path


@pytest.mark.parametrize("commit", [1, 2], ids=lambda n: f"before {COMMITS[n]}")
def test_another_ingest_between_a_cut_and_the_next_try(
    commit: int, work: Work, store: Store, other: Path, tmp_path: Path
) -> None:
    """What the cut run left in quarantine and ingests is of an attempt that never counts."""
    assert Child(store.root, *work.steps, commit=commit).go().results() == []
    left = rows_seen(store, "quarantine")
    assert left > 0
    assert records_seen(store) == (0, 0, 0)
    ingest(store, other)
    result = ingest(store, work.files[0])
    undisturbed = Store(str(tmp_path / "undisturbed"))
    ingest(undisturbed, other)
    expected = ingest(undisturbed, work.files[0])
    assert result.counts == expected.counts
    assert_same(undisturbed, store, RECORDS)
    assert rows_seen(store, "quarantine") == left + rows_seen(undisturbed, "quarantine")
    assert rows_seen(store, "ingests") == (commit == 2) + rows_seen(undisturbed, "ingests")
    for each in (store, undisturbed):
        runs.build(each)
    assert_same(undisturbed, store, ALL)


def test_a_cut_run_that_is_never_done_again(work: Work, store: Store, other: Path, tmp_path: Path) -> None:
    """Its rows count for nothing, however many ingests follow."""
    assert Child(store.root, *work.steps, commit=2).go().results() == []
    undisturbed = Store(str(tmp_path / "undisturbed"))
    for each in (store, undisturbed):
        ingest(each, other)
        ingest(each, work.files[1])
        runs.build(each)
    assert_same(undisturbed, store, ALL)
    assert ask(store, f"from ingests where source_path = '{work.files[0]}'") == []
    assert rows_seen(store, "ingests") == 3


def test_files_in_another_order_after_a_cut_are_another_ingest(tmp_path: Path, store: Store) -> None:
    """Which of two versions of a hand is stored depends on the order of the files, so a cut run can't
    be taken up in another order."""
    line = dump_lines()[0]
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for path, row in zip(files, (line, changed(line, player_0_ai="t")), strict=True):
        path.write_bytes(dump(row))
    assert Child(store.root, step_of(*files), commit=2).go().results() == []
    assert rows_seen(store, "quarantine") == 1
    ingest(store, *reversed(files))
    assert ask(store, "select source_path from quarantine") == [(str(files[0]),)]
    assert ask(store, "select source_path from ingests where hands_stored = 1") == [(str(files[1]),)]


def test_cut_again_and_again(work: Work, store: Store) -> None:
    """Each try takes up what the one before has committed, and comes some commits further."""
    for commit, steps_done in ((1, 0), (1, 0), (1, 1), (2, 1), (4, 2), (1, 2), (0, 2), (2, 3)):
        child = Child(store.root, *work.steps, commit=commit).go()
        assert len(child.results()) == steps_done
        assert child.process.exitcode == KILLED
        work.check(store)
    work.finish(store)
