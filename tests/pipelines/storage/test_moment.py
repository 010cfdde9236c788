"""One moment: whatever is asked of several tables while others commit is answered from one state."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

from cardlog.pipelines import runs
from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.sql import process, query
from cardlog.pipelines.storage import ledger, moment
from cardlog.pipelines.storage.opening import entry_of
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.status import status
from tests.support.child import Child, step_of
from tests.support.csv_rows import changed, dump, dump_lines, edge_lines
from tests.support.exports import export
from tests.support.files import content
from tests.support.soak import soak
from tests.support.stores import PROJECTIONS, assert_same, copied, ingest_text

pytestmark = pytest.mark.long

STEPS = 4
TABLES = ("quarantine", "ingests", "events", *PROJECTIONS)
"""In the order in which an ingest and the build after it commit them."""

BOOKS = """
    select
        (select coalesce(sum(hands_stored), 0) from ingests),
        (select count(distinct hand_id) from events),
        (select coalesce(sum(events_stored), 0) from ingests),
        (select count(*) from events),
        (select coalesce(sum(quarantined), 0) from ingests),
        (select count(*) from quarantine),
        (select count(*) from playedhand),
        (select count(distinct hand_id) from tricks),
        (select count(distinct hand_id) from decisions),
        (select count(*) from playedhand where hand_id not in (select hand_id from events))
"""

NAMED = ("ingests", "events", "quarantine", "playedhand", "tricks", "decisions")
"""The tables in it."""
MOST_ROUNDS = 1_000


def check(found: tuple[int, ...]) -> None:
    """What `BOOKS` gives is right: nothing is counted in one table and missing in another."""
    stored, hands, events_stored, events, quarantined, kept, played, trick_hands, decided, strange = found
    assert (stored, events_stored, quarantined) == (hands, events, kept)
    assert played == trick_hands == decided <= hands
    assert strange == 0


def fill(store: Store, folder: Path) -> None:
    """Some ingests, each with whole and damaged rows and none that breaks off, and a build after each."""
    whole, bad = dump_lines(), edge_lines()[-STEPS:]
    for step in range(STEPS):
        rows = [*whole[5 * step : 5 * step + 5], bad[step]]
        ingest_text(store, folder, dump(*rows), f"{step}.csv")
        runs.build(store)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The store after all steps. Not to be changed."""
    folder = tmp_path_factory.mktemp("done")
    store = Store(str(folder / "store"))
    fill(store, folder)
    return store


class Growing:
    """A copy of a store in which the commits come anew, one by one, as other processes made them."""

    def __init__(self, done: Store, folder: Path) -> None:
        self.store = copied(done, folder)
        self._aside = folder.parent / f"{folder.name}-commits"
        self.coming: list[tuple[str, str]] = []
        for name in TABLES:
            (self._aside / name).mkdir(parents=True)
        for version in range(1, STEPS + 1):
            for name in TABLES:
                log = f"{version:020d}.json"
                (folder / name / "_delta_log" / log).rename(self._aside / name / log)
                self.coming.append((name, log))

    def commit(self, count: int) -> None:
        """Let some commits come."""
        for name, log in self.coming[:count]:
            (self._aside / name / log).rename(Path(self.store.root) / name / "_delta_log" / log)
        del self.coming[:count]


@pytest.fixture
def growing(done: Store, tmp_path: Path) -> Growing:
    return Growing(done, tmp_path / "growing")


