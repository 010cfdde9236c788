"""Verify a store: every data file against the digest in its name, the logs against the files, the tables
against each other, and the events against the rules. Nothing is changed, and no more than a piece of a file
is in memory.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import duckdb

from cardlog.pipelines import scratch
from cardlog.pipelines.events.folding import NotLegal, check_legal, fold_batch
from cardlog.pipelines.sql import dbt_run, query, warehouse
from cardlog.pipelines.sql.held_back import failures_in
from cardlog.pipelines.sql.tables import STORE, literal, quoted
from cardlog.pipelines.storage.data_files import named_digest
from cardlog.pipelines.storage.erasures import KEY, TOMBSTONES, erased, tombstones
from cardlog.pipelines.storage.errors import MEND_AHEAD, first_line, mend_file, mend_log
from cardlog.pipelines.storage.events_file import EventsFile
from cardlog.pipelines.storage.ledger import COUNTS, Counts, valid_ingests
from cardlog.pipelines.storage.moment import pinned
from cardlog.pipelines.storage.store import SCHEMAS, Store, StoreError
from cardlog.schemas.tables import PROJECTIONS

REBUILD: Final = mend_file("playedhand")
RESTORE: Final = "restore it from a backup"
_MEND_MARTS: Final = "remove it, and 'cardlog build' makes it from the tables"
EXAMPLES: Final = 3
"""How many hands a problem names."""


@dataclass(frozen=True)
class Problem:
    """Something that is not as it must be.

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
    """What a store was found to be like.

    files, bytes
        The data files that were digested.
    orphans, orphan_bytes
        Files that no table refers to. They are no problem: a run that is going on has
        not committed its own yet, and `cardlog vacuum` removes the others.
    tables
        Those that could be read whole, and so were compared with each other.
    """

    files: int = 0
    bytes: int = 0
    orphans: int = 0
    orphan_bytes: int = 0
    tables: list[str] = field(default_factory=list)
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
    """Look at everything in a store, and read every byte of its data files."""
    report = Report()
    for name in SCHEMAS:
        found = list(_table_problems(store, name, report))
        report.problems += found
        if not found:
            report.tables.append(name)
    report.problems += _comparisons(store, set(report.tables))
    report.problems += _warehouse_problems(store)
    report.problems += _erasures(store)
    if not report.problems and {*SCHEMAS} <= {*report.tables}:
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
    for path in sorted(bytes_of):
        found, size = on_disk.pop(path, None), bytes_of[path]
        what: str | None = "the file is missing"
        if found is not None:
            what = f"the file has {found:,} bytes, but the log says {size:,}"
        if found == size:
            what = _content_problem(store, name, path, rows_of.get(path))
        if what:
            yield Problem(f"{name}/{path}", what, mend_file(name))
        report.files += 1
        report.bytes += size
    report.orphans += len(on_disk)
    report.orphan_bytes += sum(on_disk.values())


def _content_problem(store: Store, name: str, path: str, rows: int | None) -> str | None:
    """What is wrong with the content of a data file that the log says has so many rows."""
    wanted = named_digest(path)
    try:
        with store.stream(name, path) as stream:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
        if wanted and not found.startswith(wanted):
            return "its content is not what was written: the digest is not the one in its name"
        file = store.open(name, path)
        if rows not in (None, file.metadata.num_rows):
            return f"the file has {file.metadata.num_rows:,} rows, but the log says {rows:,}"
        for group in range(0 if wanted else file.num_row_groups):
            file.read_row_group(group, use_threads=False)  # verifies its pages, if they have checksums
    except StoreError as error:
        return _as_problem(error, name).what
    return None


def _as_problem(error: StoreError, name: str) -> Problem:
    """An error of the store, which is one sentence of place and what, and one of advice."""
    what, _, advice = str(error).partition("; ")
    return Problem(name, what, advice or mend_log(name))


# ---------------------------------------------------------------- the tables against each other


