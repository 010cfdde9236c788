"""A hold'em table: the rules of each dialect, the state of a hand, and how it begins. [R3] is rule 3 of
docs/rules/hold_em.md."""

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import compiled
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import (
    KEYS,
    checked_settings,
    dealer_of,
    rules_of,
    to_json,
)
from cardlog.models.engine.rng import mixed
from cardlog.models.engine.visible import Visible
from cardlog.models.poker.betting import FIELDS, STRUCTURES
from cardlog.models.poker.chips import MOST_SEATS, chips_of, seat_players
from cardlog.schemas import cards, events

GAME: Final = "hold_em"
SEATS: Final = MOST_SEATS
HOLE_CARDS: Final = 2
BOARD_CARDS: Final = 5
MOST_BOARDS: Final = 2
MOST_CHIPS: Final = 2**31 - 1
"""Chips of all players together, so that every sum fits 32 bits."""
CURRENCY: Final = re.compile(r"\S{0,12}")
MOST_BET: Final = 2**30
DECK_TEXT: Final = "".join(rank + suit for suit in cards.SUITS for rank in cards.PACK_RANKS)
"""[R1] The pack."""


@dataclass(frozen=True)
class Rules:
    """The points on which the programs and the rule book differ."""

    # [R9] A player who has nothing to call may fold all the same
    folds_free: bool = False
    folds_early: bool = False  # [R9] A player may fold when it is not his turn
    raises_alone: bool = False  # [R8] A player may raise though no other could call
    full_blind: bool = True  # [R6] To call takes the full big blind though it was posted short
    # [R8] The most bets and raises of a round with fixed limits, and whether the big blind counts as a bet
    most_raises: int = 4
    blind_counts: bool = True
    # [R13] Whoever mucks can't win, whatever he holds; otherwise the cards decide as soon as all are known
    shows_decide: bool = False
    # [R16] The house may take a rake, and the last bet, which nobody called, may be counted as won
    loose_reports: bool = False
    # [R15] All odd chips of a pot go to the first winner after the button; otherwise one to each in turn
    odd_chips_first: bool = False
    # [R15] Pots that the same winners share count as one
    pots_merge: bool = False


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
    "pokerstars": Rules(
        folds_free=True, folds_early=True, raises_alone=True, loose_reports=True, shows_decide=True
    ),
}
"""The rules of each dialect: the rule book's, those of PHH's reference implementation, and PokerStars'."""

_FLAGS: Final = tuple(vars(Rules()))

# Phases of a hand, in order; those of betting and of dealing the board alternate.
OPENING, POSTING, DEALING, BETTING, BOARD, SHOWING, DONE = range(7)
PREFLOP, FLOP, TURN, RIVER = range(4)
STREETS: Final = ("preflop", "flop", "turn", "river")

MOST_CARDS: Final = 3
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        ("done", np.int8),  # 1 once it is settled who gets the chips
        ("phase", np.int8),
        *FIELDS(SEATS),
        ("dealer", np.int8),  # the seat with the button, which may be empty
        ("last_blind", np.int8),  # the seat of the highest blind or straddle; the next one opens
        ("ante_trimming", np.int8),
        ("full_blind", np.int8),
        ("loose_reports", np.int8),
        ("shows_decide", np.int8),
        ("blind_counts", np.int8),
        ("odd_chips_first", np.int8),
        ("pots_merge", np.int8),
        ("closed", np.int8),  # whether nobody can bet any more
        ("boards", np.int8),  # how many there will be
        ("shared", np.int8),  # cards that both boards have in common
        ("dealt", np.int16),
        ("known", np.int16),  # those whose cards are known now
        ("shown", np.int16),  # those that have shown their hand, or mucked it
        ("mucked", np.int16),
        ("reported", np.int16),  # those whose win the source has reported
        ("stood", np.int16),  # those whose chips after the hand it has reported
        ("board_count", np.int8, (MOST_BOARDS,)),
        ("board", np.uint8, (MOST_BOARDS, BOARD_CARDS)),
        ("dealt_cards", np.uint8, (SEATS, HOLE_CARDS)),  # as dealt, UNKNOWN if hidden
        ("rank", np.int16, (SEATS, MOST_BOARDS)),  # of the best five of seven, 0 while unknown
        ("small_bet", np.int32),  # the least bet before and on the flop, and later
        ("big_bet", np.int32),
        ("dead", np.int32, (SEATS,)),  # of the chips put in: those that nobody has to match
        ("won", np.int32, (SEATS,)),  # chips it wins
        ("uncalled", np.int32, (SEATS,)),  # chips that it bet and got back
        ("rake", np.int32),  # chips that the house took
        ("seen", np.int64),  # all cards known so far, as a mask
    ]
)


