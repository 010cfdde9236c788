"""The hands in the lines of Pinochle's protocol: where they begin and end, what a server of 2014 repeats to a
client that reconnects, and what is known from the hands before."""

from bisect import bisect
from dataclasses import dataclass, field
from itertools import islice, takewhile
from typing import Any, Final

from cardlog.models.pinochle.dialects import GAME_POINTS
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.pinochle_protocol.lines import BLANK_LINE, Kind, Line
from cardlog.schemas.cards import NO_SUIT, SUITS

_REQUESTS: Final = (Kind.ASK_BID, Kind.ASK_TRUMP, Kind.ASK_PLAY)
JAN_2013, HEAD_2014 = "jan2013", "head2014"
UNKNOWN: Final = -2
"""Stands for a trump that is not known, since lines are missing."""
_SUITS: Final[dict[str | None, int]] = {None: NO_SUIT} | {suit: code for code, suit in enumerate(SUITS)}
Before = dict[str, Any]
"""What is known of a match before a hand, as its opening says it: score, hands_played, trump."""


def trump_of(before: Before) -> int:
    """The trump of the hand before: `NO_SUIT` if there was none, or `UNKNOWN`."""
    return _SUITS.get(before.get("trump", ""), UNKNOWN)


@dataclass(eq=False)
class Hand(transcript.Hand):
    """A hand, or lines that are not one; `is_hand` once it has a number.

    lines
        What they say.
    menu
        Whether a menu comes before it.
    table
        The line that names the players.
    before
        What is known before it.
    """

    lines: list[Line] = field(default_factory=list)
    menu: bool = False
    table: Line | None = None
    dialect: str = JAN_2013
    dealer: int = 0
    before: Before = field(default_factory=dict)


@dataclass
class Match:
    """The match so far.

    current
        The match for the engine, which counts its hands.
    new
        Whether the next hand begins a match, unless this one has no hand yet.
    before
        What is known before the next hand.
    next_dealer
        None at the beginning of a text.
    scores, hands_counted
        What the last messages of the hand said, unless they contradict each other.
    """

    current: transcript.Match = field(default_factory=transcript.Match)
    new: bool = False
    before: Before = field(default_factory=dict)
    next_dealer: int | None = None
    scores: tuple[int, int] | None = None
    hands_counted: int | None = None

    def begin(self, hand: Hand) -> None:
        """Take up the lines of a hand."""
        hand.match = self.current
        self.new |= hand.menu
        self.scores = self.hands_counted = None

    def _number(self, hand: Hand) -> None:
        """Set a hand's number in the match, which it may begin, and what is known before it."""
        if self.new:
            if self.current.hands:
                self.current = transcript.Match()
            self.next_dealer, self.new = 0, False
            self.before = {"score": [0, 0], "hands_played": 0, "trump": None}
        hand.match, hand.number, hand.is_hand = self.current, self.current.hands, True
        hand.dealer, hand.before = self.next_dealer or 0, self.before
        self.current.hands += 1
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

    def hear(self, hand: Hand, line: Line) -> None:
        """Use what a line of a hand says about the match, also if the hand is damaged."""
        if line.kind in (Kind.BLANK, Kind.BAD, Kind.NOTE):
            return
        if not hand.is_hand:
            self._number(hand)
        if line.kind in (Kind.SCORES_MESSAGE, Kind.THROW_IN_MESSAGE):
            counts = line.kind == Kind.SCORES_MESSAGE
            played = hand.before.get("hands_played")
            self.hands_counted = line.number if played is None or line.number == played + counts else None
            self.scores = line.scores
        elif line.kind == Kind.SAY_SCORE:
            self.scores = line.scores if line.scores == self.scores else None
            self.new = line.fields.get("GameOver", False) and max(line.scores) >= GAME_POINTS

    def finish(self, trump: int) -> None:
        """Keep what the next hand needs, if its trump is known."""
        self.before = {} if self.scores is None else {"score": [*self.scores]}
        if self.hands_counted is not None:
            self.before["hands_played"] = self.hands_counted
        if trump != UNKNOWN:
            self.before["trump"] = None if trump == NO_SUIT else SUITS[trump]


def find(lines: list[Line], first: int = 0) -> list[Hand]:
    """The hands in a section's lines, with nothing but their lines filled in.

    first
        Index of the first line in the text.
    """
    hands: list[Hand] = []
    inside = menu = False
    table: Line | None = None
    for index, line in enumerate(lines, first):
        kind = line.kind
        if kind == Kind.BLANK:
            continue
        if kind == Kind.MENU:
            inside, menu = False, True
            if "MyTable" in line.fields or "Option" in line.fields:
                table = line
            continue
        if kind == Kind.DEAL or not inside:
            if kind == Kind.NOTE:
                continue
            hands.append(Hand(None, 0, index, index - 1, is_hand=False, menu=menu, table=table))
            menu = False
        hand = hands[-1]
        hand.lines += lines[hand.last + 1 - first : index + 1 - first]
        hand.last = index
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
    said = [index for index, line in enumerate(lines) if line.kind not in (Kind.BLANK, Kind.MENU)]
    tables = [
        index for index, line in enumerate(lines) if line.kind == Kind.MENU and "MyTable" in line.fields
    ]
    for at in (bisect(said, table) for table in tables):
        shown = [*takewhile(_is_shown_again, (lines[index] for index in islice(said, at, None)))]
        if not 0 < at < len(said) - len(shown):
            continue
        asked, again = said[at - 1], said[at + len(shown)]
        deal = next((number for number in reversed(range(at)) if lines[said[number]].kind == Kind.DEAL), 0)
        hand = [*filter(_is_shown_again, (lines[index] for index in said[deal:at]))]
        is_play = lines[asked].kind == Kind.ASK_PLAY
        same = hand[max(1, len(hand) - len(shown)) :] if is_play else hand[:1]
        if lines[again].kind == lines[asked].kind in _REQUESTS and shown == same:
            lines[asked + 1 : again] = [BLANK_LINE] * (again - asked - 1)


def _is_shown_again(line: Line) -> bool:
    return line.kind in (Kind.DEAL, Kind.SAY_PLAY)
