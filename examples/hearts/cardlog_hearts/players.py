"""Who plays at tables: `random`; `expert`, which ducks, and discards what hurts most; and `search`, which
grows a tree of cards over deals that fit what the seat knows."""

from typing import Any, Final

import numpy as np

from cardlog import plugin
from cardlog.plugin import Int, Setup, alone, cards, compiled, trick

from .rules import (
    FEWEST,
    GAME,
    HAND_CARDS,
    PACK,
    PACK_TEXT,
    PASSED_CARDS,
    PASSES,
    QUEEN,
    SEATS,
    TARGET,
    begin,
    evolve,
    legal_cards,
    penalty,
)  # fmt: skip

_PACK: Final = np.array(cards.codes(PACK_TEXT), np.uint8)
_STANDARD: Final = ["must_break_hearts", "no_pts_on_first_trick", "pass_cards", "qs_breaks_hearts"]
_ORDER: Final = (1, 3, 2, 0)  # left, right, across, hold


def detail(setup: Setup, table: Any) -> str:
    """See `Players`."""
    direction = PASSES[_ORDER[int(table["hand_no"]) % SEATS]]
    return alone.detail_at(setup, table, {"pass": direction, "rules": _STANDARD})


@compiled
def open_hand(table: Any, state: Any, opening: Any) -> None:
    """See `Players`."""
    state.direction = _ORDER[table.hand_no % SEATS]
    alone.open_hand(table, state, _PACK)


@compiled
def value(state: Any, card: Int) -> Int:
    """How gladly the expert plays or passes a card: it discards the queen of spades and what may catch it,
    then hearts and high cards; leads low; and plays the highest card that does not take the trick."""
    rank, is_queen = card & 15, np.int64(1) << card == QUEEN
    discards = state.trick_cards and trick.suit_of(card) != trick.suit_led(state)
    if discards or state.phase == alone.PASSING:
        return rank + 2 * penalty(state, card) + 20 * is_queen + 8 * (card >> 4 == 3 and rank > 10)
    takes = state.trick_cards == 0 or card > state.best
    is_cheap = state.trick_cards == SEATS - 1 and state.trick_value <= 0
    return (-rank if takes and not is_cheap else 100 + rank) + is_queen * (-200 if takes else 200)


@compiled
def best_card(state: Any) -> Int:
    """The card that the expert plays or passes."""
    legal, best, most = legal_cards(state), np.int64(-1), np.int64(-1000)
    while legal:
        card = trick.lowest(legal)
        legal &= legal - 1
        if value(state, card) > most:
            best, most = card, value(state, card)
    return best


@compiled
def shown(state: Any, me: Int, seat: Int) -> tuple[Int, Int]:
    """[R2] A seat knows where the cards are that it has passed."""
    is_receiver = state.direction > 0 and seat == (me + state.direction) % SEATS
    return np.int64(state.given[me] if is_receiver else 0), np.int64(0)


ALONE: Final = alone.Alone(GAME, int(PACK), FEWEST, TARGET, legal_cards, best_card)
TREE: Final = plugin.unsolved(
    PACK_TEXT,
    plugin.Playing(evolve, legal_cards, best_card, alone.result_of(ALONE), shown),
    rounds=200,
)
PLAYERS: Final = alone.players(
    ALONE,
    names={
        "random": "any legal card",
        "expert": "ducks, and discards what hurts most",
        "search": "grows a tree of cards over deals that fit what it knows",
    },
    rules={plugin.BOOK: "RULES.md"},
    begin=lambda: begin({"players": [{}] * SEATS, "settings": {"pass": "hold", "rules": _STANDARD}}),
    detail=detail,
    open_hand=open_hand,
    most_events=1 + SEATS * (1 + PASSED_CARDS + HAND_CARDS + 3) + HAND_CARDS,
    policies={"search": plugin.TREE_SEARCH},
)
