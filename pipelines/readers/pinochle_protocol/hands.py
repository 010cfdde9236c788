"""The hands in the lines of Pinochle's protocol: where they begin and end, what a server of 2014 repeats to a
client that reconnects, and what is known from the hands before."""

from dataclasses import dataclass, field
from typing import Any, Final

from cardlog.models.pinochle.dialects import GAME_POINTS
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.pinochle_protocol.lines import BLANK_LINE, Kind, Line
from cardlog.schemas.cards import NO_SUIT, SUITS

JAN_2013, HEAD_2014 = "jan2013", "head2014"
UNKNOWN: Final = -2
"""Stands for a trump that is not known, since lines are missing."""
Before = dict[str, Any]
"""What is known of a match before a hand, as its opening says it: score, hands_played, trump."""


def before_of(score: tuple[int, int] | None, hands_played: int | None, trump: int) -> Before:
    """What is known of a match by its score, the hands that counted, and the trump of the last hand."""
    known: Before = {}
    if score is not None:
        known["score"] = list(score)
    if hands_played is not None:
        known["hands_played"] = hands_played
    if trump != UNKNOWN:
        known["trump"] = None if trump == NO_SUIT else SUITS[trump]
    return known


def trump_of(before: Before) -> int:
    """The trump of the hand before: `NO_SUIT` if there was none, or `UNKNOWN`."""
    if "trump" not in before:
        return UNKNOWN
    return NO_SUIT if before["trump"] is None else SUITS.index(before["trump"])


@dataclass
class Hand(transcript.Hand):
    """A hand, or lines that are not one; `is_hand` once it has a number.

    menu
        Whether a menu comes before it.
    table
        The line that names the players.
    before
        What is known before it, as `before_of` makes it.
    refused
        The cards of seat 0 that the server refused, each with the index of the next event.
    """

    menu: bool = False
    table: int | None = None
    dialect: str = JAN_2013
    dealer: int = 0
    before: Before = field(default_factory=dict)
    refused: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class Match:
    """The match so far.

    current
        The match for the engine.
    new
        Whether the next hand begins a match, unless this one has no hand yet.
    before
        What is known before the next hand.
    next_dealer
        None at the beginning of a text.
    scores, scores_known, hands_counted
        What the last message of the hand said; whether any did.
    """

    current: transcript.Match = field(default_factory=transcript.Match)
    next_number: int = 0
    new: bool = False
    before: Before = field(default_factory=dict)
    next_dealer: int | None = None
    scores: tuple[int, int] = (0, 0)
    scores_known: bool = False
    hands_counted: int | None = None

    def begin(self, hand: Hand) -> None:
        """Take up the lines of a hand."""
        hand.match = self.current
        self.new |= hand.menu
        self.scores_known, self.hands_counted = False, None

    def number(self, hand: Hand) -> None:
        """Set a hand's number in the match, which it may begin, and what is known before it."""
        if self.new:
            if self.next_number:
                self.current = transcript.Match()
            self.next_number, self.next_dealer, self.new = 0, 0, False
            self.before = before_of((0, 0), 0, NO_SUIT)
        hand.match, hand.number, hand.is_hand = self.current, self.next_number, True
        hand.dealer, hand.before = self.next_dealer or 0, self.before
        self.next_number += 1
        if self.next_dealer is not None:
            self.next_dealer = (self.next_dealer + 1) % SEATS

    def note_dealer(self, hand: Hand, seat: int) -> None:
        """Note the dealer of a hand. If it is not the next seat, hands are missing, and nothing is known from
        before this one."""
        next_dealer = (seat + 1) % SEATS
        if self.next_dealer not in (None, next_dealer):
            hand.before = {}
        hand.dealer = seat
        self.next_dealer = next_dealer

    def finish(self, trump: int) -> None:
        """Keep what the next hand needs."""
        self.before = before_of(self.scores if self.scores_known else None, self.hands_counted, trump)

    def skim(self, hand: Hand, line: Line) -> None:
        """Use what a line of a damaged hand says about the match, provided that the hand's lines agree."""
        if line.kind in (Kind.BLANK, Kind.BAD, Kind.NOTE):
            return
        if not hand.is_hand:
            self.number(hand)
        if line.kind in (Kind.SCORES_MESSAGE, Kind.THROW_IN_MESSAGE):
            counts = line.kind == Kind.SCORES_MESSAGE
            played = hand.before.get("hands_played")
            self.hands_counted = line.number if played is None or line.number == played + counts else None
            self.scores, self.scores_known = line.scores, True
        elif line.kind == Kind.SAY_SCORE:
            self.scores_known &= line.scores == self.scores
            self.new = line.fields.get("GameOver", False) and max(line.scores) >= GAME_POINTS


def find(lines: list[Line], first: int = 0) -> list[Hand]:
    """The hands in a section's lines, with nothing but their lines filled in.

    first
        Index of the first line in the text.
    """
    hands: list[Hand] = []
    inside = menu = False
    table = None
    for index, line in enumerate(lines, first):
        kind = line.kind
        if kind == Kind.BLANK:
            continue
        if kind == Kind.MENU:
            inside, menu = False, True
            if "MyTable" in line.fields or "Option" in line.fields:
                table = index
            continue
        if kind == Kind.DEAL or not inside:
            if kind == Kind.NOTE:
                continue
            hands.append(Hand(None, 0, index, index, is_hand=False, menu=menu, table=table))
            menu = False
        hands[-1].last = index
        inside = kind != Kind.SAY_SCORE
    if inside:
        hands[-1].cut = True
    return hands


# ---------------------------------------------------------------- a client that reconnects


def pass_over_repeats(lines: list[Line]) -> None:
    """Replace repeated lines by blank ones.

    A client that reconnects, or asks for the tables, is shown its table and then the state of the hand: the
    deal and the request for a bid or for trump, or the cards on the table and the request for a card. None of
    that is new, from the table to the line before the request; the parser accepts the request again.
    """
    for table in range(1, len(lines)):
        if lines[table].kind != Kind.MENU or "MyTable" not in lines[table].fields:
            continue
        request = table - 1
        while request > 0 and lines[request].kind in (Kind.BLANK, Kind.MENU):
            request -= 1
        again = table + 1
        while again < len(lines) and lines[again].kind in (Kind.BLANK, Kind.MENU, Kind.DEAL, Kind.SAY_PLAY):
            again += 1
        if again < len(lines) and lines[again].kind == lines[request].kind:
            shown = [line for line in lines[table + 1 : again] if line.kind in (Kind.DEAL, Kind.SAY_PLAY)]
            if _repeats(lines, request, shown):
                lines[request + 1 : again] = [BLANK_LINE] * (again - request - 1)


def _repeats(lines: list[Line], request: int, shown: list[Line]) -> bool:
    """Whether what is shown after a table repeats what came before a request: the deal, or the last cards of
    other seats."""
    deal = request
    while deal >= 0 and lines[deal].kind != Kind.DEAL:
        deal -= 1
    if lines[request].kind in (Kind.ASK_BID, Kind.ASK_TRUMP):
        return deal >= 0 and shown == [lines[deal]]
    plays = [line for line in lines[deal + 1 : request] if line.kind == Kind.SAY_PLAY]
    return lines[request].kind == Kind.ASK_PLAY and shown == plays[max(len(plays) - len(shown), 0) :]
