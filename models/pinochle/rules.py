"""Pinochle: four players in two partnerships, two of each card from nine to ace, meld and twelve tricks. [R3]
is rule 3 of docs/rules/pinochle.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS, size_of
from cardlog.models.pinochle.cards import (
    COUNTERS,
    DECK,
    NO_CARDS,
    ONE,
    beats,
    held_of_shown,
    masks_of,
    meld,
    missing,
)
from cardlog.models.pinochle.dialects import hand_score, match_winner
from cardlog.models.pinochle.legal import legal_cards, may_bid
from cardlog.models.pinochle.state import (
    BIDDING,
    DEALING,
    DONE,
    HAND_CARDS,
    MELDING,
    MOST_MATCH_POINTS,
    NAMING,
    OPENING,
    PASSED,
    PLAYING,
    TRICKS,
)
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason

LAST_TRICK_POINTS: Final = 1  # [R11] What the last trick is worth besides its cards
HAND_POINTS: Final = 25
"""[R11] Twenty-four counters and the last trick: the points of every hand that is played."""


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """Apply one event to the state of a hand, or say why it is illegal. See `Game`."""
    action = event.action
    if action == Action.PLAY_CARD:
        return _play(state, event)
    if action == Action.DEAL_HAND:
        return _deal(state, event)
    if action in (Action.BID_BID, Action.BID_PASS):
        return _bid(state, event)
    if action in (Action.BID_TRUMP, Action.BID_THROW_IN):
        return _name_trump(state, event)
    if action == Action.MELD_DECLARE:
        return _declare(state, event)
    if action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = DEALING
        return Reason.OK
    if action == Action.SCORE_TRICK:
        return _check_trick(state, event)
    if action in (Action.SCORE_HAND, Action.SCORE_MATCH, Action.SCORE_PLACE):
        return _check_score(state, event)
    return Reason.OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R2] Twelve cards to each seat, from the pack, none more than twice; those never shown are unknown."""
    reason = trick.may_deal(state, event, state.phase == DEALING)
    if reason != Reason.OK:
        return reason
    unknown = 0
    for index in range(event.count):
        card = event.cards[index]
        if card == cards.UNKNOWN:
            unknown += 1
        elif card > 60 or DECK >> card & 1 == 0:
            return Reason.UNKNOWN_CARD
    firsts, seconds = masks_of(event.cards, event.count)
    if firsts < 0 or _too_many(state, firsts, seconds):
        return Reason.DUPLICATE_CARD
    if event.count != HAND_CARDS:
        return Reason.INCOMPLETE
    _see(state, firsts, seconds)
    state.firsts[event.seat] = firsts
    state.seconds[event.seat] = seconds
    state.unknown[event.seat] = unknown
    trick.deal(state, event)
    if trick.is_dealt(state):
        state.phase = BIDDING
    return Reason.OK


@compiled
def _too_many(state: Any, firsts: Int, seconds: Int) -> bool:
    """Whether there would be a third copy of a card if these were added to those seen so far."""
    return bool((state.seen_firsts & seconds) | (state.seen_seconds & firsts))


@compiled
def _see(state: Any, firsts: Int, seconds: Int) -> None:
    """Add cards to those seen; they must not be `_too_many`."""
    state.seen_seconds |= seconds | (state.seen_firsts & firsts)
    state.seen_firsts |= firsts


@compiled
def _bid(state: Any, event: Any) -> Reason:
    """[R3] One bid or pass from each seat, beginning at the dealer's left."""
    if state.phase != BIDDING:
        return Reason.OUT_OF_ORDER
    if event.seat != state.turn:
        return Reason.WRONG_TURN
    amount = np.int64(PASSED)
    if event.action == Action.BID_BID:
        amount = np.int64(event.amount)
        if amount == PASSED or event.suit != cards.NO_SUIT or not may_bid(state, amount):
            return Reason.BAD_BID
    state.bids[state.turn] = amount
    if amount > state.high_bid:
        state.high_bid = amount
        state.declarer = state.turn
    state.turn = (state.turn + 1) % SEATS
    state.bid_count += 1
    stuck = state.turn == state.dealer and state.declarer == state.dealer
    if state.bid_count == SEATS or (stuck and state.stuck_dealer_is_not_asked):
        state.turn = state.declarer
        state.phase = NAMING
    return Reason.OK


@compiled
def _name_trump(state: Any, event: Any) -> Reason:
    """[R6] The highest bidder names trump, or throws the hand in."""
    if state.phase != NAMING or event.seat != state.declarer:
        return Reason.BAD_BID
    if event.action == Action.BID_TRUMP:
        if event.suit < 0 or event.suit >= cards.NO_TRUMP:
            return Reason.BAD_BID
        state.trump = event.suit
        state.phase = MELDING
        return Reason.OK
    state.thrown_in = 1
    if state.throw_in_ends_hand:
        state.phase = DONE
        settle_hand(state)
    else:
        state.trump = state.trump_before
        state.phase = MELDING
    return Reason.OK


