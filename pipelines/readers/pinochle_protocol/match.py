"""What is known before a hand from the one before: its number and dealer, the score, the last trump."""

from typing import Any

from cardlog.models.compiled import compiled
from cardlog.models.pinochle.dialects import GAME_POINTS
from cardlog.models.pinochle.state import SEATS
from cardlog.pipelines.readers.pinochle_protocol.lines import Kind
from cardlog.pipelines.readers.pinochle_protocol.state import NO_NUMBER, UNKNOWN
from cardlog.schemas.cards import NO_SUIT


@compiled
def number(parser: Any, hand: Any) -> None:
    """Set a hand's number in the match, which it may begin, and what is known before it."""
    if parser.new_match:
        if parser.next_number > 0:
            parser.match += 1
            parser.next_number = 0
        parser.score_known = 1
        parser.score[0] = 0
        parser.score[1] = 0
        parser.trump = NO_SUIT
        parser.hands_played = 0
        parser.next_dealer = 0
        parser.new_match = 0
    hand.match = parser.match
    hand.number = parser.next_number
    hand.dealer = max(parser.next_dealer, 0)
    hand.score_known = parser.score_known
    hand.score[0] = parser.score[0]
    hand.score[1] = parser.score[1]
    hand.trump_before = parser.trump
    hand.hands_played = parser.hands_played
    parser.next_number += 1
    if parser.next_dealer != UNKNOWN:
        parser.next_dealer = (parser.next_dealer + 1) % SEATS


@compiled
def note_dealer(parser: Any, hand: Any, seat: int) -> None:
    """Note the dealer of a hand. If it is not the next seat, hands are missing, and nothing is known from
    before this one."""
    next_dealer = (seat + 1) % SEATS
    if parser.next_dealer not in (UNKNOWN, next_dealer):
        hand.score_known = 0
        hand.hands_played = UNKNOWN
        hand.trump_before = UNKNOWN
    hand.dealer = seat
    parser.next_dealer = next_dealer


@compiled
def finish(parser: Any, trump: int) -> None:
    """Keep what the next hand needs."""
    parser.score_known = parser.scores_known
    parser.score[0] = parser.scores[0]
    parser.score[1] = parser.scores[1]
    parser.hands_played = parser.hands_counted
    parser.trump = trump


@compiled
def skim(parser: Any, hand: Any, line: Any) -> None:
    """Use what a line of a damaged hand says about the match, provided that the hand's lines agree."""
    if line.kind in (Kind.BLANK, Kind.BAD, Kind.NOTE):
        return
    if hand.number == NO_NUMBER:
        number(parser, hand)
    scores = line.scores
    if line.kind in (Kind.SCORES_MESSAGE, Kind.THROW_IN_MESSAGE):
        counted = hand.hands_played + (line.kind == Kind.SCORES_MESSAGE)
        right = hand.hands_played == UNKNOWN or line.number == counted
        parser.hands_counted = line.number if right else UNKNOWN
        parser.scores[0] = scores[0]
        parser.scores[1] = scores[1]
        parser.scores_known = 1
    elif line.kind == Kind.SAY_SCORE:
        if scores[0] != parser.scores[0] or scores[1] != parser.scores[1]:
            parser.scores_known = 0
        parser.new_match = line.over and max(scores[0], scores[1]) >= GAME_POINTS
