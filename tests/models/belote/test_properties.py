"""What holds for every hand of belote, whatever is dealt and played, and a second opinion on all of it."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cardlog.models.belote import rules as belote
from cardlog.models.belote.legal import playable_cards
from cardlog.models.belote.score import MOST_DECLARATIONS, declaration_value, find_declarations
from cardlog.models.belote.state import DECK, DECK_TEXT, RULES
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine.dealing import BOOK
from cardlog.pipelines.events.batch import Batch
from cardlog.pipelines.export.simulate import batches
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from tests.support.belote_logs import LOGS, hands_of, in_mask, read_log
from tests.support.belote_replay import ROW, declarations, replay
from tests.support.soak import long

HANDS = 150


def simulated(key: int, rules: str, count: int = HANDS) -> Batch:
    [batch] = batches(belote.GAME, "test", Simulation(belote.GAME, key, rules=rules), count)
    return batch


def check(opening: dict[str, Any], events: Any) -> None:
    """The rules and the second opinion agree on a hand, legal cards included."""
    expected = replay(opening, events)
    state = belote.begin(opening)[0]
    masks = []
    for event in events:
        if event["action"] == Action.PLAY_CARD:
            masks.append({cards.text(code) for code in in_mask(playable_cards(state))})
        assert belote.evolve(state, event.copy()) == 0
    assert masks == expected.legal
    assert state["winners"].tolist() == expected.winners
    assert state["values"].tolist() == expected.values
    assert state["score"].tolist() == expected.score
    assert state["needed"] == expected.needed
    assert (state["declarer"], cards.SUITS[state["trump"]]) == (expected.bidder, expected.trump)
    identities(state)


def identities(state: Any) -> None:
    """[R10, R13 to R15] What the sums of a hand must be."""
    assert state["points"].sum() == state["values"].sum() == 162
    assert state["hand_value"] == 162 + state["declared"].sum() + state["bela_points"].sum()
    swept = state["tricks_won"].max() == 8
    assert state["score"].sum() == state["hand_value"] + 90 * swept
    assert min(state["declared"]) == 0
    assert state["bela_points"].sum() in (0, 20)
    assert sorted(state["played"].tolist()) == sorted(in_mask(int(DECK)))


@pytest.mark.parametrize("rules", [BOOK, *long(*(name for name in RULES if name != BOOK))])
def test_simulated_hands_are_what_the_second_opinion_says(rules: str) -> None:
    for key in (1, 2):
        for _, _, opening, events in hands_of(simulated(key, rules)):
            check(opening, events)


@pytest.mark.parametrize("name", LOGS)
def test_logged_hands_are_what_the_second_opinion_says(name: str) -> None:
    batch = read_log(name).batch
    for _, _, opening, events in hands_of(batch.take(np.arange(0, len(batch), 4))):
        events = events.copy()
        state = belote.begin(opening)[0]
        for event in events:  # fills in what the log leaves to the rules
            assert belote.evolve(state, event) == 0
        check(opening, events)


# ---------------------------------------------------------------- the deal

PACK = [DECK_TEXT[index : index + 2] for index in range(0, 64, 2)]
DEALS = st.permutations(PACK).map(lambda pack: [pack[seat * 8 : seat * 8 + 8] for seat in range(4)])
SUITED = st.integers(0, 5).flatmap(
    lambda start: st.permutations(PACK).map(
        lambda pack: [*(rank + "H" for rank in ROW[start:]), *(c for c in pack if c[1] != "H")][:8]
    )
)
"""Eight cards that are likely to have a run, often up to the ace."""


@settings(deadline=None, max_examples=300)
@given(st.one_of(DEALS.map(lambda deal: deal[0]), SUITED), st.booleans())
def test_declarations_are_the_longest_runs_and_the_fours(hand: list[str], book: bool) -> None:
    """[R7]"""
    masks, values = np.zeros(MOST_DECLARATIONS, np.int64), np.zeros(MOST_DECLARATIONS, np.int16)
    count = find_declarations(cards.mask("".join(hand)), book, book, masks, values)
    expected = sorted((worth, cards.mask("".join(shown))) for worth, shown in declarations(hand, book))
    assert sorted(zip(values[:count].tolist(), masks[:count].tolist(), strict=True)) == expected
    for value, shown in expected:
        assert declaration_value(shown, book, book) == value


def test_no_eight_cards_hold_more_declarations_than_there_is_room_for() -> None:
    """[R7] Two runs that cross a four make three; random hands hold fewer."""
    most = "9HTHJH9STSJSJCJD"
    assert len(declarations([most[i : i + 2] for i in range(0, 16, 2)], True)) == MOST_DECLARATIONS
    rng = np.random.default_rng(1)
    for _ in range(2000):
        hand = rng.permutation(PACK)[:8].tolist()
        assert len(declarations(hand, True)) <= MOST_DECLARATIONS


def test_matches_go_on_until_1001() -> None:
    """[R16, R17]"""
    batch = simulated(6, "cesmak", 1200)
    before: dict[str, list[int]] = {}
    dealers: dict[str, int] = {}
    ended = 0
    for match, number, opening, events in hands_of(batch):
        assert opening["match"]["score"] == before.get(match, [0, 0])
        assert opening["dealer"] == (dealers[match] + 1) % 4 if number else opening["dealer"] == 0
        dealers[match] = opening["dealer"]
        assert max(before.get(match, [0])) < 1001
        before[match] = events["amount"][events["action"] == Action.SCORE_MATCH].tolist()
        ended += belote.match_winner(np.array(before[match])) >= 0
    assert ended > 50


def test_a_policy_claims_bela_whenever_it_may() -> None:
    def any_legal(observations: Any, masks: Any) -> Any:
        return np.where(masks, rng.random(masks.shape), -1).argmax(axis=1)

    def claims(*players: Any) -> int:
        events = Simulation(belote.GAME, 3, players).play(2000).events
        return int((events["action"] == Action.MELD_BELA).sum())

    rng = np.random.default_rng(1)
    assert 1.6 < claims(any_legal) / claims("random") < 2.5


@pytest.mark.soak
@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("key", range(10, 30))
def test_simulated_hands_by_the_thousand(rules: str, key: int) -> None:
    for _, _, opening, events in hands_of(simulated(key, rules, 1000)):
        check(opening, events)
