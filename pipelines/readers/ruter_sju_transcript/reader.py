"""The output of the Ruter Sju program: one game per match, each after a mark.

Here are the bounds of games: a game begins with its mark, or after the final order of the game before, and
ends at the latest where the program crashes. `seating` finds the players, and `game` turns lines into events.
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
"""A line of progress; or a traceback of Python, with a prompt before it on the same line."""
_MARKED_PLAYERS: Final = re.compile(rb" players=(.*?)(?: ===)?\r*\Z")


def sniff(head: bytes) -> bool:
    """Whether a text begins with a mark or with a turn of this game."""
    return _BEGINNING.match(head.removeprefix(BOM).lstrip()) is not None


@transcript(GAME, FORMAT)
def read(text: Text) -> Iterator[Hand]:
    """The hands of a text."""
    crashes = _blank(text)
    for part in text.sections:
        _complete_mark(text, part)
        for start, stop, game in _games(text, part, crashes):
            yield from _read_game(text, game, start, stop, stop in crashes)


# ---------------------------------------------------------------- where games begin and end


def _blank(text: Text) -> dict[int, int]:
    """Blank the lines that are not part of a game. Returns where the program crashed: by the index of the
    line after the game, that of the line after the traceback."""
    crashes = {}
    if b"Traceback" in text.text or b"Progress: " in text.text:
        for match in _NO_GAME.finditer(text.text):
            first, stop = (bisect_left(text.starts, offset) for offset in match.span())
            text.lines[first:stop] = [b""] * (stop - first)
            if match["prompt"] is not None:
                text.lines[first] = text.text[match.start() : match.end("prompt")]
                crashes[first + bool(match["prompt"])] = stop
    return crashes


def _complete_mark(text: Text, part: Section) -> None:
    """Restore names with blanks in the players of a mark, which was split into words."""
    if part.settings and not part.context:
        players = _MARKED_PLAYERS.search(text.lines[part.first - 1])
        if players and len(players[1].split()) != 1:
            part.settings["players"] = players[1].decode("utf-8", "replace")


def _games(text: Text, part: Section, crashes: dict[int, int]) -> Iterator[tuple[int, int, Section]]:
    """The games of a section, each with its first line, the line after its last, and its mark. With a mark it
    is one game, else games end with their final orders; a crash ends a game."""
    stops = {stop: after for stop, after in crashes.items() if part.first <= stop and after <= part.stop}
    game, unmarked = part, Section("", {}, part.first, part.stop)
    is_named = bool(part.settings or part.match_id or part.context)
    first = min(stops.values(), default=part.stop) if is_named else part.first
    stops |= {stop: stop for stop in _ends_of_orders(text.lines, first, part.stop)}
    start = part.first
    for stop, after in [*sorted(stops.items()), (part.stop, part.stop)]:
        yield start, stop, game
        start, game = after, unmarked


def _ends_of_orders(lines: list[bytes], start: int, stop: int) -> Iterator[int]:
    """The ends of final orders, whose lines count up from 1. A player may be called ``4. Eva``, and begin the
    next game."""
    for order in [index for index in range(start, stop) if lines[index] == b"Final Order:"]:
        after = order + 1
        while after < stop and lines[after].startswith(b"%d. " % (after - order)):
            if lines[after + 1 : after + 2] in ([b"CARDS"], [b"GAME"]):
                break
            after += 1
        if after > order + 1:
            yield after


# ---------------------------------------------------------------- a game


def _read_game(text: Text, part: Section, start: int, stop: int, has_crashed: bool) -> Iterator[Hand]:
    """A game as a hand, and the lines that follow its end without a mark between."""
    indices = [index for index in range(start, stop) if text.lines[index]]
    if not any(text.lines[index].strip() for index in indices):
        return
    is_over = has_crashed or stop < len(text) or bool(part.context.get("over"))
    context: dict[str, Any] = {"settings": part.settings, **({"over": True} if is_over or text.final else {})}
    place = Match(part.match_id), 0, indices[0], indices[-1]
    try:
        seating = seating_of(text.raw(indices[0], indices[-1]), part.settings)
    except ValueError as error:
        reason = Reason.UNPARSABLE if part.settings else Reason.INCOMPLETE
        yield Hand(*place, context=context, fault=Fault(reason, str(error)))
        return
    game = Game(seating, *place, context=context)
    try:
        game.parse(text.lines, indices)
    except Fault as fault:
        game.fault, fault.line = fault, game.index
        may_be_torn = fault.reason is Reason.UNKNOWN_CARD or (fault.reason, fault.what) in MAY_BE_TORN
        if may_be_torn and game.index == game.last and _is_torn(text.lines[game.last], seating.names):
            game.fault = None
    is_finished = game.is_over and not game.coming
    game.cut = not is_over and not is_finished
    rest = None
    if game.fault and is_finished:
        rest = Hand(None, 0, game.index, game.last, context=context, fault=game.fault)
        game.last, game.fault = indices[bisect_left(indices, game.index) - 1], None
    if game.fault is None and len(game.events) > MOST_EVENTS:
        game.fault = Fault(Reason.UNPARSABLE, f"The game has more than {MOST_EVENTS:,} events.")
    yield game
    if rest:
        yield rest


_WHOLE_LINES: Final = (
    b"CARDS", b"GAME", b"GAME OVER", b"Final Order:", b"Enter a valid card!",
    b"Going back to last player input...", *PROMPTS,
)  # fmt: skip
_CARDS: Final = [b"%d of %s" % (number, suit) for number in range(100) for suit in SUIT_WORDS]
_ROW: Final = re.compile(rb"[dshc45](?::(?: \d{0,2}){0,3} ?)?")


def _is_torn(line: bytes, names: tuple[bytes, ...]) -> bool:
    """Whether a game's last line, which can't be read, is the beginning of one that the program prints."""
    acts = [b":", b" takes the block...", b" is blocked...", b" is out!"]
    acts += [b" places %b..." % card for card in _CARDS]
    whole_lines = [*_WHOLE_LINES, *(name + act for name in names for act in acts)]
    whole_lines += [b"%d. %s" % (place, name) for place in range(1, SEATS + 1) for name in names]
    if any(text.startswith(line) for text in whole_lines) or _ROW.fullmatch(line):
        return True
    return all(any((card + b",").startswith(text) for card in _CARDS) for text in line.split(b", "))
