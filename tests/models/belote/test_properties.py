"""What holds for every hand of belote, whatever is dealt and played, by a second opinion on all of it."""

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.belote.score import MOST_DECLARATIONS, declaration_value, find_declarations
from cardlog.models.belote.state import DECK_TEXT, GAME
from cardlog.models.contest.simulation import Simulation
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.belote_replay import ROW, declarations

PACK = [DECK_TEXT[index : index + 2] for index in range(0, 64, 2)]
SUITED = st.integers(0, 5).flatmap(
    lambda start: st.permutations(PACK).map(
        lambda pack: [*(rank + "H" for rank in ROW[start:]), *(c for c in pack if c[1] != "H")][:8]
    )
)
"""Eight cards that are likely to have a run, often up to the ace."""
MOST = [cards.text(code) for code in cards.codes("9HTHJH9STSJSJCJD")]


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.permutations(PACK).map(lambda pack: pack[:8]), SUITED, st.just(MOST)), st.booleans())
def test_declarations_are_the_longest_runs_and_the_fours(hand: list[str], book: bool) -> None:
    """[R7] Two runs that cross a four make three, the most there is room for."""
    masks, values = np.zeros(MOST_DECLARATIONS, np.int64), np.zeros(MOST_DECLARATIONS, np.int16)
    count = find_declarations(cards.mask("".join(hand)), book, book, masks, values)
    expected = sorted((worth, cards.mask("".join(shown))) for worth, shown in declarations(hand, book))
    assert sorted(zip(values[:count].tolist(), masks[:count].tolist(), strict=True)) == expected
    assert count <= MOST_DECLARATIONS == len(declarations(MOST, True))
    for value, shown in expected:
        assert declaration_value(shown, book, book) == value


def test_a_policy_claims_bela_whenever_it_may() -> None:
    def any_legal(observations: Any, masks: Any) -> Any:
        return np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)

    def claims(*players: Any) -> int:
        events = Simulation(GAME, 3, players).play(2000).events
        return int((events["action"] == Action.MELD_BELA).sum())

    rng = np.random.default_rng(1)
    assert 1.6 < claims(any_legal) / claims("random") < 2.5
