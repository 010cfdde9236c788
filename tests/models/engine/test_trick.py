"""What observations of trick-taking games say of suits; which card takes a trick, second opinions say in
tests/test_games.py."""

from typing import Any

import numpy as np
import pytest

from cardlog import models
from cardlog.models.engine import trick
from tests.test_games import moments, played

RULES = [
    (game, rules) for game in ("kaiser", "belote", "pinochle") for rules in models.game(game).playing().rules
]


@pytest.mark.parametrize(("game", "rules"), RULES)
def test_a_seat_that_is_shown_to_lack_a_suit_has_no_card_of_it(game: str, rules: str) -> None:
    """And a seat that could not follow suit is shown to lack it."""
    model = models.game(game)
    view: Any = model.features
    seen, could_not_follow = np.zeros(model.decisions.width, np.int8), 0
    for _, _, state in moments(played(game, 6, rules)):
        model.decisions.observe(state, 1, seen)
        lacks = seen[view.LACKS_AT : view.LACKS_AT + trick.LACKS].reshape(3, 4)
        for step, suit in np.argwhere(lacks).tolist():
            held = int(state["firsts" if game == "pinochle" else "hands"][(2 + step) % 4])
            assert held >> 16 * suit & 0xFFFF == 0
        on_table = state["played"][: state["plays"]][state["plays"] - state["trick_cards"] :] >> 4
        if len(on_table) > 1 and on_table[-1] != on_table[0]:
            step = (state["leaders"][state["tricks"]] + len(on_table) - 3) % 4
            if step < 3 and not (game == "belote" and rules != "book" and on_table[0] == 1):
                assert lacks[step, on_table[0]]
                could_not_follow += 1
    assert could_not_follow > 20