def commit_between(growing: Growing, rng: random.Random, monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, before a table is opened, some commits come, or none."""
    table = Store.table

    def late(self: Store, name: str, version: int | None = None) -> DeltaTable:
        growing.commit(rng.choice((0, 0, 0, 0, 0, 0, 1, 2)))
        return table(self, name, version)

    monkeypatch.setattr(Store, "table", late)


ASKED: dict[str, Callable[[Store], Any]] = {
    "query": lambda store: check(query.connect(store).execute(BOOKS).fetchall()[0]),
    "query of some tables": lambda store: check(query.connect(store, NAMED).execute(BOOKS).fetchall()[0]),
    "status": lambda store: check_status(status(store)),
    "quarantine": lambda store: check_quarantine(store),
    "ledger": lambda store: check_ledger(store),
}


def check_status(found: dict[str, Any]) -> None:
    tables, hands = found["tables"], found["hands"]
    assert hands["events_stored"] == tables["events"]["rows"]
    built = [tables[name] for name in PROJECTIONS]
    assert len({table["version"] for table in built}) == 1
    assert len({table["state"] for table in built}) == 1
    assert tables["tricks"]["rows"] == 8 * tables["playedhand"]["rows"]
    up_to_date = hands["hands_stored"] == tables["playedhand"]["rows"]
    assert (built[0]["state"] == "up to date") is (up_to_date and built[0]["version"] > 0)


def check_quarantine(store: Store) -> None:
    store = moment.pinned(store)
    hands = sum(row["hands"] for row in quarantine.counts(store))
    assert hands == len(quarantine.entries(store, None, 1000))
    assert hands == sum(ledger.valid_ingests(store).column("quarantined").to_pylist())


def check_ledger(store: Store) -> None:
    table = ledger.valid_ingests(store)
    assert set(table.column("hands_read").to_pylist()) <= {6}


@pytest.mark.parametrize("asked", ASKED)
def test_commits_in_between_are_not_seen_in_part(
    asked: str, growing: Growing, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commits come before any of the tables is opened, a few at a time; what is read agrees each time."""
    rng = random.Random(asked)
    ASKED[asked](growing.store)
    commit_between(growing, rng, monkeypatch)
    rounds = 0
    while growing.coming:
        ASKED[asked](growing.store)
        rounds += 1
        assert rounds < MOST_ROUNDS, "no table is opened in this process"
    ASKED[asked](growing.store)
    assert rounds > 1


def test_a_moment_names_the_last_whole_build(growing: Growing) -> None:
    """Between the commits of a build the one before counts; never a projection newer than the events."""
    place = {name: number for number, name in enumerate(TABLES)}
    tables = len(TABLES)
    for commits in range(tables * STEPS + 1):
        found = moment.take(growing.store)
        events = (commits + tables - 3) // tables
        built = commits // tables
        assert found.versions["events"] == events
        assert [found.versions[name] for name in TABLES[3:]] == [built] * len(PROJECTIONS)
        assert found.built_from == (built or None)
        assert found.is_built is (built == events > 0)
        for name in ("quarantine", "ingests"):
            assert found.versions[name] == (commits + tables - 1 - place[name]) // tables
        as_built = moment.take(growing.store, as_built=True)
        assert (as_built.versions["events"], as_built.built_from) == (built, built or None)
        growing.commit(1)


def test_only_what_is_wanted_is_opened_and_made_to_agree(growing: Growing) -> None:
    growing.commit(len(TABLES) + 4)  # of the second build, only playedhand is there
    assert moment.take(growing.store, ["playedhand", "tricks"]).versions == {
        "events": 2, "playedhand": 1, "tricks": 1
    }  # fmt: skip
    assert moment.take(growing.store, ["playedhand"]).versions == {"events": 2, "playedhand": 2}
    assert set(moment.take(growing.store, ["quarantine"]).versions) == {"events", "quarantine", "ingests"}


def test_a_build_that_was_cut_so_long_ago_that_the_one_before_is_unknown_is_to_be_done_again(
    growing: Growing,
) -> None:
    growing.commit(len(TABLES) + 4)
    DeltaTable(growing.store.uri("playedhand")).create_checkpoint()
    for version in (0, 1):
        Path(growing.store.uri("playedhand"), entry_of(version)).unlink()
    with pytest.raises(StoreError, match=r"are of different builds, .*'cardlog build' brings them together"):
        moment.take(growing.store)


def test_a_pinned_store_stays_what_it_was(growing: Growing) -> None:
    growing.commit(len(TABLES))
    then = moment.pinned(growing.store)
    before = {name: (then.rows(name), then.paths(name)) for name in SCHEMAS}, then.attempts(), status(then)
    growing.commit(100)
    assert before == (
        {name: (then.rows(name), then.paths(name)) for name in SCHEMAS}, then.attempts(), status(then)
    )  # fmt: skip
    assert moment.pinned(then) is then
    assert growing.store.rows("playedhand") > then.rows("playedhand") > 0


@pytest.mark.parametrize("form", ["playedhand-csv", "cardlog-jsonl", "parquet"])
def test_an_export_is_of_one_moment(
    form: str, growing: Growing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Commits that come while it runs change no byte of it."""
    growing.commit(2 * len(TABLES))
    export(growing.store, "kaiser", form, tmp_path / "quiet")
    rest = len(growing.coming)
    commit_late(growing, monkeypatch)
    export(growing.store, "kaiser", form, tmp_path / "busy")
    assert len(growing.coming) < rest
    assert content(tmp_path / "busy") == content(tmp_path / "quiet")


def commit_late(growing: Growing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A commit comes whenever a data file or table is opened, once the moment is taken."""
    take = moment.take
    opened = {name: getattr(Store, name) for name in ("open", "table")}

    def taken(*arguments: Any, **named: Any) -> moment.Moment:
        found = take(*arguments, **named)
        for name, real in opened.items():
            monkeypatch.setattr(Store, name, noisy(real))
        return found

    def noisy(real: Callable[..., Any]) -> Callable[..., Any]:
        def late(*arguments: Any, **named: Any) -> Any:
            growing.commit(2)
            return real(*arguments, **named)

        return late

    monkeypatch.setattr(moment, "take", taken)


def test_a_build_planned_while_another_commits_adds_no_row_twice(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process ingests and builds, twice, between the two looks of a plan, at projections and at
    events."""
    ingest_text(store, tmp_path, dump(*dump_lines()[:3]), "a.csv")
    runs.build(store)
    table = Store.table
    opened = []

    def late(self: Store, name: str, version: int | None = None) -> DeltaTable:
        found = table(self, name, version)
        opened.append(name)
        if len(opened) == 1:
            monkeypatch.setattr(Store, "table", table)
            for name, rows in (("b.csv", dump_lines()[3:5]), ("c.csv", dump_lines()[5:6])):
                ingest_text(store, tmp_path, dump(*rows), name)
                runs.build(store)
        return found

    monkeypatch.setattr(Store, "table", late)
    plan = building.plan(store, building.ALL, afresh=False)
    parts = [part for item in plan.items for part in building.build_item(store.root, item, None)]
    building.commit(plan, parts)
    runs.build(store)
    other = Store(str(tmp_path / "other"))
    for name in ("a.csv", "b.csv", "c.csv"):
        runs.ingest(other, [str(tmp_path / name)])
    runs.build(other)
    assert_same(other, store)


def loop_of_commits(store: Store, folder: Path, ingests: int) -> tuple[int, int]:
    """Ask while another process ingests and builds; how often was asked, and how many states were seen."""
    steps = []
    for number in range(ingests):
        path = folder / f"loop-{number}.csv"
        whole = dump_lines()[3 * number : 3 * number + 3]
        rows = [*whole, changed(dump_lines()[-1 - number], dealer="4")]
        path.write_bytes(dump(*rows))
        steps += [step_of(path), "build"]
    store.create()
    process.ask(store, BOOKS)  # the first one takes longest
    child = Child(store.root, *steps).go()
    seen = set()
    rounds = 0
    while not child.ended:
        found = process.ask(store, BOOKS).fetchall()[0]
        check(found)
        check_quarantine(store)
        now = status(store)
        assert now["hands"]["events_stored"] == now["tables"]["events"]["rows"]
        seen.add(found)
        rounds += 1
    child.finished()
    check(process.ask(store, BOOKS).fetchall()[0])
    return rounds, len(seen)


@pytest.mark.parametrize(("ingests", "least"), [(8, (1, 1)), *soak((300, (300, 100)))])
def test_every_query_during_a_loop_of_commits_sees_totals_that_agree(
    ingests: int, least: tuple[int, int], store: Store, tmp_path: Path
) -> None:
    rounds, states = loop_of_commits(store, tmp_path, ingests)
    assert rounds > least[0]
    assert states > least[1]
