"""A five-card draw table: the rules of each dialect, the state of a hand, and how it begins. [R3] is rule 3
of docs/rules/five_card_draw.md."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

import numpy as np

from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.game import Records
from cardlog.models.engine.opening import KEYS, checked_settings, rules_of, to_json
from cardlog.models.engine.rng import mixed
from cardlog.models.engine.visible import Visible
from cardlog.models.five_card_draw.pots import MOST_SEATS
from cardlog.models.poker import table
from cardlog.models.poker.cards import shown_cards as cards_in
from cardlog.models.poker.chips import chips_of
from cardlog.models.poker.ranks import HAND_CARDS, mask_of
from cardlog.models.poker.table import (
    DEALING,
    SHOWING,
    STARS,
    STARS_RULES,
    amend,
    fill_stakes,
    stakes_of,
)
from cardlog.schemas import cards, events
from cardlog.schemas.reasons import Reason

GAME: Final = "five_card_draw"
SEATS: Final = MOST_SEATS
MOST_SWAPPED: Final = 3  # [R9] Cards that anyone may exchange
PACK_CARDS: Final = 52
SWAPPED_WITH_ACE: Final = 4  # [R9] Cards that a player who keeps an ace may exchange
MOST_CHIPS: Final = 2**30
"""Chips of all players together; far more than a table has, so that sums fit 32 bits."""
DECK_TEXT: Final = "".join(rank + suit for rank in cards.PACK_RANKS for suit in "SHDC")
"""[R1] The pack in the order in which the program that wrote the logs makes it."""


@dataclass(frozen=True)
class Rules(table.Rules):
    """The points on which the programs and the rule book differ; those of the base have the numbers of
    docs/rules/hold_em.md."""

    # [R15] Blinds in place of antes that all pay, and antes and dead blinds besides
    posts_blinds: bool = False
    # [R6] A raise may be of any number of chips; otherwise there are limits, and a least raise
    raises_any: bool = True
    gives_back: bool = False  # [R13] What nobody has called goes back at once; otherwise it is won
    # [R9] Any number of cards may be exchanged, and the discards are shuffled when the pack runs out
    swaps_any: bool = False
    shows_freely: bool = False  # [R11] The order of the showdown is not judged, and whoever mucks can't win
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
    STARS: Rules(
        **STARS_RULES,
        posts_blinds=True,
        raises_any=False,
        gives_back=True,
        swaps_any=True,
        shows_freely=True,
    ),
}
"""The rules of each dialect: the rule book's; those of the program that wrote the logs, in a game that is
played and in one that is watched; and PokerStars'."""

# Phases of a hand between the deal and the showdown.
FIRST_BETS, DRAWING, SECOND_BETS = range(DEALING + 1, SHOWING)

MOST_CARDS: Final = HAND_CARDS
EVENT: Final = events.record_dtype(MOST_CARDS)
STATE: Final = events.compiled_dtype(
    [
        *table.fields(SEATS, Rules),
        ("replaced", np.int8),  # cards that the seat in turn has discarded and not yet replaced
        ("raiser", np.int8),  # the seat that raised last in the first round, -1 before
        ("swapped", np.int8, (SEATS,)),  # cards exchanged, -1 before
        ("dealt_cards", np.uint8, (SEATS, HAND_CARDS)),  # as dealt, UNKNOWN if hidden
        ("held_cards", np.uint8, (SEATS, HAND_CARDS)),  # as they are now, those drawn last
        ("discards", np.uint8, (SEATS, HAND_CARDS)),
        ("dealt_rank", np.int16, (SEATS,)),  # 0 while unknown
        ("rank", np.int16, (SEATS,)),  # of the cards held now, 0 while unknown
        ("best", np.int16),  # the best rank shown, 0 before
        ("limit", np.int16, (SEATS,)),  # the best rank shown when a seat mucked
        ("ante", np.int32),
        ("level", np.int32),  # the most that a seat has put in before this round
    ]
)
_OWN: Final = {
    "dealt_cards": cards.UNKNOWN, "held_cards": cards.UNKNOWN, "discards": cards.UNKNOWN, "dealt_rank": 0,
    "rank": 0,
}  # fmt: skip
_SECRET: Final = {"known": 0, "seen": 0}

