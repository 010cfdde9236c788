"""Reader for what the Ruter Sju program prints: one game a match, each after a mark.

docs/formats/ruter-sju-transcript.md describes the text. The compiled part is in `ruter_sju_lines`.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.ruter_sju import rules as ruter_sju
from cardlog.models.ruter_sju.rules import SEATS
from cardlog.pipelines.readers.base import Read, Reject, Source
from cardlog.pipelines.readers.ruter_sju_transcript import parser as lines
from cardlog.pipelines.readers.ruter_sju_transcript.parser import PARSED, SUIT_WORDS
from cardlog.pipelines.readers.ruter_sju_transcript.table import Table, made_table, shown_table
from cardlog.pipelines.readers.scan import BOM, line_bounds
from cardlog.pipelines.readers.transcript import (
    FOUND,
    PARTED_AT,
    Section,
    context_of,
    hand_ids,
    read_of,
    sections,
)
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "PARTED_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "ruter-sju-transcript"
GAMES: Final = (ruter_sju.GAME,)
SUMMARY: Final = "What the Ruter Sju program prints, its three bots and humans at the keyboard"
LINE_PER_HAND: Final = False

MOST_EVENTS: Final = 2**15
"""Events that a hand may have: their numbers must fit a column of 16 bits."""
MOST_SHOWN: Final = 60
"""Characters of a line that a message shows."""


def sniff(head: bytes) -> bool:
    """Whether a text begins with a mark of this game, or with a turn of it."""
    return _BEGINNING.match(head.removeprefix(BOM).lstrip()) is not None


_PROGRESS: Final = rb"(?:\x1b\[[0-9;]*[A-Za-z])*Progress: \d+(?:\.\d+)?%[ \t]*(?:\r?\n|\Z)"
"""What the author's script for making data prints between games, behind what clears the terminal."""
_PROGRESSES: Final = re.compile(rb"^" + _PROGRESS, re.MULTILINE)
_BEGINNING: Final = re.compile(
    rb"(?:" + _PROGRESS + rb"\s*)*(?:"
    rb"=== GAME [^\r\n]*\bnumSuits=|"
    rb"(?:Which player starts\?:[^\r\n]*\r?\n\s*)?[^\r\n]*:\r?\n"
    rb"(?:CARDS\r?\n\d+ of [a-z0-9]+(?:,|\r?\n)|GAME\r?\nd: ))"
)


@dataclass
class _Text:
    """A text that is read, and what is wrong with some of it.

    starts, ends
        Where its lines begin and end.
    used
        Lines that are in a hand or in a reject.
    """

    text: bytes
    source: Source
    first_line: int
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    rejects: list[Reject] = field(default_factory=list)
    used: int = 0

    def line(self, number: int) -> bytes:
        """A line, from 0, without its end."""
        return self.text[int(self.starts[number]) : int(self.ends[number])]

    def pass_over(self, spans: Iterable[tuple[int, int]]) -> None:
        """Leave out the lines of some parts of the text, which tell nothing of a game."""
        for start, end in spans:
            first, after = np.searchsorted(self.starts, (start, end))
            self.ends[first:after] = self.starts[first:after]

    def end_of(self, number: int) -> int:
        """Where the line after this one begins."""
        return int(self.starts[number + 1]) if number + 1 < len(self.starts) else len(self.text)

    def lines_of(self, part: Section) -> tuple[int, int] | None:
        """The first and the last line of a part that are not blank, from 0; None if all are."""
        first = int(np.searchsorted(self.starts, part.start))
        last = int(np.searchsorted(self.starts, part.end)) - 1
        while last >= first and self.starts[last] == self.ends[last]:
            last -= 1
        while first <= last and self.starts[first] == self.ends[first]:
            first += 1
        return (first, last) if first <= last else None

    def refuse(self, part: Section, match: str, reason: Reason, message: str, first: int, last: int) -> None:
        """Reject some lines; match is empty if they are of no game that has a name."""
        name = hand_ids(FORMAT, self.source, [match], np.zeros(1, np.int32))[0].decode() if match else None
        raw = self.text[int(self.starts[first]) : self.end_of(last)]
        context = context_of(match, 0, self.context(part))
        lines_at = self.first_line + first, self.first_line + last
        self.rejects.append(Reject(reason, message, raw, *lines_at, name, ruter_sju.GAME, context))
        self.used += last - first + 1

    def goes_on_after(self, part: Section) -> bool:
        """Whether something follows a part, so that it will not grow."""
        return part.end < len(self.text) or bool(part.context.get("over"))

    def context(self, part: Section) -> dict[str, Any]:
        """What it takes to read a part by itself; over says that something follows it."""
        return {"settings": part.settings, **({"over": True} if self.goes_on_after(part) else {})}