def _comparisons(store: Store, sound: set[str]) -> Iterator[Problem]:
    """What the tables say otherwise than each other at one moment; of those that could be read."""
    if "events" not in sound:
        return
    try:
        store = pinned(store, sound if "ingests" in sound else sound - {"quarantine"})
        connection = query.connect(store, store.moment.versions)
        if "ingests" in sound:
            yield from _books(store, connection, "quarantine" in sound)
        yield from _named(
            connection, "events", "hand {} is stored twice", RESTORE, _TWICE.format(f"({_STORED})")
        )
        yield from _illegal(store)
        version = store.moment.versions["events"]
        built = {name: store.built_from(name) for name in PROJECTIONS if name in sound}
        for name, at in built.items():
            if at is not None and at > version:
                what = f"the log ends at version {version}, but {name} was built from version {at}"
                yield Problem("events", what, MEND_AHEAD)
            elif set(built.values()) == {version}:  # all of them are up to date
                for what, sql in _OF_PROJECTIONS.items() if name == "playedhand" else [_UNKNOWN]:
                    yield from _named(connection, name, what, REBUILD, sql.format(name))
    except (StoreError, duckdb.Error) as error:
        yield Problem("events", str(error), RESTORE)


def _books(store: Store, connection: query.Connection, with_quarantine: bool) -> Iterator[Problem]:
    """Whether `events`, and `quarantine` if it can be read, hold what `ingests` says."""
    ingests = valid_ingests(store)
    for row in ingests.to_pylist():
        if not Counts(**{name: row[name] for name in COUNTS}).balanced:
            what = f"the hands of {row['source_path']} don't add up in ingest {row['ingest_id']}"
            yield Problem("ingests", what, RESTORE)
    said = {name: sum(ingests.column(name).to_pylist()) for name in COUNTS}
    gone = erased(store, with_quarantine)
    [(hands, rows)] = connection.execute("select count(*) filter (seq = 0), count(*) from events").fetchall()
    if (hands + gone.hands, rows + gone.events) != (said["hands_stored"], said["events_stored"]):
        what = (
            f"it holds {hands:,} hands of {rows:,} events, but the ingests stored "
            f"{said['hands_stored']:,} of {said['events_stored']:,}"
        ) + f", of which {gone.hands:,} of {gone.events:,} were erased" * bool(gone.hands)
        yield Problem("events", what, f"{RESTORE}; a file, or the end of its log, may be missing")
    if with_quarantine:
        [(kept,)] = connection.execute("select count(*) from quarantine").fetchall()
        if kept + gone.entries != said["quarantined"]:
            what = f"it holds {kept:,} hands, but the ingests put {said['quarantined']:,} there"
            what += f", of which {gone.entries:,} were erased" * bool(gone.entries)
            yield Problem("quarantine", what, RESTORE)


def _erasures(store: Store) -> Iterator[Problem]:
    """Whether an erasure was cut, and whether the hands that must not come back are known."""
    if store.folder.has(KEY):
        yield Problem(KEY, "an erasure is unfinished", "the same 'cardlog forget' again finishes it")
    try:
        tombstones(store)
    except StoreError as error:
        yield _as_problem(error, TOMBSTONES)


_STORED: Final = "select hand_id from events where seq = 0"
_TWICE: Final = "select hand_id from {0} group by all having count(*) > 1"
_UNKNOWN: Final = (
    "it has a hand that the events have not, {}",
    f"select distinct hand_id from {{0}} where hand_id not in ({_STORED})",
)
_OF_PROJECTIONS: Final = dict([_UNKNOWN]) | {
    "it lacks hand {} of the events": f"{_STORED} and hand_id not in (select hand_id from {{0}})",
    "it has hand {} twice": _TWICE,
}
"""What a query finds wrong with `playedhand`. The other projections have many rows of a hand, or none of one
in which nothing was done."""


def _named(connection: query.Connection, place: str, what: str, advice: str, sql: str) -> Iterator[Problem]:
    """A problem for some of the hands that a query finds."""
    for (hand_id,) in connection.execute(f"{sql} limit {EXAMPLES}").fetchall():
        yield Problem(place, what.format(hand_id), advice)


def _illegal(store: Store) -> Iterator[Problem]:
    """Hands that the rules refuse if their events are folded again; the first one of each piece of a file."""
    for path in store.paths("events"):
        file = EventsFile(store, path)
        for batch in map(file.batch, range(file.pieces)):
            try:
                check_legal(batch, fold_batch(batch))
            except NotLegal as error:
                yield Problem(f"events/{path}", str(error), RESTORE)


# ---------------------------------------------------------------- the marts


def _warehouse_problems(store: Store) -> Iterator[Problem]:
    """Whether every block of the warehouse can be read; DuckDB verifies their checksums."""
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
    """All data tests, over all rows of the marts."""
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
        found = failures_in(nodes, connection, ())
    return [Problem(path.name, f"{failure.name}: {failure.message}", REBUILD) for failure in found]
