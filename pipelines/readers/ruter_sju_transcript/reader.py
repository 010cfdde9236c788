"""Reads the output of the Ruter Sju program: one game per match, each after a mark.

Here games begin and end: one begins with its mark, or after the final order of the game before, and ends at
the latest where the program crashes. `seating` finds their players, and `game` turns their lines into events.
docs/formats/ruter-sju-transcript.md describes the text.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Final

from cardlog.models.ruter_sju.state import GAME, SEATS
from cardlog.pipelines.readers.base import BOM
from cardlog.pipelines.readers.ruter_sju_transcript.game import MAY_BE_TORN, Game
from cardlog.pipelines.readers.ruter_sju_transcript.seating import PROMPTS, SUIT_WORDS, seating_of
from cardlog.pipelines.readers.transcript import SPLIT_AT, Fault, Hand, Match, Section, Text, transcript
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "ruter-sju-transcript"
GAMES: Final = (GAME,)
SUMMARY: Final = "What the Ruter Sju program prints, its three bots and humans at the keyboard"
LINE_PER_HAND: Final = False
MOST_EVENTS: Final = 2**15
"""Most events of a hand: `seq` has 16 bits."""

_PROGRESS: Final = rb"(?:\x1b\[[0-9;]*[A-Za-z])*Progress: \d+(?:\.\d+)?%[ \t]*(?:\r?\n|\Z)"
"""Printed by the author's data script between games, after the codes that clear the terminal."""
_BEGINNING: Final = re.compile(
    rb"(?:" + _PROGRESS + rb"\s*)*(?:"
    rb"=== GAME [^\r\n]*\bnumSuits=|"
    rb"(?:Which player starts\?:[^\r\n]*\r?\n\s*)?[^\r\n]*:\r?\n"
    rb"(?:CARDS\r?\n\d+ of [a-z0-9]+(?:,|\r?\n)|GAME\r?\nd: ))"
)
_NO_GAME: Final = re.compile(
    rb"^" + _PROGRESS + rb"|^(?:During handling of the above [^\r\n]*\r?\n\s*)?"
    rb"(?P<prompt>[^\r\n]*?)(?:\^C)?Traceback \(most recent call last\):[ \t]*(?:\r?\n|\r?\Z)"
    rb"(?:[ \t]+\S[^\n]*(?:\n|\Z))*(?:[A-Za-z_][\w.]*(?::[^\n]*)?(?:\n|\Z))?",
    re.MULTILINE,
)
"""A line of progress; or a traceback of Python, and a prompt before it on the same line."""
_MARKED_PLAYERS: Final = re.compile(rb" players=(.*?)(?: ===)?\r*\Z")
_FINAL_ORDER: Final = re.compile(rb"^Final Order:\r?\n", re.MULTILINE)
_TURN: Final = re.compile(rb"(?:CARDS|GAME)\r?\n")


def sniff(head: bytes) -> bool:
    """Whether a text begins with a mark of this game, or with a turn of it."""
    return _BEGINNING.match(head.removeprefix(BOM).lstrip()) is not None


@transcript(GAME, FORMAT)
def read(text: Text) -> Iterator[Hand]:
    """The hands of a text."""
    crashes = _blank(text)
    for part in text.sections:
        _complete_mark(text, part)
        is_named = bool(part.settings or part.match_id or part.context)
        for number, (start, end) in enumerate(_games(text, part, crashes, is_named)):
            of_game = part if is_named and not number else Section("", {}, part.first, part.stop)
            yield from _read_game(text, of_game, start, end)


# ---------------------------------------------------------------- where games begin and end


def _blank(text: Text) -> list[tuple[int, int]]:
    """Make lines blank that are not part of a game. Returns between which offsets the program crashed."""
    crashes = []
    if b"Traceback" in text.text or b"Progress: " in text.text:
        for found in _NO_GAME.finditer(text.text):
            first, stop = (bisect_left(text.starts, offset) for offset in found.span())
            text.lines[first:stop] = [b""] * (stop - first)
            if found["prompt"] is not None:
                text.lines[first] = text.text[found.start() : found.end("prompt")]
                crashes.append((found.end("prompt"), found.end()))
    return crashes


def _complete_mark(text: Text, part: Section) -> None:
    """Restore players' names with blanks in the settings of a mark, whose words were split there."""
    if part.settings and not part.context:
        players = _MARKED_PLAYERS.search(text.lines[part.first - 1])
        if players and len(players[1].split()) != 1:
            part.settings["players"] = players[1].decode("utf-8", "replace")