VISIBLE: Final = Visible(
    public=tuple(name for name in STATE.names or () if name not in _OWN | _SECRET),
    own=_OWN,
    secret=_SECRET,
    amend=partial(amend, own=("held_cards", "rank")),
)
"""[R12] Hands are seen that were shown at the showdown and not mucked."""


# ---------------------------------------------------------------- the opening


OPENING_KEYS: Final = (*KEYS, "about")


def opening(
    dialect: str, ante: int, dealer: int, players: list[dict[str, Any] | None], chips: list[int]
) -> str:
    """The `detail` of the first event of a hand without blinds, for which `table.opening` is, as canonical
    JSON. `players` and `chips`, before the hand, are by seat; the player of an empty seat is None."""
    detail = {
        "dealer": dealer,
        "match": {"score": chips},
        "players": players,
        "settings": {"ante": ante, "dialect": dialect},
    }
    return to_json(detail)


def begin(detail: dict[str, Any]) -> Records:
    """The state before the first event, shape (1,). Raises ValueError if the opening makes no sense."""
    state = np.zeros(1, STATE)
    said = detail.get("settings")
    if isinstance(said, dict) and said.get("dialect") == STARS:
        settings, rules = stakes_of(detail, RULES)
        chips, button = table.seats_of(detail, SEATS, MOST_CHIPS)
        fill(state[0], rules, 0, button, chips)
        fill_stakes(state[0], settings)
        return state
    settings = checked_settings(detail, {"ante": int, "dialect": str}, ranges={"ante": (0, MOST_CHIPS)})
    rules = rules_of(settings, RULES)
    players, chips = chips_of(detail, SEATS, MOST_CHIPS)
    dealer = detail.get("dealer")
    if type(dealer) is not int or dealer not in range(len(players)) or players[dealer] is None:
        raise ValueError(f"dealer is {dealer!r}; it must be a seat that a player holds")
    fill(state[0], rules, settings["ante"], dealer, chips)
    return state


def fill(state: Any, rules: Rules, ante: int, dealer: int, chips: list[int]) -> None:
    """Fill a blank state with what is known before a hand."""
    table.fill(state, rules, chips, dealer)
    state["ante"] = ante
    state["raiser"] = -1
    state["swapped"] = -1
    state["dealt_cards"] = cards.UNKNOWN
    state["held_cards"] = cards.UNKNOWN
    state["discards"] = cards.UNKNOWN


# ---------------------------------------------------------------- shared by all phases


@compiled
def out_of_pack(state: Any) -> Int:
    """[R9] The cards seen so far that can't be dealt any more, as a mask: not those discarded, once the pack
    has run out and they are dealt again."""
    seen = np.int64(state.seen)
    if state.swaps_any and cards_dealt(state) + state.replaced > PACK_CARDS:
        for seat in range(SEATS):
            if state.discards[seat, 0] != cards.UNKNOWN:
                seen &= ~mask_of(state.discards[seat, : state.swapped[seat]])
    return seen


@compiled
def shown_cards(state: Any, event: Any, count: Int) -> tuple[Reason, Int]:
    """Check that an event shows `count` cards that the pack may still have, or as many hidden ones; returns
    their mask, too."""
    reason, mask, hidden = cards_in(out_of_pack(state), event, count)
    if reason == Reason.OK and hidden != 0 and hidden != count:
        reason = Reason.UNKNOWN_CARD
    return reason, mask


@compiled
def cards_dealt(state: Any) -> Int:
    """[R9] How many cards have been dealt, and discarded cards replaced."""
    count = -np.int64(state.replaced)
    for seat in range(SEATS):
        count += HAND_CARDS * (state.dealt >> seat & 1) + max(np.int64(state.swapped[seat]), 0)
    return count


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
