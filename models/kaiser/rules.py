"""Kaiser: four players in two partnerships, 32 cards, eight tricks worth ten points in all.

Numbers in brackets, [R3], are the rules of docs/rules/kaiser.md.
"""

from typing import Any, Final

import numpy as np

from cardlog.models.compiled import compiled
from cardlog.models.kaiser.legal import legal_actions, legal_bids, legal_cards, legal_text, may_bid
from cardlog.models.kaiser.state import (
    BIDDING,
    DEALING,
    DECK,
    DONE,
    EVENT,
    GAME,
    GAME_POINTS,
    HAND_CARDS,
    HIGHEST_BID,
    MOST_CARDS,
    NAMING,
    OPENING,
    PASSED,
    PASSING,
    PLAYING,
    SEATS,
    STATE,
    TRICKS,
    begin,
    opening,
)
from cardlog.models.trick import beats
from cardlog.schemas import cards
from cardlog.schemas.events import CODE, NO_AMOUNT, NO_SEAT
from cardlog.schemas.reasons import Reason

__all__ = [
    "EVENT", "GAME", "MOST_CARDS", "STATE", "begin", "evolve", "legal_actions", "legal_text", "opening",
]  # fmt: skip

FIVE_OF_HEARTS: Final = cards.code("5H")
THREE_OF_SPADES: Final = cards.code("3S")

TRICK_POINTS: Final = 1
"""[R11] What a trick is worth, before the two special cards."""
FIVE_POINTS: Final = 5
THREE_POINTS: Final = -3
HAND_POINTS: Final = TRICKS * TRICK_POINTS + FIVE_POINTS + THREE_POINTS
"""[R11] Every hand is worth ten."""
OUT_POINTS: Final = -52

OPEN = CODE["deal", "open"]
DEAL_HAND = CODE["deal", "hand"]
DEAL_PASS = CODE["deal", "pass"]
BID_PASS = CODE["bid", "pass"]
BID = CODE["bid", "bid"]
NAME_TRUMP = CODE["bid", "trump"]
PLAY_CARD = CODE["play", "card"]
SCORE_TRICK = CODE["score", "trick"]
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
_NO_SUIT = cards.NO_SUIT


@compiled
def evolve(state: Any, event: Any) -> int:
    """Apply one event to the state of a hand, or say why it is illegal. See `cardlog.models.fold.Evolve`."""
    action = event.action
    if action == PLAY_CARD:
        return _play(state, event)
    if action == DEAL_HAND:
        return _deal(state, event)
    if action in (BID, BID_PASS):
        return _bid(state, event)
    if action == NAME_TRUMP:
        return _name_trump(state, event)
    if action == OPEN:
        if state.phase != OPENING:
            return _OUT_OF_ORDER
        state.phase = DEALING
        return _OK
    if action == DEAL_PASS:
        return _give(state, event)
    if action in (SCORE_TRICK, SCORE_HAND, SCORE_MATCH):
        return _check_score(state, event)
    return _OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> int:
    """[R2] Eight cards to each seat, from the pack, none twice."""
    if state.phase != DEALING:
        return _OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.dealt >> seat & 1:
        return _WRONG_TURN
    held = np.int64(0)
    for index in range(event.count):
        card = event.cards[index]
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
    state.dealt |= 1 << seat
    if state.dealt == (1 << SEATS) - 1:
        state.turn = (state.dealer + 1) % SEATS
        state.phase = PASSING if state.pass_cards else BIDDING
    return _OK


@compiled
def _give(state: Any, event: Any) -> int:
    """[R3] Each seat gives two cards to its partner; nobody sees what he gets before all have given."""
    if state.phase != PASSING:
        return _OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.gave >> seat & 1:
        return _WRONG_TURN
    if event.count != 2:
        return _INCOMPLETE
    for index in range(2):
        card = event.cards[index]
        if card > 60 or state.hands[seat] >> card & 1 == 0:
            return _NOT_IN_HAND
    if event.cards[0] == event.cards[1]:
        return _DUPLICATE_CARD
    for index in range(2):
        state.passed_cards[seat, index] = event.cards[index]
    state.gave |= 1 << seat
    if state.gave == (1 << SEATS) - 1:
        _exchange(state)
        state.phase = BIDDING
    return _OK


