"""What poker games share of a hand: the fields of its state, the rules on which programs differ, and the
opening of a hand with blinds. [R3] is rule 3 of docs/rules/hold_em.md."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from cardlog.models.engine.opening import checked_settings, dealer_of, rules_of, to_json
from cardlog.models.poker.chips import chips_of, seat_players

STRUCTURES: Final = ("no_limit", "pot_limit", "fixed_limit")
NO_LIMIT, POT_LIMIT, FIXED_LIMIT = range(3)
MOST_BET: Final = 2**30
CURRENCY: Final = re.compile(r"\S{0,12}")

# Phases of a hand that all games have, in order; those between the deal and the showdown are the game's own.
OPENING, POSTING, DEALING = range(3)
SHOWING, DONE = 6, 7


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


STARS: Final = "pokerstars"
STARS_RULES: Final = {
    "folds_free": True, "folds_early": True, "raises_alone": True, "loose_reports": True,
    "shows_decide": True,
}  # fmt: skip
"""How PokerStars deviates, whatever game it deals."""


_OF_SOME: Final = ("raises_any", "short_ante_folds")
"""Rules of five-card draw that the betting asks for, 0 in other games."""


def fields(seats: int, rules: type[Rules]) -> list[Any]:
    """The fields of a state that all poker games have. Seats as masks have one bit each."""
    flags = dict.fromkeys([*vars(rules()), *_OF_SOME])
    return [
        ("done", np.int8),  # 1 once it is settled who gets the chips
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to act, if any
        ("tricks", np.int8),  # finished rounds
        ("dealer", np.int8),  # the seat with the button, which may be empty
        ("last_blind", np.int8),  # the seat of the highest blind or straddle; the next one opens
        ("structure", np.int8),  # index in `STRUCTURES`
        ("ante_trimming", np.int8),
        *((name, np.int8) for name in flags),
        ("closed", np.int8),  # whether nobody can bet any more
        ("boards", np.int8),  # how many there will be
        ("raises", np.int8),  # bets and raises in this round, at most 100
        ("aggressor", np.int8),  # the seat that bet or raised last in the hand, -1 before
        ("present", np.int16),  # those in the hand
        ("live", np.int16),  # those that have not folded
        ("all_in", np.int16),  # those that have bet all their chips
        ("pending", np.int16),  # those that must still act in this round
        ("acted", np.int16),  # those that have acted since the last full bet or raise
        ("dealt", np.int16),
        ("known", np.int16),  # those whose cards are known now
        ("shown", np.int16),  # those that have shown their hand, or mucked it
        ("mucked", np.int16),
        ("reported", np.int16),  # those whose win the source has reported
        ("stood", np.int16),  # those whose chips after the hand it has reported
        ("small_bet", np.int32),  # the least bet of the early rounds, and of the later ones
        ("big_bet", np.int32),
        ("least_bet", np.int32),  # in this round
        ("blind", np.int32),  # what it takes to call at least, if another has as much
        ("full", np.int32),  # by how much the last full bet or raise of this round went up, 0 before
        ("short", np.int32),  # by how much the all-ins since then that were no full raises went up
        ("rake", np.int32),  # chips that the house took
        ("start", np.int32, (seats,)),  # chips before the hand
        ("stack", np.int32, (seats,)),  # chips in front of a seat that it has not bet
        ("bets", np.int32, (seats,)),  # chips bet in this round
        ("staked", np.int32, (seats,)),  # chips put in, in the hand
        ("dead", np.int32, (seats,)),  # those of them that nobody has to match
        ("raised", np.int8, (seats,)),  # bets and raises by a seat in the hand, at most 100
        ("won", np.int32, (seats,)),  # chips it wins
        ("uncalled", np.int32, (seats,)),  # chips that it bet and got back
        ("seen", np.int64),  # all cards known so far, as a mask
    ]


def fill(state: Any, rules: Rules, chips: list[int], dealer: int) -> None:
    """Fill a blank state with what is known before any hand: the rules, and the chips by seat."""
    for name, value in vars(rules).items():
        state[name] = value
    state["dealer"], state["boards"] = dealer, 1
    state["last_blind"] = state["aggressor"] = -1
    seat_players(state, np.array(chips, np.int64))


def fill_stakes(state: Any, settings: dict[str, Any]) -> None:
    """Fill in the stakes of a hand with blinds."""
    state["structure"] = STRUCTURES.index(settings["structure"])
    for name in ("ante_trimming", "small_bet", "big_bet"):
        state[name] = settings[name]


def amend(shown: Any, state: Any, seat: int, own: tuple[str, ...]) -> None:
    """[R13] Hands are seen that were shown and not mucked; `own` are the fields of a player's cards."""
    seen = int(state["shown"]) & ~int(state["mucked"])
    for other in range(len(state["stack"])):
        if seen >> other & 1:
            for name in own:
                shown[name][other] = state[name][other]
    shown["known"] = state["known"] & (seen | (0 if seat < 0 else 1 << seat))


# ---------------------------------------------------------------- the opening of a hand with blinds

SETTINGS: Final = {
    "ante_trimming": bool, "big_bet": int, "currency": str, "dialect": str, "small_bet": int,
    "structure": str, "unit": int,
}  # fmt: skip
R = TypeVar("R", bound=Rules)


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
        All of `SETTINGS`. `small_bet` is the least bet of the early rounds, `big_bet` that of the later
        ones, the same without fixed limits. An amount is divided by `unit` to get what the source says.
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


def stakes_of(detail: dict[str, Any], dialects: Mapping[str, R]) -> tuple[dict[str, Any], R]:
    """The settings of a hand with blinds, and the rules of its dialect. Raises ValueError."""
    bets = {"small_bet": (0, MOST_BET), "big_bet": (0, MOST_BET), "unit": (1, 10**6)}
    settings = checked_settings(detail, SETTINGS, ranges=bets)
    rules = rules_of(settings, dialects)
    if settings["structure"] not in STRUCTURES:
        raise ValueError(
            f"structure is {settings['structure']!r}; it must be one of: {', '.join(STRUCTURES)}"
        )
    if not CURRENCY.fullmatch(settings["currency"]):
        raise ValueError(
            f"currency is {settings['currency']!r}; it must be a code as USD, a symbol, or empty"
        )
    return settings, rules


def seats_of(detail: dict[str, Any], seats: int, most_chips: int) -> tuple[list[int], int]:
    """The chips by seat before a hand with blinds, and the dealer, whose seat may be empty."""
    _, chips = chips_of(detail, seats, most_chips)
    return chips, dealer_of(detail, len(chips))