@compiled
def _declare(state: Any, event: Any) -> Reason:
    """[R7] Each seat shows its whole meld before the first card is led, and nothing else."""
    if state.phase != MELDING:
        return Reason.OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.melded >> seat & 1:
        return Reason.WRONG_TURN
    for index in range(event.count):
        if event.cards[index] > 60 or DECK >> event.cards[index] & 1 == 0:
            return Reason.UNKNOWN_CARD
    shown_firsts, shown_seconds = masks_of(event.cards, event.count)
    if shown_firsts < 0:
        return Reason.DUPLICATE_CARD
    firsts = state.firsts[seat]
    seconds = state.seconds[seat]
    both_nines = state.double_run_shows_both_nines == 1
    new_firsts: Int = NO_CARDS
    new_seconds: Int = NO_CARDS
    if state.unknown[seat] > 0:
        held_firsts, held_seconds = held_of_shown(
            shown_firsts, shown_seconds, event.amount, state.trump, both_nines
        )
        new_firsts, new_seconds = missing(firsts, seconds, held_firsts, held_seconds)
        if size_of(new_firsts) + size_of(new_seconds) > state.unknown[seat]:
            return Reason.SCORE_MISMATCH
        if _too_many(state, new_firsts, new_seconds):
            return Reason.DUPLICATE_CARD
        seconds |= new_seconds | (firsts & new_firsts)
        firsts |= new_firsts
    amount, once, twice = meld(firsts, seconds, state.trump, both_nines)
    if amount != event.amount or once != shown_firsts or twice != shown_seconds:
        return Reason.SCORE_MISMATCH
    state.unknown[seat] -= size_of(new_firsts) + size_of(new_seconds)
    _see(state, new_firsts, new_seconds)
    state.firsts[seat] = firsts
    state.seconds[seat] = seconds
    state.meld_points[seat] = amount
    state.meld_firsts[seat] = once
    state.meld_seconds[seat] = twice
    state.melded |= 1 << seat
    if state.melded == (1 << SEATS) - 1:
        state.turn = state.declarer
        state.phase = PLAYING
    return Reason.OK


@compiled
def _play(state: Any, event: Any) -> Reason:
    """[R10] One card, from the seat in turn; the fourth ends the trick."""
    if state.phase != PLAYING:
        return Reason.BAD_BID if state.phase == NAMING else Reason.OUT_OF_ORDER
    seat = state.turn
    reason = trick.take_seat(state, event)
    if reason != Reason.OK:
        return reason
    card = np.int64(event.cards[0])
    if event.count != 1 or card > 60 or legal_cards(state) >> card & 1 == 0:
        return trick.why_not(state, event, DECK, _may_hold(state), 2)
    bit = ONE << card
    if state.seconds[seat] & bit:
        state.seconds[seat] &= ~bit
    elif state.firsts[seat] & bit:
        state.firsts[seat] &= ~bit
    else:
        state.unknown[seat] -= 1
        _see(state, bit, NO_CARDS)
    if trick.lay(state, card, beats(card, np.int64(state.best), np.int64(state.trump)), COUNTERS >> card & 1):
        _take(state)
    return Reason.OK


@compiled
def _may_hold(state: Any) -> Int:
    """The cards that the seat in turn holds, or may hold if some of its cards are unknown."""
    held = np.int64(state.firsts[state.turn])
    return held if state.unknown[state.turn] == 0 else held | ~np.int64(state.seen_seconds)


@compiled
def _take(state: Any) -> None:
    """[R9] The best card takes the trick; its player leads next. [R11] A point for each ace, ten and
    king, and one for the last trick."""
    if state.tricks == TRICKS - 1:
        state.trick_value += LAST_TRICK_POINTS
    state.bests[state.tricks] = state.best
    state.took[state.winner & 1] += 1
    if trick.take(state):
        state.phase = DONE
        settle_hand(state)


# ---------------------------------------------------------------- score


@compiled
def settle_hand(state: Any) -> None:
    """[R12, R13, R14] Write each team's score for the hand, and its match score after it."""
    state.done = 1
    bidders = state.declarer & 1
    for team in range(2):
        needs_trick = state.bidders_need_a_trick if team == bidders else state.opponents_need_a_trick
        total = state.points[team]
        if state.took[team] > 0 or not needs_trick:
            total += state.meld_points[team] + state.meld_points[team + 2]
        if state.thrown_in and state.throw_in_ends_hand:
            total = 0
        state.score[team] = hand_score(total, state.high_bid, team == bidders)
        state.after[team] = state.before[team] + state.score[team]
    state.reported = 0b11 if state.in_match else 0


@compiled
def _check_trick(state: Any, event: Any) -> Reason:
    """A reported trick must agree with the fold: who took it and, if reported, what it is worth and with
    which card."""
    reason = trick.check_trick(state, event)
    if reason == Reason.OUT_OF_ORDER:
        return reason
    if event.count > 1 or (event.count == 1 and event.cards[0] != state.bests[state.tricks - 1]):
        return Reason.SCORE_MISMATCH
    return reason


@compiled
def _check_score(state: Any, event: Any) -> Reason:
    """A reported score of the hand or of the match must agree with the fold. If the match score before the
    hand is unknown, the one after it is accepted as reported."""
    seat = event.seat
    if state.done == 0 or seat < 0 or seat >= SEATS:
        return Reason.OUT_OF_ORDER
    if event.action == Action.SCORE_PLACE:
        if state.reported != 0b11:
            return Reason.OUT_OF_ORDER
        winner = match_winner(state.after, state.declarer & 1)
        place = 1 if winner == seat & 1 else 2
        return Reason.OK if winner >= 0 and event.amount == place else Reason.SCORE_MISMATCH
    if seat > 1:
        return Reason.OUT_OF_ORDER
    if event.action == Action.SCORE_HAND:
        return Reason.OK if event.amount == state.score[seat] else Reason.SCORE_MISMATCH
    if event.amount > MOST_MATCH_POINTS or event.amount < -MOST_MATCH_POINTS:
        return Reason.SCORE_MISMATCH
    if state.reported >> seat & 1:
        return Reason.OK if event.amount == state.after[seat] else Reason.SCORE_MISMATCH
    state.after[seat] = event.amount
    state.reported |= 1 << seat
    return Reason.OK
