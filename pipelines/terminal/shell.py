"""The interactive prompt: statements until ``;``, commands that begin with a dot, and pages of output.

Each statement is answered as by `cardlog query`, over a connection of its own, so from the newest state
of the store.
"""

import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from types import FrameType
from typing import Any, Final

from cardlog.pipelines import leftovers
from cardlog.pipelines.errors import for_user
from cardlog.pipelines.terminal import pager
from cardlog.pipelines.terminal.answers import OF_A_COMMAND, Answering, Manner, Output, answer
from cardlog.pipelines.terminal.console import complain, plain, say
from cardlog.pipelines.terminal.line_editor import LineEditor, Names
from cardlog.schemas.errors import CardlogError

PROMPT: Final = "cardlog> "
MORE: Final = "    ...> "
AT_A_TERMINAL: Final = Manner(1_000, False, "'.output line' shows all columns")
"""More rows than `cardlog query` shows, since they come page by page."""
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


class Shell:
    """A session over one store.

    open_store
        Opens the store, anew for every statement.
    """

    def __init__(self, open_store: Callable[[], Any], how: Answering) -> None:
        self._open = open_store
        self._how = how
        self._names = Names(open_store)
        self._typed = ""
        self._at_terminal = False
        self._commands: dict[str, Callable[[str], None]] = {
            ".tables": self._tables,
            ".describe": self._describe,
            ".output": self._output,
            ".help": lambda _: print(HELP, end=""),
            ".quit": self._quit,
            ".exit": self._quit,
        }

    # ---------------------------------------------------------------- sessions

    def talk(self) -> None:
        """Read statements at a terminal, with a prompt, until Ctrl-D."""
        root = plain(self._open().root)
        say(f"[bold]{root}[/] · statements end with ; · .help lists commands · .quit or Ctrl-D ends")
        self._at_terminal = True
        with LineEditor(self._complete) as editor, _own_interrupts() as pressed, suppress(_Quit):
            while True:
                is_busy = False
                try:
                    pressed.clear()
                    line = editor.read(MORE if self._typed else PROMPT)
                    is_busy = True
                    self._take(line)
                except EOFError:
                    print()
                    return
                except UnicodeDecodeError:
                    complain("this line is not valid UTF-8; check the encoding of the terminal")
                except (Exception, KeyboardInterrupt):  # DuckDB makes a RuntimeError of Ctrl-C
                    if not pressed:
                        raise  # a bug, or SIGTERM or SIGHUP
                    self._typed = ""
                    print()
                    if is_busy:
                        say("interrupted")

    def read(self) -> None:
        """Run the statements on standard input, without prompts. Raises the first error, with its line."""
        with suppress(_Quit):
            number = 0
            try:
                for number, line in enumerate(sys.stdin.buffer, 1):
                    self._take(line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n"))
                if not _is_blank(self._typed):
                    self._answer(self._typed)
            except CardlogError as error:
                raise CardlogError(f"line {number}: {error}") from error
            except UnicodeDecodeError as error:
                raise CardlogError(
                    f"line {number} is not valid UTF-8: byte {error.start + 1} can't be decoded"
                ) from error

    def _take(self, line: str) -> None:
        """Take one more line: a command, or part of a statement, which is run once it is complete."""
        word, _, rest = line.strip().rstrip(";").partition(" ")
        if _is_blank(self._typed) and (word.startswith(".") or (word in _WORDS and not rest)):
            self._typed = ""
            self._guarded(lambda: self._command(f".{word.lstrip('.')}", rest.strip()))
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
        with pager.paged() if self._at_terminal else nullcontext():
            answer(self._open(), sql, how or self._how, AT_A_TERMINAL if self._at_terminal else OF_A_COMMAND)

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
        with pager.paged() if self._at_terminal else nullcontext():
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

    # ---------------------------------------------------------------- completion

    def _complete(self, line: str, word: str) -> list[str]:
        """What a word at the end of a line may become."""
        begin, _, rest = line.lstrip().partition(" ")
        if not self._typed and begin.startswith("."):
            if not rest and not line.endswith(" "):
                found = sorted(self._commands)
            elif begin == ".output":
                found = list(OUTPUTS)
            else:
                found = self._names.tables()
        else:
            found = self._names.of(self._typed + line)
        return [name for name in found if name.startswith(word.lower())]


@contextmanager
def _own_interrupts() -> Iterator[list[int]]:
    """Have Ctrl-C raise KeyboardInterrupt and do nothing else: it must not end the process.

    Yields the signals received.
    """
    pressed: list[int] = []

    def press(number: int, frame: FrameType | None) -> None:
        pressed.append(number)
        signal.default_int_handler(number, frame)

    before = signal.getsignal(signal.SIGINT)
    with leftovers.spared(signal.SIGINT):
        if before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, press)
        try:
            yield pressed
        finally:
            signal.signal(signal.SIGINT, before)
