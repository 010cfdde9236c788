"""Why hands of cardlog-jsonl can't be read: reasons and messages."""

from typing import Final

import numpy as np

from cardlog import models
from cardlog.pipelines.readers.cardlog_jsonl import hands
from cardlog.pipelines.readers.cardlog_jsonl.fallback import shown
from cardlog.pipelines.readers.cardlog_jsonl.lines import BROKEN, MOST_EVENTS, NO_SEQ, Offsets
from cardlog.pipelines.readers.cardlog_jsonl.state import ParsedText
from cardlog.schemas.reasons import Reason

Fault = tuple[Reason, str]

_MIXED: Final = {hands.MIXED_GAME: "game", hands.MIXED_MATCH: "match_id", hands.MIXED_HAND_NO: "hand_no"}


def faults_of(parsed: ParsedText, games: list[str], broken_before: Offsets | None) -> dict[int, Fault]:
    """The hands that can't be read, with reason and message.

    games
        The games that the text names, by their numbers.
    broken_before
        Numbers of earlier lines that belong to no hand.
    """
    checks = parsed.hands.checks
    found = {hand: _fault(parsed, hand) for hand in np.flatnonzero(checks.faults).tolist()}
    for number, name in enumerate(games):
        of_game = parsed.hands.games == number
        if name not in models.GAMES:
            message = f"There is no game {shown(name)}; there are: {', '.join(models.GAMES)}."
            for hand in np.flatnonzero(of_game).tolist():
                found.setdefault(hand, (Reason.UNPARSABLE, message))
            continue
        most = models.game(name).EVENT["cards"].shape[0]
        for hand in np.flatnonzero(of_game & (checks.most_cards > most)).tolist():
            message = f"An event has {checks.most_cards[hand]} cards; none of {name} shows more than {most}."
            found.setdefault(hand, (Reason.UNPARSABLE, message))
    for hand in _with_gaps(parsed, broken_before):
        message = "A line between its lines can't be read; without seq an event may be missing."
        found.setdefault(hand, (Reason.INCOMPLETE, message))
    return found


def _with_gaps(parsed: ParsedText, broken_before: Offsets | None) -> list[int]:
    """Hands without seq that have a broken line between their own."""
    broken = parsed.numbers[parsed.lines["state"] == BROKEN]
    if broken_before is not None:
        broken = np.append(broken_before, broken)
    if not len(broken):
        return []
    firsts, lasts = parsed.numbers[parsed.hands.firsts], parsed.numbers[parsed.hands.lasts]
    between = np.searchsorted(broken, firsts) != np.searchsorted(broken, lasts)
    return np.flatnonzero(between & (parsed.lines["seq"][parsed.hands.firsts] == NO_SEQ)).tolist()


def _fault(parsed: ParsedText, hand: int) -> Fault:
    checks = parsed.hands.checks
    fault, line = int(checks.faults[hand]), int(checks.fault_lines[hand])
    first = int(parsed.hands.lines(hand)[0])
    if fault == hands.HAS_WRONG:
        problem = parsed.problems[line]
        return problem.reason, f"Line {parsed.number(line)}: {problem}."
    if fault == hands.BAD_SEQ:
        return _bad_seq(parsed, hand, line)
    if fault == hands.MIXED_SEQ:
        return Reason.UNPARSABLE, "Some lines of the hand have seq and some have not."
    if fault == hands.TOO_LONG:
        return Reason.UNPARSABLE, f"The hand has more than {MOST_EVENTS} events."
    where = f"line {parsed.number(line)} differs from line {parsed.number(first)}"
    return Reason.UNPARSABLE, f"The lines of a hand must have the same {_MIXED[fault]}; {where}."


def _bad_seq(parsed: ParsedText, hand: int, line: int) -> Fault:
    """The fault of a seq that is not the next one."""
    lines = parsed.hands.lines(hand)
    numbers = parsed.lines["seq"][lines]
    wanted, given = int(np.searchsorted(lines, line)), int(parsed.lines["seq"][line])
    found = f"line {parsed.number(line)} has seq {given}"
    if given < wanted or wanted in numbers:
        return Reason.OUT_OF_ORDER, f"The events are not in order: {found} where {wanted} should be."
    return Reason.INCOMPLETE, f"Event {wanted} is missing: {found} where it should be."