@dataclass(frozen=True)
class _Game:
    """A game that was read: the part it is in, its first and last line from 0, and what was parsed."""

    part: Section
    table: Table
    first: int
    last: int
    ended: bool
    events: NDArray[np.void]


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The games of a text: see `cardlog.pipelines.readers.base.Reader`."""
    buffer = np.frombuffer(text, np.uint8)
    found = _Text(text, source, first_line, *line_bounds(buffer))
    if b"Progress: " in text:
        found.pass_over(progress.span() for progress in _PROGRESSES.finditer(text))
    if _TRACEBACK in text:
        for crash in _CRASH.finditer(text):
            found.pass_over([crash.span()])
            found.ends[np.searchsorted(found.starts, crash.start())] = crash.end("before")
    if text.startswith(BOM):
        found.starts[0] += len(BOM)
    if text[text.rfind(b"\n") + 1 :].removeprefix(BOM) in _TORN_MARKS:
        found.ends[-1] = found.starts[-1]
    parts: list[tuple[Section, Table]] = []
    for whole in sections(text, source, first_line):
        _complete_mark(text, whole)
        for part in _games(text, whole):
            table = _table(text, part)
            if isinstance(table, Table):
                parts.append((part, table))
            elif span := found.lines_of(part):
                reason = Reason.UNPARSABLE if part.settings else Reason.INCOMPLETE
                found.refuse(part, part.match_id, reason, table, *span)
    rows = np.zeros(len(parts), PARSED)
    for place, (part, table) in enumerate(parts):
        row = rows[place]
        row["table"] = table.row[0]
        row["first"], row["last"] = np.searchsorted(found.starts, (part.start, part.end))
    events = np.empty(len(found.starts) + (SEATS + 1) * len(parts), ruter_sju.EVENT)
    offsets = np.zeros(len(parts) + 1, np.int64)
    lines.parse(buffer, found.starts, found.ends, first_line, rows, events, offsets)
    games = [
        game
        for place, (part, table) in enumerate(parts)
        if (game := _checked(found, part, table, rows[place], events[offsets[place] : offsets[place + 1]]))
    ]
    return [_collected(found, games)]


def _checked(
    found: _Text, part: Section, table: Table, row: np.void, events: NDArray[np.void]
) -> _Game | None:
    """A game that was parsed, None if it was refused or there is nothing of it."""
    span = found.lines_of(part)
    if span is None:
        return None
    first, last = span
    error, at = int(row["error"]), int(row["at"])
    line = found.line(at) if error else b""
    if error in lines.MAY_BE_TORN and at == last and _is_torn(line, table.names):
        error = lines.NO_ERROR
    if error == lines.AFTER_END:
        found.refuse(part, "", *_sentence(error, line, found.first_line + at), at, last)
        error, last = lines.NO_ERROR, at - 1
        while found.starts[last] == found.ends[last]:
            last -= 1
    if not error and len(events) > MOST_EVENTS:
        error, at, line = lines.TOO_LONG, first, found.line(first)
    if error:
        found.refuse(part, part.match_id, *_sentence(error, line, found.first_line + at), first, last)
        return None
    found.used += last - first + 1
    return _Game(part, table, first, last, bool(row["ended"]), events)


def _collected(found: _Text, games: list[_Game]) -> Read:
    """What was read of a text."""
    hands = np.zeros(len(games), FOUND)
    details: dict[str, int] = {}
    for place, game in enumerate(games):
        game.events["detail"][0] = details.setdefault(game.table.detail, len(details))
        hands[place] = (
            place,
            0,
            found.starts[game.first],
            found.end_of(game.last),
            found.first_line + game.first,
            found.first_line + game.last,
            not game.ended and not found.goes_on_after(game.part),
        )
    return read_of(
        ruter_sju.GAME,
        FORMAT,
        found.source,
        found.text,
        hands,
        [game.part.match_id for game in games],
        np.concatenate([game.events for game in games] or [np.empty(0, ruter_sju.EVENT)]),
        np.cumsum([0, *(len(game.events) for game in games)]),
        list(details),
        [found.context(game.part) for game in games],
        rejects=found.rejects,
        lines_read=len(found.starts),
        other_lines=len(found.starts) - found.used,
    )


# ---------------------------------------------------------------- who plays, and with what


def _complete_mark(text: bytes, part: Section) -> None:
    """Put the players' names as they stand into the settings of a mark, whose words were parted at blanks."""
    if part.settings and not part.context:
        mark = text[text.rfind(b"\n", 0, max(part.start - 1, 0)) + 1 : part.start]
        players = _MARKED_PLAYERS.search(mark)
        if players and len(players[1].split()) != 1:
            part.settings["players"] = players[1].decode("utf-8", "replace")


