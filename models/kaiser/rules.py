"""Kaiser: four players in two partnerships, 32 cards, eight tricks worth ten points in all. [R3] is rule 3 of
docs/rules/kaiser.md."""

from typing import Any, Final

import numpy as np

from cardlog.models.engine import trick
from cardlog.models.engine.compiled import Int, compiled
from cardlog.models.engine.trick import SEATS
from cardlog.models.kaiser.legal import legal_bids, legal_cards, may_bid
from cardlog.models.kaiser.state import (
    BIDDING,
    DEALING,
    DECK,
    DONE,
    GAME_POINTS,
    HAND_CARDS,
    HIGHEST_BID,
    NAMING,
    OPENING,
    PASSED,
    PASSING,
    PLAYING,
    TRICKS,
)
from cardlog.schemas import cards
from cardlog.schemas.events import Action
from cardlog.schemas.reasons import Reason

FIVE_OF_HEARTS: Final = cards.code("5H")
THREE_OF_SPADES: Final = cards.code("3S")

TRICK_POINTS: Final = 1  # [R11] What a trick is worth, before the two special cards
FIVE_POINTS: Final = 5
THREE_POINTS: Final = -3
HAND_POINTS: Final = TRICKS * TRICK_POINTS + FIVE_POINTS + THREE_POINTS  # [R11] Every hand is worth ten
OUT_POINTS: Final = -52


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
    if action == Action.BID_TRUMP:
        return _name_trump(state, event)
    if action == Action.DEAL_OPEN and state.phase == OPENING:
        state.phase = DEALING
        return Reason.OK
    if action == Action.DEAL_PASS:
        return _pass_cards(state, event)
    if action == Action.SCORE_TRICK:
        return trick.check_trick(state, event)
    if action in (Action.SCORE_HAND, Action.SCORE_MATCH):
        return _check_score(state, event)
    return Reason.OUT_OF_ORDER


@compiled
def _deal(state: Any, event: Any) -> Reason:
    """[R2] Eight cards to each seat, from the pack, none twice."""
    reason, _ = trick.deal_from(state, event, DECK, state.phase == DEALING, False)
    if reason == Reason.OK and trick.is_dealt(state):
        state.phase = PASSING if state.pass_cards else BIDDING
    return reason


@compiled
def _pass_cards(state: Any, event: Any) -> Reason:
    """[R3] Each seat passes two cards to its partner; nobody sees what he gets before all have passed."""
    if state.phase != PASSING:
        return Reason.OUT_OF_ORDER
    seat = event.seat
    if seat < 0 or seat >= SEATS or state.gave >> seat & 1:
        return Reason.WRONG_TURN
    if event.count != 2:
        return Reason.INCOMPLETE
    for index in range(2):
        card = event.cards[index]
        if card > 60 or state.hands[seat] >> card & 1 == 0:
            return Reason.NOT_IN_HAND
    if event.cards[0] == event.cards[1]:
        return Reason.DUPLICATE_CARD
    state.passed_cards[seat, :] = event.cards[:2]
    state.gave |= 1 << seat
    if state.gave == (1 << SEATS) - 1:
        _exchange(state)
        state.phase = BIDDING
    return Reason.OK


@compiled
def _exchange(state: Any) -> None:
    """Swap the cards passed: each takes the slot of the one that the partner passed."""
    for seat in range(SEATS):
        partner = (seat + 2) % SEATS
        for index in range(2):
            given = state.passed_cards[seat, index]
            received = state.passed_cards[partner, index]
            for slot in range(HAND_CARDS):
                if state.dealt_cards[seat, slot] == given:
                    state.dealt_cards[seat, slot] = received
                    break
    for seat in range(SEATS):
        held = np.int64(0)
        for slot in range(HAND_CARDS):
            held |= np.int64(1) << state.dealt_cards[seat, slot]
        state.hands[seat] = held


