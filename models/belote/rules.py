"""Belote: four players in two partnerships, 32 cards, eight tricks worth 162, declarations and bela.

Numbers in brackets, [R3], are the rules of docs/rules/belote.md.
"""

from typing import Any

import numpy as np

from cardlog.models.belote.declarations import count_cards, declare, find_held, rightly_shown
from cardlog.models.belote.legal import (
    bela_cards,
    legal_actions,
    legal_bids,
    legal_cards,
    legal_text,
    may_claim,
    may_hold,
)
from cardlog.models.belote.score import (
    ALL_TRICKS,
    BELA,
    HAND_POINTS,
    LAST_TRICK,
    SEATS,
    TRICKS,
    above,
    card_value,
)
from cardlog.models.belote.state import (
    BIDDING,
    DEALING,
    DECK,
    DONE,
    EVENT,
    GAME,
    GAME_POINTS,
    HAND_CARDS,
    MOST_CARDS,
    OPENING,
    PASSED,
    PLAYING,
    STATE,
    begin,
    opening,
)
from cardlog.models.compiled import Int, compiled
from cardlog.models.trick import suit_of
from cardlog.schemas import cards
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import Reason

__all__ = [
    "EVENT", "GAME", "MOST_CARDS", "STATE", "begin", "evolve", "legal_actions", "legal_text", "opening",
]  # fmt: skip

OPEN = CODE["deal", "open"]
DEAL_HAND = CODE["deal", "hand"]
BID_PASS = CODE["bid", "pass"]
NAME_TRUMP = CODE["bid", "trump"]
DECLARE = CODE["meld", "declare"]
CLAIM_BELA = CODE["meld", "bela"]
PLAY_CARD = CODE["play", "card"]
SCORE_TRICK = CODE["score", "trick"]
SCORE_POINTS = CODE["score", "points"]
SCORE_HAND = CODE["score", "hand"]
SCORE_MATCH = CODE["score", "match"]

_OK = int(Reason.OK)
_INCOMPLETE = int(Reason.INCOMPLETE)
_UNKNOWN_CARD = int(Reason.UNKNOWN_CARD)
_DUPLICATE_CARD = int(Reason.DUPLICATE_CARD)
_WRONG_TURN = int(Reason.WRONG_TURN)
_NOT_IN_HAND = int(Reason.NOT_IN_HAND)
_MUST_FOLLOW = int(Reason.MUST_FOLLOW)
_BAD_BID = int(Reason.BAD_BID)
_OUT_OF_ORDER = int(Reason.OUT_OF_ORDER)
_SCORE_MISMATCH = int(Reason.SCORE_MISMATCH)
_NO_TRUMP = cards.NO_TRUMP
_HIDDEN = cards.UNKNOWN


@compiled
def evolve(state: Any, event: Any) -> int:
    """Apply one event to the state of a hand, or say why it is illegal. See `cardlog.models.fold.Evolve`."""
    action = event.action
    if action == PLAY_CARD:
        return _play(state, event)
    if action == SCORE_TRICK:
        return _check_trick(state, event)
    if action == DEAL_HAND:
        return _deal(state, event)
    if action in (BID_PASS, NAME_TRUMP):
        return _bid(state, event)
    if action == DECLARE:
        return declare(state, event)
    if action == CLAIM_BELA:
        return _claim(state, event)
    if action == OPEN:
        if state.phase != OPENING:
            return _OUT_OF_ORDER
        state.phase = DEALING
        return _OK
    if action in (SCORE_POINTS, SCORE_HAND, SCORE_MATCH):
        return _check_score(state, event)
    return _OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> int:
    """[R3] Eight cards to each seat, from the pack, none twice; some may be unknown."""
    if state.phase != DEALING:
        return _OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.dealt >> seat & 1:
        return _WRONG_TURN
    held = np.int64(0)
    hidden = 0
    for index in range(event.count):
        card = event.cards[index]
        if card == _HIDDEN:
            hidden += 1
            continue
        if card > 60 or DECK >> card & 1 == 0:
            return _UNKNOWN_CARD
        bit = np.int64(1) << card
        if (state.seen | held) & bit:
            return _DUPLICATE_CARD
        held |= bit
    if event.count != HAND_CARDS:
        return _INCOMPLETE
    for index in range(HAND_CARDS):
        state.dealt_cards[seat, index] = event.cards[index]
    state.seen |= held
    state.hands[seat] = held
    state.hidden[seat] = hidden
    state.dealt |= 1 << seat
    if state.dealt == (1 << SEATS) - 1:
        state.turn = (state.dealer + 1) % SEATS
        state.phase = BIDDING
    return _OK


@compiled
def _bid(state: Any, event: Any) -> int:
    """[R4] From the dealer's left each seat names trump or passes; the first to name it bids."""
    if state.phase != BIDDING:
        return _OUT_OF_ORDER
    if event.seat != state.turn:
        return _WRONG_TURN
    bid = PASSED
    if event.action == NAME_TRUMP:
        if event.suit < 0 or event.suit >= _NO_TRUMP:
            return _BAD_BID
        bid = event.suit + 1
    if legal_bids(state) >> bid & 1 == 0:
        return _BAD_BID
    state.bids[state.turn] = bid
    if bid == PASSED:
        state.turn = (state.turn + 1) % SEATS
        return _OK
    state.declarer = state.turn
    state.trump = event.suit
    state.turn = (state.dealer + 1) % SEATS
    state.phase = PLAYING
    for seat in range(SEATS):
        if state.hidden[seat] == 0:
            find_held(state, seat)
    return _OK


