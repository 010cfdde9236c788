"""Verify a store: every data file against the digest in its name, the logs against the files, the tables
against each other, and the events against the rules. Nothing is changed, and at most a piece of a file is in
memory.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, Final

import duckdb

from cardlog import models
from cardlog.pipelines.events.folding import NotLegal, check_legal, fold_batch
from cardlog.pipelines.runtime import scratch
from cardlog.pipelines.sql import dbt_run, query, warehouse
from cardlog.pipelines.sql.held_back import failures_in
from cardlog.pipelines.sql.tables import STORE, literal, quoted
from cardlog.pipelines.storage import opening
from cardlog.pipelines.storage.data_files import named_digest
from cardlog.pipelines.storage.erasures import BOOK, KEY, TOMBSTONES, book_problem, erased, tombstones
from cardlog.pipelines.storage.errors import MEND_AHEAD, first_line, mend_file, mend_log
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.ledger import COUNTS, Counts, valid_ingests
from cardlog.pipelines.storage.lock import at_work
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.resolutions import RESOLVED, resolutions
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError, game_of
from cardlog.pipelines.upkeep.left_out import missing
from cardlog.schemas.tables import PROJECTIONS

REBUILD: Final = mend_file("playedhand")
RESTORE: Final = "restore it from a backup"
_MEND_MARTS: Final = "remove it, and 'cardlog build' makes it from the tables"
EXAMPLES: Final = 3
"""How many hands a problem names."""


@dataclass(frozen=True)
class Problem:
    """Something that is wrong.

    place
        The file, table or database.
    what, advice
        What is wrong with it, and what to do.
    """

    place: str
    what: str
    advice: str


@dataclass
class Report:
    """The result of a verification.

    files, bytes
        The data files that were digested.
    orphans, orphan_bytes
        Files that no table refers to. They are no problem: those of a current run are not committed yet, and
        `cardlog vacuum` removes the others.
    """

    files: int = 0
    bytes: int = 0
    orphans: int = 0
    orphan_bytes: int = 0
    problems: list[Problem] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "clean": not self.problems,
            "files": self.files,
            "bytes": self.bytes,
            "orphans": {"files": self.orphans, "bytes": self.orphan_bytes},
            "problems": [vars(problem) for problem in self.problems],
        }


def verify(store: Store) -> Report:
    """Check everything in a store, once no forget is at work in it; reads every byte of its data files, and
    the tables' logs again."""
    opening.forget_opened()
    with at_work(store):
        return _verified(store)


def _verified(store: Store) -> Report:
    report = Report()
    problems = {name: list(_table_problems(store, name, report)) for name in SCHEMAS}
    report.problems += chain.from_iterable(problems.values())
    report.problems += _contradictions(store, {name for name in SCHEMAS if not problems[name]})
    report.problems += _warehouse_problems(store)
    if not problems["events"]:
        report.problems += _erasure_problems(store)
    if not report.problems:
        report.problems += _failed_data_tests(store)
    return report


# ---------------------------------------------------------------- a table by itself


def _table_problems(store: Store, name: str, report: Report) -> Iterator[Problem]:
    """What is wrong with the log and the data files of a table."""
    try:
        bytes_of, rows_of = store.bytes_of(name), store.sizes(name)
    except StoreError as error:
        yield _as_problem(error, name)
        return
    on_disk = store.files_in(name)
    for path, size in sorted(bytes_of.items()):
        actual = on_disk.pop(path, None)
        what: str | None = "the file is missing"
        if actual == size:
            what = _content_problem(store, name, path, rows_of.get(path))
        elif actual is not None:
            what = f"the file has {actual:,} bytes, but the log says {size:,}"
        if what:
            yield Problem(f"{name}/{path}", what, mend_file(name))
        report.files += 1
        report.bytes += size
    report.orphans += len(on_disk)
    report.orphan_bytes += sum(on_disk.values())


def _content_problem(store: Store, name: str, path: str, rows: int | None) -> str | None:
    """What is wrong with the content of a data file that has a number of rows according to the log."""
    expected = named_digest(path)
    try:
        with store.stream(name, path) as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if expected and not digest.startswith(expected):
            return "its content is not what was written: the digest is not the one in its name"
        file = store.open(name, path)
        if rows not in (None, file.metadata.num_rows):
            return f"the file has {file.metadata.num_rows:,} rows, but the log says {rows:,}"
        for group in range(0 if expected else file.num_row_groups):
            file.read_row_group(group, use_threads=False)  # verifies its pages, if they have checksums
    except StoreError as error:
        return _as_problem(error, name).what
    return None


def _as_problem(error: StoreError, name: str) -> Problem:
    """An error of the store as a problem."""
    return Problem(name, error.what, error.advice or mend_log(name))


# ---------------------------------------------------------------- the tables against each other


def _contradictions(store: Store, sound: set[str]) -> Iterator[Problem]:
    """Where the tables that could be read contradict each other, at one moment."""
    if "events" not in sound:
        return
    try:
        store = pinned(store, sound if "ingests" in sound else sound - {"quarantine"})
        connection = query.connect(store, store.moment.versions)
        if "ingests" in sound:
            yield from _wrong_counts(store, connection, "quarantine" in sound)
        twice = _TWICE.format(f"({_STORED})")
        yield from _hand_problems(connection, "events", "hand {} is stored twice", RESTORE, twice)
        yield from _illegal(store)
        version = store.moment.versions["events"]
        built = {name: store.built_from(name) for name in PROJECTIONS if name in sound}
        for name, built_from in built.items():
            if built_from is not None and built_from > version:
                what = f"the log ends at version {version}, but {name} was built from version {built_from}"
                yield Problem("events", what, MEND_AHEAD)
            elif set(built.values()) == {version}:  # all of them are up to date
                for what, sql in _OF_PROJECTIONS.items() if name == "playedhand" else [_UNKNOWN]:
                    yield from _hand_problems(connection, name, what, REBUILD, sql.format(name))
                if name == "playedhand":
                    for hand in missing(store, EXAMPLES):
                        what = f"it lacks hand {hand.hand_id} of the events"
                        yield Problem(name, what + f": {hand.why}" * bool(hand.why), hand.advice)
    except StoreError as error:
        yield _as_problem(error, "events")


