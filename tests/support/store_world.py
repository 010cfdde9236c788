"""A store in trouble, and what must hold of it whatever happens."""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from pathlib import Path
from typing import Any, NamedTuple

from cardlog.pipelines import operations, runs
from cardlog.pipelines.derive import derive as building
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.export.export import ExportError
from cardlog.pipelines.ingest.reading import Reading
from cardlog.pipelines.sql import query
from cardlog.pipelines.storage.data_files import named_digest
from cardlog.pipelines.storage.erasures import KEY
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.upkeep import quarantine
from cardlog.pipelines.upkeep.compact import compact
from cardlog.pipelines.upkeep.status import status
from cardlog.pipelines.upkeep.vacuum import vacuum
from cardlog.pipelines.upkeep.verify import verify
from tests.support import disturbed
from tests.support.disturbed import Another, Killed, rule_with_a_slip
from tests.support.exports import export
from tests.support.persons import forget, saying
from tests.support.store_model import FILES, Counts, Digest, Hand, Model, Row, digests, library
from tests.support.stores import PROJECTIONS, ask, check_numbers, copied, one

DAY = 86_400.0
BUILT = ("events", *PROJECTIONS)


class Do(NamedTuple):
    """Something that is done to a store: the name of a method of `World`, and its arguments."""

    name: str
    arguments: tuple[Any, ...] = ()


class Trouble(NamedTuple):
    """What happens meanwhile: the process is ``killed`` at the n-th operation on a file, or the disk is
    ``full`` from there on, or ``another`` process does something."""

    kind: str = ""
    at: int = 0
    other: Do = Do("build")


NONE = Trouble()


def ingest_of(*files: int, replaces: bool = False) -> Do:
    """The ingest of some files."""
    return Do("ingest", (files, replaces))


def then(*deeds: Do) -> list[tuple[Do, Trouble]]:
    """Things done one after the other, undisturbed."""
    return [(deed, NONE) for deed in deeds]


BUILD, COMPACT, RETRY, LOOK, MAKE = map(Do, ("build", "compact", "retry", "look", "make"))