@compiled
def _claim(state: Any, event: Any) -> int:
    """[R9] The seat in turn claims bela; its next card must be king or queen of trump."""
    if state.phase != PLAYING or state.claiming:
        return _OUT_OF_ORDER
    if event.seat == NO_SEAT:
        event.seat = state.turn
    elif event.seat != state.turn:
        return _WRONG_TURN
    if not may_claim(state):
        return _NOT_IN_HAND
    missing = bela_cards(state) & ~state.hands[state.turn]
    if count_cards(missing) > state.hidden[state.turn]:
        return _NOT_IN_HAND
    if event.amount == NO_AMOUNT:
        event.amount = BELA
    elif event.amount != BELA:
        return _SCORE_MISMATCH
    if state.plays == 0 and not rightly_shown(state):
        return _SCORE_MISMATCH
    state.hands[state.turn] |= missing
    state.seen |= missing
    state.hidden[state.turn] -= count_cards(missing)
    state.claiming = 1
    state.bela = state.turn
    state.bela_points[state.turn & 1] += BELA
    return _OK


@compiled
def _play(state: Any, event: Any) -> int:
    """[R5] One card, from the seat in turn; the fourth ends the trick."""
    if state.phase != PLAYING:
        return _BAD_BID if state.phase == BIDDING else _OUT_OF_ORDER
    seat = state.turn
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        return _WRONG_TURN
    card: Int = np.int64(event.cards[0])
    if event.count != 1 or card > 60 or legal_cards(state) >> card & 1 == 0:
        return _why_not(state, event)
    if state.plays == 0 and not rightly_shown(state):
        return _SCORE_MISMATCH
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
    if state.trick_cards == 0:
        state.leaders[state.tricks] = seat
        state.trick_value = 0
    if state.trick_cards == 0 or beats(card, state.best, state.trump):
        state.best = card
        state.winner = seat
    state.trick_value += card_value(card, state.trump)
    state.played[state.plays] = card
    state.plays += 1
    state.trick_cards += 1
    if state.trick_cards == SEATS:
        _take(state)
    else:
        state.turn = (seat + 1) % SEATS
    return _OK


@compiled
def beats(card: Int, best: Int, trump: Int) -> bool:
    """[R2] Whether a card, played later, takes the trick from the best one so far."""
    if suit_of(card) == suit_of(best):
        return bool(above(np.int64(best), trump) >> card & 1)
    return bool(suit_of(card) == trump)


@compiled
def _why_not(state: Any, event: Any) -> int:
    """Why a card can't be played."""
    card: Int = np.int64(event.cards[0])
    if event.count != 1:
        return _INCOMPLETE
    if card > 60 or DECK >> card & 1 == 0:
        return _UNKNOWN_CARD
    if may_hold(state) >> card & 1:
        return _OUT_OF_ORDER if state.claiming else _MUST_FOLLOW
    for index in range(state.plays):
        if state.played[index] == card:
            return _DUPLICATE_CARD
    return _NOT_IN_HAND


@compiled
def _take(state: Any) -> None:
    """[R5] The best card takes the trick, and its player leads next. [R10] Ten more for the last."""
    if state.tricks == TRICKS - 1:
        state.trick_value += LAST_TRICK
    state.winners[state.tricks] = state.winner
    state.values[state.tricks] = state.trick_value
    state.points[state.winner & 1] += state.trick_value
    state.tricks_won[state.winner & 1] += 1
    state.turn = state.winner
    state.trick_cards = 0
    state.tricks += 1
    if state.tricks == TRICKS:
        state.phase = DONE
        state.done = 1
        _settle(state)


@compiled
def taken(state: Any, team: Int) -> int:
    """[R12] What a team has taken, whatever the contract: tricks, declarations and bela."""
    return int(state.points[team] + state.declared[team] + state.bela_points[team])


@compiled
def _settle(state: Any) -> None:
    """The score of the hand: [R13] the bidders need more than half of it, [R14] or else all goes to
    the others; [R15] a side with all eight tricks gets everything and 90 more."""
    bidders = state.declarer & 1
    state.hand_value = HAND_POINTS + state.declared.sum() + state.bela_points.sum()
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
def _check_trick(state: Any, event: Any) -> int:
    """A reported trick must agree with the fold."""
    if state.tricks == 0 or state.trick_cards != 0 or state.claiming:
        return _OUT_OF_ORDER
    last = state.tricks - 1
    if event.seat != state.winners[last]:
        return _SCORE_MISMATCH
    if event.amount != NO_AMOUNT and event.amount != state.values[last]:
        return _SCORE_MISMATCH
    return _OK


@compiled
def _check_score(state: Any, event: Any) -> int:
    """A reported score of the hand or of the match must agree with the fold. A match score can't be checked
    if the score before the hand is unknown."""
    team = event.seat
    if state.done == 0 or team < 0 or team > 1:
        return _OUT_OF_ORDER
    if event.action == SCORE_POINTS:
        amount = taken(state, team)
    elif event.action == SCORE_HAND:
        amount = int(state.score[team])
    elif state.in_match:
        amount = int(state.before[team]) + int(state.score[team])
    else:
        return _OK
    if event.amount != NO_AMOUNT and event.amount != amount:
        return _SCORE_MISMATCH
    return _OK
