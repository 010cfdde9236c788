"""The journal of the tables that a server keeps: an SQLite file with what happened at each, in a folder to
which one process at a time writes.

What was committed is there after a crash, and what was deleted is overwritten.
"""

import fcntl
import json
import sqlite3
import sys
from collections.abc import Iterable
from contextlib import closing
from hashlib import blake2b
from itertools import count
from pathlib import Path
from typing import IO, Final, NamedTuple

from cardlog.pipelines.storage.store import Store
from cardlog.pipelines.text.visible import one_line
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.folders import state_folder

NAME: Final = "journal.sqlite"
BEFORE: Final = "journal.jsonl"
"""The journal of cardlog 1.0, which is moved into the new one."""
ASIDE: Final = "set-aside-"
"""How the names of damaged files begin, which are kept."""
_LOCK: Final = "lock"
_SCHEMA: Final = (
    "begin",
    "create table entries (number integer primary key, table_id text not null, entry text not null)",
    "create index entries_by_table on entries (table_id)",
    "pragma user_version = 1",
)
_DAMAGE: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class JournalError(CardlogError):
    """The journal can't be used; the text is for the user."""


class InUse(JournalError):
    """Another process has the journal."""


class TableChange(NamedTuple):
    """Entries of a table, JSON objects, that are added, or that replace those it has."""

    table_id: str
    entries: list[str]
    is_all: bool = False


def folder_of(store: Store) -> Path:
    """The default folder of a store's tables: beside the store, which has nothing but committed data; for a
    remote one, in the user's folder for state."""
    if store.is_local:
        root = Path(store.root).absolute()
        return root.with_name(root.name + ".play")
    return state_folder() / "cardlog" / (blake2b(store.root.encode(), digest_size=8).hexdigest() + ".play")


def exists(folder: Path) -> bool:
    """Whether a folder has a journal."""
    return (folder / NAME).exists() or (folder / BEFORE).exists()


def entries_in(folder: Path) -> dict[str, list[str]]:
    """The entries of each table, read while a server may write. Raises sqlite3.Error."""
    with closing(_connected(folder / NAME)) as db:
        return _entries(db)


class JournalFile:
    """The open journal of a folder; both are made if need be. A damaged one is set aside, which stderr says.

    Raises JournalError if another process has it, or it can't be opened although it is not damaged.
    """

    def __init__(self, folder: Path) -> None:
        self._lock = _locked(folder)
        try:
            self._db = _sound(folder)
        except (OSError, sqlite3.Error) as error:
            self._lock.close()
            raise JournalError(f"{folder / NAME} can't be opened: {error}") from error

    def entries(self) -> dict[str, list[str]]:
        """The entries of each table, in order."""
        return _entries(self._db)

    def write(self, changes: Iterable[TableChange]) -> None:
        """Commit changes, all or none; they are on disk afterwards. Raises sqlite3.Error."""
        with self._db as db:
            _write(db, changes)

    def clean(self) -> None:
        """Make the file anew, so that nothing has what was deleted, not even in part."""
        self._db.executescript("vacuum; pragma wal_checkpoint(truncate)")

    def close(self) -> None:
        """Close it."""
        self._db.close()
        self._lock.close()


def _locked(folder: Path) -> IO[bytes]:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = (folder / _LOCK).open("ab")
    except OSError as error:
        raise JournalError(f"the folder of the tables can't be used: {error}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        lock.close()
        raise InUse(
            f"another server has the tables in {folder}; end it, or name another folder by --play"
        ) from error
    return lock


def _sound(folder: Path) -> sqlite3.Connection:
    """The opened file, without what is damaged."""
    while True:
        try:
            return _opened(folder)
        except sqlite3.DatabaseError as error:
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF not in _DAMAGE:
                raise
            _set_aside(folder, error, f"{NAME}-wal", NAME)
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            _set_aside(folder, error, BEFORE)


def _opened(folder: Path) -> sqlite3.Connection:
    """The file, checked, and filled if it is new. Raises sqlite3.Error, and for wrong JSON in the journal of
    cardlog 1.0 other errors."""
    (folder / NAME).touch(mode=0o600)
    db = _connected(folder / NAME)
    try:
        db.executescript("pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on")
        [problem] = db.execute("pragma integrity_check(1)").fetchone()
        if problem != "ok":
            raise sqlite3.DatabaseError(problem)
        if db.execute("pragma user_version").fetchone() == (0,):
            with db:
                for statement in _SCHEMA:
                    db.execute(statement)
                _write(db, _of_1_0(folder / BEFORE))
        (folder / BEFORE).unlink(missing_ok=True)
    except BaseException:
        db.close()
        raise
    return db


def _of_1_0(path: Path) -> list[TableChange]:
    """The entries of the journal of cardlog 1.0, without those of closed tables."""
    tables: dict[str, list[str]] = {}
    for line in path.read_bytes().split(b"\n")[:-1] if path.exists() else ():  # without a torn last one
        entry = json.loads(line)
        tables.setdefault(str(entry["table"]), []).append(line.decode())
        if "closed" in entry:
            del tables[entry["table"]]
    return [TableChange(table_id, entries) for table_id, entries in tables.items()]


def _set_aside(folder: Path, problem: Exception, *names: str) -> None:
    """Rename the files of a damaged journal."""
    number = next(n for n in count(1) if not [*folder.glob(f"{ASIDE}{n}-*")])
    for path in filter(Path.exists, map(folder.joinpath, names)):
        aside = path.rename(folder / f"{ASIDE}{number}-{path.name}")
    text = f"the journal of the tables is damaged ({one_line(str(problem))}); it is kept: {aside}"
    print(f"cardlog: {text}", file=sys.stderr)


def _connected(path: Path) -> sqlite3.Connection:
    db = sqlite3.connect(path, check_same_thread=False)
    db.text_factory = lambda text: text.decode("utf-8", "replace")
    return db


def _entries(db: sqlite3.Connection) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for table_id, entry in db.execute("select table_id, entry from entries order by number"):
        found.setdefault(table_id, []).append(entry)
    return found


def _write(db: sqlite3.Connection, changes: Iterable[TableChange]) -> None:
    for name, entries, is_all in changes:
        number = None
        if is_all:  # the first number stays, so that the tables keep their order
            [number] = db.execute("select min(number) from entries where table_id = ?", (name,)).fetchone()
            db.execute("delete from entries where table_id = ?", (name,))
        for entry in entries:
            db.execute("insert into entries values (?, ?, ?)", (number, name, entry))
            number = None
