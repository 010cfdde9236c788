"""One line after the other of a hand in Pinochle's protocol: what may come next, and what it says.

Requests, answers, answers that are refused and what others do are told apart, and what lines say twice
is compared: the lead, trump, winning card and hand in a request, the scores in the message and in the
score. What the rules say of a bid or a card is left to the fold.

Numbers in brackets, [R3], are the rules of docs/rules/pinochle.md.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import compiled
from cardlog.models.pinochle import rules as pinochle
from cardlog.models.pinochle.cards import ONE, beats, masks_of
from cardlog.models.pinochle.dialects import RULES, match_winner
from cardlog.models.pinochle.rules import HAND_CARDS, LEAST_BID, SEATS, TRICKS
from cardlog.models.trick import suit_of
from cardlog.pipelines.readers.pinochle_protocol import lines as said
from cardlog.pipelines.readers.pinochle_protocol.state import (
    BEFORE_EVENTS,
    BID_ANSWER,
    BIDS,
    CONFIRM,
    DEALT_COUNT,
    DEALT_THRICE,
    DIALECTS,
    FINE,
    HEAD_2014,
    JAN_2013,
    MELDS,
    NAME,
    NAME_ANSWER,
    NOT_KNOWN,
    OVER,
    PLAY_ANSWER,
    PLAYS,
    REQUEST,
    SAID_HANDS,
    SAID_OVER,
    SAID_SCORES,
    SCORE,
    SCORES,
    STUCK,
    TAKER,
    TRICK,
    TRICK_NUMBER,
    TRICK_TAKER,
    UNEXPECTED,
    UNREADABLE,
    WINNER,
    add,
    clear,
)
from cardlog.schemas.cards import NO_SUIT

_THROW_IN_ENDS: Final = np.array([RULES[name].throw_in_ends_hand for name in DIALECTS])
_DEALER_NOT_ASKED: Final = np.array([RULES[name].stuck_dealer_is_not_asked for name in DIALECTS])


@compiled
def deal(memory: Any, hands: NDArray[Any], events: NDArray[Any], line: Any, place: int) -> int:
    """The deal: who deals, and what seat 0 holds."""
    hand = hands[memory.hand]
    memory.filled = memory.begins + BEFORE_EVENTS
    memory.dialect = HEAD_2014 if line.fields >> said.DEALER & 1 else JAN_2013
    hand.dialect = memory.dialect
    if memory.dialect == HEAD_2014:
        _set_dealer(memory, hands, line.dealer)
    memory.stage = BIDS
    memory.bids = 0
    memory.high_bid = LEAST_BID
    memory.thrown_in = 0
    memory.trump = NO_SUIT
    memory.melds = 0
    memory.tricks = 0
    memory.on_table = 0
    memory.over = -1
    memory.firsts, memory.seconds = masks_of(line.cards, line.count)
    if memory.firsts < 0:
        return DEALT_THRICE
    if line.count != HAND_CARDS or line.seat != 0:
        return DEALT_COUNT
    event = events[memory.begins + 1]
    clear(event, pinochle.DEAL_HAND, 0, place)
    event.count = HAND_CARDS
    for card in range(HAND_CARDS):
        event.cards[card] = line.cards[card]
    return FINE


@compiled
def _set_dealer(memory: Any, hands: NDArray[Any], seat: int) -> None:
    """Note who deals. If it is not the next seat, hands are missing, and nothing is known of what was
    before this one."""
    hand = hands[memory.hand]
    if memory.dealer != NOT_KNOWN and memory.dealer != seat:
        hand.known = 0
        hand.hands_played = memory.hands_played = NOT_KNOWN
        hand.trump_before = memory.trump_before = NOT_KNOWN
    hand.dealer = seat
    memory.dealer = seat
    memory.declarer = seat
    memory.next_dealer = (seat + 1) % SEATS


@compiled
def follow(
    memory: Any, hands: NDArray[Any], events: NDArray[Any], refused: NDArray[Any], line: Any, place: int
) -> int:
    """Take the next line of a hand; returns what is wrong with it."""
    kind = line.kind
    if kind == said.BAD or kind == said.NOTE:
        return UNREADABLE
    if memory.stage == CONFIRM:
        if kind == said.ASK_PLAY:
            refused[memory.refused].event = memory.filled
            refused[memory.refused].card = memory.card
            memory.refused += 1
            memory.card = said.NO_CARD
            memory.stage = PLAYS
        else:
            _lay(memory, events, 0, memory.card, memory.card_line)
            memory.card = said.NO_CARD
    stage = memory.stage
    if stage <= STUCK:
        return _bidding(memory, hands, events, line, place)
    if stage <= NAME_ANSWER:
        return _naming(memory, events, line, place)
    if stage == MELDS and kind == said.SAY_MELD:
        event = add(memory, events, pinochle.DECLARE, line.seat, place)
        event.amount = line.amount
        event.count = line.count
        for card in range(line.count):
            event.cards[card] = line.cards[card]
        memory.melds += 1
        if memory.melds == SEATS:
            memory.stage = PLAYS
        return FINE
    if stage in (PLAYS, PLAY_ANSWER):
        return _playing(memory, hands, events, line, place)
    if stage >= TRICK:
        return _scoring(memory, events, line, place)
    return UNEXPECTED


@compiled
def _bidding(memory: Any, hands: NDArray[Any], events: NDArray[Any], line: Any, place: int) -> int:
    """[R3] to [R5] Bids of others, requests for a bid and answers."""
    kind = line.kind
    if memory.stage == STUCK:
        if kind != said.SAY_BID or line.seat != memory.dealer or line.bid != LEAST_BID:
            return UNEXPECTED
        memory.stage = NAME
        return FINE
    if kind == said.ASK_BID:
        memory.stage = BID_ANSWER
    elif kind != (said.SAY_BID if memory.stage == BIDS else said.ANSWER_BID):
        return UNEXPECTED
    if memory.bids == 0 and memory.dialect == JAN_2013:
        _set_dealer(memory, hands, (line.seat + SEATS - 1) % SEATS)
    if kind == said.ASK_BID:
        return FINE
    if kind == said.ANSWER_BID and line.seat != 0:
        return UNEXPECTED
    event = add(memory, events, pinochle.BID if line.bid else pinochle.BID_PASS, line.seat, place)
    if line.bid:
        event.amount = line.bid
    memory.bids += 1
    memory.stage = BIDS
    if line.bid > memory.high_bid:
        memory.high_bid = line.bid
        memory.declarer = line.seat
    if memory.bids == SEATS:
        memory.stage = NAME
    elif memory.bids == SEATS - 1 and memory.high_bid == LEAST_BID and _DEALER_NOT_ASKED[memory.dialect]:
        memory.stage = NAME if memory.dealer == 0 else STUCK
    return FINE


@compiled
def _naming(memory: Any, events: NDArray[Any], line: Any, place: int) -> int:
    """[R6] Trump, or the hand thrown in."""
    kind = line.kind
    if kind == said.ASK_TRUMP and line.seat == 0:
        memory.stage = NAME_ANSWER
        return FINE
    answered = memory.stage == NAME_ANSWER
    if answered != (line.seat == 0):
        return UNEXPECTED
    if kind == (said.ANSWER_TRUMP if answered else said.SAY_TRUMP):
        event = add(memory, events, pinochle.NAME_TRUMP, line.seat, place)
        event.suit = line.suit
        memory.trump = line.suit
        memory.stage = MELDS
        return FINE
    if kind == (said.ANSWER_THROW_IN if answered else said.SAY_THROW_IN):
        add(memory, events, pinochle.THROW_IN, line.seat, place)
        memory.thrown_in = 1
        if _THROW_IN_ENDS[memory.dialect]:
            memory.stage = SCORES
        else:
            memory.trump = memory.trump_before
            memory.stage = MELDS
        return FINE
    return UNEXPECTED


@compiled
def _playing(memory: Any, hands: NDArray[Any], events: NDArray[Any], line: Any, place: int) -> int:
    """[R9] [R10] Cards of others, requests for a card and answers."""
    kind = line.kind
    if kind == said.ASK_PLAY:
        if memory.trump == NOT_KNOWN:
            memory.trump = line.suit
            hands[memory.hand].trump_before = line.suit
        memory.stage = PLAY_ANSWER
        return FINE if _is_asked_rightly(memory, line) else REQUEST
    if memory.stage == PLAYS:
        if kind != said.SAY_PLAY or line.seat == 0:
            return UNEXPECTED
        _lay(memory, events, line.seat, line.card, place)
        return FINE
    if kind != said.ANSWER_PLAY or line.seat != 0:
        return UNEXPECTED
    memory.card = line.card
    memory.card_line = place
    memory.stage = CONFIRM
    return FINE


@compiled
def _is_asked_rightly(memory: Any, line: Any) -> bool:
    """Whether a request says of trump, trick and hand what the lines before it have said."""
    if line.seat != 0 or line.suit != memory.trump:
        return False
    if memory.on_table == 0:
        if line.lead != NO_SUIT or line.winning != said.NO_CARD:
            return False
    elif line.lead != memory.lead or line.winning != memory.best:
        return False
    if line.type != said.PLAY_REQUEST:
        return bool(memory.dialect == JAN_2013)
    firsts, seconds = masks_of(line.cards, line.count)
    return bool(memory.dialect == HEAD_2014 and firsts == memory.firsts and seconds == memory.seconds)


@compiled
def _lay(memory: Any, events: NDArray[Any], seat: int, card: int, place: int) -> None:
    """Put a card on the table."""
    event = add(memory, events, pinochle.PLAY_CARD, seat, place)
    event.count = 1
    event.cards[0] = card
    code = np.int64(card)
    if seat == 0:
        bit = ONE << code
        if memory.seconds & bit:
            memory.seconds &= ~bit
        else:
            memory.firsts &= ~bit
    if memory.on_table == 0:
        memory.lead = suit_of(code)
        memory.best = card
    elif beats(code, np.int64(memory.best), np.int64(memory.trump)):
        memory.best = card
    memory.on_table += 1
    memory.stage = PLAYS
    if memory.on_table == SEATS:
        memory.on_table = 0
        memory.stage = TRICK


@compiled
def _scoring(memory: Any, events: NDArray[Any], line: Any, place: int) -> int:
    """[R11] to [R15] What is said of a trick, of the scores and of who has won."""
    kind = line.kind
    stage = memory.stage
    if stage == TRICK and kind == said.TRICK_MESSAGE:
        return _trick(memory, events, line, place)
    if stage == TRICK_TAKER and kind == said.SAY_TRICK:
        memory.stage = SCORES if memory.tricks == TRICKS else PLAYS
        return FINE if line.seat == memory.taker else TAKER
    if stage == SCORES and kind == (said.THROW_IN_MESSAGE if memory.tricks < TRICKS else said.SCORES_MESSAGE):
        return _scores(memory, events, line, place)
    if stage == WINNER and kind == said.WINNER_MESSAGE:
        memory.stage = SCORE
        right = line.seat == memory.over and line.amount == memory.scores[memory.over]
        return FINE if right else SAID_OVER
    if stage == SCORE and kind == said.SAY_SCORE:
        return _score(memory, events, line, place)
    return UNEXPECTED


@compiled
def _trick(memory: Any, events: NDArray[Any], line: Any, place: int) -> int:
    """The message that a trick is over: it has its number and worth in the older dialect only."""
    if (line.said == said.NUMBERED_TRICK) != (memory.dialect == JAN_2013) or line.seat < 0:
        return UNEXPECTED
    event = add(memory, events, pinochle.SCORE_TRICK, line.seat, place)
    event.count = 1
    event.cards[0] = line.card
    memory.tricks += 1
    memory.taker = line.seat
    if memory.dialect == HEAD_2014:
        memory.stage = TRICK_TAKER
        return FINE
    event.amount = line.amount
    memory.stage = SCORES if memory.tricks == TRICKS else PLAYS
    return FINE if line.number == memory.tricks else TRICK_NUMBER


@compiled
def _scores(memory: Any, events: NDArray[Any], line: Any, place: int) -> int:
    """The message with the scores: what both teams have, and how many hands have counted."""
    ended_early = memory.tricks < TRICKS
    if ended_early and line.seat != memory.declarer:
        return UNEXPECTED
    for team in range(2):
        event = add(memory, events, pinochle.SCORE_MATCH, team, place)
        event.amount = line.scores[team]
        memory.scores[team] = line.scores[team]
    memory.scores_told = 1
    memory.hands_told = line.number
    memory.over = match_winner(memory.scores, memory.declarer & 1)
    memory.stage = SCORE
    if memory.dialect == JAN_2013 and memory.over >= 0:
        memory.stage = WINNER
    if memory.hands_played != NOT_KNOWN and line.number != memory.hands_played + (not ended_early):
        return SAID_HANDS
    return FINE


@compiled
def _score(memory: Any, events: NDArray[Any], line: Any, place: int) -> int:
    """The score, the last line of a hand."""
    if line.scores[0] != memory.scores[0] or line.scores[1] != memory.scores[1]:
        return SAID_SCORES
    if line.over != (memory.over >= 0) or line.win != (memory.over == 0):
        return SAID_OVER
    for seat in range(SEATS if memory.over >= 0 else 0):
        event = add(memory, events, pinochle.SCORE_PLACE, seat, place)
        event.amount = 1 if seat & 1 == memory.over else 2
    memory.stage = OVER
    return FINE
