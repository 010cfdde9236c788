"""Damaged transcripts: what `test_damaged_logs` asks of all formats, of any bytes and any lines, and that
damage in one game does not touch another."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.damaged_logs import check, damaged, pieces
from tests.support.logs import judged
from tests.support.soak import soak

LINES = {
    "belot-transcript": (
        "PAR A: a i b\nPAR B: c i d\n================= DIJELJENJE =================\nKarte dijeli a\n"
        "---------- c ----------\nc zove 2\nc kaže dalje\nZvanja:\n\tNema zvanja\n\nPIK VII\n"
        "\tc: [{PIK VII, PIK VIII, PIK IX}]\n> Š (0) kupi c\n"
        "Bodovi u dijeljenju:\n\ta i b: 100\n\tc i d: 62\nUkupni bodovi:\na i b su pobjedili!\nBELA!\n"
        "Traceback (most recent call last):\nKARTE:  [PIK VII]\n"
        "Broj karte: 1\n=== GAME x ===\n\ufeff\nx\nmust True"
    ),
    "ruter-sju-transcript": (
        "=== GAME a numPlayers=3 numSuits=1 cardsPerSuit=3 players=0:smart,1:dumb,x:human ===\n"
        "=== GAME b numPlayers=3 numSuits=4 cardsPerSuit=13 players=0:smart,1:dumb,2:random ===\n"
        "=== GAME c ===\n0:\n1:\nx:\nCARDS\n2 of diamonds\n1 of diamonds\nGAME\nd: \nd: 2\nd: 1 2\n\n"
        "0 places 2 of diamonds...\n0 is out!\n1 places 1 of diamonds...\n1 takes the block...\n"
        "0 is blocked...\nx places 3 of diamonds...\nx is out!\nGAME OVER\nFinal Order:\n1. 0\n2. 1\n3. x\n"
        "Which player starts?: 2\nEnter a valid card!\nPlace another? (y/n): \nPlace another? (y/n): n\n"
        "Going back to last player input...\n=\n===\n\ufeff\n999 of spades\n"
        "Which card will you place (number, suit separated by space): 3 d"
    ),
    "five-card-draw-transcript": (
        "=== GAME a chips=50 ante=5 ===\n[SETUP] All players have been given 50 chips.\n[NEW ROUND]\n"
        "[BUTTON] The button was given to a.\n[ANTE] b paid 5 chips for the ante.\n"
        "[ANTE] a paid 5 chips for the ante.\n[CARDS] Hands have been dealt.\n[ACTION] b has checked.\n"
        "[ACTION] a has raised by 5.\n[ACTION] b has folded.\n[SHOWDOWN] a won 15 chips.\n"
        "[STANDINGS] a has got 55 chips remaining.\n"
        "[STANDINGS] b has got 45 chips remaining.\n\nWhat's your name?b\n[END] Thanks for playing!\n"
        "Traceback (most recent call last):\n[CARDS] b swapped 2 cards.\nx\n"
        "[INFO] There are 10 chips in the pot."
    ),
}
"""Lines of a small game of each format, and some others."""
FORMATS = pytest.mark.parametrize("form", LINES)


@FORMATS
@settings(deadline=None, max_examples=60)
@given(text=st.binary(max_size=1000), final=st.booleans())
def test_any_bytes_are_accounted_for(form: str, text: bytes, final: bool) -> None:
    check(form, text, final)
    check(form, pieces(form)[0][:700] + text, final)


@FORMATS
@settings(deadline=None, max_examples=100)
@given(data=st.data(), final=st.booleans())
def test_any_lines_are_accounted_for(form: str, data: st.DataObject, final: bool) -> None:
    lines = data.draw(st.lists(st.sampled_from(LINES[form].encode().split(b"\n")), max_size=40))
    check(form, b"\n".join(lines), final)


def contents(form: str, text: bytes) -> dict[bytes, int]:
    """What each stored hand says, by its id."""
    [found] = judged(text, form)
    return dict(zip(found.batch.hand_ids.tolist(), found.batch.content().tolist(), strict=True))


@pytest.mark.parametrize("seed", [0, *soak(*range(1, 60))])
@FORMATS
def test_damage_in_one_game_does_not_touch_others(form: str, seed: int) -> None:
    rng = random.Random(f"{form} {seed}")
    compared = 0
    for _ in range(30):
        first, game, last = rng.sample(pieces(form), 3)
        mark, body = game.split(b"\n", 1)
        body = damaged(rng, body, form)
        marks = [one.split(b"\n", 1)[0].split()[2] for one in (first, game, last)]
        if b"\n=== " in b"\n" + body or len(set(marks)) < len(marks):
            continue  # the damage may have named another game
        stored = contents(form, b"\n".join([first.rstrip(b"\n"), mark, body, last]))
        for other in (first, last):
            assert contents(form, other).items() <= stored.items()
            compared += 1
    assert compared > 30
