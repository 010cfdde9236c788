"""The interactive prompt: statements that end with ``;``, each answered as by `cardlog query`, from the
newest state of the store."""

import os
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]

from cardlog.pipelines import leftovers
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.terminal.answers import Answering, answer, standard_input
from cardlog.pipelines.terminal.console import complain, plain, received, say
from cardlog.schemas.errors import CardlogError

PROMPT: Final = "cardlog> "
MORE: Final = "    ...> "
OpenStore = Callable[[], Any]


def statements(text: str) -> tuple[list[str], str]:
    """The statements of a text that end with a semicolon, without it, and what follows the last one."""
    import duckdb

    raw = text.encode(errors="replace")
    found, start = [], 0
    for at, kind in duckdb.tokenize(raw.decode()):
        if kind is duckdb.token_type.operator and raw[at : at + 1] == b";":
            found.append(raw[start:at].decode(errors="replace"))
            start = at + 1
    return [sql for sql in found if not _is_blank(sql)], raw[start:].decode(errors="replace")


def _is_blank(sql: str) -> bool:
    """Whether there are only blanks and comments."""
    import duckdb

    return all(kind is duckdb.token_type.comment for _, kind in duckdb.tokenize(sql))


def _is_end(text: str) -> bool:
    return text.strip().strip(".;") in ("quit", "exit")


def is_complete(text: str) -> bool:
    """Whether what was typed can be run: its last statement has ended, or it asks for the end."""
    return _is_end(text) or _is_blank(statements(text)[1])


def talk(open_store: OpenStore, how: Answering) -> None:
    """Answer statements at a terminal, with a prompt, until Ctrl-D."""
    root = plain(open_store().root)
    say(f"[bold]{root}[/] · statements end with ; · 'show tables;' lists tables · 'quit' or Ctrl-D ends")
    editor = _editor(open_store)
    with leftovers.spared(signal.SIGINT), suppress(EOFError):
        while not _is_end(_answered(editor, open_store, how)):
            pass


def _answered(editor: "PromptSession[str]", open_store: OpenStore, how: Answering) -> str:
    """Answer what the user types next, and return it. An error, or Ctrl-C, is no end of the session."""
    text = ""
    try:
        text = typed(editor)
        for sql in statements(text)[0]:
            answer(open_store(), sql, how)
    except EOFError:
        raise
    except (Exception, KeyboardInterrupt) as error:  # a library may make another error of Ctrl-C
        found = for_user(error)
        if {*received} - {signal.SIGINT}:
            raise
        if isinstance(error, KeyboardInterrupt) or signal.SIGINT in received:
            say("\ninterrupted")
        elif found is None:
            raise
        else:
            complain(str(found))
    finally:
        received[:] = [number for number in received if number != signal.SIGINT]
    return text


def read(open_store: OpenStore, how: Answering) -> None:
    """Answer the statements on standard input, without prompts. Raises the first error, with its number."""
    for number, sql in enumerate(statements(f"{standard_input()}\n;")[0], 1):
        try:
            answer(open_store(), sql, how)
        except CardlogError as error:
            raise CardlogError(f"statement {number}: {error}") from error


# ---------------------------------------------------------------- the line editor


def typed(editor: "PromptSession[str]") -> str:
    """What the user types next. Raises EOFError after Ctrl-D, KeyboardInterrupt after Ctrl-C or a signal."""
    wakeup = signal.set_wakeup_fd(-1)  # that of `leftovers`; the editor's event loop takes it and clears it
    try:
        return editor.prompt()
    finally:
        signal.set_wakeup_fd(wakeup)


def _editor(open_store: OpenStore) -> "PromptSession[str]":
    """A line editor; Enter ends what was typed if it is complete, else begins another line. What was typed
    before is kept in the user's folder for state, not in the store."""
    states = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    path = Path(states) / "cardlog" / "history"
    with suppress(OSError):  # nobody loses anything but the history
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(0o600)
    keys = KeyBindings()

    @keys.add("enter", filter=Condition(lambda: is_complete(found.default_buffer.text)))
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    found: PromptSession[str] = PromptSession(
        PROMPT, multiline=True, prompt_continuation=MORE, key_bindings=keys, lexer=PygmentsLexer(SqlLexer),
        completer=WordCompleter(words(open_store()), ignore_case=True), complete_while_typing=False,
        history=FileHistory(path) if os.access(path, os.W_OK) else None,
    )  # fmt: skip
    return found


def words(store: Any) -> list[str]:
    """What Tab completes: the names of tables and columns that need no quotes."""
    from cardlog.pipelines.sql.query import connect

    names = set[str]()
    sql = "select table_name, column_name from duckdb_columns() where not internal and schema_name = 'main'"
    with suppress(CardlogError), connect(store) as connection:
        for row in connection.run(sql).fetchall():
            names.update(name for name in row if re.fullmatch(r"\w+", name))
    return sorted(names)
