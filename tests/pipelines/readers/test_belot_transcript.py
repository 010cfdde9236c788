"""The words of cards in belot's transcripts, and totals at their end. Damage is in test_damage.py."""

import re

import pytest

from cardlog.pipelines.readers.belot_transcript.wording import parse_card
from cardlog.schemas import cards
from tests.support.damaged_logs import checked
from tests.support.formats import piece

FORMAT = "belot-transcript"
TEXT = piece(FORMAT, "B001")
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


@pytest.mark.parametrize("line", [b"", b"PAR A: Bozna i Mislav"])
def test_totals_name_the_pairs_where_the_lines_at_the_beginning_do_not(line: bytes) -> None:
    spoilt = re.sub(b"(?m)^PAR A: .*$", line, TEXT)
    [whole], [found] = checked(FORMAT, TEXT), checked(FORMAT, spoilt)
    assert len(found.kept) == len(whole.kept)


def test_a_total_is_not_the_one_that_its_beginning_spells() -> None:
    """With no totals before it nothing contradicts it, so only its line end shows that it is whole."""
    second = [found.end() for found in re.finditer(rb"Ukupni bodovi:\n.*\n.*\d", TEXT)][1]
    last = TEXT[:second].replace(b"\nUkupni bodovi:", b"\nUkupno:", 1)
    for end, waits in ((b"\n", []), (b"", ["incomplete"])):
        [found] = checked(FORMAT, last + end)
        assert [reject.reason.code for reject in found.rejects][1:] == waits
