"""The shell's line editor, prompt_toolkit's: history, completion and colours; and pages of long output."""

import io
import os
import pydoc
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, cast

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]

from cardlog.pipelines.screen import Screen
from cardlog.schemas.errors import CardlogError

PROMPT: Final = "cardlog> "
MORE: Final = "    ...> "
NAMES_SECONDS: Final = 60.0
"""For how long the names of tables and columns are kept."""
_KEYWORDS: Final = """
and as asc avg between by case count cross desc describe distinct else end except explain false from full
group having ilike in intersect is join left like limit max median min not null offset on or order pivot
qualify right select sum summarize then true union unpivot using values when where with
"""
KEYWORDS: Final = tuple(_KEYWORDS.split())


class Names(Completer):
    """Completes commands, and names of the store's tables and columns.

    commands
        Each with the words that may follow it; a table if there are none.
    """

    def __init__(self, open_store: Callable[[], Any], commands: Mapping[str, Sequence[str]]) -> None:
        self._open, self._commands = open_store, commands
        self._columns: dict[str, list[str]] = {}
        self._loaded = -NAMES_SECONDS

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What the word before the cursor may become; nothing if the store can't be read."""
        [word] = re.findall(r"[\w.]*$", document.text_before_cursor)[:1]
        with suppress(CardlogError, OSError, SystemExit):
            for name in self._names(document.text_before_cursor):
                if name.startswith(word.lower()):
                    yield Completion(name, -len(word))

    def _names(self, text: str) -> list[str]:
        begin, blank, _ = text.lstrip().partition(" ")
        if begin.startswith("."):
            return sorted(self._commands) if not blank else list(self._commands.get(begin) or self._tables())
        tables = self._tables()
        words = set(re.findall(r"\w+", text.lower()))
        named = [name for name in tables if name in words] or tables
        return sorted({*tables, *KEYWORDS, *(column for name in named for column in self._columns[name])})

    def _tables(self) -> list[str]:
        """The tables and marts. Raises CardlogError if they can't be read."""
        if time.monotonic() - self._loaded > NAMES_SECONDS:
            from cardlog.pipelines.sql.query import connect

            sql = (
                "select table_name, column_name from duckdb_columns() "
                "where not internal and schema_name = 'main' order by all"
            )
            self._columns = {}
            with closing(connect(self._open())) as connection:
                for table, column in connection.run(sql).fetchall():
                    if re.fullmatch(r"\w+", table + column):  # others must be quoted
                        self._columns.setdefault(table, []).append(column)
            self._loaded = time.monotonic()
        return sorted(self._columns)


def history_path() -> Path:
    """The file of what was typed before: in the user's folder for state, not in the store."""
    states = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(states) / "cardlog" / "history"


def session(names: Names, is_complete: Callable[[str], bool]) -> "PromptSession[str]":
    """A line editor; Enter ends what was typed if it is complete, else begins another line."""
    path = history_path()
    with suppress(OSError):  # nobody loses anything but the history
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(0o600)
    keys = KeyBindings()

    @keys.add("enter", filter=Condition(lambda: is_complete(found.default_buffer.text)))
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    found: PromptSession[str] = PromptSession(
        PROMPT, multiline=True, prompt_continuation=MORE, key_bindings=keys,
        completer=names, complete_while_typing=False, lexer=PygmentsLexer(SqlLexer),
        history=FileHistory(path) if os.access(path, os.W_OK) else None,
    )  # fmt: skip
    return found


def typed(editor: "PromptSession[str]") -> str:
    """What the user types next. Raises EOFError after Ctrl-D, KeyboardInterrupt after Ctrl-C or a signal."""
    wakeup = signal.set_wakeup_fd(-1)  # that of `leftovers`; the editor's event loop takes it and clears it
    try:
        return editor.prompt()
    finally:
        signal.set_wakeup_fd(wakeup)


class _Page(io.StringIO):
    """Text for a terminal."""

    def __init__(self, terminal: Any) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self._terminal.fileno())

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self._terminal.encoding)


@contextmanager
def paged() -> Iterator[None]:
    """Collect what is printed, and messages, and show it through a pager if it is longer than the screen.

    The text is escaped as on any screen, before the pager sees it.
    """
    terminal, errors = cast(Any, sys.stdout), sys.stderr
    page = _Page(terminal)
    sys.stdout = sys.stderr = cast(Any, Screen(page))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = terminal, errors
    if page.getvalue().count("\n") >= shutil.get_terminal_size().lines:
        os.environ.setdefault("LESS", "-RSX")  # colours, long lines cut, and the text stays on the screen
        pydoc.pager(page.getvalue())
    else:
        getattr(terminal, "unescaped", terminal).write(page.getvalue())
        terminal.flush()
