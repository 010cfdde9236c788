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


# ---------------------------------------------------------------- cut and grown


@pytest.mark.parametrize("after", [CRASH + b"\n", b"Killed\n", None, b"PAR A: a i b\n", b"=== GAME Z\n"])
def test_a_hand_that_will_not_go_on_is_aborted(after: bytes | None) -> None:
    text = game("bornabesic", 1)
    [whole] = belot_transcript.read(text, source())
    lines = text.split(b"\n")
    piece = b"\n".join(lines[: int(whole.first_lines[2]) + 20]) + b"\n"
    rest = after if after is not None else b"\n".join(lines[int(whole.first_lines[3]) - 1 :])
    verdicts = check(piece + rest)
    assert verdicts.done[:3].tolist() == [True, True, False]
    assert not verdicts.rejects


# ---------------------------------------------------------------- damage by kind

CARDS = r"\n((?:PIK|HERC|KARO|TREF) .*)"
AGAINST_THE_RULES = [
    ("a dealer passes", r"(Karte dijeli Borna\n)", r"\1---------- Borna ----------\nBorna kaže dalje\n"),
    ("another names trump", r"\w+ -+\n\w+ (zove \d)", r"Borna ----------\nBorna \1"),
    ("two change turns", rf"(\w+)( -+{CARDS}\n-+ )(\w+)( -+{CARDS})", r"\4\2\1\5"),
    ("a card is played twice", rf"{CARDS}(\n-+ .*){CARDS}", r"\n\1\2\n\1"),
    ("a bela that none has", r"(---------- Luka ----------\n)(PIK|HERC)", r"\1BELA!\n\2"),
    ("no hand is dealt", r"Player  3 Cards.*\n", ""),
    ("a hand is dealt twice", r"(Player  1 Cards: )(.*)((?:\n.*)*?\nPlayer  2 Cards: ).*", r"\1\2\3\2"),
]
LATER = [
    (r"(?m)^( ?-+ .*\n)", r"\1what is this\n", "unparsable"),
    (r"(?m)^> .*\n", "", "incomplete"),
    (r"(?m)^(> .*\n)", r"\1\1", "out_of_order"),
]


@pytest.mark.parametrize("later", LATER, ids=lambda later: later[2])
@pytest.mark.parametrize("broken", AGAINST_THE_RULES, ids=lambda broken: broken[0])
def test_a_line_that_cannot_be_read_is_named_before_what_the_rules_forbid(
    broken: tuple[str, str, str], later: tuple[str, str, str]
) -> None:
    """So reading goes on behind what they forbid, and the turns and tricks are those of the text."""
    what, old, new = broken
    text = game("cesmak" if "dealt" in what else "bornabesic", 1).decode()
    illegal = re.sub(old, new, text, count=1)
    [reject] = check(illegal.encode()).rejects
    assert reject.message.startswith("Event ")
    start = next(at for at, (a, b) in enumerate(zip(illegal, text, strict=False)) if a != b)
    third = [found.start() for found in re.finditer(r"(?m)^> ", illegal) if found.start() > start][2]
    [reject] = check((illegal[:third] + re.sub(*later[:2], illegal[third:], count=1)).encode()).rejects
    assert reject.message.startswith("Line ")
    assert reject.reason.code == later[2]


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
