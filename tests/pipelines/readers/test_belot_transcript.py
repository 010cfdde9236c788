"""The reader of belot's transcripts: names, cut texts, damage by kind, and hands read by themselves."""

import re

import pytest

from cardlog.pipelines.ingest.judge import judge
from cardlog.pipelines.readers.belot_transcript import reader as belot_transcript
from cardlog.pipelines.readers.belot_transcript.wording import parse_card
from cardlog.schemas import cards
from tests.support.belote_logs import check, game, hands_of, source

CRASH = b"Traceback (most recent call last):"


# ---------------------------------------------------------------- what a file looks like


SPELT = {
    "7S": "PIK ♠ VII", "8H": "HERC ♥ VIII", "9H": "HERC ♥ IX", "TD": "KARO X", "JH": "HERC ♥ DEČKO",
    "QH": "HERC ♥ DAMA", "KC": "TREF ♣ KRALJ", "KD": "KARO ♦ King", "AS": "PIK ? AS", "JC": "TREF ♣ DE?KO",
    "JS": "PIK â™\xa0 DEÄ\x8cKO", "JD": "KARO ♦ DECKO",
}  # fmt: skip
NO_CARDS = "PIK ♥ VII|PIK ♠VII|PIK♠ VII|PIK ♠ VIIII|PIK ♠ vii|PIC ♠ VII|PIK ♠|PIK|PIK x VII|KARO ♦ DEXXKO|"


def test_cards_are_known_by_their_words() -> None:
    assert {text: parse_card(text.encode()) for text in SPELT.values()} == {
        text: cards.code(card) for card, text in SPELT.items()
    }
    assert parse_card("KARO ♦ Bube".encode()) == cards.code("JD")
    assert {parse_card(text.encode()) for text in NO_CARDS.split("|")} == {None}


def test_totals_name_the_pairs_where_the_lines_at_the_beginning_do_not() -> None:
    text = game("bornabesic", 1)
    hands = len(judge(belot_transcript.read(text, source())[0]).kept)
    for spoil in (lambda line: b"", lambda line: line.replace(b"Borna", b"Bozna")):
        lines = text.split(b"\n")
        lines[1] = spoil(lines[1])
        verdicts = check(b"\n".join(lines))
        assert len(verdicts.kept) == hands


# ---------------------------------------------------------------- totals and crashes


@pytest.mark.parametrize("which", [0, 1])
def test_spoilt_totals_take_their_own_hand_alone(which: int) -> None:
    """The next hand's score before it is the one that its own totals fit."""
    text = game("bornabesic", 1).decode()
    before = r"Ukupni bodovi:\n" + which * r".*\n" + r"\t.*: "
    index = [found.end() for found in re.finditer(before, text)][2]
    damaged = text[:index] + "1" + text[index:]
    verdicts = check(damaged.encode())
    assert [reject.reason.code for reject in verdicts.rejects] == ["score_mismatch"]
    openings = {number: opening for _, number, opening, _ in hands_of(verdicts.batch)}
    [read] = belot_transcript.read(text.encode(), source())
    expected = {number: opening for _, number, opening, _ in hands_of(read.batch)}
    assert 2 not in openings
    assert openings[3] == expected[3]
    assert openings[4] == expected[4]


def test_a_total_is_not_the_one_that_its_beginning_spells() -> None:
    """With no totals before it nothing contradicts it, so only its line end shows that it is whole."""
    text = game("bornabesic", 1)
    second = [found.end() for found in re.finditer(rb"Ukupni bodovi:\n.*\n.*\d", text)][1]
    last = text[:second].replace(b"\nUkupni bodovi:", b"\nUkupno:", 1)
    for end, waits in ((b"\n", []), (b"", ["incomplete"])):
        assert [reject.reason.code for reject in check(last + end).rejects][1:] == waits


def test_a_traceback_is_passed_over_to_its_last_line() -> None:
    text = game("bornabesic", 1)
    trace = (
        CRASH
        + b"""
  File "train.py", line 35, in <module>
    points = game.play()
ValueError: bad

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "x.py", line 1, in y
KeyError: 1
"""
    )
    verdicts = check(trace + text.split(b"\n", 1)[1] + trace)
    assert not verdicts.rejects
    assert verdicts.done.all()
