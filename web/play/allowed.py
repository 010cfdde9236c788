"""What a seat may see, as lists of what is allowed: whatever is not listed here never leaves the server.

Everyone sees the fields in `public` of a state; those in `own` have a row for each seat, and each seat sees
its own row. Everyone sees an event except its cards; `CARDS` says who sees those. A function of each game
adds what a rule makes public only at some point of a hand.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from cardlog.models.belote.state import BIDDING, SEEN_IN_BIDDING
from cardlog.models.trick import size_of
from cardlog.schemas import cards
from cardlog.schemas.events import Action

NOBODY: Final = -1
"""The seat of those who only watch."""
ALL, OWN_CARDS = range(2)
CARDS: Final = {
    Action.DEAL_HAND: OWN_CARDS,
    Action.DEAL_PASS: OWN_CARDS,
    Action.DEAL_DRAW: OWN_CARDS,
    Action.MELD_DECLARE: ALL,
    Action.PLAY_CARD: ALL,
    Action.PLAY_DISCARD: OWN_CARDS,
    Action.SCORE_TRICK: ALL,
    Action.SCORE_SHOW: ALL,
}
"""Who sees the cards of an event. Nobody sees those of an action that is not listed."""

_TRICKS: Final = (
    "done", "phase", "turn", "dealer", "dealt", "bids", "declarer", "trump", "best", "winner", "trick_cards",
    "trick_value", "plays", "tricks", "leaders", "winners", "values", "played", "points", "score", "before",
    "in_match",
)  # fmt: skip


class Allowed(NamedTuple):
    """What a seat may see of a game's state.

    public, own
        Names of fields; those in ``own`` have a row for each seat.
    amend
        ``amend(shown, state, seat)`` changes the state that is shown, depending on how far the hand is.
    """

    public: tuple[str, ...]
    own: tuple[str, ...]
    amend: Callable[[Any, Any, int], None] = lambda shown, state, seat: None


def _belote(shown: Any, state: Any, seat: int) -> None:
    """During the bidding a seat has seen only its first six cards."""
    if seat != NOBODY and state["phase"] <= BIDDING and int(state["dealt"]) >> seat & 1:
        first = state["dealt_cards"][seat][:SEEN_IN_BIDDING]
        shown["hands"][seat] = sum(1 << int(card) for card in first)
        shown["dealt_cards"][seat][SEEN_IN_BIDDING:] = cards.UNKNOWN


def _ruter_sju(shown: Any, state: Any, seat: int) -> None:
    """The other hands are hidden."""
    shown["hidden"] = ((1 << int(state["seats"])) - 1) & ~(0 if seat == NOBODY else 1 << seat)


def _pinochle(shown: Any, state: Any, seat: int) -> None:
    """The other hands are shown as a number of unknown cards."""
    for other in range(len(state["unknown"])):
        if other != seat:
            held = size_of(np.int64(state["firsts"][other])) + size_of(np.int64(state["seconds"][other]))
            shown["unknown"][other] = held


def _five_card_draw(shown: Any, state: Any, seat: int) -> None:
    """Hands are shown that were shown at the showdown and not mucked."""
    open_hands = int(state["shown"]) & ~int(state["mucked"])
    for other in range(len(state["rank"])):
        if open_hands >> other & 1:
            shown["held_cards"][other] = state["held_cards"][other]
            shown["rank"][other] = state["rank"][other]
    known = open_hands | (0 if seat == NOBODY else 1 << seat)
    shown["known"] = int(state["known"]) & known


STATES: Final[dict[str, Allowed]] = {
    "kaiser": Allowed(
        (*_TRICKS, "min_bid", "pass_cards", "gave", "bid_count", "no_trump_before", "no_trump_out"),
        ("hands", "dealt_cards", "passed_cards"),
    ),
    "belote": Allowed(
        (
            *_TRICKS, "karo_led_frees_everyone", "beat_in_every_suit", "ace_ends_runs", "eight_is_belot",
            "by_value_only", "ties_to_dealer", "all_are_shown", "shown_count", "shown", "declaring",
            "claiming", "bela", "tricks_won", "declared", "bela_points", "hand_value", "needed", "failed",
        ),
        ("hands", "dealt_cards"),
        _belote,
    ),
    "ruter_sju": Allowed(
        (
            "done", "phase", "turn", "tricks", "seats", "suits", "ranks", "centre", "humans",
            "humans_unchecked", "computers_go_on", "starter_is_asked", "computers_wait", "sole_card_keeps_in",
            "dealt", "again", "holder", "out", "plays", "places", "left", "counts", "blocks", "under", "over",
            "placed", "played", "players",
        ),
        ("hands", "dealt_cards"),
        _ruter_sju,
    ),
    "pinochle": Allowed(
        (
            *_TRICKS, "throw_in_ends_hand", "stuck_dealer_is_not_asked", "low_bids_are_passes",
            "double_run_shows_both_nines", "bidders_need_a_trick", "opponents_need_a_trick", "bid_count",
            "high_bid", "thrown_in", "trump_before", "melded", "meld_points", "meld_firsts", "meld_seconds",
            "bests", "took", "after", "reported",
        ),
        ("firsts", "seconds", "unknown", "dealt_cards"),
        _pinochle,
    ),
    "five_card_draw": Allowed(
        (
            "done", "phase", "turn", "tricks", "dealer", "third_bets_first", "ante_all_in_acts",
            "short_ante_folds", "last_one_acts", "zero_shares_reported", "odd_chips_carried", "replaced",
            "present", "live", "all_in", "pending", "dealt", "shown", "mucked", "raises", "raiser", "swapped",
            "ante", "start", "stack", "staked", "level", "won",
        ),
        ("dealt_cards", "held_cards", "discards", "dealt_rank", "rank"),
        _five_card_draw,
    ),
}  # fmt: skip
"""By game. A game that is not listed can't be played at a table."""