_MARKED_PLAYERS: Final = re.compile(rb" players=(.*?)(?: ===)?[\r\n]*\Z")


def _games(text: bytes, part: Section) -> list[Section]:
    """The games of a part of the text: one if it has a mark; without one, each ends with its order; and
    where the program crashes its game is over."""
    stops = []
    if text.find(_TRACEBACK, part.start, part.end) >= 0:
        stops = [(crash.end("before"), crash.end()) for crash in _CRASH.finditer(text, part.start, part.end)]
    is_named = bool(part.settings or part.match_id or part.context)
    if not is_named or stops:
        unmarked = stops[0][1] if is_named else part.start
        stops += [(end, end) for end in _ends_of_orders(text, unmarked, part.end)]
    found: list[Section] = []
    start, line = part.start, part.first_line
    for end, after in [*sorted(stops), (part.end, part.end)]:
        if not found and is_named:
            found.append(replace(part, end=end))
        elif text[start:end].strip() or not (found or stops):
            found.append(Section("", {}, start, end, line))
        line += text.count(b"\n", start, after)
        start = after
    return found


def _ends_of_orders(text: bytes, start: int, end: int) -> Iterator[int]:
    """Where the lines of a final order end: those that count up from 1. A player may be called ``4. Eva``,
    and begin the next game."""
    for order in _FINAL_ORDER.finditer(text, start, end):
        place, number = order.end(), 1
        while place < end and text.startswith(b"%d. " % number, place):
            after = text.find(b"\n", place, end) + 1 or end
            if _SHOWS.match(text, after):
                break
            place, number = after, number + 1
        if number > 1:
            yield place


_FINAL_ORDER: Final = re.compile(rb"^Final Order:\r?\n", re.MULTILINE)
_SHOWS: Final = re.compile(rb"(?:CARDS|GAME)\r?\n")
_TRACEBACK: Final = b"Traceback (most recent call last):"
_CRASH: Final = re.compile(
    rb"^(?:During handling of the above [^\r\n]*\r?\n\s*)?"
    rb"(?P<before>[^\r\n]*?)(?:\^C)?Traceback \(most recent call last\):[ \t]*(?:\r?\n|\r?\Z)"
    rb"(?:[ \t]+\S[^\n]*(?:\n|\Z))*(?:[A-Za-z_][\w.]*(?::[^\n]*)?(?:\n|\Z))?",
    re.MULTILINE,
)
"""What Python prints of an error, and what the program had printed before it in the same line: a prompt."""


def _table(text: bytes, part: Section) -> Table | str:
    """Who plays a game and with what, from its mark or else from its text; a sentence if that is wrong."""
    if part.settings:
        keys = ("numPlayers", "numSuits", "cardsPerSuit", "players")
        return _marked(*(part.settings.get(key, "") for key in keys))
    return shown_table(text[part.start : part.end])


