"""Belote: four players in two partnerships, 32 cards, eight tricks worth 162, declarations and bela. [R3] is
rule 3 of docs/rules/belote.md."""

from typing import Any

import numpy as np

from cardlog.models.belote.declarations import declare, find_held, rightly_shown
from cardlog.models.belote.legal import (
    bela_cards,
    legal_bids,
    legal_cards,
    may_claim,
    may_hold,
)
from cardlog.models.belote.score import ALL_TRICKS, BELA, HAND_POINTS, LAST_TRICK, TRICKS, above, card_value
from cardlog.models.belote.state import (
    BIDDING,
    DEALING,
    DECK,
    DONE,
    GAME_POINTS,
    OPENING,
    PASSED,
    PLAYING,
)
from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS, size_of, suit_of
from cardlog.schemas import cards
from cardlog.schemas.events import NO_AMOUNT, Action
from cardlog.schemas.reasons import Reason


@compiled
def evolve(state: Any, event: Any) -> Reason:
    """Apply one event to the state of a hand, or say why it is illegal. See `Game`."""
    action = event.action
    if action == Action.PLAY_CARD:
        return _play(state, event)
    if action == Action.SCORE_TRICK:
        return Reason.OUT_OF_ORDER if state.claiming else trick.check_trick(state, event)
    if action == Action.DEAL_HAND:
        return _deal(state, event)
    if action in (Action.BID_PASS, Action.BID_TRUMP):
        return _bid(state, event)
    if action == Action.MELD_DECLARE:
        return declare(state, event)
    if action == Action.MELD_BELA:
        return _claim(state, event)
    if action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = DEALING
        return Reason.OK
    if action in (Action.SCORE_POINTS, Action.SCORE_HAND, Action.SCORE_MATCH):
        return _check_score(state, event)
    return Reason.OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R3] Eight cards to each seat, from the pack, none twice; some may be unknown."""
    reason, hidden = trick.deal_from(state, event, DECK, state.phase == DEALING, True)
    if reason == Reason.OK:
        state.hidden[event.seat] = hidden
        if trick.is_dealt(state):
            state.phase = BIDDING
    return reason


@compiled
def _bid(state: Any, event: Any) -> Reason:
    """[R4] From the dealer's left each seat names trump or passes; the first to name it is the bidder."""
    if state.phase != BIDDING:
        return Reason.OUT_OF_ORDER
    if event.seat != state.turn:
        return Reason.WRONG_TURN
    bid = PASSED
    if event.action == Action.BID_TRUMP:
        if event.suit < 0 or event.suit >= cards.NO_TRUMP:
            return Reason.BAD_BID
        bid = event.suit + 1
    if legal_bids(state) >> bid & 1 == 0:
        return Reason.BAD_BID
    state.bids[state.turn] = bid
    if bid == PASSED:
        state.turn = (state.turn + 1) % SEATS
        return Reason.OK
    state.declarer = state.turn
    state.trump = event.suit
    state.turn = (state.dealer + 1) % SEATS
    state.phase = PLAYING
    for seat in range(SEATS):
        if state.hidden[seat] == 0:
            find_held(state, seat)
    return Reason.OK


@compiled
def _claim(state: Any, event: Any) -> Reason:
    """[R9] The seat in turn claims bela; its next card must be king or queen of trump."""
    if state.phase != PLAYING or state.claiming:
        return Reason.OUT_OF_ORDER
    reason = trick.take_seat(state, event)
    if reason != Reason.OK:
        return reason
    if not may_claim(state):
        return Reason.NOT_IN_HAND
    missing = bela_cards(state) & ~state.hands[state.turn]
    if size_of(missing) > state.hidden[state.turn]:
        return Reason.NOT_IN_HAND
    if event.amount == NO_AMOUNT:
        event.amount = BELA
    elif event.amount != BELA:
        return Reason.SCORE_MISMATCH
    if state.plays == 0 and not rightly_shown(state):
        return Reason.SCORE_MISMATCH
    state.hands[state.turn] |= missing
    state.seen |= missing
    state.hidden[state.turn] -= size_of(missing)
    state.claiming = 1
    state.bela = state.turn
    state.bela_points[state.turn & 1] += BELA
    return Reason.OK


