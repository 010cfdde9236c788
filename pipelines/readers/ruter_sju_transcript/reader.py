"""Reads the output of the Ruter Sju program: one game per match, each after a mark.

docs/formats/ruter-sju-transcript.md describes the text. `hands` finds the games, `seating` their players,
and `game` turns them into events.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import Any, Final

from cardlog.models.ruter_sju.state import GAME, SEATS
from cardlog.pipelines.readers.base import BOM, Read, Source
from cardlog.pipelines.readers.ruter_sju_transcript import hands
from cardlog.pipelines.readers.ruter_sju_transcript.game import MAY_BE_TORN, Game
from cardlog.pipelines.readers.ruter_sju_transcript.seating import PROMPTS, SUIT_WORDS, Seating, seating_of
from cardlog.pipelines.readers.transcript import (
    SPLIT_AT,
    Fault,
    Hand,
    Section,
    Text,
    read_of_hands,
    read_whole_lines,
)
from cardlog.schemas.reasons import Reason

__all__ = ["FORMAT", "GAMES", "LINE_PER_HAND", "SPLIT_AT", "SUMMARY", "read", "sniff"]

FORMAT: Final = "ruter-sju-transcript"
GAMES: Final = (GAME,)
SUMMARY: Final = "What the Ruter Sju program prints, its three bots and humans at the keyboard"
LINE_PER_HAND: Final = False
MOST_EVENTS: Final = 2**15
"""Most events of a hand: `seq` has 16 bits."""

_BEGINNING: Final = re.compile(
    rb"(?:" + hands.PROGRESS + rb"\s*)*(?:"
    rb"=== GAME [^\r\n]*\bnumSuits=|"
    rb"(?:Which player starts\?:[^\r\n]*\r?\n\s*)?[^\r\n]*:\r?\n"
    rb"(?:CARDS\r?\n\d+ of [a-z0-9]+(?:,|\r?\n)|GAME\r?\nd: ))"
)


def sniff(head: bytes) -> bool:
    """Whether a text begins with a mark of this game, or with a turn of it."""
    return _BEGINNING.match(head.removeprefix(BOM).lstrip()) is not None


def read(text: bytes, source: Source, first_line: int = 1) -> list[Read]:
    """The hands of a text: see `cardlog.pipelines.readers.base.Reader`."""
    return read_whole_lines(_read_lines, text, source, first_line)


def _read_lines(content: bytes, source: Source, first_line: int) -> Read:
    """The hands of a text of whole lines."""
    text = Text(content, first_line)
    matches: list[str] = []
    return read_of_hands(GAME, FORMAT, source, text, _hands(text, source, matches), matches)


def _hands(text: Text, source: Source, matches: list[str]) -> Iterator[Hand]:
    """The hands, whose matches' names are added."""
    for part in hands.find(text, source):
        first = bisect_left(text.starts, part.start)
        last = _last_line(text, first, bisect_left(text.starts, part.end) - 1)
        while first <= last and not text.lines[first]:
            first += 1
        if first <= last:
            matches.append(part.match_id)
            yield from _read_hand(text, part, first, last, len(matches) - 1)


def _last_line(text: Text, first: int, last: int) -> int:
    """The last line that is not blank; less than `first` if all are."""
    while last >= first and not text.lines[last]:
        last -= 1
    return last


def _read_hand(text: Text, part: Section, first: int, last: int, match: int) -> list[Hand]:
    """A hand, and what follows it with no mark between."""
    is_over = part.end < len(text.text) or bool(part.context.get("over"))
    context: dict[str, Any] = {"settings": part.settings, **({"over": True} if is_over else {})}
    hand = Hand(match, 0, first, last, context=context)
    seating = seating_of(text.text, part)
    if not isinstance(seating, Seating):
        hand.fault = Fault(Reason.UNPARSABLE if part.settings else Reason.INCOMPLETE, seating)
        return [hand]
    game = Game(seating, first)
    fault = None
    try:
        game.parse(text.lines, first, last)
    except Fault as found:
        fault = found
        fault.line = game.index
        may_be_torn = game.index == last and (fault.reason, fault.what) in MAY_BE_TORN
        if may_be_torn and _is_torn(text.lines[last], seating.names):
            fault = None
    hand.events, hand.detail = game.events, seating.detail
    hand.cut = not is_over and game.expect is not Game.nothing
    after = []
    if fault is not None and game.expect is Game.nothing:
        after = [Hand(-1, 0, game.index, last, context=context, fault=fault)]
        hand.last, fault = _last_line(text, first, game.index - 1), None
    if fault is None and len(game.events) > MOST_EVENTS:
        fault = Fault(Reason.UNPARSABLE, f"The game has more than {MOST_EVENTS:,} events.")
    hand.fault = fault
    return [hand, *after]


# ---------------------------------------------------------------- a game's last line torn off

_WHOLE_LINES: Final = (
    b"CARDS", b"GAME", b"GAME OVER", b"Final Order:", b"Enter a valid card!",
    b"Going back to last player input...", *PROMPTS,
)  # fmt: skip
_NAMED_LINES: Final = (b":", b" takes the block...", b" is blocked...", b" is out!", b" places ")
"""What follows a name at the end of a line, and the beginning of one with a card."""
_TORN_ROW: Final = re.compile(rb"[dshc45](?::(?: \d{0,2}){0,3} ?)?")
_TORN_CARD: Final = re.compile(
    rb"(?:\d{1,2}(?: (?:o(?:f(?: (?:"
    + b"|".join(word[:size] for word in SUIT_WORDS for size in range(len(word) + 1))
    + rb"))?)?)?)?)?,?"
)


def _is_torn(line: bytes, names: tuple[bytes, ...]) -> bool:
    """Whether a line is the beginning of one that the program prints."""
    whole = [name + end for name in names for end in _NAMED_LINES]
    whole += [b"%d. %s" % (number, name) for number in range(1, SEATS + 1) for name in names]
    if any(text.startswith(line) for text in (*whole, *_WHOLE_LINES)):
        return True
    for name in names:
        if line.startswith(name + b" places "):
            return _TORN_CARD.fullmatch(line[len(name) + 8 :].rstrip(b".")) is not None
    return _TORN_ROW.fullmatch(line) is not None or all(map(_TORN_CARD.fullmatch, line.split(b", ")))