def _amend(shown: Any, state: Any, seat: int) -> None:
    """[R13] Hands are seen that were shown and not mucked."""
    seen = int(state["shown"]) & ~int(state["mucked"])
    for other in range(SEATS):
        if seen >> other & 1:
            shown["dealt_cards"][other] = state["dealt_cards"][other]
            shown["rank"][other] = state["rank"][other]
    shown["known"] = state["known"] & (seen | (0 if seat < 0 else 1 << seat))


VISIBLE: Final = Visible(
    public=tuple(name for name in STATE.names or () if name not in ("dealt_cards", "rank", "known", "seen")),
    own={"dealt_cards": cards.UNKNOWN, "rank": 0},
    secret={"known": 0, "seen": 0},
    amend=_amend,
)


# ---------------------------------------------------------------- the opening

OPENING_KEYS: Final = (*KEYS, "about", "boards")
SETTINGS: Final = {
    "ante_trimming": bool, "big_bet": int, "currency": str, "dialect": str, "small_bet": int,
    "structure": str, "unit": int,
}  # fmt: skip


def opening(
    settings: dict[str, Any],
    dealer: int,
    players: list[dict[str, Any] | None],
    chips: list[int],
    *,
    boards: int = 1,
    about: dict[str, Any] | None = None,
) -> str:
    """The `detail` of a hand's first event, as canonical JSON.

    settings
        All of `SETTINGS`. `small_bet` is the least bet before and on the flop, `big_bet` that of the turn and
        the river, the same without fixed limits. An amount is divided by `unit` to get what the source says.
    players, chips
        By seat, chips before the hand; the player of a seat that is not dealt in is None and has 0.
    boards
        2 if the hand is run twice.
    about
        What else the source says of the hand: venue, table, and so on.
    """
    detail = {"dealer": dealer, "match": {"score": chips}, "players": players, "settings": settings}
    if boards != 1:
        detail["boards"] = boards
    if about:
        detail["about"] = about
    return to_json(detail)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). Raises ValueError if the opening makes no sense."""
    bets = {"small_bet": (0, MOST_BET), "big_bet": (0, MOST_BET), "unit": (1, 10**6)}
    settings = checked_settings(detail, SETTINGS, ranges=bets)
    rules = rules_of(settings, RULES)
    if settings["structure"] not in STRUCTURES:
        raise ValueError(
            f"structure is {settings['structure']!r}; it must be one of: {', '.join(STRUCTURES)}"
        )
    if not CURRENCY.fullmatch(settings["currency"]):
        raise ValueError(
            f"currency is {settings['currency']!r}; it must be a code as USD, a symbol, or empty"
        )
    _, chips = chips_of(detail, SEATS, MOST_CHIPS)
    boards = detail.get("boards", 1)
    dealer = dealer_of(detail, len(chips))
    if type(boards) is not int or boards not in range(1, MOST_BOARDS + 1):
        raise ValueError(f"boards is {boards!r}; a hand has one or two")
    state = np.zeros(1, STATE)
    fill(state[0], rules, settings, dealer, chips)
    state[0]["boards"] = boards
    return state


def fill(state: Any, rules: Rules, settings: dict[str, Any], dealer: int, chips: list[int]) -> None:
    """Fill a blank state with what is known before a hand."""
    for name in _FLAGS:
        state[name] = getattr(rules, name)
    state["structure"] = STRUCTURES.index(settings["structure"])
    for name in ("ante_trimming", "small_bet", "big_bet"):
        state[name] = settings[name]
    state["dealer"], state["boards"] = dealer, 1
    state["last_blind"] = state["aggressor"] = -1
    seat_players(state, np.array(chips, np.int64))
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