@compiled
def _exchange(state: Any) -> None:
    """Put the cards passed in the slots of those that the partner passed."""
    for seat in range(SEATS):
        partner = (seat + 2) % SEATS
        for index in range(2):
            given = state.passed_cards[seat, index]
            taken = state.passed_cards[partner, index]
            for slot in range(HAND_CARDS):
                if state.dealt_cards[seat, slot] == given:
                    state.dealt_cards[seat, slot] = taken
                    break
    for seat in range(SEATS):
        held = np.int64(0)
        for slot in range(HAND_CARDS):
            held |= np.int64(1) << state.dealt_cards[seat, slot]
        state.hands[seat] = held


@compiled
def _bid(state: Any, event: Any) -> int:
    """[R4] One bid or pass from each seat, from the dealer's left."""
    if not may_bid(state):
        return _OUT_OF_ORDER
    if event.seat != state.turn:
        return _WRONG_TURN
    rank = PASSED
    if event.action == BID:
        if event.amount < 1 or event.amount > HIGHEST_BID:
            return _BAD_BID
        if event.suit != _NO_SUIT and event.suit != _NO_TRUMP:
            return _BAD_BID  # [R9] a suit is named by the winner alone, and afterwards
        rank = 2 * event.amount + (event.suit == _NO_TRUMP)
    if legal_bids(state) >> rank & 1 == 0:
        return _BAD_BID
    state.phase = BIDDING
    state.bids[state.turn] = rank
    if rank != PASSED:
        state.declarer = state.turn
    state.turn = (state.turn + 1) % SEATS
    state.bid_count += 1
    if state.bid_count == SEATS:
        state.turn = state.declarer
        if state.bids[state.declarer] & 1:
            state.trump = _NO_TRUMP
            state.phase = PLAYING
        else:
            state.phase = NAMING
    return _OK


@compiled
def _name_trump(state: Any, event: Any) -> int:
    """[R9] The highest bidder names trump, unless he bid without."""
    if state.phase != NAMING or event.seat != state.declarer:
        return _BAD_BID
    if event.suit < 0 or event.suit >= _NO_TRUMP:
        return _BAD_BID
    state.trump = event.suit
    state.phase = PLAYING
    return _OK


@compiled
def _play(state: Any, event: Any) -> int:
    """[R10] One card, from the seat in turn; the fourth ends the trick."""
    if state.phase != PLAYING:
        return _BAD_BID if state.phase == NAMING else _OUT_OF_ORDER
    seat = state.turn
    if event.seat == NO_SEAT:
        event.seat = seat
    elif event.seat != seat:
        return _WRONG_TURN
    card = event.cards[0]
    if event.count != 1 or card > 60 or legal_cards(state) >> card & 1 == 0:
        return _why_not(state, event)
    state.hands[seat] &= ~(np.int64(1) << card)
    if state.trick_cards == 0:
        state.leaders[state.tricks] = seat
        state.best = card
        state.winner = seat
        state.trick_value = TRICK_POINTS
    elif beats(card, state.best, state.trump):
        state.best = card
        state.winner = seat
    if card == FIVE_OF_HEARTS:
        state.trick_value += FIVE_POINTS
    elif card == THREE_OF_SPADES:
        state.trick_value += THREE_POINTS
    state.played[state.plays] = card
    state.plays += 1
    state.trick_cards += 1
    if state.trick_cards == SEATS:
        _take(state)
    else:
        state.turn = (seat + 1) % SEATS
    return _OK


