"""The lines of a text, its games, and the table of what its lines mean."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import Any, Final, NamedTuple, TypeVar

from cardlog.pipelines.readers.base import BOM
from cardlog.schemas.reasons import Reason

SPLIT_AT: Final = b"=== "
"""The beginning of a mark; see `Reader`."""
MOST_KEPT: Final = 2**15
"""Distinct lines whose meaning is cached."""
MOST_KEPT_BYTES: Final = 300
"""The longest line whose meaning is cached; longer ones hardly repeat."""
MOST_SHOWN: Final = 60
"""Characters of a line that a message shows."""

Handler = TypeVar("Handler", bound=Callable[..., Any])


class Fault(Exception):
    """Why a hand can't be read: the reason, and the predicate of a sentence on the line at fault, such as
    "names a card that is not in the pack".

    line
        Index of that line. If it remains None, `what` is a whole sentence.
    """

    def __init__(self, reason: Reason, what: str, line: int | None = None) -> None:
        super().__init__(what)
        self.reason, self.what, self.line = reason, what, line


def require(holds: bool, reason: Reason, what: str) -> None:
    """Raise a `Fault` of the line that is handled unless a condition holds."""
    if not holds:
        raise Fault(reason, what)


def as_text(name: bytes, code_page: str) -> str:
    """A name as text: UTF-8, else an old code page of Windows."""
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name.decode(code_page, "replace")


# ---------------------------------------------------------------- a text and its games


@dataclass(frozen=True)
class Section:
    """One game of a text, without its mark, which is the line before."""

    match_id: str  # the id in its mark, empty if there is none
    settings: dict[str, str]  # the keys and values in its mark
    first: int  # index of its first line
    stop: int  # index of the line after its last
    context: dict[str, Any] = field(default_factory=dict)  # that of a single hand that is read again

    @property
    def begins(self) -> bool:
        """Whether its beginning is known to be in the text, by its mark."""
        return self.first > 0 or bool(self.context)


class Text:
    """A text as lines, without their ends and without a byte order mark at its beginning.

    starts
        Offset of each line, and the end of the text.
    first_line
        Number of the first line in the file.
    final
        See `Source`.
    sections
        The games in their order. They are separated by marks, lines ``=== GAME <id> key=value … ===`` or
        ``=== SESSION <id> key=value … ===``; a text without them is one game. Text before the first mark is a
        game of its own, unless it is blank.
    """

    def __init__(self, text: bytes, first_line: int = 1, context: str = "", final: bool = False) -> None:
        pieces = text.split(b"\n")
        self.text, self.first_line, self.final = text, first_line, final
        self.starts = list(accumulate((len(piece) + 1 for piece in pieces), initial=0))
        if not pieces[-1]:
            pieces.pop()
        self.starts[len(pieces) :] = [len(text)]
        self.lines = [piece.removesuffix(b"\r") for piece in pieces]
        if text.startswith(BOM) and self.lines:
            self.starts[0], self.lines[0] = len(BOM), self.lines[0].removeprefix(BOM)
        self.sections = self._by_marks()
        if context:
            hand = json.loads(context)
            self.sections = [Section(hand["match"], hand["settings"], 0, len(self), hand)]

    def _by_marks(self) -> list[Section]:
        marks = [index for index, line in enumerate(self.lines) if line.startswith(SPLIT_AT)]
        before = self.lines[: marks[0] if marks else None]
        is_game = not marks or any(map(bytes.strip, before))
        games = [
            Section(*_mark(self.lines[mark]), mark + 1, stop) for mark, stop in pairwise([*marks, len(self)])
        ]
        return [Section("", {}, 0, len(before)), *games] if is_game else games

    def __len__(self) -> int:
        return len(self.lines)

    def raw(self, first: int, last: int) -> bytes:
        """The text of the lines from one index to another, line ends included."""
        return self.text[self.starts[first] : self.starts[last + 1]]

    def message(self, index: int, what: str) -> str:
        """A sentence on a line."""
        line = self.lines[index].decode("utf-8", "backslashreplace")
        shown = repr(line) if len(line) <= MOST_SHOWN else f"{line[:MOST_SHOWN]!r} and more"
        return f"Line {self.first_line + index}, {shown}, {what}."


def is_mark(line: bytes) -> bool:
    """Whether a line separates games."""
    words = line.removeprefix(BOM).split()
    return len(words) > 2 and words[0] == b"===" and words[1] in (b"GAME", b"SESSION")


def _mark(line: bytes) -> tuple[str, dict[str, str]]:
    """The id and the settings of a mark."""
    words = line.decode("utf-8", "replace").split()[1:]
    pairs = [word.split("=", 1) for word in words if "=" in word.strip("=")]
    ids = [word for word in words[1:2] if "=" not in word]
    return "".join(ids), dict(pairs)


# ---------------------------------------------------------------- what lines mean


class Line(NamedTuple):
    """The meaning of a line: its kind, or the method that handles it, and the pattern's groups."""

    kind: Any
    fields: dict[str, Any]


class LineTable(dict[bytes, tuple[Line, ...]]):
    """The kinds of lines of a format, and the methods of its parser that handle them. A line is the key of
    all its possible meanings, in the order in which the kinds were added."""

    def __init__(self) -> None:
        self.kinds: list[tuple[Any, re.Pattern[bytes], dict[str, Callable[[bytes], Any]]]] = []
        self.handlers: dict[Any, tuple[Callable[..., Any], Any]] = {}

    def add(self, kind: Any, pattern: bytes, **convert: Callable[[bytes], Any]) -> None:
        """Add a kind: lines that fully match a pattern, whose named groups the given functions convert."""
        self.kinds.append((kind, re.compile(pattern, re.DOTALL), convert))

    def line(self, pattern: bytes, **convert: Callable[[bytes], Any]) -> Callable[[Handler], Handler]:
        """A decorator: the method handles lines that fully match a pattern; its arguments are the groups. It
        returns False if the line is of another kind after all, as when the name in it is not a player's."""

        def register(handler: Handler) -> Handler:
            self.add(handler, pattern, **convert)
            return handler

        return register

    def on(self, kind: Any, rule: Any = None) -> Callable[[Handler], Handler]:
        """A decorator: the method handles lines of a kind, where the kind of a line is not all that its
        pattern tells; `rule` says when such a line may come, in the parser's own terms."""

        def register(handler: Handler) -> Handler:
            self.handlers[kind] = handler, rule
            return handler

        return register

    def __missing__(self, line: bytes) -> tuple[Line, ...]:
        meanings: tuple[Line, ...] = ()
        for kind, pattern, converters in self.kinds:
            if match := pattern.fullmatch(line):
                groups = match.groupdict()
                groups |= {name: convert(groups[name]) for name, convert in converters.items()}
                meanings += (Line(kind, groups),)
        if len(line) <= MOST_KEPT_BYTES:
            if len(self) >= MOST_KEPT:
                self.clear()
            self[line] = meanings
        return meanings

    def handle(self, parser: Any, line: bytes) -> bool:
        """Have a parser handle a line; False if it has no handler for it."""
        for handler, fields in self[line]:  # noqa: SIM110, quicker than a generator
            if handler(parser, **fields) is not False:
                return True
        return False