class World:
    """A store, and what it must hold."""

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp())
        self.store = Store(str(self._folder / "store"))
        self.store.create()
        library()  # now: nothing else may be done while there is trouble
        self.model = Model({})
        self._outs = 0

    def close(self) -> None:
        shutil.rmtree(self._folder)

    def copy(self) -> "World":
        """A world to try something in."""
        made = World.__new__(World)
        made._folder, made._outs, made.model = Path(tempfile.mkdtemp()), 0, self.model
        made.store = copied(self.store, made._folder / "store")
        return made

    def does(self, what: Do, trouble: Trouble) -> bool:
        """Do something twice, first in trouble; tells if there was trouble."""
        try:
            troubled = self.do(what, trouble)
            self.do(what)
            assert verify(self.store).problems == []
            return troubled
        finally:
            self.close()

    # ------------------------------------------------------------ operations

    def make(self) -> None:
        """Make another store: until all of it is there, there is none."""
        made = Store(str(self._folder / "made"))
        try:
            made.create()
            assert made.exists
        finally:
            assert not made.exists or verify(made).problems == []

    def ingest(self, files: tuple[int, ...], replaces: bool = False, slip: bool = False) -> Counts | None:
        """Ingest files; with a slip in the rules one hand is refused."""
        paths = [str(library().folder / f"{file}.csv") for file in files]
        how = Reading(dataset=FILES[files[0]][0], replace=replaces)
        with rule_with_a_slip() if slip else nullcontext():
            return _counts(runs.ingest(self.store, paths, how))

    def retry(self) -> Counts | None:
        return _counts(quarantine.retry(self.store))

    def build(self) -> None:
        runs.build(self.store)

    def grow(self, files: tuple[int, ...]) -> None:
        """Another process ingests and builds."""
        self.ingest(files)
        self.build()

    def rebuild(self) -> None:
        runs.build(self.store, afresh=True)

    def analyse(self) -> None:
        operations.analyse(self.store, "kaiser")

    def compact(self) -> None:
        compact(self.store)

    def vacuum(self, days: float) -> None:
        vacuum(self.store, days * DAY, dry_run=False)

    def forget(self, hand: Hand) -> None:
        forget(self.store, hand=library().ids.get(hand, "0" * 32))

    def forget_data_set(self, name: str) -> None:
        forget(self.store, dataset=name)

    def back_up(self) -> None:
        """Copy the tables of record in the order that docs/operations.md says: the copy is a sound store."""
        self._outs += 1
        copy = Store(str(self._folder / f"copy-{self._outs}"))
        for name in ("events", "ingests", "quarantine"):
            for part, left_out in (("_delta_log", ""), ("", "_delta_log")):
                self.store.table(name)  # here something may happen
                source, ignored = Path(self.store.uri(name), part), shutil.ignore_patterns(left_out)
                shutil.copytree(source, Path(copy.uri(name), part), dirs_exist_ok=True, ignore=ignored)
        self.store.table(name)
        for book in Path(self.store.root).glob("eras*"):
            shutil.copy(book, copy.root)
        runs.build(copy)
        assert verify(copy).problems == []
        hands = [set(ask(each, "select distinct hand_id from events")) for each in (copy, self.store)]
        assert hands[0] <= hands[1]

    def clock(self, days: float) -> None:
        """The clock steps: all files are older by some days, or younger."""
        for path in Path(self.store.root).rglob("*"):
            with suppress(FileNotFoundError):
                then = path.stat().st_mtime - days * DAY
                os.utime(path, (then, then))

    def export(self) -> None:
        """An export is there whole or not at all."""
        self._outs += 1
        out = self._folder / f"out-{self._outs}.jsonl"
        try:
            rows = export(self.store, "kaiser", "cardlog-jsonl", out)
            assert rows == len(out.read_bytes().splitlines())
        except ExportError:
            assert not self.model.hands
        except (Exception, Killed):
            assert not out.exists()
            raise

    def look(self) -> None:
        """What is read from several tables is of one moment."""
        store = pinned(self.store)
        told = status(store)
        check_moment(store, tuple(told["erased"][name] for name in ("hands", "events", "entries")))
        assert len({told["tables"][name]["state"] for name in PROJECTIONS}) == 1

    # ------------------------------------------------------------ what comes of them

    def do(self, what: Do, trouble: Trouble = NONE) -> bool:
        """Do something, whatever happens meanwhile, and see what came of it; tells if there was trouble."""
        found, before = list[Any](), self.model
        context, another = self._trouble(trouble)
        try:
            with context:
                found.append(self._call(what))
        except Killed:
            assert trouble.kind == "killed"
        except Exception as error:
            is_full = trouble.kind == "full" and for_user(error)
            # What an ingest compares hands with was erased meanwhile.
            is_erased = trouble.other.name.startswith("forget") and "is missing" in str(error)
            if not (is_full or is_erased):
                raise
        met = bool(another and another.done)
        if found and not met:
            model, counts = after(self.model, what)
            assert found[0] == counts, (found[0], counts)
            candidates = [model]
        elif found:
            first, second = (what, trouble.other), (trouble.other, what)
            candidates = [after(after(self.model, a)[0], b)[0] for a, b in (first, second)]
        elif met:
            candidates = [after(self.model, trouble.other)[0]]
        else:
            candidates = [self.model, after(self.model, what)[0]]
        if self.store.folder.has(KEY):
            assert [problem.place for problem in verify(self.store).problems] == [KEY]
            self._call(what)
            candidates = candidates[1:]
        self.check(candidates)
        troubled = not found or met
        is_forget = what.name.startswith("forget")
        if self.model != before if is_forget else not troubled:  # also of a forget that was cut
            getattr(self, f"_after_{what.name}", lambda *_: None)(*what.arguments)
        return troubled

    def _call(self, what: Do) -> Any:
        return getattr(self, what.name)(*what.arguments)

    def _trouble(self, trouble: Trouble) -> tuple[AbstractContextManager[None], Another | None]:
        if trouble.kind == "another":
            is_vacuum = trouble.other.name == "vacuum"
            another = Another(
                self.store, trouble.at, lambda: self._call(trouble.other), knows_locks=is_vacuum
            )
            return another.here(), another
        failing = {"killed": disturbed.killed, "full": disturbed.full_disk}
        return (failing[trouble.kind](trouble.at).here() if trouble.kind else nullcontext()), None

    def _is_built(self) -> bool:
        versions = {self.store.built_from(name) for name in PROJECTIONS}
        return versions == {self.store.table("events").version()}

    def _after_build(self) -> None:
        assert self._is_built()
        assert not building.plan(self.store, PROJECTIONS, afresh=False).since  # nothing is left to be done

    _after_rebuild = _after_build

    def _after_compact(self) -> None:
        assert len(self.store.paths("events")) <= 1
        for name in ("quarantine", "ingests", *(["events"] if self._is_built() else [])):
            *past, _ = sorted(self._entries(name))  # nobody needs them, but young ones need those before them
            assert not past or any(path.stat().st_mtime > time.time() - 30 * DAY for path in past)

    def _entries(self, name: str) -> Iterator[Path]:
        """The entries of the log of a table, or of all of them."""
        return Path(self.store.root).glob(f"{name}/_delta_log/*[0-9].json")

    def _after_vacuum(self, days: float) -> None:
        if days == 0:
            needed = {f"events/{path}" for path in pinned(self.store, as_built=True).paths("events")}
            needed |= {f"{name}/{path}" for name in TABLES for path in self.store.paths(name)}
            files = {f"{name}/{path}" for name in TABLES for path in self.store.files_in(name)}
            assert needed <= files
            unused = {path for path in files - needed if not self._is_kept(path)}
            assert all(Path(self.store.root, path).stat().st_mtime > time.time() for path in unused)

    def _is_kept(self, path: str) -> bool:
        """Whether a version that the projections were built from has a file."""
        name, _, file = path.partition("/")
        versions = {self.store.built_from(name) for name in PROJECTIONS} - {None}
        return name == "events" and any(file in self.store.paths(name, version) for version in versions)

    def _after_forget(self, hand: Hand) -> None:
        assert saying(self.store.root, (library().ids[hand],)) == set()

    def _after_forget_data_set(self, name: str) -> None:
        gone = tuple(hand_id for hand, hand_id in library().ids.items() if hand[0] == name)
        assert saying(self.store.root, gone) == set()

    # ------------------------------------------------------------ what must hold

    def check(self, candidates: list[Model]) -> None:
        """The tables of record are those of one of the models; the projections are what was built at once
        from the events that they were built from; every file is what its name says; and no commit removes
        and adds the same file, which Delta forbids: readers may lose it."""
        found = self._found()
        expected = [self._expected(model) for model in candidates]
        assert found in expected, (found, expected)
        self.model = candidates[expected.index(found)]
        built = pinned(self.store, as_built=True)
        files = {name: [f"{built.uri(name)}/{path}" for path in built.paths(name)] for name in BUILT}
        tables = digests(built, BUILT, files)
        _compare(tables, {hand: library().entries[digest] for hand, digest in tables["events"].items()})
        for path in Path(self.store.root).rglob("*.parquet"):
            if digest := named_digest(path.name):
                assert hashlib.sha256(path.read_bytes()).hexdigest().startswith(digest)
        for entry in self._entries("*"):
            actions = map(json.loads, entry.read_text().splitlines())
            paths = [one[what]["path"] for one in actions for what in ("add", "remove") if what in one]
            assert len(paths) == len(set(paths)), entry
        check_numbers(self.store)

    def _found(self) -> Any:
        events = digests(self.store, ("events",))["events"]
        entries = ask(self.store, "select dataset, coalesce(hand_id, '') from quarantine order by all")
        ingests = one(self.store, "select count(*) from ingests")
        return {hand: library().entries.get(digest) for hand, digest in events.items()}, ingests, entries

    def _expected(self, model: Model) -> Any:
        ids = library().ids
        hands = {ids[hand]: row for hand, row in model.hands.items()}
        entries = ((name, "" if number is None else ids[name, number]) for name, number, _ in model.entries)
        return hands, model.ingests, sorted(entries)

    def finish(self) -> None:
        """Bring all up to date, and look at everything."""
        for what in (Do("build"), Do("analyse"), Do("look")):
            self.do(what)
        assert verify(self.store).problems == []
        rows = {library().ids[hand]: row for hand, row in self.model.hands.items()}
        _compare(digests(self.store, ("analysis", "pars")), rows)


