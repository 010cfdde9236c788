"""A log that stops in the middle of a line, as when its program is killed, in every format.

Cut anywhere, a text gives what it gives without its last line, or with all of it: never another card, never a
hand less. A hand that the text ends with is not lost because only the last line end is missing."""

from functools import lru_cache
from typing import Any

import pytest

from cardlog.schemas.reasons import Reason
from tests.support.jsonl_logs import simulated
from tests.support.logs import judged, logs, text_of
from tests.support.soak import soak

MARK = b"\n=== "
SIMULATED = "simulated"
FORMATS = {SIMULATED: "cardlog-jsonl", **logs()}
"""Of every log, and of one that is made here."""
SOME = (
    "kaiser/playedhand_sample.csv",
    "belote/edge/bornabesic_traceback.txt.gz",
    "belote/edge/bornabesic_truncated.txt.gz",  # which ends in the middle of a hand
    "ruter_sju/examples/one_card_starter.txt.gz",
    "pinochle/jan2013_edge_menu_transcripts.txt.gz",
    "five_card_draw/more_transcripts.txt.gz",
    SIMULATED,
)
"""Logs of every format, short ones or with a short last game, for the usual run."""


def tail_of(log: str) -> bytes:
    """The end of a log that is read like the whole: its last game, or the header and the last rows."""
    text = simulated(3) if log == SIMULATED else text_of(log)
    if FORMATS[log] == "playedhand-csv":
        lines = text.splitlines(keepends=True)
        return b"".join([lines[0], *lines[-3:]])
    return text[text.rfind(MARK) + 1 :]


Outcome = tuple[dict[int, Any], list[tuple[int, str]]]
"""All that is stored, by the hands' first lines; and the lines and reasons of what goes to quarantine."""


@lru_cache(maxsize=64)
def outcome(text: bytes, form: str, final: bool) -> Outcome:
    """What becomes of a text."""
    stored = {}
    rejects = []
    lines_read = 0
    for one in judged(text, form, final):
        batch = one.batch
        for hand, line in enumerate(one.read.first_lines[one.kept].tolist()):
            events = batch.events[batch.offsets[hand] : batch.offsets[hand + 1]]
            opening = batch.details[events["detail"][0]]
            fields = events[["action", "seat", "suit", "amount", "count"]].tolist()
            shown = [event["cards"][: event["count"]].tolist() for event in events]
            stored[line] = (opening, bool(one.done[hand]), fields, shown)
        rejects += [(reject.first_line, reject.reason.code) for reject in one.rejects]
        lines_read += one.read.lines_read
    assert lines_read == text.count(b"\n") + (text[-1:] not in (b"\n", b""))
    return stored, sorted(rejects)


def completed(text: bytes, form: str) -> int:
    """How many hands of a text are stored as complete, though it may go on."""
    return sum(is_done for _, is_done, *_ in outcome(text, form, False)[0].values())


def check_cuts(log: str, lines: int, step: int) -> None:
    """Cut a log in each of its last lines, after every so many bytes, and before the line end."""
    text, form = tail_of(log), FORMATS[log]
    stop = len(text)
    for line in reversed(text.splitlines(keepends=True)[-lines:]):
        start = stop - len(line)
        content = start + len(line.rstrip(b"\r\n"))
        ends_hand = completed(text[:start], form) < completed(text[:stop], form)
        for final in (False, True):
            before, whole = outcome(text[:start], form, final), outcome(text[:stop], form, final)
            allowed = [before, whole]
            if form == "playedhand-csv":  # whose row is a hand
                number = text.count(b"\n", 0, start) + 1
                torn = (Reason.INCOMPLETE, Reason.UNPARSABLE)[: 1 + (number == 1)]  # the header is no row
                allowed = [whole, *((before[0], [*before[1], (number, reason.code)]) for reason in torn)]
            for cut in {*range(start + 1, stop, step), content} - {start}:
                found = outcome(text[:cut], form, final)
                assert found in allowed, text[start:cut]
                assert found == whole or not (ends_hand and cut == content), text[start:cut]
        stop = start


@pytest.mark.parametrize(
    ("log", "step"), [*((log, 4) for log in SOME), *soak(*((log, 1) for log in FORMATS))]
)
def test_cut_in_its_last_two_lines_a_log_loses_no_more_than_the_line(log: str, step: int) -> None:
    check_cuts(log, 2, step)


@pytest.mark.parametrize(("lines", "step"), [(6, 17), *soak((40, 1))])
@pytest.mark.parametrize("log", SOME)
def test_cut_in_the_middle_of_a_hand_all_that_stood_before_is_kept(log: str, lines: int, step: int) -> None:
    check_cuts(log, lines, step)


@pytest.mark.parametrize(("card", "torn"), [("HERC ♥ VIII", "HERC ♥ VII"), ("TREF ♣ IX", "TREF ♣ I")])
def test_a_card_of_belote_is_not_the_one_that_its_beginning_spells(card: str, torn: str) -> None:
    """The hand is kept up to the card before."""
    text = text_of("belote/edge/bornabesic_traceback.txt.gz")
    start = text.rindex(f"\n{card}\n".encode()) + 1
    (before,), (found,) = (
        judged(text[:start] + end, "belot-transcript", final=True) for end in (b"", torn.encode())
    )
    assert not found.done[-1]
    assert not found.rejects
    assert found.read.other_lines == before.read.other_lines + 1
    assert found.batch.content().tolist() == before.batch.content().tolist()
