"""Ruter Sju's rules, one by one: the numbers are those of docs/rules/ruter_sju.md.

What may be done at any moment is compared with a second opinion in tests/test_games.py.
"""

import json
from typing import Any

import pytest

from cardlog.models.ruter_sju import legal
from cardlog.models.ruter_sju.state import NUMBER_OF, Settings, middle, opening
from cardlog.schemas.events import ACTIONS, Action
from tests.support.hands import Hand, event, refusal

# A deck of two suits of five: the middle card is 3. Seat 1 begins.
FIVES = ("AD2D5S4S", "3D3SAS", "4D5D2S")


def detail(kinds: str = "ccc", suits: int = 2, ranks: int = 5, dialect: str = "book") -> dict[str, Any]:
    """Of a hand of a computer (c) or a human (h) at each seat."""
    players = [{"kind": {"c": "computer", "h": "human"}[kind]} for kind in kinds]
    found: dict[str, Any] = json.loads(opening(Settings(dialect, suits, ranks), players))
    return found


def opened(script: str, **options: Any) -> Hand:
    return Hand("ruter_sju", detail(**options)).tries(f"deal/open; {script}")


def small(hands: Any = FIVES, **options: Any) -> Hand:
    return opened(";".join(f"{seat} hand {held}" for seat, held in enumerate(hands)), **options)


def text(hand: Hand) -> str:
    return legal.legal_text(hand.state)


# ---------------------------------------------------------------- R1 to R5


def test_r1_r2_the_number_of_players_and_the_shape_of_the_deck() -> None:
    for kinds in ("cc", "ccccccc"):
        assert "3 to 6 players" in refusal("ruter_sju", detail(kinds, 4, 13))
    for suits, ranks in ((0, 13), (7, 13), (4, 2), (4, 16)):
        assert "it must be from" in refusal("ruter_sju", detail("ccc", suits, ranks))
    assert "fewer cards" in refusal("ruter_sju", detail("ccccc", 1, 4))
    clever = detail() | {"players": [{}, {}, {"bot": "clever"}]}
    assert "the bot at seat 2 is 'clever'; it must be one of" in refusal("ruter_sju", clever)
    for card in ("6D", "AH", "A4"):
        opened(f"0 hand AD2D5S{card}: unknown_card")


def test_r1_the_order_of_going_out_is_the_order_of_finish() -> None:
    hand = small().tries("1 place 1: out_of_order; 3D; 4D; 2D; 3S; 2S; 4S; AS")
    assert (hand.state["places"][1], text(hand)) == (1, "seat 2: 5D")
    hand.tries("5D; AD; 5S; AD: out_of_order")
    assert hand.state["places"][:3].tolist() == [3, 1, 2]
    for seat, place in ((0, 3), (1, 1), (2, 2)):
        hand.tries(f"{seat} place {place}; {seat} place; {seat} place {place % 3 + 1}: score_mismatch")
    hand.tries("3 place 4: out_of_order")


@pytest.mark.parametrize(("ranks", "number"), [(13, 7), (10, 5), (5, 3), (9, 5), (15, 8), (3, 2), (4, 2)])
def test_r3_the_middle_card(ranks: int, number: int) -> None:
    assert middle(ranks) == number


def test_r4_all_cards_are_dealt_evenly_and_each_seat_is_dealt_to_once() -> None:
    opened("0 hand AD2D5S; 1 hand 3D3SAS; 2 hand 4D5D2S: incomplete")
    opened("0 hand AD2D5S4S3D: incomplete; 0 hand AD2D5S4S; 1 hand 3DADAS: duplicate_card")
    opened("0 hand 3D3SAS; 1 hand AD2D5S4S; 2 hand 4D5D2S; 0 hand AD2D5S4S: out_of_order")
    opened("0 hand AD2D5S4S; 0 hand 3D3SAS: wrong_turn; 3 hand 3D3SAS: wrong_turn; AD: out_of_order")


def test_r5_the_holder_of_the_first_middle_card_begins_with_it() -> None:
    hand = small()
    assert text(hand) == "seat 1: 3D"
    hand.tries("3S: must_follow; block: must_follow; 0 AD: wrong_turn; 3D")


