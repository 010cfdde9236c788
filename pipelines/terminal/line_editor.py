"""Lines typed at a terminal: editing, history and completion, by readline."""

import os
import re
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from cardlog.schemas.errors import CardlogError

try:
    import readline
except ImportError:  # Python was built without it
    readline = None  # type: ignore[assignment]

HISTORY_LINES: Final = 2_000
NAMES_SECONDS: Final = 60.0
"""For how long the names of tables and columns are kept."""
_KEYWORDS: Final = """
and as asc avg between by case count cross desc describe distinct else end except explain false from full
group having ilike in intersect is join left like limit max median min not null offset on or order pivot
qualify right select sum summarize then true union unpivot using values when where with
"""
KEYWORDS: Final = tuple(_KEYWORDS.split())


def history_path() -> Path:
    """The file of the lines typed before: in the user's folder for state, not in the store."""
    states = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(states) / "cardlog" / "history"


class Names:
    """The names of the store's tables and columns, for completion."""

    def __init__(self, open_store: Callable[[], Any]) -> None:
        self._open = open_store
        self._columns: dict[str, list[str]] = {}
        self._loaded = -NAMES_SECONDS

    def tables(self, fresh: bool = False) -> list[str]:
        """The tables and marts. Raises CardlogError if they can't be read."""
        if fresh or time.monotonic() - self._loaded > NAMES_SECONDS:
            self._load()
        return sorted(self._columns)

    def of(self, statement: str) -> list[str]:
        """Names that an unfinished statement may go on with: tables, columns of those that it names, or of
        all tables if it names none, and keywords."""
        tables = self.tables()
        words = set(re.findall(r"\w+", statement.lower()))
        named = [name for name in tables if name in words] or tables
        return sorted({*tables, *KEYWORDS, *(column for name in named for column in self._columns[name])})

    def _load(self) -> None:
        from cardlog.pipelines.sql.query import connect

        sql = (
            "select table_name, column_name from duckdb_columns() "
            "where not internal and schema_name = 'main' order by all"
        )
        columns: dict[str, list[str]] = {}
        with closing(connect(self._open())) as connection:
            for table, column in connection.run(sql).fetchall():
                if re.fullmatch(r"\w+", table + column):  # others must be quoted, and are printed as they are
                    columns.setdefault(table, []).append(column)
        self._columns, self._loaded = columns, time.monotonic()


class LineEditor:
    """Reads lines; a context manager, which reads and writes the history.

    complete
        What a word may become, from the line up to its end and the word.
    """

    def __init__(self, complete: Callable[[str, str], list[str]]) -> None:
        self._complete = complete
        self._found: list[str] = []
        self._lines = 0

    def __enter__(self) -> "LineEditor":
        if readline is not None:
            with suppress(OSError):
                readline.read_history_file(history_path())
            self._lines = readline.get_current_history_length()
            readline.set_history_length(HISTORY_LINES)
            readline.set_completer(self._completion)
            readline.set_completer_delims(" \t\n()[],;=<>+-*/|'\"")
            libedit = "libedit" in (readline.__doc__ or "")
            readline.parse_and_bind("bind ^I rl_complete" if libedit else "tab: complete")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if readline is None:
            return
        readline.set_completer(None)
        new = readline.get_current_history_length() - self._lines
        path = history_path()
        with suppress(OSError):  # nobody loses anything but the history
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
            readline.append_history_file(max(new, 0), path)
            readline.clear_history()

    def read(self, prompt: str) -> str:
        """The next line. Raises EOFError, or KeyboardInterrupt."""
        return input(prompt)

    def _completion(self, word: str, number: int) -> str | None:
        """The interface of readline: the n-th completion of a word, then None."""
        if number == 0:
            line = readline.get_line_buffer()[: readline.get_endidx()]
            self._found = []
            with suppress(CardlogError, OSError, SystemExit):
                self._found = self._complete(line, word)
        return self._found[number] if number < len(self._found) else None