def _wrong_counts(store: Store, connection: query.Connection, with_quarantine: bool) -> Iterator[Problem]:
    """Where `events`, and `quarantine` if it can be read, have other counts than `ingests`."""
    ingests = valid_ingests(store)
    for row in ingests.to_pylist():
        if not Counts(**{name: row[name] for name in COUNTS}).balanced:
            what = f"the hands of {row['source_path']} don't add up in ingest {row['ingest_id']}"
            yield Problem("ingests", what, RESTORE)
    totals = {name: sum(ingests.column(name).to_pylist()) for name in COUNTS}
    lost = erased(store, with_quarantine)
    [(hands, rows)] = connection.execute("select count(*) filter (seq = 0), count(*) from events").fetchall()
    if (hands + lost.hands, rows + lost.events) != (totals["hands_stored"], totals["events_stored"]):
        what = (
            f"it holds {hands:,} hands of {rows:,} events, but the ingests stored "
            f"{totals['hands_stored']:,} of {totals['events_stored']:,}"
        ) + f", of which {lost.hands:,} of {lost.events:,} were erased" * bool(lost.hands)
        yield Problem("events", what, f"{RESTORE}; a file, or the end of its log, may be missing")
    if with_quarantine:
        [(entries,)] = connection.execute("select count(*) from quarantine").fetchall()
        if entries + lost.entries != totals["quarantined"]:
            what = f"it holds {entries:,} hands, but the ingests put {totals['quarantined']:,} there"
            what += f", of which {lost.entries:,} were erased" * bool(lost.entries)
            yield Problem("quarantine", what, RESTORE)


def _erasure_problems(store: Store) -> Iterator[Problem]:
    """Whether an erasure is unfinished, or a file beside the tables is damaged."""
    if store.folder.has(KEY):
        yield Problem(KEY, "an erasure is unfinished", "the same 'cardlog forget' again finishes it")
    elif what := book_problem(store):
        yield Problem(BOOK, what, RESTORE)
    for name, read in ((TOMBSTONES, tombstones), (RESOLVED, resolutions)):
        try:
            read(store)
        except StoreError as error:
            yield _as_problem(error, name)


_STORED: Final = "select hand_id from events where seq = 0"
_TWICE: Final = "select hand_id from {0} group by all having count(*) > 1"
_UNKNOWN: Final = (
    "it has a hand that the events have not, {}",
    f"select distinct hand_id from {{0}} where hand_id not in ({_STORED})",
)
_OF_PROJECTIONS: Final = dict([_UNKNOWN]) | {
    "it has hand {} twice": _TWICE,
}
"""Queries for hands that `playedhand` has wrong. The other projections may have many rows of a hand, or
none."""


def _hand_problems(
    connection: query.Connection, place: str, what: str, advice: str, sql: str
) -> Iterator[Problem]:
    """A problem for each of the first hands that a query finds."""
    for (hand_id,) in connection.execute(f"{sql} limit {EXAMPLES}").fetchall():
        yield Problem(place, what.format(hand_id), advice)


def _illegal(store: Store) -> Iterator[Problem]:
    """Hands that break the rules when their events are folded again; the first one of each piece of a
    file."""
    for path in store.paths("events"):
        if game_of(path) not in models.GAMES:
            continue
        file = EventsFile(store, path)
        for batch in map(file.batch, range(file.pieces)):
            try:
                check_legal(batch, fold_batch(batch))
            except NotLegal as error:
                yield Problem(f"events/{path}", str(error), RESTORE)


# ---------------------------------------------------------------- the marts


def _warehouse_problems(store: Store) -> Iterator[Problem]:
    """Whether the whole warehouse can be read; DuckDB verifies the checksums of its blocks."""
    path = warehouse.path_of(store)
    if not path.exists():
        return
    try:
        with duckdb.connect(str(path), read_only=True) as connection:
            names = connection.execute(
                "select schema_name, table_name from duckdb_tables() where not internal"
            ).fetchall()
            for schema, name in names:
                connection.execute(f'select bit_xor(hash(t)) from "{schema}"."{name}" t').fetchall()
    except duckdb.Error as error:
        yield Problem(path.name, f"it can't be read: {first_line(error)}", _MEND_MARTS)


def _failed_data_tests(store: Store) -> list[Problem]:
    """The data tests that fail, run over all rows of the marts."""
    path = warehouse.path_of(store)
    note = warehouse.note_of(store)
    if not note or not warehouse.can_be_added_to(note, pinned(store)):
        return []
    root = literal(store.root)
    with scratch.folder() as folder:
        run = dbt_run.Run(path, Path(folder) / "dbt", root)
        try:
            nodes = dbt_run.results(run, "test", "--select", "test_type:data")
        except dbt_run.DbtError as error:
            return [Problem(path.name, str(error), _MEND_MARTS)]
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute(f"set variable {STORE} = {quoted(root)}")
        failures = failures_in(nodes, connection, ())
    return [Problem(path.name, f"{failure.name}: {failure.message}", REBUILD) for failure in failures]