@compiled
def _why_not(state: Any, event: Any) -> int:
    """Why a card can't be played."""
    card = event.cards[0]
    if event.count != 1:
        return _INCOMPLETE
    if card > 60 or DECK >> card & 1 == 0:
        return _UNKNOWN_CARD
    if state.hands[state.turn] >> card & 1:
        return _MUST_FOLLOW
    for index in range(state.plays):
        if state.played[index] == card:
            return _DUPLICATE_CARD
    return _NOT_IN_HAND


@compiled
def _take(state: Any) -> None:
    """[R10] The highest trump takes the trick, else the highest card of the suit led; its player
    leads next. [R11] One point, five more with the 5H, three less with the 3S."""
    state.winners[state.tricks] = state.winner
    state.values[state.tricks] = state.trick_value
    state.points[state.winner & 1] += state.trick_value
    state.turn = state.winner
    state.trick_cards = 0
    state.tricks += 1
    if state.tricks == TRICKS:
        state.phase = DONE
        state.done = 1
        rank = state.bids[state.declarer]
        for team in range(2):
            state.score[team] = contract_score(state.points[team], rank, team == state.declarer & 1)


@compiled
def contract_score(points: int, rank: int, bidders: bool) -> int:
    """[R12] What a team scores for a hand: the bidders their points if they reach the bid, else they lose
    the bid; [R13] doubled without trump. The defenders score their points."""
    if not bidders:
        return points
    contract = rank >> 1
    score = points if points >= contract else -contract
    return 2 * score if rank & 1 else score


@compiled
def settle(before: int, score: int, bidders: bool, min_bid: int) -> int:
    """[R14] A team's match score after a hand: defenders who need no more than the lowest bid to
    reach 52 score no positive points."""
    if not bidders and score > 0 and before >= GAME_POINTS - min_bid:
        return before
    return before + score


@compiled
def match_winner(after: Any, declarer_team: int, target: int, minus_52: bool, kaiser_bid_result: int) -> int:
    """The team that has won the match with these scores, -1 while neither has.

    kaiser_bid_result is 1 if 12 without trump was bid and made in this hand, -1 if bid and lost, else 0.
    [R17] It ends the match at once. [R15] A team wins at the target, the bidders first; [R16] and loses at
    -52, where that was agreed.
    """
    if kaiser_bid_result != 0:
        return declarer_team if kaiser_bid_result > 0 else 1 - declarer_team
    for team in (declarer_team, 1 - declarer_team):
        if after[team] >= target:
            return team
    if minus_52:
        for team in (declarer_team, 1 - declarer_team):
            if after[team] <= OUT_POINTS:
                return 1 - team
    return -1


@compiled
def match_target(no_trump_out: int, no_trump_bid: bool) -> int:
    """[R15] Points that win the match: 52, or the number agreed for matches in which a hand, this one
    included, was played without trump. A no-trump bid that was overbid does not count."""
    return no_trump_out if no_trump_bid else GAME_POINTS


@compiled
def _check_score(state: Any, event: Any) -> int:
    """A reported score of a trick, of the hand or of the match must agree with the fold."""
    if event.action == SCORE_TRICK:
        if state.tricks == 0 or state.trick_cards != 0:
            return _OUT_OF_ORDER
        seat = state.winners[state.tricks - 1]
        amount = state.values[state.tricks - 1]
    else:
        if state.done == 0 or event.seat < 0 or event.seat > 1:
            return _OUT_OF_ORDER
        seat = event.seat
        amount = state.score[seat]
        if event.action == SCORE_MATCH and state.in_match == 0:
            return _OUT_OF_ORDER
        if event.action == SCORE_MATCH or state.hand_scores_capped:
            amount = settle(state.before[seat], amount, seat == state.declarer & 1, state.min_bid)
            if event.action == SCORE_HAND:
                amount -= state.before[seat]
    if event.seat != seat or (event.amount != NO_AMOUNT and event.amount != amount):
        return _SCORE_MISMATCH
    return _OK
