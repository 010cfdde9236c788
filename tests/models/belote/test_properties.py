"""What holds for every hand of belote, whatever is dealt and played, by a second opinion on all of it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import playable_cards
from cardlog.models.belote.score import MOST_DECLARATIONS, declaration_value, find_declarations
from cardlog.models.belote.state import DECK, DECK_TEXT, GAME, RULES, begin
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.dealing import BOOK
from cardlog.pipelines.export.simulate import batches
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.belote_logs import hands_of
from tests.support.belote_replay import ROW, declarations, replay
from tests.support.hands import texts
from tests.support.soak import long


@pytest.mark.parametrize("rules", [BOOK, *long(*(name for name in RULES if name != BOOK))])
def test_simulated_hands_are_what_the_second_opinion_says(rules: str) -> None:
    """Legal cards included; and [R10], [R13] to [R15] what the sums of a hand must be."""
    [batch] = batches(GAME, "test", Simulation(GAME, 1, rules=rules), 250)
    for _, _, opening, events in hands_of(batch):
        expected, masks, state = replay(opening, events), [], begin(opening)[0]
        for event in events:
            if event["action"] == Action.PLAY_CARD:
                masks.append(texts(playable_cards(state)))
            assert belote.evolve(state, event.copy()) == 0
        assert masks == expected.legal
        assert state["winners"].tolist() == expected.winners
        assert state["values"].tolist() == expected.values
        assert state["score"].tolist() == expected.score
        assert state["needed"] == expected.needed
        assert (state["declarer"], cards.SUITS[state["trump"]]) == (expected.bidder, expected.trump)
        assert state["points"].sum() == state["values"].sum() == 162
        assert state["hand_value"] == 162 + state["declared"].sum() + state["bela_points"].sum()
        assert state["score"].sum() == state["hand_value"] + 90 * (state["tricks_won"].max() == 8)
        assert set(map(cards.text, state["played"].tolist())) == texts(int(DECK))


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