def _games(
    text: Text, part: Section, crashes: list[tuple[int, int]], is_named: bool
) -> Iterator[tuple[int, int]]:
    """The offsets of the games of a section: one if it has a mark, else each ends with its final order; a
    crash ends a game."""
    start, end = text.starts[part.first], text.starts[part.stop]
    stops = [crash for crash in crashes if start <= crash[0] and crash[1] <= end]
    if not is_named or stops:
        unmarked = stops[0][1] if is_named else start
        stops += [(stop, stop) for stop in _ends_of_orders(text.text, unmarked, end)]
    is_first = True
    for stop, after in [*sorted(stops), (end, end)]:
        if text.text[start:stop].strip() or (is_first and (is_named or not stops)):
            yield start, stop
            is_first = False
        start = after


def _ends_of_orders(text: bytes, start: int, end: int) -> Iterator[int]:
    """The ends of final orders, whose lines count up from 1. A player may be called ``4. Eva``, and begin the
    next game."""
    for order in _FINAL_ORDER.finditer(text, start, end):
        offset, number = order.end(), 1
        while offset < end and text.startswith(b"%d. " % number, offset):
            after = text.find(b"\n", offset, end) + 1 or end
            if _TURN.match(text, after):
                break
            offset, number = after, number + 1
        if number > 1:
            yield offset


# ---------------------------------------------------------------- a game


def _read_game(text: Text, part: Section, start: int, end: int) -> Iterator[Hand]:
    """A hand, and what follows it with no mark between."""
    indices = range(bisect_left(text.starts, start), bisect_left(text.starts, end))
    shown = [index for index in indices if text.lines[index]]
    if not shown:
        return
    is_over = end < len(text.text) or bool(part.context.get("over"))
    context: dict[str, Any] = {"settings": part.settings, **({"over": True} if is_over else {})}
    place = Match(part.match_id), 0, shown[0], shown[-1]
    try:
        seating = seating_of(text.text[start:end], part.settings)
    except ValueError as wrong:
        reason = Reason.UNPARSABLE if part.settings else Reason.INCOMPLETE
        yield Hand(*place, context=context, fault=Fault(reason, str(wrong)))
        return
    game = Game(seating, *place, context=context)
    try:
        game.parse(text.lines, shown)
    except Fault as fault:
        game.fault, fault.line = fault, game.index
        may_be_torn = game.index == game.last and (fault.reason, fault.what) in MAY_BE_TORN
        if may_be_torn and _is_torn(text.lines[game.last], seating.names):
            game.fault = None
    is_finished = game.expect is Game.nothing
    game.cut = not is_over and not is_finished
    after = None
    if game.fault and is_finished:
        after = Hand(None, 0, game.index, game.last, context=context, fault=game.fault)
        game.last, game.fault = shown[bisect_left(shown, game.index) - 1], None
    if game.fault is None and len(game.events) > MOST_EVENTS:
        game.fault = Fault(Reason.UNPARSABLE, f"The game has more than {MOST_EVENTS:,} events.")
    yield game
    if after:
        yield after


_WHOLE_LINES: Final = (
    b"CARDS", b"GAME", b"GAME OVER", b"Final Order:", b"Enter a valid card!",
    b"Going back to last player input...", *PROMPTS,
)  # fmt: skip
_CARDS: Final = [b"%d of %s" % (number, suit) for number in range(100) for suit in SUIT_WORDS]
_NAMED_LINES: Final = (
    b":", b" takes the block...", b" is blocked...", b" is out!",
    *(b" places " + card + b"..." for card in _CARDS),
)  # fmt: skip
"""What follows a name."""
_ROW: Final = re.compile(rb"[dshc45](?::(?: \d{0,2}){0,3} ?)?")


def _is_torn(line: bytes, names: tuple[bytes, ...]) -> bool:
    """Whether a game's last line, which can't be read, is the beginning of one that the program prints."""
    whole = [name + rest for name in names for rest in _NAMED_LINES]
    whole += [b"%d. %s" % (number, name) for number in range(1, SEATS + 1) for name in names]
    if any(text.startswith(line) for text in (*whole, *_WHOLE_LINES)) or _ROW.fullmatch(line):
        return True
    return all(any((card + b",").startswith(text) for card in _CARDS) for text in line.split(b", "))
