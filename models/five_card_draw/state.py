"""A five-card draw table: the rules of each dialect, the state of a hand, and how it begins. [R3] is rule 3
of docs/rules/five_card_draw.md."""

from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import checked_settings, rules_of, to_json
from cardlog.models.engine.rng import mixed
from cardlog.models.engine.visible import Visible
from cardlog.models.five_card_draw.pots import MOST_SEATS
from cardlog.models.poker.cards import shown_cards as cards_in
from cardlog.models.poker.chips import chips_of, seat_players
from cardlog.models.poker.ranks import HAND_CARDS
from cardlog.schemas import cards, events
from cardlog.schemas.reasons import Reason

GAME: Final = "five_card_draw"
SEATS: Final = MOST_SEATS
MOST_SWAPPED: Final = 3  # [R9] Cards that anyone may exchange
SWAPPED_WITH_ACE: Final = 4  # [R9] Cards that a player who keeps an ace may exchange
MOST_CHIPS: Final = 2**30
"""Chips of all players together; far more than a table has, so that sums fit 32 bits."""
DECK_TEXT: Final = "".join(rank + suit for rank in cards.PACK_RANKS for suit in "SHDC")
"""[R1] The pack in the order in which the program that wrote the logs makes it."""


@dataclass(frozen=True)
class Rules:
    """The points on which the programs and the rule book differ."""

    # [R5] The third player in dealing order opens the first round, as if there were blinds; otherwise the
    # first
    third_bets_first: bool = False
    # [R8] A player whose last chips were the ante is asked to bet like the others; otherwise he is all in
    ante_all_in_acts: bool = False
    short_ante_folds: bool = False  # [R8] Such a player folds if he owes more than he has paid
    # [R10] When all others have folded, a player who has not yet acted in this round is still asked;
    # otherwise the hand is over
    last_one_acts: bool = False
    # [R13] Players who share a pot with nothing left are reported to win 0 chips; otherwise only real wins
    # are reported
    zero_shares_reported: bool = False
    # [R14] Odd chips of a split pot go to the next larger of the winners; otherwise to the first after the
    # button
    odd_chips_carried: bool = False
    # [R4] Cards are dealt in the order in which players joined the table; otherwise from the first after the
    # button. Logs don't show that order, so only simulated deals depend on this.
    deals_as_registered: bool = False
    # [R4] The pack is shuffled before every hand; otherwise never. For simulated deals only.
    shuffles: bool = True


_ORIGINAL: Final = Rules(
    third_bets_first=True,
    ante_all_in_acts=True,
    short_ante_folds=True,
    last_one_acts=True,
    zero_shares_reported=True,
    odd_chips_carried=True,
    deals_as_registered=True,
)
RULES: Final = {
    "book": Rules(),
    "original": _ORIGINAL,
    "original_unshuffled": replace(_ORIGINAL, shuffles=False),
}
"""The rules of each dialect: the rule book's, and those of the program that wrote the logs, in a game that is
played and in one that is watched."""

_FLAGS: Final = (
    "third_bets_first", "ante_all_in_acts", "short_ante_folds", "last_one_acts", "zero_shares_reported",
    "odd_chips_carried",
)  # fmt: skip
"""The rules that the fold needs; the others are for the dealer."""

# Phases of a hand, in order.
OPENING, ANTES, DEALING, FIRST_BETS, DRAWING, SECOND_BETS, SHOWING, DONE = range(8)

MOST_CARDS: Final = HAND_CARDS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        ("done", np.int8),  # 1 once it is settled who gets the chips
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to act, if any
        ("tricks", np.int8),  # finished rounds: bets, draw, bets
        ("dealer", np.int8),  # the seat with the button
        *((rule, np.int8) for rule in _FLAGS),
        ("replaced", np.int8),  # cards that the seat in turn has discarded and not yet replaced
        # Seats as masks, one bit each.
        ("present", np.int8),  # those with chips at the beginning
        ("live", np.int8),  # those that have not folded
        ("all_in", np.int8),
        ("pending", np.int8),  # those that must still act in this round
        ("dealt", np.int8),
        ("known", np.int8),  # those whose cards are known now
        ("shown", np.int8),  # those that have shown their hand, or mucked it
        ("mucked", np.int8),
        ("reported", np.int8),  # those whose win the source has reported
        ("raises", np.int8),  # raises in this round, at most 100
        ("raiser", np.int8),  # the seat that raised last in the first round, -1 before
        ("swapped", np.int8, (SEATS,)),  # cards exchanged, -1 before
        ("dealt_cards", np.uint8, (SEATS, HAND_CARDS)),  # as dealt, UNKNOWN if hidden
        ("held_cards", np.uint8, (SEATS, HAND_CARDS)),  # as they are now, those drawn last
        ("discards", np.uint8, (SEATS, SWAPPED_WITH_ACE)),
        ("dealt_rank", np.int16, (SEATS,)),  # 0 while unknown
        ("rank", np.int16, (SEATS,)),  # of the cards held now, 0 while unknown
        ("best", np.int16),  # the best rank shown, 0 before
        ("limit", np.int16, (SEATS,)),  # the best rank shown when a seat mucked
        ("ante", np.int32),
        ("start", np.int32, (SEATS,)),  # chips before the hand
        ("stack", np.int32, (SEATS,)),  # chips in front of a seat now
        ("staked", np.int32, (SEATS,)),  # chips it has put in
        ("level", np.int32),  # the most that a seat has put in before this round
        ("won", np.int32, (SEATS,)),  # chips it wins
        ("seen", np.int64),  # all cards known so far, as a mask
    ]
)


