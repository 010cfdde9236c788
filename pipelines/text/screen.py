"""Text for people: the one place where control characters are escaped before they are printed.

All output goes through a `Screen` or a `SafeConsole`, so a command may print any name. `visible` defines what
a control character is.
"""

import io
import re
from collections.abc import Iterable
from itertools import zip_longest
from typing import IO, Any, Final, cast

import rich.console
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from cardlog.pipelines.text.visible import encodable, one_line, visible

PLAIN_WIDTH: Final = 10_000
"""Width of a line where there is no terminal."""
COLUMN_GAP: Final = 2
_NUMBER: Final = re.compile(r"[-+]?[\d,]*\.?\d*(e[-+]?\d+)?")
"""A number, or an empty cell."""
_EXPLANATION: Final = ["explain_key", "explain_value"]
"""Columns of DuckDB's ``explain``, a drawing of several lines. In all other cells line breaks are escaped, or
a name could look like a row."""


class Screen:
    """A text stream for people: everything written to it is escaped.

    unescaped
        The same stream without escaping, for data, and for a `SafeConsole`.
    """

    def __init__(self, unescaped: IO[str]) -> None:
        self.unescaped = unescaped

    def write(self, text: str) -> int:
        """Write a text, escaped."""
        self.unescaped.write(visible(text))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write some texts, escaped."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.unescaped, name)


class SafeConsole(Console):
    """A rich console that escapes all text but keeps its own colours."""

    @property
    def file(self) -> IO[str]:
        """The file it writes to."""
        file: Any = super().file
        return cast(IO[str], file.unescaped if isinstance(file, Screen) else file)

    @file.setter
    def file(self, new_file: IO[str]) -> None:
        Console.file.fset(self, new_file)  # type: ignore[attr-defined]

    def render_str(self, text: str, **options: Any) -> Text:
        """Text with markup, escaped before rich drops characters from it."""
        return super().render_str(visible(text), **options)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The segments to print, escaped."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)


def console_for(out: IO[str], record: bool = False, colours: bool = True) -> SafeConsole:
    """A console for a stream: as wide as the terminal, of unlimited width elsewhere. Without `colours` there
    are none, whatever FORCE_COLOR says, which notebooks set."""
    width, plain = (None, False) if out.isatty() else (PLAIN_WIDTH, True)
    # In a notebook rich would also display what is printed.
    return SafeConsole(
        file=out, width=width, soft_wrap=plain, emoji=False, record=record, force_jupyter=False,
        color_system="auto" if colours else None,
    )  # fmt: skip


def adopt_rich(modules: dict[str, Any]) -> None:
    """Make all rich consoles safe, also those that other packages create for help and errors. typer imports
    rich late, since that takes a tenth of a second."""
    rich.console.Console = SafeConsole  # type: ignore[misc]
    if "typer.rich_utils" in modules:
        modules["typer.rich_utils"].Console = SafeConsole


# ---------------------------------------------------------------- tables


def table_text(names: list[str], rows: list[list[str]]) -> str:
    """Rows as a table of unlimited width."""
    out = io.StringIO()
    write_table(out, names, rows)
    return out.getvalue()


def write_table(out: IO[str], names: list[str], rows: list[list[str]]) -> None:
    """Write rows as a table; on a terminal it has the terminal's width, and long cells are wrapped."""
    right_aligned = [bool(rows) and all(_NUMBER.fullmatch(row[n]) for row in rows) for n in range(len(names))]
    shown = _shown(out, names, [names, *rows])
    if out.isatty():
        table = Table(box=None, padding=(0, COLUMN_GAP, 0, 0), pad_edge=False)
        for name, right in zip(shown[0], right_aligned, strict=True):
            table.add_column(Text(name), justify="right" if right else "left", overflow="fold")
        for row in shown[1:]:
            table.add_row(*map(Text, row))
        console_for(out).print(table)
        return
    cells = [[cell.split("\n") for cell in row] for row in shown]
    widths = [max(cell_len(line) for row in cells for line in row[n]) for n in range(len(names))]
    for lines_of_cells in cells:
        for lines in zip_longest(*lines_of_cells, fillvalue=""):
            padded = zip(lines, widths, right_aligned, strict=True)
            out.write("  ".join(_padded(*cell) for cell in padded).rstrip() + "\n")


def write_lines(out: IO[str], names: list[str], rows: list[list[str]]) -> None:
    """Write rows with one column a line."""
    shown = _shown(out, names, rows)
    [titles] = _shown(out, [], [names])
    width = max(map(cell_len, titles), default=0)
    for number, row in enumerate(shown):
        out.write("\n" if number else "")
        for title, cell in zip(titles, row, strict=True):
            text = cell.replace("\n", "\n" + " " * (width + 3))
            out.write(f"{_padded(title, width, True)} = {text}".rstrip(" ") + "\n")


def _shown(out: IO[str], names: list[str], rows: list[list[str]]) -> list[list[str]]:
    """Cells as an output shows them: escaped, also where it can't encode characters."""
    show = visible if names == _EXPLANATION else one_line
    encoding = getattr(out, "encoding", None)
    return [[encodable(show(cell), encoding) for cell in row] for row in rows]


def _padded(text: str, width: int, right: bool) -> str:
    blanks = " " * (width - cell_len(text))
    return blanks + text if right else text + blanks