@lru_cache(maxsize=4096)
def _marked(seats: str, suits: str, ranks: str, players: str) -> Table | str:
    """The table that a mark tells of."""
    kinds = ("human", *ruter_sju.BOTS)
    pairs = re.findall(rf"(.*?):({'|'.join(kinds)})(?:,|\Z)", players)
    if ",".join(f"{name}:{kind}" for name, kind in pairs) != players:
        return (
            f"The mark's players are {players!r}; each must be name:kind, the kind one of {', '.join(kinds)}."
        )
    if seats != str(len(pairs)):
        return f"The mark's numPlayers is {seats!r}, but it names {len(pairs)} players."
    return made_table(suits, ranks, tuple((name.encode(), kind) for name, kind in pairs))


# ---------------------------------------------------------------- what is wrong


def _is_torn(line: bytes, names: tuple[bytes, ...]) -> bool:
    """Whether a line can be the beginning of one that the program prints: the last one, torn off."""
    own = (b":", b" takes the block...", b" is blocked...", b" is out!")
    whole = [name + end for name in names for end in own]
    whole += [
        b"CARDS",
        b"GAME",
        b"GAME OVER",
        b"Final Order:",
        *lines.PROMPTS,
        lines.INVALID,
        lines.GOING_BACK,
    ]
    whole += [b"%d. %s" % (place, name) for place in range(1, SEATS + 1) for name in names]
    placing = [name + b" places " for name in names]
    if any(word.startswith(line) for word in (*whole, *placing)):
        return True
    rest = next((line[len(word) :] for word in placing if line.startswith(word)), None)
    if rest is not None:
        return _TORN_CARD.fullmatch(rest.rstrip(b".")) is not None
    return _TORN_BOARD.fullmatch(line) is not None or all(
        _TORN_CARD.fullmatch(card) for card in line.split(b", ")
    )


_TORN_MARKS: Final = tuple(PARTED_AT[:size] for size in range(1, len(PARTED_AT)))
_TORN_BOARD: Final = re.compile(rb"[dshc45](?::(?: \d{0,2}){0,3} ?)?")
_TORN_CARD: Final = re.compile(
    rb"(?:\d{1,2}(?: (?:o(?:f(?: (?:"
    + b"|".join(word[:size] for word in SUIT_WORDS for size in range(len(word) + 1))
    + rb"))?)?)?)?)?,?"
)

_SENTENCES: Final = {
    lines.NO_LINE: (Reason.UNPARSABLE, "is not what the program prints there"),
    lines.NO_CARD: (Reason.UNKNOWN_CARD, "names a card that is not in this deck"),
    lines.WRONG_HAND: (Reason.OUT_OF_ORDER, "shows another hand than the cards placed so far leave"),
    lines.WRONG_BOARD: (Reason.OUT_OF_ORDER, "shows another table than the cards placed so far make"),
    lines.WRONG_OUT: (Reason.OUT_OF_ORDER, "and the cards placed so far differ on whether a player is out"),
    lines.NO_ACT: (Reason.INCOMPLETE, "comes where the text must say what was done in the turn before"),
    lines.NO_TURN: (Reason.OUT_OF_ORDER, "tells what a player does whose turn has not begun"),
    lines.NOT_HELD: (Reason.NOT_IN_HAND, "places a card that the player does not hold"),
    lines.WRONG_KIND: (Reason.UNPARSABLE, "does not fit the mark: only computers' cards are shown"),
    lines.EARLY_END: (Reason.OUT_OF_ORDER, "ends the game while players are in"),
    lines.AFTER_END: (Reason.UNPARSABLE, "follows the end of the game, with no mark between"),
    lines.WRONG_COUNT: (Reason.INCOMPLETE, "shows another number of cards than the deal gives"),
    lines.DEALT_TWICE: (Reason.DUPLICATE_CARD, "shows a card that was dealt before"),
    lines.TOO_LONG: (Reason.UNPARSABLE, f"begins a game of more than {MOST_EVENTS:,} events"),
}


def _sentence(error: int, line: bytes, number: int) -> tuple[Reason, str]:
    """The reason of an error, and a sentence on its line."""
    reason, what = _SENTENCES[error]
    text = line.decode("utf-8", "backslashreplace")
    shown = repr(text) if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]!r} and more"
    return reason, f"Line {number}, {shown}, {what}."
