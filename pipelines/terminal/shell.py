"""The interactive prompt: statements until ``;``, commands that begin with a dot, and pages of output.

Each statement is answered as by `cardlog query`, over a connection of its own, so from the newest state
of the store.
"""

import re
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

from cardlog.pipelines import leftovers
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.terminal.answers import Answering, Output, answer
from cardlog.pipelines.terminal.console import complain, plain, received, say
from cardlog.schemas.errors import CardlogError

_WORDS: Final = ("quit", "exit", "help")
"""Commands that also work without the dot, as newcomers type them."""
OUTPUTS: Final = tuple(output for output in Output if output is not Output.parquet)
HELP: Final = """\
A statement may take several lines; it ends with ';'. Tab completes names.
.tables [WORD]    the tables and marts, or those with WORD in their names
.describe TABLE   the columns of a table or mart, and what they mean
.output [FORMAT]  how answers are printed: table, line, csv or json
.help             this help
.quit             the end; so is Ctrl-D. Ctrl-C stops a query or abandons what was typed
"""


class _AtPrompt(Answering):
    """At a prompt even csv is escaped, and more rows are shown, since they come page by page."""

    most_rows = 1_000
    is_faithful = False
    hint = "'.output line' shows all columns"


class _Quit(Exception):
    """The user wants to leave."""


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


def _command_of(line: str) -> tuple[str, str] | None:
    """The command that a line is, with a dot, and what follows it; None if it is SQL."""
    word, _, rest = line.strip().rstrip(";").partition(" ")
    is_command = word.startswith(".") or (word in _WORDS and not rest)
    return (f".{word.lstrip('.')}", rest.strip()) if is_command else None


def is_complete(text: str) -> bool:
    """Whether what was typed can be run: a command, or statements of which the last one has ended."""
    return bool(_command_of(text)) or _is_blank(statements(text)[1])


class Shell:
    """A session over one store.

    open_store
        Opens the store, anew for every statement.
    """

    def __init__(self, open_store: Callable[[], Any], how: Answering) -> None:
        self._open = open_store
        self._how = how
        self._typed = ""
        self._at_terminal = False
        self._paged: Callable[[], AbstractContextManager[None]] = nullcontext
        self._commands: dict[str, Callable[[str], None]] = {
            ".tables": self._tables,
            ".describe": self._describe,
            ".output": self._output,
            ".help": lambda _: print(HELP, end=""),
            ".quit": self._quit,
            ".exit": self._quit,
        }

    def talk(self) -> None:
        """Read statements at a terminal, with a prompt, until Ctrl-D."""
        root = plain(self._open().root)
        say(f"[bold]{root}[/] · statements end with ; · .help lists commands · .quit or Ctrl-D ends")
        from cardlog.pipelines.terminal import prompt

        self._at_terminal, self._paged = True, prompt.paged
        self._how = _AtPrompt(**vars(self._how))
        commands = {name: OUTPUTS if name == ".output" else () for name in self._commands}
        editor = prompt.session(prompt.Names(self._open, commands), is_complete)
        with leftovers.spared(signal.SIGINT), suppress(_Quit, EOFError):
            while True:
                is_busy = False
                try:
                    text = prompt.typed(editor)
                    is_busy = True
                    for line in text.splitlines():
                        self._take(line)
                except (Exception, KeyboardInterrupt) as error:  # a library may make another error of Ctrl-C
                    is_pressed = isinstance(error, KeyboardInterrupt) or signal.SIGINT in received
                    if (
                        isinstance(error, (_Quit, EOFError))
                        or not is_pressed
                        or {*received} - {signal.SIGINT}
                    ):
                        raise
                    self._typed = ""
                    if is_busy:
                        say("\ninterrupted")
                finally:
                    received[:] = [number for number in received if number != signal.SIGINT]

    def read(self) -> None:
        """Run the statements on standard input, without prompts. Raises the first error, with its line."""
        number = 0
        try:
            for number, line in enumerate(sys.stdin.buffer, 1):
                self._take(line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n"))
            if not _is_blank(self._typed):
                self._answer(self._typed)
        except _Quit:
            return
        except CardlogError as error:
            raise CardlogError(f"line {number}: {error}") from error
        except UnicodeDecodeError as error:
            raise CardlogError(
                f"line {number} is not valid UTF-8: byte {error.start + 1} can't be decoded"
            ) from error

    def _take(self, line: str) -> None:
        """Take one more line: a command, or part of a statement, which is run once it is complete."""
        command = _command_of(line) if _is_blank(self._typed) else None
        if command:
            self._typed = ""
            self._guarded(partial(self._command, *command))
            return
        self._typed += f"{line}\n"
        if ";" in line:
            found, self._typed = statements(self._typed)
            for sql in found:
                self._guarded(partial(self._answer, sql))
        if _is_blank(self._typed):
            self._typed = ""

    def _guarded(self, work: Callable[[], None]) -> None:
        """Do some work; at a terminal an error is printed and the session goes on."""
        try:
            work()
        except (Exception, SystemExit) as error:
            found = for_user(error)
            if not self._at_terminal or not (found or isinstance(error, SystemExit)):
                raise
            if found:
                complain(str(found))

    def _answer(self, sql: str, how: Answering | None = None) -> None:
        with self._paged():
            answer(self._open(), sql, how or self._how)

    # ---------------------------------------------------------------- commands

    def _command(self, word: str, rest: str) -> None:
        if word not in self._commands:
            raise CardlogError(f"there is no command {word}; .help lists them")
        self._commands[word](rest)

    def _tables(self, word: str) -> None:
        from cardlog.pipelines.sql.listing import descriptions
        from cardlog.pipelines.sql.query import connect

        with connect(self._open()) as connection:
            about = descriptions(connection.duckdb)
        found = {name: text for name, text in about.items() if word.lower() in name}
        width = max(map(len, found), default=0)
        with self._paged():
            print("".join(f"{name:<{width}}  {text}\n" for name, text in found.items()), end="")
        if not found:
            say(f"no table or mart has {plain(word)} in its name")

    def _describe(self, table: str) -> None:
        if not re.fullmatch(r"[\w.]+", table):
            raise CardlogError("name a table or mart: .describe hands")
        self._answer(f"describe {table}", replace(self._how, output=Output.table))

    def _output(self, form: str) -> None:
        if form and form not in OUTPUTS:
            raise CardlogError(f"there is no output {form!r}; there are: {', '.join(OUTPUTS)}")
        if form:
            self._how = replace(self._how, output=Output(form))
        else:
            print(self._how.output)

    def _quit(self, _: str) -> None:
        raise _Quit
