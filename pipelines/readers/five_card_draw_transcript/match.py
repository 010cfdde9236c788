"""A match of a five-card draw transcript: who sits at the table, and with what chips."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from cardlog.models.five_card_draw.state import SEATS
from cardlog.models.poker.chips import LEAST_SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.five_card_draw_transcript import wording as words
from cardlog.pipelines.readers.five_card_draw_transcript.wording import NOT_KNOWN
from cardlog.pipelines.readers.transcript import require

GOES_ON, OVER, BROKEN_OFF = range(3)
"""Progress of a match: `OVER` after its last line, `BROKEN_OFF` by a crash before its first hand."""
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0a-\x1f]")
_ANTE: Final = re.compile(words.ANTE)


@dataclass(eq=False)
class Match(transcript.Match):
    """A match; chips may be `NOT_KNOWN`."""

    given: int = NOT_KNOWN  # chips of each player at the beginning
    ante: int = NOT_KNOWN
    total: int = NOT_KNOWN  # chips of all players
    names: tuple[bytes, ...] = ()  # by seat, empty until a hand shows them
    trusted: bool = False  # whether a complete hand has confirmed the names
    before: list[int] = field(default_factory=list)  # chips of each seat before the next hand
    left: dict[bytes, int] = field(default_factory=dict)  # chips in the last standings, by name
    dealer: int = 0  # the seat with the button
    human: bytes = b""  # the name that was typed
    piped: bool = False  # whether input is not echoed, not even the name
    progress: int = GOES_ON

    def resume(self, context: dict[str, Any]) -> None:
        """Restore what was known before a hand that is read by itself."""
        self.hands, self.before, self.trusted = context["hand_no"], context["chips"], True
        *names, human = (
            name.encode("utf-8", "surrogateescape") for name in (*context["names"], context["human"] or "")
        )
        self.names, self.human, self.piped = tuple(names), human, context.get("piped", False)
        if self.names and NOT_KNOWN not in self.before:
            self.total = sum(self.before)

    def sit(self, lines: Iterable[bytes], is_whole: bool) -> None:
        """Look ahead at the button and the antes of a hand. If the players are not known yet, these are the
        players: the one with the button has seat 0, the others follow in dealing order.

        lines
            From the line that opens the hand, or the one after `[NEW ROUND]`.
        is_whole
            Whether the hand has its beginning; otherwise nobody sits down.

        Raises Fault if the hand can't begin like this.
        """
        payers, button, last = self._look_ahead(lines)
        is_dealt, is_crash = last == words.DEALT, words.CRASH.fullmatch(last) is not None
        self.dealer = 0
        if not self.trusted and is_dealt and is_whole and not {*payers} <= {*self.names}:
            self.names = ()  # they came from a damaged hand
        if not self.names:
            self.before = []
            if is_crash and payers and button is not None and button not in payers:
                payers.append(button)  # nobody else is known to play
            is_complete = is_whole and (is_dealt or is_crash) and button is not None
            require(is_complete and len(payers) >= LEAST_SEATS, *words.NO_ANTES)
            require(len(payers) <= SEATS, *words.TOO_MANY_PLAYERS)
            require(len(set(payers)) == len(payers), *words.SAME_NAMES)
            require(payers[-1] == button, *words.WRONG_BUTTON)
            self.names = payers[-1], *payers[:-1]
            given = self.given if self.hands == 1 else NOT_KNOWN
            self.before = [self.left.get(name, given) for name in self.names]
            self.total = NOT_KNOWN if NOT_KNOWN in self.before else sum(self.before)
        require(is_dealt or button is not None, *words.NO_ANTES)
        require(button in self.names, *words.WRONG_BUTTON)
        self.dealer = self.names.index(button or b"")
        require(self.before[self.dealer] != 0, *words.WRONG_BUTTON)
        require(NOT_KNOWN not in self.before, *words.NO_CHIPS)
        require(self.ante != NOT_KNOWN, *words.NO_ANTES)

    def _look_ahead(self, lines: Iterable[bytes]) -> tuple[list[bytes], bytes | None, bytes]:
        """From the lines before the deal: who pays the ante, who has the button, and the line that ends this
        part, which is the deal, a crash, or a line that can't come before the deal."""
        payers: list[bytes] = []
        button = None
        for line in lines:
            ends = line in (words.DEALT, words.NEW_ROUND) or line.startswith(words.NOT_ANTES)
            if ante := _ANTE.fullmatch(line):
                payers.append(ante["name"])
                if self.ante == NOT_KNOWN and not ante["forced"]:
                    self.ante = int(ante["amount"])
            elif line.startswith(words.BUTTON) and button is None:
                button = line[len(words.BUTTON) : -1] if line.endswith(b".") else b""
            elif ends or words.CRASH.fullmatch(line):
                return payers, button, line
        return payers, button, b""

    def chips_after(self, counted: dict[int, int], standing: dict[int, int]) -> None:
        """Set the players' chips before the next hand: from the standings, or from the lines before them if
        the standings are incomplete or don't add up; one missing number follows from the others.

        counted, standing
            Chips by seat, of the players in the hand.
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
    """The seat of the player whose name was typed, or would look like that on the terminal, which shows a
    control character as ``^`` and a letter, and overwrites characters after a backspace. A terminal that is
    not set to UTF-8 treats each byte as a character. None if there is no such player."""
    if not typed:
        return None
    if typed in names:
        return names.index(typed)
    shown = [_CONTROL.sub(lambda control: b"^%c" % (control[0][0] + ord("@")), name) for name in names]
    for character in (rb"[^\b][\x80-\xbf]*", rb"[^\b]"):
        screen, erased = typed, re.compile(rb"(?:%b)?\x08" % character)
        while b"\b" in screen:
            screen = erased.sub(b"", screen, count=1)
        if screen in shown:
            return shown.index(screen)
    return None
