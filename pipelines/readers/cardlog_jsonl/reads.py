"""The reads of a text of cardlog-jsonl, one per game, with its rejects."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from cardlog import models
from cardlog.pipelines.readers.base import Read, Reject
from cardlog.pipelines.readers.cardlog_jsonl.faults import Fault, faults_of
from cardlog.pipelines.readers.cardlog_jsonl.lines import (
    BLANK,
    BROKEN,
    DATASET_TEXT,
    GAME_TEXT,
    MATCH_TEXT,
    Offsets,
    distinct,
)
from cardlog.pipelines.readers.cardlog_jsonl.parser import events_of
from cardlog.pipelines.readers.cardlog_jsonl.state import ParsedText
from cardlog.pipelines.storage.batch import NO_MATCH, Batch


def reads_of(
    parsed: ParsedText,
    left_out: NDArray[np.bool_] | None = None,
    broken_before: Offsets | None = None,
    lines_before: int = 0,
) -> list[Read]:
    """One `Read` per game; the first also has the rejects and the line counts.

    left_out
        Hands to ignore: shape (hands,).
    broken_before
        See `faults_of`.
    lines_before
        Number of lines that were counted before.
    """
    hands = parsed.hands
    games = parsed.texts(hands.game_lines, GAME_TEXT)
    faults = faults_of(parsed, games, broken_before)
    fine = np.ones(len(hands), np.bool_) if left_out is None else ~left_out
    rejects = [*_rejected_lines(parsed)]
    rejects += [reject(parsed, hand, fault, parsed.raw(hand)) for hand, fault in faults.items() if fine[hand]]
    fine[list(faults)] = False
    reads = []
    for name in models.GAMES:
        if name in games:
            chosen = np.flatnonzero(fine & (hands.games == games.index(name)))
            reads += [_read(parsed, name, chosen)] if len(chosen) else []
    reads = reads or [_read(parsed, next(iter(models.GAMES)), np.zeros(0, np.int64))]
    reads[0].rejects = sorted(rejects, key=lambda reject: reject.first_line)
    reads[0].lines_read = len(parsed.lines) - lines_before
    reads[0].other_lines = int((parsed.lines["state"] == BLANK).sum())
    return reads


def _rejected_lines(parsed: ParsedText) -> Iterator[Reject]:
    """The rejects of lines that belong to no hand."""
    for line in np.flatnonzero(parsed.lines["state"] == BROKEN).tolist():
        number = parsed.number(line)
        problem = parsed.problems[line]
        message = f"Line {number} belongs to no hand: {problem}."
        yield Reject(problem.reason, message, parsed.raw_line(line), number, number)


def reject(parsed: ParsedText, hand: int, fault: Fault, raw: bytes) -> Reject:
    """The reject of a hand; `raw` is the text to keep."""
    first, last = (parsed.number(line) for line in parsed.hands.lines(hand)[[0, -1]])
    name = parsed.hand_ids(np.array([hand]))[0].decode()
    return Reject(*fault, raw, first, last, name, parsed.game(hand))


def _read(parsed: ParsedText, game: str, chosen: Offsets) -> Read:
    """The `Read` of some hands of a game."""
    hands = parsed.hands
    events, offsets = events_of(parsed, game, chosen)
    datasets, dataset_lines = distinct(parsed.buffer, parsed.lines, DATASET_TEXT)
    batch = Batch(
        game,
        parsed.hand_ids(chosen),
        events,
        offsets,
        parsed.details,
        np.where(hands.matches[chosen] < 0, np.int32(NO_MATCH), hands.matches[chosen]),
        parsed.texts(hands.match_lines, MATCH_TEXT),
        parsed.lines["hand_no"][hands.firsts[chosen]],
        dataset_of=datasets[hands.firsts[chosen]],
        datasets=parsed.texts(dataset_lines, DATASET_TEXT),
        keys=parsed.keys(chosen),
    )
    return Read(
        batch,
        [],
        raw_of=lambda hand: parsed.raw(int(chosen[hand])),
        first_lines=parsed.numbers[hands.firsts[chosen]].astype(np.int32),
        last_lines=parsed.numbers[hands.lasts[chosen]].astype(np.int32),
        lines_read=0,
        other_lines=0,
        cut=np.zeros(len(chosen), np.bool_) if parsed.source.final else _may_go_on(parsed, chosen),
    )


def _may_go_on(parsed: ParsedText, chosen: Offsets) -> NDArray[np.bool_]:
    """Which hands are not followed by another hand of their match."""
    hands = parsed.hands
    games = len(hands.game_lines)
    match = np.where(hands.matches < 0, -1, hands.matches.astype(np.int64) * games + hands.games)
    last_begin = np.full(len(hands.match_lines) * games + 1, -1, np.int64)
    np.maximum.at(last_begin, match, hands.firsts)
    last_begin[-1] = -1
    return np.asarray(last_begin[match[chosen]] <= hands.lasts[chosen])