def test_r5_nothing_fits_before_the_first_middle_card_is_placed() -> None:
    """A human of the original may begin with another middle card; then only that of the first suit fits.
    R10: its computers wait for it, and do not take the block though they hold nothing that fits."""
    hand = small(("4SAD5S", "3D3SAS2D", "4D5D2S"), kinds="chc", dialect="original").tries("3S")
    assert text(hand) == "seat 2: pass"
    assert text(hand.tries("2S: must_follow; block: must_follow; skip")) == "seat 0: pass"
    hand.tries("4S: must_follow; skip; 3D; 4D")


# ---------------------------------------------------------------- R6 to R8


def test_r6_what_is_placed_must_be_held() -> None:
    hand = small().tries("3D; 2D: not_in_hand; 3D: duplicate_card; 6D: unknown_card; 4D5D: incomplete")
    own = {Action.DEAL_HAND, Action.PLAY_CARD, Action.PLAY_BLOCK, Action.PLAY_BLOCKED, Action.PLAY_PASS}
    for action in set(range(len(ACTIONS))) - own:
        other = event("ruter_sju", "1 block")
        other["action"] = action
        assert hand.do(other).code == "out_of_order"


def test_r7_after_an_end_card_another_one() -> None:
    """Or several; a card that did not fit before does not count, and one may stop, but for a computer of the
    original."""
    hand = small().tries("3D; 4D; 2D; 3S; 5D")
    assert text(hand) == "seat 2: 2S pass"
    assert text(hand.tries("block: must_follow; 0 4S: wrong_turn; skip")) == "seat 0: AD 4S"
    assert text(hand.tries("AD")) == "seat 0: 4S pass"
    assert hand.tries("4S").state["turn"] == 1
    small(dialect="original").tries("3D; 4D; 2D; 3S; 5D; skip: must_follow; 2S")


def test_r8_the_block_is_for_a_seat_that_can_place_nothing() -> None:
    small(("AD2D5S4S", "3D3SAS", "2S5D4D")).tries("3D; block: must_follow")
    hand = small(("2D4D5S2S", "3D3S4S", "AD5DAS")).tries("3D")
    assert text(hand) == "seat 2: the block"
    assert text(hand.tries("block; 4D; 3S")) == "seat 2: blocked"
    hand.tries("5D: wrong_turn; block: wrong_turn; blocked; blocked: wrong_turn")


# ---------------------------------------------------------------- R9 and R10


def test_r9_a_hand_is_hidden_whole_or_not_at_all_and_a_single_one_is_what_is_left() -> None:
    hand = small(("AD2D5S4S", "??????", "4D5D2S"), kinds="chc")
    assert [int(NUMBER_OF[card]) for card in hand.state["dealt_cards"][1][:3]] == [3, 1, 3]
    assert (hand.state["hidden"], text(hand)) == (0, "seat 1: 3D")
    opened("0 hand AD2D5S??: incomplete")
    hand = small(("????????", "3D3SAS", "??????"), kinds="hch").tries("3D; 4D; 2D; 3S; 5D")
    hand.tries(
        "block: must_follow; skip; block"
    )  # who may hold what fits need not, but for after an end card


def test_r10_an_illegal_card_becomes_the_end_of_its_side() -> None:
    """Cards next to the middle still fit, as in game H0006 of the logs; cards in between do not."""
    hands = ("3D5D6D6S7S", "4DAD7D2D5S", "AS2S3S4S")
    hand = small(hands, kinds="chc", ranks=7, dialect="original").tries("4D; 4S; 3D")
    assert text(hand) == "seat 1: AD 2D 7D 5S the block pass"
    assert hand.tries("7D; skip").state["over"][0] == 7
    assert text(hand.tries("3S")) == "seat 0: 5D", "next to the middle; 6D is next to no card on the table"
    assert hand.tries("5D; 2D").state["over"][0] == 5, "the card last placed"
    assert hand.state["turn"] == 2


def test_r10_the_block_within_a_turn_changes_nothing() -> None:
    state = small(kinds="hch", dialect="original").tries("3D; block; AD; block").state
    assert (state["holder"], state["blocks"][0], state["turn"]) == (2, 0, 1)
