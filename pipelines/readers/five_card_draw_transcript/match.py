"""A match of a five-card draw transcript: who sits at the table, and with what chips."""

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from cardlog.models.five_card_draw.state import LEAST_SEATS, SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.five_card_draw_transcript import lines as words
from cardlog.pipelines.readers.five_card_draw_transcript.lines import NOT_KNOWN, Wrong

GOES_ON, OVER, BROKEN_OFF = range(3)
"""Progress of a match: `OVER` after its last line, `BROKEN_OFF` by a crash before its first hand."""
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0a-\x1f]")
_ANTE, _ANTE_ALL_IN = re.compile(words.ANTE), re.compile(words.ANTE_ALL_IN)


class _Ahead:
    """What the lines from the beginning of a hand to its deal say: who pays the ante, who has the button, and
    whether the deal follows, or a crash before it."""

    def __init__(self, lines: list[bytes], indices: range, ante: int) -> None:
        self.ante = ante
        self.payers: list[bytes] = []
        self.button: bytes | None = None
        self.dealt = self.crashed = False
        for index in indices:
            line = lines[index]
            if line.startswith(b"[ANTE] "):
                self._pays(line)
            elif line.startswith(words.BUTTON) and self.button is None:
                self.button = line[len(words.BUTTON) : -1] if line.endswith(b".") else b""
            elif line == words.DEALT:
                self.dealt = True
                break
            elif words.is_traceback(line):
                self.crashed = True
                break
            elif line.startswith(words.NOT_ANTES) or (line == words.NEW_ROUND and index > indices[0]):
                break
        if self.crashed and self.payers and self.button is not None and self.button not in self.payers:
            self.payers.append(self.button)  # nobody else is known to play

    def _pays(self, line: bytes) -> None:
        paid = _ANTE.fullmatch(line)
        found = paid or _ANTE_ALL_IN.fullmatch(line)
        if found:
            self.payers.append(found["name"])
        if paid and self.ante == NOT_KNOWN:
            self.ante = int(paid["amount"])

    def wrong(self) -> Wrong | None:
        """Why those who have paid the ante can't be the players of a match."""
        if not (self.dealt or self.crashed) or self.button is None or len(self.payers) < LEAST_SEATS:
            return words.NO_ANTES
        if len(self.payers) > SEATS:
            return words.TOO_MANY_PLAYERS
        if len(set(self.payers)) < len(self.payers):
            return words.SAME_NAMES
        return None if self.payers[-1] == self.button else words.WRONG_BUTTON


@dataclass(eq=False)
class Match(transcript.Match):
    """What is known of a match; chips may be `NOT_KNOWN`."""

    given: int = NOT_KNOWN  # chips of each player at the beginning
    ante: int = NOT_KNOWN
    total: int = NOT_KNOWN  # chips of all players
    names: tuple[bytes, ...] = ()  # by seat, none before a hand has named them
    trusted: bool = False  # whether a complete hand has confirmed the names
    before: list[int] = field(default_factory=list)  # chips of each seat before the next hand
    left: list[tuple[bytes, int]] = field(default_factory=list)  # names and chips in the last standings
    human: bytes = b""  # the name that was typed
    piped: bool = False  # whether input is not echoed, not even the name
    progress: int = GOES_ON

    def resume(self, context: dict[str, Any]) -> None:
        """Go on before a hand that is read by itself."""
        self.hands, self.before, self.trusted = context["hand_no"], context["chips"], True
        self.names = tuple(name.encode("utf-8", "surrogateescape") for name in context["names"])
        self.human = (context["human"] or "").encode("utf-8", "surrogateescape")
        self.piped = context.get("piped", False)
        if self.names and NOT_KNOWN not in self.before:
            self.total = sum(self.before)

    def sit(self, lines: list[bytes], indices: range, is_whole: bool) -> tuple[int, Wrong | None]:
        """Look ahead at the button and the antes of a hand. If the players are not known yet, these are they:
        the one with the button has seat 0, the others follow in dealing order.

        indices
            Of the lines from the one that opens the hand.
        is_whole
            Whether the hand has its beginning; otherwise nobody sits down.

        Returns the dealer, and what is wrong with the hand.
        """
        ahead = _Ahead(lines, indices, self.ante)
        self.ante = ahead.ante
        if not self.trusted and ahead.dealt and is_whole and not {*ahead.payers} <= {*self.names}:
            self.names = ()  # they came from a damaged hand
        if not self.names:
            wrong = ahead.wrong()
            if wrong or not is_whole:
                self.before = []
                return 0, wrong
            self.names = ahead.payers[-1], *ahead.payers[:-1]
            given = self.given if self.hands == 1 else NOT_KNOWN
            self.before = [dict(self.left).get(name, given) for name in self.names]
            self.total = NOT_KNOWN if NOT_KNOWN in self.before else sum(self.before)
        dealer = self.names.index(ahead.button) if ahead.button in self.names else None
        if dealer is None or self.before[dealer] == 0:
            is_named = ahead.dealt or ahead.button is not None
            return dealer or 0, words.WRONG_BUTTON if is_named else words.NO_ANTES
        if NOT_KNOWN in self.before:
            return dealer, words.NO_CHIPS
        return dealer, words.NO_ANTES if ahead.ante == NOT_KNOWN else None

    def chips_after(self, counted: dict[int, int], standing: dict[int, int]) -> None:
        """The players' chips before the next hand: by the standings, or by the lines before them if the
        standings are incomplete or don't add up; one missing number follows from the rest.

        counted, standing
            Chips by seat, of those in the hand.
        """
        left = dict.fromkeys(counted, NOT_KNOWN)
        missing = counted.keys() - standing.keys()
        reported = sum(standing.values())
        if not missing and self.total in (NOT_KNOWN, reported):
            left = standing
            self.total = reported if self.names else self.total
        elif self.total != NOT_KNOWN and sum(counted.values()) == self.total:
            left = counted
        elif self.total != NOT_KNOWN and len(missing) == 1 and reported <= self.total:
            left = standing | {missing.pop(): self.total - reported}
        self.before = [left.get(seat, 0) for seat in range(len(self.names))]


# ---------------------------------------------------------------- the name that was typed


@lru_cache(1000)
def seat_of(typed: bytes, names: tuple[bytes, ...]) -> int | None:
    """The seat of the player whose name was typed, or would look like that on the terminal: of a control
    character it shows ``^`` and a letter, and after a backspace characters are written over. A terminal that
    is not set to UTF-8 treats each byte as a character. None if there is no such player."""
    if typed in names:
        return names.index(typed) if typed else None
    shown = [_CONTROL.sub(lambda found: b"^%c" % (found[0][0] + 64), name) for name in names if typed]
    for character in (rb"[^\b][\x80-\xbf]*", rb"[^\b]"):
        screen, over = typed, re.compile(rb"(?:%b)?\x08" % character)
        while b"\b" in screen:
            screen = over.sub(b"", screen, count=1)
        if screen in shown:
            return shown.index(screen)
    return None
