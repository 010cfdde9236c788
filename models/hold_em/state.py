"""A hold'em table: the rules of each dialect, the state of a hand, and how it begins. [R3] is rule 3 of
docs/rules/hold_em.md."""

from functools import partial
from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import compiled
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import KEYS
from cardlog.models.engine.rng import mixed
from cardlog.models.engine.visible import Visible
from cardlog.models.poker import table
from cardlog.models.poker.cards import BOARD_CARDS
from cardlog.models.poker.chips import MOST_SEATS
from cardlog.models.poker.table import (
    DEALING,
    STARS,
    STARS_RULES,
    Rules,
    amend,
    fill_stakes,
    seats_of,
    stakes_of,
)
from cardlog.schemas import cards, events

GAME: Final = "hold_em"
SEATS: Final = MOST_SEATS
HOLE_CARDS: Final = 2
MOST_BOARDS: Final = 2
MOST_CHIPS: Final = 2**31 - 1
"""Chips of all players together, so that every sum fits 32 bits."""
DECK_TEXT: Final = "".join(rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS)
"""[R1] The pack."""


RULES: Final = {
    "book": Rules(),
    "phh": Rules(
        folds_free=True,
        full_blind=False,
        blind_counts=False,
        odd_chips_first=True,
        pots_merge=True,
        loose_reports=True,
        shows_decide=True,
    ),
    STARS: Rules(**STARS_RULES),
}
"""The rules of each dialect: the rule book's, those of PHH's reference implementation, and PokerStars'."""

# Phases of a hand between the deal and the showdown; they alternate.
BETTING, BOARD = range(DEALING + 1, DEALING + 3)
PREFLOP, FLOP, TURN, RIVER = range(4)
STREETS: Final = ("preflop", "flop", "turn", "river")

MOST_CARDS: Final = 3
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *table.fields(SEATS, Rules),
        ("shared", np.int8),  # cards on the board when the last round ended; two boards have them in common
        ("board_count", np.int8, (MOST_BOARDS,)),
        ("board", np.uint8, (MOST_BOARDS, BOARD_CARDS)),
        ("dealt_cards", np.uint8, (SEATS, HOLE_CARDS)),  # as dealt, UNKNOWN if hidden
        ("rank", np.int16, (SEATS, MOST_BOARDS)),  # of the best five of seven, 0 while unknown
    ]
)


VISIBLE: Final = Visible(
    public=tuple(name for name in STATE.names or () if name not in ("dealt_cards", "rank", "known", "seen")),
    own={"dealt_cards": cards.UNKNOWN, "rank": 0},
    secret={"known": 0, "seen": 0},
    amend=partial(amend, own=("dealt_cards", "rank")),
)


# ---------------------------------------------------------------- the opening

OPENING_KEYS: Final = (*KEYS, "about", "boards")


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). Raises ValueError if the opening makes no sense."""
    settings, rules = stakes_of(detail, RULES)
    chips, dealer = seats_of(detail, SEATS, MOST_CHIPS)
    boards = detail.get("boards", 1)
    if type(boards) is not int or boards not in range(1, MOST_BOARDS + 1):
        raise ValueError(f"boards is {boards!r}; a hand has one or two")
    state = np.zeros(1, STATE)
    fill(state[0], rules, settings, dealer, chips)
    state[0]["boards"] = boards
    return state


def fill(state: Any, rules: Rules, settings: dict[str, Any], dealer: int, chips: list[int]) -> None:
    """Fill a blank state with what is known before a hand."""
    table.fill(state, rules, chips, dealer)
    fill_stakes(state, settings)
    state["dealt_cards"] = state["board"] = cards.UNKNOWN


@compiled
def key_of(state: Any) -> np.uint64:
    """A number that follows from what the seat in turn knows, as a key for random numbers."""
    key = mixed(np.uint64(state.tricks))
    for index in range(HOLE_CARDS):
        key = mixed(key ^ np.uint64(state.dealt_cards[state.turn, index]))
    for index in range(BOARD_CARDS):
        key = mixed(key ^ np.uint64(state.board[0, index]))
    for seat in range(SEATS):
        key = mixed(key ^ np.uint64(state.staked[seat]))
        key = mixed(key ^ np.uint64(state.stack[seat]))
    return key