@compiled
def _bid(state: Any, event: Any) -> Reason:
    """[R4] One bid or pass from each seat, beginning at the dealer's left."""
    if not may_bid(state):
        return Reason.OUT_OF_ORDER
    if event.seat != state.turn:
        return Reason.WRONG_TURN
    rank = PASSED
    if event.action == Action.BID_BID:
        if event.amount < 1 or event.amount > HIGHEST_BID:
            return Reason.BAD_BID
        if event.suit != cards.NO_SUIT and event.suit != cards.NO_TRUMP:
            return Reason.BAD_BID  # [R9] only the winner names a suit, after the auction
        rank = 2 * event.amount + (event.suit == cards.NO_TRUMP)
    if legal_bids(state) >> rank & 1 == 0:
        return Reason.BAD_BID
    state.phase = BIDDING
    state.bids[state.turn] = rank
    if rank != PASSED:
        state.declarer = state.turn
    state.turn = (state.turn + 1) % SEATS
    state.bid_count += 1
    if state.bid_count == SEATS:
        state.turn = state.declarer
        if state.bids[state.declarer] & 1:
            state.trump = cards.NO_TRUMP
            state.phase = PLAYING
        else:
            state.phase = NAMING
    return Reason.OK


@compiled
def _name_trump(state: Any, event: Any) -> Reason:
    """[R9] The highest bidder names trump, unless the bid was without trump."""
    if state.phase != NAMING or event.seat != state.declarer:
        return Reason.BAD_BID
    if event.suit < 0 or event.suit >= cards.NO_TRUMP:
        return Reason.BAD_BID
    state.trump = event.suit
    state.phase = PLAYING
    return Reason.OK


@compiled
def _play(state: Any, event: Any) -> Reason:
    """[R10] One card, from the seat in turn; the fourth ends the trick. The highest trump takes it, else the
    highest card of the suit led, and its player leads next."""
    if state.phase != PLAYING:
        return Reason.BAD_BID if state.phase == NAMING else Reason.OUT_OF_ORDER
    reason = trick.check_play(state, event, DECK, legal_cards(state), state.hands[state.turn])
    if reason != Reason.OK:
        return reason
    card = event.cards[0]
    state.hands[state.turn] &= ~(np.int64(1) << card)
    wins = trick.beats(card, state.best, state.trump)
    if trick.lay(state, card, wins, _value(state, card)) and trick.take(state):
        settle_hand(state)
    return Reason.OK


@compiled
def _value(state: Any, card: Int) -> Int:
    """[R11] What a card adds to its trick: one point if it is the first, five for the 5H, -3 for the 3S."""
    value: Int = TRICK_POINTS if state.trick_cards == 0 else 0
    if card == FIVE_OF_HEARTS:
        value += FIVE_POINTS
    elif card == THREE_OF_SPADES:
        value += THREE_POINTS
    return value


@compiled
def settle_hand(state: Any) -> None:
    """End the hand, and score it."""
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
    """The team that has won the match with these scores, -1 while neither has. `kaiser_bid_result` is 1 if 12
    without trump was bid and made in this hand, -1 if bid and lost, else 0. [R17] It ends the match at once.
    [R15] A team wins at the target, the bidders first; [R16] and loses at -52, where that was agreed."""
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
    """[R15] Points that win the match: 52, or the number agreed for matches with a hand without trump, this
    one included. A no-trump bid that was overbid does not count."""
    return no_trump_out if no_trump_bid else GAME_POINTS


@compiled
def _check_score(state: Any, event: Any) -> Reason:
    """A reported score of the hand or of the match must agree with the fold."""
    if state.done == 0 or event.seat < 0 or event.seat > 1:
        return Reason.OUT_OF_ORDER
    seat = event.seat
    amount = state.score[seat]
    if event.action == Action.SCORE_MATCH and state.in_match == 0:
        return Reason.OUT_OF_ORDER
    if event.action == Action.SCORE_MATCH or state.hand_scores_capped:
        amount = settle(state.before[seat], amount, seat == state.declarer & 1, state.min_bid)
        if event.action == Action.SCORE_HAND:
            amount -= state.before[seat]
    return trick.agrees(event, amount)
