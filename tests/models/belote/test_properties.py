"""What holds for every hand of belote, whatever is dealt and played, by a second opinion on all of it."""

from itertools import chain
from typing import Any

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cardlog.models.belote.declarations import counting_team
from cardlog.models.belote.score import MOST_DECLARATIONS, declaration_value
from cardlog.models.belote.state import DECK_TEXT, GAME, opening
from cardlog.models.contest.simulation import Simulation
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.belote_replay import counting_side, declarations
from tests.support.hands import dealt

PACK = [DECK_TEXT[index : index + 2] for index in range(0, 64, 2)]
INDEX = st.integers(0, 31)
MOST = [cards.text(code) for code in cards.codes("9HTHJH9STSJSJCJD")]


def after(*hands: list[str]) -> list[list[str]]:
    """These hands, and the rest of the pack."""
    rest = [card for card in PACK if card not in chain(*hands)]
    return [*hands, *(rest[at : at + 8] for at in range(0, len(rest), 8))]


@st.composite
def deals(draw: Any) -> list[list[str]]:
    """Hands of four cards of a suit, fours, or any; in the first two some cards have changed places."""
    size, pack = draw(st.sampled_from([(4, PACK), (4, sorted(PACK)), (1, PACK)]))
    parts = draw(st.permutations([pack[at : at + size] for at in range(0, 32, size)]))
    found = [card for part in parts for card in part]
    for one, other in draw(st.lists(st.tuples(INDEX, INDEX), max_size=6)):
        found[one], found[other] = found[other], found[one]
    return after(*(found[at : at + 8] for at in range(0, 32, 8)))


@settings(deadline=None, max_examples=400)
@given(deals(), st.sampled_from(["book", "cesmak"]), st.sampled_from("CDHS"))
@example(after(MOST), "book", "D")
@example(after([*PACK[:5], "AD", "AH", "AS"], ["QC", "QD", "QH", "QS", "7D", "8H", "7S", "8S"]), "book", "D")
def test_declarations_and_the_side_whose_count_are_those_of_a_second_opinion(
    hands: list[list[str]], dialect: str, trump: str
) -> None:
    """[R7] [R8] The longest runs and the fours. Two runs that cross a four make three, the most there is room
    for. Ties go to the first to speak, or to the dealer's side."""
    book = dialect == "book"
    held = [declarations(hand, book) for hand in hands]
    state = dealt("belote", map("".join, hands), opening(dialect, 3)).tries(f"trump {trump}").state
    for seat, shown in enumerate(held):
        count = state["found_count"][seat]
        values, masks = state["found_value"][seat][:count].tolist(), state["found"][seat][:count].tolist()
        expected = sorted((worth, cards.mask("".join(one))) for worth, one in shown)
        assert sorted(zip(values, masks, strict=True)) == expected
        for _, one in declarations(hands[seat], book=True):  # a run to the ace is not always worth something
            wanted = next((worth for worth, other in shown if other == one), 0)
            assert declaration_value(cards.mask("".join(one)), book, book) == wanted
    assert counting_team(state) == counting_side(held, 3, trump, book)
    assert len(declarations(MOST, book=True)) == MOST_DECLARATIONS


def test_a_policy_claims_bela_whenever_it_may() -> None:
    def any_legal(observations: Any, masks: Any) -> Any:
        return np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)

    def claims(*players: Any) -> int:
        events = Simulation(GAME, 3, players).play(2000).events
        return int((events["action"] == Action.MELD_BELA).sum())

    rng = np.random.default_rng(1)
    assert 1.6 < claims(any_legal) / claims("random") < 2.5
