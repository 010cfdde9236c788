"""The result of a hand as the text reports it, and the score of the match before each hand."""

from typing import Any, Final

import numpy as np

from cardlog.models.belote import rules as belote
from cardlog.models.compiled import Int, compiled
from cardlog.pipelines.readers.belot_transcript import faults, phrases
from cardlog.pipelines.readers.belot_transcript.hands import JUNK
from cardlog.pipelines.readers.belot_transcript.line import parse_points
from cardlog.pipelines.readers.belot_transcript.names import NO_NAME, find_team
from cardlog.pipelines.readers.belot_transcript.state import (
    NO_REPORT,
    NO_SECTION,
    POINTS,
    TOTALS,
    Parser,
    add,
    awaits_trick,
    carry_out,
)
from cardlog.schemas.events import NO_SEAT

_PAIRS: Final = 2

# ---------------------------------------------------------------- the lines


@compiled
def parse_line(parser: Parser, line: Any) -> int:
    """Turn a line after the last trick into events; returns its fault."""
    if not parser.states[0].done or awaits_trick(parser):
        return faults.MISSING
    if line.kind == phrases.POINTS:
        return _points(parser)
    if line.kind == phrases.TOTALS:
        return _totals(parser)
    if line.kind == phrases.FINAL_POINTS:
        return _final_points(parser, line)
    team = find_team(parser.text, line.name_start, line.name_end, parser.names)
    if team == NO_NAME:
        return faults.WRONG_NAME
    if line.kind == phrases.PAIR_POINTS:
        return _pair_points(parser, team, line.number)
    if line.kind == phrases.WON:
        return _won(parser, team)
    return _nothing(parser, line.kind, team)


@compiled
def _add_score(parser: Parser, action: int, team: Int, amount: Int) -> None:
    event = add(parser, action, team)
    event.amount = amount
    carry_out(parser, event)


@compiled
def _has_points(progress: Any) -> bool:
    """Whether the hand's points were reported."""
    return bool(progress.swept or (progress.section == POINTS and progress.pairs == _PAIRS))


@compiled
def _has_totals(progress: Any) -> bool:
    """Whether the score of the match was reported."""
    return bool(progress.section == TOTALS and progress.pairs == _PAIRS)


@compiled
def _points(parser: Parser) -> int:
    progress = parser.progress[0]
    if progress.section != NO_SECTION or progress.swept:
        return faults.MISPLACED
    progress.section = POINTS
    progress.pairs = 0
    return faults.FINE


@compiled
def _totals(parser: Parser) -> int:
    progress = parser.progress[0]
    if not _has_points(progress):
        return faults.MISSING
    if progress.nothing != NO_SEAT and progress.brings[0] == NO_REPORT:
        _add_score(parser, belote.SCORE_HAND, progress.nothing, 0)
    progress.section = TOTALS
    progress.pairs = 0
    return faults.FINE


@compiled
def _final_points(parser: Parser, line: Any) -> int:
    """What both teams score."""
    progress = parser.progress[0]
    if not _has_points(progress) or progress.brings[0] != NO_REPORT:
        return faults.MISPLACED
    progress.brings[0] = parse_points(parser.text, line.name_start, line.name_end)
    progress.brings[1] = line.number
    if progress.nothing != NO_SEAT and progress.brings[progress.nothing] != 0:
        return faults.CONTRADICTS
    for team in range(_PAIRS):
        _add_score(parser, belote.SCORE_HAND, team, progress.brings[team])
    return faults.FINE


@compiled
def _pair_points(parser: Parser, team: Int, amount: Int) -> int:
    """The points of a pair in the hand, or its score in the match."""
    progress = parser.progress[0]
    if progress.section == NO_SECTION or progress.pairs != team:
        return faults.MISPLACED
    progress.pairs += 1
    if progress.section == POINTS:
        progress.points[team] = amount
        _add_score(parser, belote.SCORE_POINTS, team, amount)
    else:
        progress.totals[team] = amount
        _add_score(parser, belote.SCORE_MATCH, team, amount)
    return faults.FINE


@compiled
def _won(parser: Parser, team: Int) -> int:
    """The winner of the match."""
    progress = parser.progress[0]
    if not _has_totals(progress):
        return faults.MISPLACED
    return faults.FINE if belote.match_winner(progress.totals) == team else faults.CONTRADICTS


@compiled
def _nothing(parser: Parser, kind: int, team: Int) -> int:
    """The pair that scores nothing: it has failed, or the other one has taken all tricks."""
    progress = parser.progress[0]
    if progress.nothing != NO_SEAT or progress.brings[0] != NO_REPORT or progress.section == TOTALS:
        return faults.MISPLACED
    if kind == phrases.ALL_TRICKS:
        if progress.section != NO_SECTION:
            return faults.MISPLACED
        progress.swept = 1
        progress.nothing = 1 - team
        return faults.FINE
    if not _has_points(progress):
        return faults.MISSING
    progress.nothing = team
    return faults.FINE


# ---------------------------------------------------------------- the score of the match


@compiled
def keep_totals(parser: Parser, lines: Any) -> None:
    """Keep only the score of the match after a damaged hand."""
    hand, progress = parser.hand, parser.progress[0]
    progress.brings[:] = NO_REPORT
    progress.swept = 1
    progress.section = NO_SECTION
    if hand.totals[0] >= 0 and hand.totals[1] >= 0:
        progress.section = TOTALS
        progress.pairs = _PAIRS
        for team in range(_PAIRS):
            progress.totals[team] = lines[hand.totals[team]].number


@compiled
def _reported(progress: Any, team: Int) -> Int:
    """What a team scores in the hand by the text, `NO_REPORT` if it is not there."""
    if progress.brings[team] != NO_REPORT:
        return np.int64(progress.brings[team])
    if progress.swept or not (progress.section == TOTALS or _has_points(progress)):
        return np.int64(NO_REPORT)
    if progress.nothing == NO_SEAT:
        return np.int64(progress.points[team])
    return np.int64(0 if progress.nothing == team else progress.points[0] + progress.points[1])


@compiled
def choose_score(parser: Parser) -> None:
    """Choose the score before the hand: of two possible ones, the one that agrees with the totals after
    it."""
    hand, progress = parser.hand, parser.progress[0]
    hand.in_match = hand.befores > 0
    hand.score[:] = hand.before[0]
    if hand.befores < 2 or not _has_totals(progress):
        return
    hand.in_match = 0
    for choice in range(hand.befores):
        fits = True
        for team in range(_PAIRS):
            brings = _reported(progress, team)
            fits &= bool(brings >= 0 and hand.before[choice, team] + brings == progress.totals[team])
        if fits and not hand.in_match:
            hand.in_match = 1
            hand.score[:] = hand.before[choice]


@compiled
def note_next_score(parser: Parser, following: Any) -> None:
    """Note the possible scores before the next hand: the printed one, and the one that the hand's points add
    up to. If they differ, one of them is damaged, and so is this hand."""
    hand, progress = parser.hand, parser.progress[0]
    following.befores = 0
    if hand.stray == JUNK:
        following.befores = hand.befores
        following.before[:] = hand.before
        return
    if _has_totals(progress):
        following.before[0, :] = progress.totals
        following.befores = 1
    if not hand.in_match or _reported(progress, 0) == NO_REPORT:
        return
    same = following.befores == 1
    for team in range(_PAIRS):
        made = hand.score[team] + _reported(progress, team)
        same &= made == following.before[0, team]
        following.before[following.befores, team] = made
    if not same:
        following.befores += 1
