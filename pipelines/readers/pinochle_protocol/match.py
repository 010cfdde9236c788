"""A hand of Pinochle's protocol, and what is known from the hands before: its number and dealer, the score,
the last trump."""

from dataclasses import dataclass, field
from typing import Final

from cardlog.models.pinochle.dialects import GAME_POINTS
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers import transcript
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    BAD,
    BLANK,
    NOTE,
    SAY_SCORE,
    SCORES_MESSAGE,
    THROW_IN_MESSAGE,
    Line,
)
from cardlog.schemas.cards import NO_SUIT

JAN_2013, HEAD_2014 = "jan2013", "head2014"
UNKNOWN: Final = -2
"""Stands for a trump that is not known, since lines are missing."""


@dataclass
class Hand(transcript.Hand):
    """A hand, or lines that are not one; `is_hand` once it has a number.

    menu
        Whether a menu comes before it.
    table
        The line that names the players.
    score, trump_before, hands_played
        What is known before it: the match score, the trump of the hand before (`NO_SUIT` if there was none,
        or `UNKNOWN`), how many hands counted.
    refused
        The cards of seat 0 that the server refused, each with the index of the next event.
    """

    menu: bool = False
    table: int | None = None
    dialect: str = JAN_2013
    dealer: int = 0
    score: tuple[int, int] | None = None
    trump_before: int = NO_SUIT
    hands_played: int | None = None
    refused: list[tuple[int, int]] = field(default_factory=list)


@dataclass
class Match:
    """The match so far.

    current
        The match for the engine.
    new
        Whether the next hand begins a match, unless this one has no hand yet.
    score, trump, hands_played
        As `Hand` has them, after the last hand.
    next_dealer
        None at the beginning of a text.
    scores, scores_known, hands_counted
        What the last message of the hand said; whether any did.
    """

    current: transcript.Match = field(default_factory=transcript.Match)
    next_number: int = 0
    new: bool = False
    score: tuple[int, int] | None = None
    trump: int = UNKNOWN
    hands_played: int | None = None
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
            self.score, self.trump, self.hands_played = (0, 0), NO_SUIT, 0
        hand.match, hand.number, hand.is_hand = self.current, self.next_number, True
        hand.dealer = self.next_dealer or 0
        hand.score, hand.trump_before, hand.hands_played = self.score, self.trump, self.hands_played
        self.next_number += 1
        if self.next_dealer is not None:
            self.next_dealer = (self.next_dealer + 1) % SEATS

    def note_dealer(self, hand: Hand, seat: int) -> None:
        """Note the dealer of a hand. If it is not the next seat, hands are missing, and nothing is known from
        before this one."""
        next_dealer = (seat + 1) % SEATS
        if self.next_dealer not in (None, next_dealer):
            hand.score, hand.hands_played, hand.trump_before = None, None, UNKNOWN
        hand.dealer = seat
        self.next_dealer = next_dealer

    def finish(self, trump: int) -> None:
        """Keep what the next hand needs."""
        self.score = self.scores if self.scores_known else None
        self.hands_played, self.trump = self.hands_counted, trump

    def skim(self, hand: Hand, line: Line) -> None:
        """Use what a line of a damaged hand says about the match, provided that the hand's lines agree."""
        if line.kind in (BLANK, BAD, NOTE):
            return
        if not hand.is_hand:
            self.number(hand)
        if line.kind in (SCORES_MESSAGE, THROW_IN_MESSAGE):
            counts = line.kind == SCORES_MESSAGE
            right = hand.hands_played is None or line.number == hand.hands_played + counts
            self.hands_counted = line.number if right else None
            self.scores, self.scores_known = line.scores, True
        elif line.kind == SAY_SCORE:
            self.scores_known &= line.scores == self.scores
            self.new = line.fields.get("GameOver", False) and max(line.scores) >= GAME_POINTS
