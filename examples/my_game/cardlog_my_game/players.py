"""Who plays at tables: `random`; `expert`; and `search`, which plays many hands out as the expert would."""

from typing import Any, Final

import numpy as np

from cardlog import plugin
from cardlog.plugin import Int, Setup, alone, cards, compiled, trick

from .rules import HAND_CARDS, MOST, NAME, PACK, PACK_TEXT, SEATS, TARGET, begin, evolve, legal_cards

_PACK: Final = np.array(cards.codes(PACK_TEXT), np.uint8)


def detail(setup: Setup, table: Any) -> str:
    """The opening of a hand at a table."""
    return alone.detail_at(setup, table, {})


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """Fill a blank state with what is known before the hand, and shuffle."""
    alone.open_hand(table, state, _PACK)


@compiled
def best_card(state: Any) -> Int:
    """The expert's card: the lowest that takes the trick, else the lowest of all; as leader the highest."""
    legal, best, most = legal_cards(state), np.int64(-1), np.int64(-100)
    while legal:
        card = trick.lowest(legal)
        legal &= legal - 1
        rank = card & 15
        value = rank if state.trick_cards == 0 else 50 * trick.beats(card, state.best, state.trump) - rank
        if value > most:
            best, most = card, value
    return best


ALONE: Final = alone.Alone(NAME, int(PACK), MOST, TARGET, legal_cards, best_card)
TREE: Final = plugin.unsolved(
    PACK_TEXT, plugin.Playing(evolve, legal_cards, best_card, alone.result_of(ALONE)), rounds=100
)
PLAYERS: Final = alone.players(
    ALONE,
    names={
        "random": "any legal card",
        "expert": "takes a trick as cheaply as it can",
        "search": "grows a tree of cards over deals that fit what it knows",
    },
    rules={plugin.BOOK: "RULES.md"},
    begin=lambda: begin({"players": [{}] * SEATS, "settings": {}}),
    detail=detail,
    open_hand=open_hand,
    most_events=1 + SEATS * (1 + HAND_CARDS + 3) + HAND_CARDS,
    policies={"search": plugin.TREE_SEARCH},
)