@compiled
def _play(state: Any, event: Any) -> Reason:
    """[R5] One card, from the seat in turn; the fourth ends the trick."""
    if state.phase != PLAYING:
        return Reason.BAD_BID if state.phase == BIDDING else Reason.OUT_OF_ORDER
    seat = state.turn
    reason = trick.take_seat(state, event)
    if reason != Reason.OK:
        return reason
    card: Int = np.int64(event.cards[0])
    if event.count != 1 or card > 60 or legal_cards(state) >> card & 1 == 0:
        reason = trick.why_not(state, event, DECK, may_hold(state), 1)
        return Reason.OUT_OF_ORDER if state.claiming and reason == Reason.MUST_FOLLOW else reason
    if state.plays == 0 and not rightly_shown(state):
        return Reason.SCORE_MISMATCH
    bit = np.int64(1) << card
    if state.hands[seat] & bit == 0:
        state.hidden[seat] -= 1
        state.seen |= bit
    both = bela_cards(state)
    if bit & both and both & ~state.hands[seat] == 0:
        state.bela_seat = seat
        state.bela_play = state.plays
    state.claiming = 0
    state.hands[seat] &= ~bit
    if trick.lay(state, card, beats(card, state.best, state.trump), card_value(card, state.trump)):
        _take(state)
    return Reason.OK


@compiled
def beats(card: Int, best: Int, trump: Int) -> bool:
    """[R2] Whether a card, played later, takes the trick from `best`."""
    if suit_of(card) == suit_of(best):
        return bool(above(np.int64(best), trump) >> card & 1)
    return bool(suit_of(card) == trump)


@compiled
def _take(state: Any) -> None:
    """[R5] The best card takes the trick, and its player leads next. [R10] Ten more for the last."""
    if state.tricks == TRICKS - 1:
        state.trick_value += LAST_TRICK
    state.tricks_won[state.winner & 1] += 1
    if trick.take(state):
        state.phase = DONE
        state.done = 1
        settle_hand(state)


@compiled
def taken(state: Any, team: Int) -> Int:
    """[R12] What a team has taken, whatever the contract: tricks, declarations and bela."""
    return np.int64(state.points[team]) + np.int64(state.declared[team]) + np.int64(state.bela_points[team])


@compiled
def settle_hand(state: Any) -> None:
    """Score the hand: [R13] the bidders need more than half of its value, [R14] or all of it goes to the
    others; [R15] a side with all eight tricks gets all of it and 90 more."""
    bidders = state.declarer & 1
    melds = state.declared[0] + state.declared[1] + state.bela_points[0] + state.bela_points[1]
    state.hand_value = HAND_POINTS + melds
    state.needed = state.hand_value // 2 + 1
    for team in range(2):
        if state.tricks_won[team] == TRICKS:
            state.score[team] = ALL_TRICKS + state.hand_value
            return
    if taken(state, bidders) < state.needed:
        state.failed = 1
        state.score[1 - bidders] = state.hand_value
        return
    for team in range(2):
        state.score[team] = taken(state, team)


@compiled
def match_winner(after: Any) -> int:
    """[R16] The team that has won the match with these scores, -1 if neither has."""
    if max(after[0], after[1]) < GAME_POINTS or after[0] == after[1]:
        return -1
    return 0 if after[0] > after[1] else 1


@compiled
def _check_score(state: Any, event: Any) -> Reason:
    """A reported score of the hand or of the match must agree with the fold. A match score can't be checked
    if the score before the hand is unknown."""
    team = event.seat
    if state.done == 0 or team < 0 or team > 1:
        return Reason.OUT_OF_ORDER
    if event.action == Action.SCORE_POINTS:
        amount = taken(state, team)
    elif event.action == Action.SCORE_HAND:
        amount = np.int64(state.score[team])
    elif state.in_match:
        amount = np.int64(state.before[team]) + np.int64(state.score[team])
    else:
        return Reason.OK
    return trick.agrees(event, amount)
