"""The functions that all trick-taking games share."""

import itertools
import json
from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.contest.simulation import Simulation
from cardlog.models.engine import trick
from cardlog.schemas import cards
from cardlog.schemas.cards import NO_SUIT, NO_TRUMP, code, mask

RULES = [
    (game, rules) for game in ("kaiser", "belote", "pinochle") for rules in models.game(game).playing().rules
]


def test_suits_of_cards_and_what_follows_a_lead() -> None:
    hand = mask("2CAC5D3S")
    assert [trick.of_suit(hand, suit) for suit in range(4)] == [mask("2CAC"), mask("5D"), 0, mask("3S")]
    assert [trick.follow_suit(hand, suit) for suit in range(4)] == [
        mask("2CAC"),
        mask("5D"),
        hand,
        mask("3S"),
    ]


@pytest.mark.parametrize("trump", [0, 1, 2, 3, NO_TRUMP, NO_SUIT])
def test_beats_is_higher_in_suit_or_a_trump_on_a_plain_card(trump: int) -> None:
    pack = [rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS]
    for later, best in itertools.permutations(pack, 2):
        if later[1] == best[1]:
            expected = cards.PACK_RANKS.index(later[0]) > cards.RANKS.index(best[0])
        else:
            expected = trump in range(4) and later[1] == cards.SUITS[trump]
        assert trick.beats(code(later), code(best), trump) == expected


@pytest.mark.parametrize(("game", "rules"), RULES)
def test_a_seat_that_is_shown_to_lack_a_suit_has_no_card_of_it(game: str, rules: str) -> None:
    """And a seat that could not follow suit is shown to lack it."""
    model = models.game(game)
    view: Any = model.features
    simulation = Simulation(game, 8, rules=rules)
    seen, could_not_follow = np.zeros(model.decisions.width, np.int8), 0
    played = simulation.play(12)
    for hand, first in enumerate(played.offsets[:-1]):
        state = model.begin(json.loads(played.details[played.events["detail"][first]]))[0]
        for index in range(first, played.offsets[hand + 1]):
            assert model.evolve(state, played.events[index]) == 0
            model.decisions.observe(state, 1, seen)
            lacks = seen[view.LACKS_AT : view.LACKS_AT + trick.LACKS].reshape(3, 4)
            for step, suit in np.argwhere(lacks).tolist():
                held = state["firsts" if game == "pinochle" else "hands"][(2 + step) % 4]
                assert trick.of_suit(int(held), suit) == 0
            if state["trick_cards"] > 1:
                on_table = state["played"][: state["plays"]][-state["trick_cards"] :]
                step, led = (
                    (state["leaders"][state["tricks"]] + state["trick_cards"] - 3) % 4,
                    on_table[0] >> 4,
                )
                is_free = game == "belote" and rules != "book" and led == 1
                if on_table[-1] >> 4 != led and step < 3 and not is_free:
                    assert lacks[step, led]
                    could_not_follow += 1
    assert could_not_follow > 20