def _compare(tables: dict[str, dict[str, Digest]], rows: dict[str, Row]) -> None:
    """The tables have what their hands' rows of a file came to alone."""
    for name, found in tables.items():
        of_hands = {hand: library().rows[row][name] for hand, row in rows.items()}
        assert found == {hand: digest for hand, digest in of_hands.items() if digest}, name


TABLES = ("quarantine", "ingests", *BUILT, "analysis", "pars")
BOOKS = """
    select
        (select coalesce(sum(hands_stored), 0) from ingests), (select count(distinct hand_id) from events),
        (select coalesce(sum(events_stored), 0) from ingests), (select count(*) from events),
        (select coalesce(sum(quarantined), 0) from ingests), (select count(*) from quarantine),
        (select count(*) from playedhand), (select count(distinct hand_id) from seats),
        (select count(*) from playedhand where hand_id not in (select hand_id from events))
"""


def check_moment(store: Store, erased: tuple[int, ...]) -> int:
    """What is read of several tables agrees, but for hands, events and entries that were erased. Gives how
    many hands there are."""
    [found] = query.connect(store).execute(BOOKS).fetchall()
    stored, hands, events_stored, events, quarantined, kept, played, seated, strange = found
    assert (stored - hands, events_stored - events, quarantined - kept) == erased
    assert (played, strange) == (seated, 0)
    return int(hands)


def _counts(found: runs.Ingested) -> Counts | None:
    assert found.counts.balanced
    return Counts(*(getattr(found, name) for name in Counts._fields)) if found.ingest_id else None


def after(model: Model, what: Do) -> tuple[Model, Counts | None]:
    """The model after something was done."""
    changes: dict[str, Callable[..., tuple[Model, Counts | None]]] = {
        "grow": lambda files: (model.ingested(files)[0], None),
        "ingest": model.ingested,
        "retry": model.retried,
        "forget": lambda hand: (model.without(hand), None),
        "forget_data_set": lambda name: (model.without_data_set(name), None),
    }
    return changes.get(what.name, lambda *_: (model, None))(*what.arguments)
