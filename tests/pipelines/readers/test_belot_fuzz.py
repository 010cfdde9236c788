"""Damaged transcripts of belote: nothing crashes, nothing is lost, nothing illegal is stored.

Every hand that is stored is replayed by `belote_replay`, which shares no code with the reader and the
rules under test.
"""

import random
import re
from collections import Counter
from functools import cache
from typing import Any

import pytest

from cardlog.pipelines.ingest.judge import Judged, judge
from cardlog.pipelines.readers.base import Read
from cardlog.pipelines.readers.belot_transcript import reader as belot_transcript
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason
from tests.support.belote_logs import hands_of, source, text_of
from tests.support.belote_replay import replay
from tests.support.soak import soak

REASONS = {reason.code for reason in Reason} - {"ok"}
GAMES = (("cesmak", 1), ("bornabesic", 2), ("readme", 5), ("bornabesic", 31), ("rl_bornabesic", 1))


@cache
def game(name: str, number: int) -> bytes:
    """One game of a log, with its mark."""
    parts = text_of(f"{name}_transcripts.txt.gz").split(b"=== GAME ")
    return b"=== GAME " + parts[number + 1]


@cache
def base() -> bytes:
    return b"".join(game(*one) for one in GAMES)


def lines_of(text: bytes) -> int:
    return text.count(b"\n") + (text[-1:] not in (b"\n", b""))


def check(text: bytes, final: bool = False, first_line: int = 1) -> Judged:
    """Every line is in one hand, one reject or among the others, and what is stored is legal."""
    [read] = belot_transcript.read(text, source(final), first_line)
    verdicts = judge(read)
    whose: Counter[int] = Counter()
    for hand in verdicts.kept.tolist():
        whose.update(range(int(read.first_lines[hand]), int(read.last_lines[hand]) + 1))
    for reject in verdicts.rejects:
        whose.update(range(reject.first_line, reject.last_line + 1))
        assert reject.reason.code in REASONS
        assert reject.message[0].isupper()
        assert reject.message.endswith(".")
        assert reject.game == "belote"
        assert reject.raw
        assert lines_of(reject.raw) == reject.last_line - reject.first_line + 1
        assert reject.raw in text
    assert set(whose.values()) <= {1}
    assert set(whose) <= set(range(first_line, first_line + read.lines_read))
    assert read.lines_read == lines_of(text) == len(whose) + read.other_lines
    names = [(match, number) for match, number, _, _ in hands_of(verdicts.batch)]
    marks = re.findall(rb"^=== .*", text, re.MULTILINE)
    if len(set(marks)) == len(marks):  # two matches under one mark are told apart at ingest
        assert len(set(names)) == len(names)
    for hand, (_, _, opening, events) in enumerate(hands_of(verdicts.batch)):
        known = not (events["cards"] == cards.UNKNOWN).any()
        if known and (events["action"] == Action.DEAL_HAND).sum() == 4:
            result = replay(opening, events)
            assert (result.score is not None) == bool(verdicts.done[hand])
        else:
            assert not verdicts.done[hand]
        assert events["line"].min() >= first_line
    return verdicts


# ---------------------------------------------------------------- damage


def flip(rng: random.Random, lines: list[bytes]) -> None:
    index = rng.randrange(len(lines))
    line = bytearray(lines[index])
    if line:
        at = rng.randrange(len(line))
        line[at] = rng.choice([line[at] ^ 1 << rng.randrange(8), rng.randrange(256)])
        lines[index] = bytes(line).replace(b"\n", b" ")


def drop(rng: random.Random, lines: list[bytes]) -> None:
    del lines[rng.randrange(len(lines))]


def double(rng: random.Random, lines: list[bytes]) -> None:
    index = rng.randrange(len(lines))
    lines.insert(index, lines[index])


def digit(rng: random.Random, lines: list[bytes]) -> None:
    """Another number, where there is one."""
    numbered = [index for index, line in enumerate(lines) if any(48 <= byte <= 57 for byte in line)]
    index = rng.choice(numbered)
    line = bytearray(lines[index])
    at = rng.choice([at for at, byte in enumerate(line) if 48 <= byte <= 57])
    line[at] = 48 + rng.randrange(10)
    lines[index] = bytes(line)


def test_undamaged_games_are_stored_whole() -> None:
    verdicts = check(base())
    assert not verdicts.rejects
    assert verdicts.done.all()


# ---------------------------------------------------------------- neighbours


def contents_of(read: Read, hands: Any) -> dict[tuple[str, int], Any]:
    """The content of each hand, apart from line numbers."""
    found = {}
    for match, number, opening, events in hands_of(hands):
        rows = [
            tuple(int(one[name]) for name in ("action", "seat", "suit", "count", "amount"))
            + tuple(one["cards"].tolist())
            for one in events
        ]
        opening.pop("match", None)
        found[match, number] = (opening, rows)
    return found


@pytest.mark.long
@pytest.mark.parametrize("seed", [0, 1, *soak(*range(2, 8))])
def test_one_bad_line_takes_one_hand_at_most(seed: int) -> None:
    """Its neighbours are stored as they were, under the same names."""
    rng = random.Random(seed)
    text = game(*GAMES[seed % len(GAMES)])
    [read] = belot_transcript.read(text, source())
    expected = contents_of(read, judge(read).batch)
    for _ in range(25):
        lines = text.split(b"\n")
        hand = rng.randrange(len(read.batch))
        first, last = int(read.first_lines[hand]) - 1, int(read.last_lines[hand])
        inside = lines[first:last]
        rng.choice([flip, drop, double, digit])(rng, inside)
        lines[first:last] = inside
        verdicts = check(b"\n".join(lines))
        found = contents_of(verdicts.read, verdicts.batch)
        others = {key: value for key, value in expected.items() if key[1] != hand}
        changed = [key for key, value in others.items() if found.get(key) != value]
        assert not changed, (hand, [r.message for r in verdicts.rejects])
        assert len(verdicts.rejects) <= 2


def test_a_match_that_goes_on_has_no_winner() -> None:
    text = game("bornabesic", 1)
    totals = re.search(rb"Ukupni bodovi:\n\t(.*): (\d+)\n\t(.*): (\d+)\n", text)
    assert totals
    ahead = totals[1] if int(totals[2]) > int(totals[4]) else totals[3]
    rejects = check(text[: totals.end()] + ahead + b" su pobjedili!\n" + text[totals.end() :]).rejects
    assert [reject.reason for reject in rejects][:1] == [Reason.SCORE_MISMATCH]