def _amend(shown: Any, state: Any, seat: int) -> None:
    """[R12] Hands are seen that were shown at the showdown and not mucked."""
    seen = int(state["shown"]) & ~int(state["mucked"])
    for other in range(SEATS):
        if seen >> other & 1:
            shown["held_cards"][other] = state["held_cards"][other]
            shown["rank"][other] = state["rank"][other]
    shown["known"] = state["known"] & (seen | (0 if seat < 0 else 1 << seat))


VISIBLE: Final = Visible(
    public=(
        "done", "phase", "turn", "tricks", "dealer", *_FLAGS, "replaced", "present", "live", "all_in",
        "pending", "dealt", "shown", "mucked", "reported", "raises", "raiser", "swapped", "best", "limit",
        "ante", "start", "stack", "staked", "level", "won",
    ),
    own={
        "dealt_cards": cards.UNKNOWN, "held_cards": cards.UNKNOWN, "discards": cards.UNKNOWN,
        "dealt_rank": 0, "rank": 0,
    },
    secret={"known": 0, "seen": 0},
    amend=_amend,
)  # fmt: skip


# ---------------------------------------------------------------- the opening


def opening(
    dialect: str, ante: int, dealer: int, players: list[dict[str, Any] | None], chips: list[int]
) -> str:
    """The `detail` of a hand's first event, as canonical JSON. `players` and `chips`, before the hand, are by
    seat; the player of an empty seat is None."""
    detail = {
        "dealer": dealer,
        "match": {"score": chips},
        "players": players,
        "settings": {"ante": ante, "dialect": dialect},
    }
    return to_json(detail)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). Raises ValueError if the opening makes no sense."""
    settings = checked_settings(detail, {"ante": int, "dialect": str}, ranges={"ante": (0, MOST_CHIPS)})
    rules = rules_of(settings, RULES)
    players, chips = chips_of(detail, SEATS, MOST_CHIPS)
    dealer = detail.get("dealer")
    if type(dealer) is not int or dealer not in range(len(players)) or players[dealer] is None:
        raise ValueError(f"dealer is {dealer!r}; it must be a seat that a player holds")
    state = np.zeros(1, STATE)
    fill(state[0], rules, settings["ante"], dealer, chips)
    return state


def fill(state: Any, rules: Rules, ante: int, dealer: int, chips: list[int]) -> None:
    """Fill a blank state with what is known before a hand."""
    for name in _FLAGS:
        state[name] = getattr(rules, name)
    state["ante"] = ante
    state["dealer"] = dealer
    seat_players(state, np.array(chips, np.int64))
    state["raiser"] = -1
    state["swapped"] = -1
    state["dealt_cards"] = cards.UNKNOWN
    state["held_cards"] = cards.UNKNOWN
    state["discards"] = cards.UNKNOWN


# ---------------------------------------------------------------- shared by all phases


@compiled
def shown_cards(state: Any, event: Any, count: Int) -> tuple[Reason, Int]:
    """Check that an event shows `count` cards that the pack may still have, or as many hidden ones; returns
    their mask, too."""
    reason, mask, hidden = cards_in(state.seen, event, count)
    if reason == Reason.OK and hidden != 0 and hidden != count:
        reason = Reason.UNKNOWN_CARD
    return reason, mask


@compiled
def key_of(state: Any) -> np.uint64:
    """A number that follows from what the seat in turn knows, as a key for random numbers."""
    key = mixed(np.uint64(state.phase))
    for index in range(HAND_CARDS):
        key = mixed(key ^ np.uint64(state.held_cards[state.turn, index]))
    for seat in range(SEATS):
        key = mixed(key ^ np.uint64(state.staked[seat]))
        key = mixed(key ^ np.uint64(state.stack[seat]))
        key = mixed(key ^ np.uint64(state.swapped[seat] + 1))
    return key
