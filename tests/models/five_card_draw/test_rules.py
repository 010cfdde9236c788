"""States of five-card draw; scripts in tests/records say the rest, of openings [R2] [R15], too."""

from cardlog.models.five_card_draw.state import opening
from tests.support.hands import Hand

HIDDEN = "??" * 5


def dealt(dialect: str, chips: list[int], antes: str) -> Hand:
    """A hand of two, hidden cards having been dealt."""
    hand = Hand("five_card_draw", opening(dialect, 5, 0, [{}, {}], chips))
    return hand.tries(f"deal/open; {antes}; 0 hand {HIDDEN}; 1 hand {HIDDEN}")


def test_r10_by_the_book_the_last_one_is_not_asked() -> None:
    """All others fold before his turn, which can happen if one of them is asked though he is all in."""
    hand = dealt("original", [100, 3], "ante 3; ante 5")
    hand.state["last_one_acts"] = 0
    assert hand.tries("fold").state["won"].tolist() == [8, 0, 0, 0, 0, 0]


def test_a_hidden_hand_that_stood_pat_and_is_shown_was_dealt_so() -> None:
    hand = dealt("book", [100, 100], "ante 5; ante 5")
    state = hand.tries("check; check; discard; discard; check; check; 1 shows KSKD7C5C3S").state
    assert state["dealt_rank"][1] == state["rank"][1] > state["dealt_rank"][0] == 0
