"""The interactive prompt: each statement that ends with ``;`` is run as by `cardlog query`, on the newest
state of the store."""

import os
import re
import signal
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer  # type: ignore[import-untyped]

from cardlog.pipelines.errors import for_user
from cardlog.pipelines.runtime import leftovers
from cardlog.pipelines.terminal.answers import QueryOptions, answer, standard_input
from cardlog.pipelines.terminal.console import complain, plain, received, say
from cardlog.schemas.errors import CardlogError
from cardlog.schemas.folders import state_folder

PROMPT: Final = "cardlog> "
MORE: Final = "    ...> "
OpenStore = Callable[[], Any]


def statements(text: str) -> tuple[list[str], str]:
    """The statements of a text that end with a semicolon, without it, and the text after the last one."""
    import duckdb

    raw = text.encode(errors="replace")
    parts, start = [], 0
    for offset, kind in duckdb.tokenize(raw.decode()):
        if kind is duckdb.token_type.operator and raw[offset : offset + 1] == b";":
            parts.append(raw[start:offset].decode(errors="replace"))
            start = offset + 1
    return [sql for sql in parts if not _is_blank(sql)], raw[start:].decode(errors="replace")


def _is_blank(sql: str) -> bool:
    """Whether a text has only blanks and comments."""
    import duckdb

    return all(kind is duckdb.token_type.comment for _, kind in duckdb.tokenize(sql))


def _is_end(text: str) -> bool:
    return text.strip().strip(".;") in ("quit", "exit")


def is_complete(text: str) -> bool:
    """Whether Enter runs a text: its last statement has ended, or it is `quit`."""
    return _is_end(text) or _is_blank(statements(text)[1])


def run_prompt(open_store: OpenStore, options: QueryOptions) -> None:
    """Run statements typed at a prompt, until Ctrl-D."""
    root = plain(open_store().root)
    say(f"[bold]{root}[/] · statements end with ; · 'show tables;' lists tables · 'quit' or Ctrl-D ends")
    editor = _editor(open_store)
    with leftovers.spared(signal.SIGINT), suppress(EOFError):
        while not _is_end(_run_input(editor, open_store, options)):
            pass


def _run_input(editor: "PromptSession[str]", open_store: OpenStore, options: QueryOptions) -> str:
    """Run what the user types next, and return it. Neither an error nor Ctrl-C ends the session."""
    text = ""
    try:
        text = typed(editor)
        for sql in statements(text)[0]:
            answer(open_store(), sql, options)
    except EOFError:
        raise
    except (Exception, KeyboardInterrupt) as error:  # a library may turn Ctrl-C into another error
        user_error = for_user(error)
        if {*received} - {signal.SIGINT}:
            raise
        if isinstance(error, KeyboardInterrupt) or signal.SIGINT in received:
            say("\ninterrupted")
        elif user_error is None:
            raise
        else:
            complain(str(user_error))
    finally:
        received[:] = [number for number in received if number != signal.SIGINT]
    return text


def run_standard_input(open_store: OpenStore, options: QueryOptions) -> None:
    """Run the statements on standard input. Raises the first error, with the statement's number."""
    for number, sql in enumerate(statements(f"{standard_input()}\n;")[0], 1):
        try:
            answer(open_store(), sql, options)
        except CardlogError as error:
            raise CardlogError(f"statement {number}: {error}") from error


# ---------------------------------------------------------------- the line editor


def typed(editor: "PromptSession[str]") -> str:
    """What the user types next. Raises EOFError after Ctrl-D, KeyboardInterrupt after Ctrl-C or a signal."""
    wakeup = signal.set_wakeup_fd(-1)  # set by `leftovers`; the editor's event loop replaces and clears it
    try:
        return editor.prompt()
    finally:
        signal.set_wakeup_fd(wakeup)


def _editor(open_store: OpenStore) -> "PromptSession[str]":
    """A line editor. Enter runs the text if it is complete, otherwise it starts another line. The history is
    kept in the user's state folder, not in the store."""
    path = state_folder() / "cardlog" / "history"
    with suppress(OSError):  # only the history is lost
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        path.touch(0o600)
    keys = KeyBindings()

    @keys.add("enter", filter=Condition(lambda: is_complete(editor.default_buffer.text)))
    def _(event: KeyPressEvent) -> None:
        event.current_buffer.validate_and_handle()

    editor: PromptSession[str] = PromptSession(
        PROMPT, multiline=True, prompt_continuation=MORE, key_bindings=keys, lexer=PygmentsLexer(SqlLexer),
        completer=WordCompleter(words(open_store()), ignore_case=True), complete_while_typing=False,
        history=FileHistory(path) if os.access(path, os.W_OK) else None,
    )  # fmt: skip
    return editor


def words(store: Any) -> list[str]:
    """What Tab completes: names of tables and columns that need no quotes."""
    from cardlog.pipelines.sql.query import connect

    names = set[str]()
    sql = "select table_name, column_name from duckdb_columns() where not internal and schema_name = 'main'"
    with suppress(CardlogError), connect(store) as connection:
        for row in connection.run(sql).fetchall():
            names.update(name for name in row if re.fullmatch(r"\w+", name))
    return sorted(names)
