"""Hands in the lines of Pinochle's protocol: a compiled machine that knows what may come next.

It follows the talk between server and client, tells apart requests, answers, refused answers and
what was played, and checks what lines say twice: the lead, trump, winning card and hand in a
request, the scores in the message and in the score. What the rules say of a bid or a card is left
to the fold.

The log shows the hand of seat 0 alone. What the others held follows from what they melded and
played; the rest is unknown.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from models import pinochle
from models.compiled import compiled
from models.pinochle import (
    GAME_POINTS,
    HAND_CARDS,
    LEAST_BID,
    RULES,
    SEATS,
    TRICKS,
    held_of_shown,
    match_winner,
)
from models.pinochle_cards import DECK_CODES, KINDS, ONE, beats, masks_of
from models.trick import suit_of
from pipelines.readers import pinochle_lines as said
from schemas.cards import NO_SUIT, UNKNOWN
from schemas.events import NO_AMOUNT, NO_DETAIL, NO_SEAT, NO_TIME, compiled_dtype
from schemas.reasons import Reason

DIALECTS: Final = ("jan2013", "head2014")
_JAN_2013, _HEAD_2014 = range(len(DIALECTS))
_THROW_IN_ENDS: Final = np.array([RULES[name].throw_in_ends_hand for name in DIALECTS])
_DEALER_NOT_ASKED: Final = np.array([RULES[name].stuck_dealer_is_not_asked for name in DIALECTS])
_BOTH_NINES: Final = np.array([RULES[name].double_run_shows_both_nines for name in DIALECTS])

NOT_KNOWN: Final = -2
"""Stands for the trump of the hand before, or the number of hands, after a hand that can't be read."""
NO_LINE: Final = -1
BEFORE_EVENTS: Final = 1 + SEATS
"""Events of a hand that come before what the lines after its deal say: the opening and four hands."""

# What a hand waits for.
(
    BIDS, BID_ANSWER, STUCK, NAME, NAME_ANSWER, MELDS, PLAYS, PLAY_ANSWER, CONFIRM, TRICK, TRICK_TAKER,
    SCORES, WINNER, SCORE,
) = range(14)  # fmt: skip
WANTED: Final = (
    "a bid", "the client's bid", "the dealer's bid of 20", "trump", "the client's trump", "a meld",
    "a card", "the client's card", "a card or the end of the trick", "the end of the trick",
    "the seat that takes the trick", "the scores", "the winner", "the score",
)  # fmt: skip

# What can be wrong with a hand, besides its rules.
(
    FINE, UNREADABLE, UNEXPECTED, HEADLESS, REQUEST, TRICK_NUMBER, TAKER, SAID_SCORES, SAID_HANDS, SAID_OVER,
    DEALT_COUNT, DEALT_THRICE, UNFINISHED_LINE,
) = range(13)  # fmt: skip
FAULT_REASONS: Final = np.array(
    [
        Reason.OK, Reason.UNPARSABLE, Reason.OUT_OF_ORDER, Reason.OUT_OF_ORDER, Reason.OUT_OF_ORDER,
        Reason.OUT_OF_ORDER, Reason.SCORE_MISMATCH, Reason.SCORE_MISMATCH, Reason.SCORE_MISMATCH,
        Reason.SCORE_MISMATCH, Reason.INCOMPLETE, Reason.DUPLICATE_CARD, Reason.INCOMPLETE,
    ],
    np.int8,
)  # fmt: skip

NOWHERE, IN_HAND, IN_DAMAGE = range(3)

HAND: Final = compiled_dtype(
    [
        ("match", np.int32),  # its place in the text, from 0
        ("number", np.int32),  # the hand's in the match; NO_LINE if what was found is no hand
        ("first", np.int32),  # its lines
        ("last", np.int32),
        ("fault", np.int8),
        ("fault_line", np.int32),
        ("waited_for", np.int8),
        ("ended", np.int8),  # whether its last line was seen
        ("cut", np.int8),  # whether the lines end before it does
        ("dialect", np.int8),
        ("dealer", np.int8),
        ("known", np.int8),  # whether the score before is
        ("before", np.int32, (2,)),
        ("trump_before", np.int8),  # NO_SUIT if there was none, NOT_KNOWN
        ("hands_played", np.int32),  # hands that counted before, NOT_KNOWN
        ("table", np.int32),  # the line that tells who plays, NO_LINE if none does
    ]
)
"""A hand that was found, or lines that are none."""

REFUSED: Final = compiled_dtype([("event", np.int64), ("card", np.uint8)])
"""A card of seat 0 that was refused before it played the one of an event."""

MEMORY: Final = compiled_dtype(
    [
        ("where", np.int8),
        ("hand", np.int64),  # place of the hand that is being read
        ("filled", np.int64),  # events so far
        ("begins", np.int64),  # where the hand's begin
        ("refused", np.int64),  # refused cards so far
        ("first_refused", np.int64),  # where the hand's begin
        ("match", np.int32),
        ("number", np.int32),  # of the next hand in the match
        ("new_match", np.int8),  # whether the next hand begins one, if this has had a hand
        ("table", np.int32),
        ("known", np.int8),
        ("before", np.int32, (2,)),
        ("trump_before", np.int8),
        ("hands_played", np.int32),
        ("next_dealer", np.int8),  # NOT_KNOWN at the beginning of a text
        ("stage", np.int8),
        ("dialect", np.int8),
        ("dealer", np.int8),
        ("bids", np.int8),
        ("high_bid", np.int32),
        ("declarer", np.int8),
        ("thrown_in", np.int8),
        ("trump", np.int8),
        ("melds", np.int8),
        ("tricks", np.int8),
        ("on_table", np.int8),
        ("lead", np.int8),
        ("best", np.uint8),
        ("firsts", np.int64),  # what seat 0 holds
        ("seconds", np.int64),
        ("card", np.uint8),  # that seat 0 has sent and nobody has answered to
        ("card_line", np.int32),
        ("taker", np.int8),
        ("scores", np.int32, (2,)),
        ("scores_told", np.int8),
        ("hands_told", np.int32),
        ("over", np.int8),  # team that has won, -1 if none has
    ]
)


def start(memory: Any) -> None:
    """Make a blank memory what it is before the first line of a text, which may begin in the middle of
    a match."""
    memory["next_dealer"] = NOT_KNOWN
    memory["trump_before"] = NOT_KNOWN
    memory["hands_played"] = NOT_KNOWN
    memory["table"] = NO_LINE


@compiled
def find(
    lines: NDArray[Any],
    memory: Any,
    hands: NDArray[Any],
    events: NDArray[Any],
    offsets: NDArray[np.int64],
    refused: NDArray[Any],
) -> int:
    """Find the hands in some lines; returns how many there are, damaged ones among them.

    memory
        `MEMORY`, as `start` leaves it, or what is known before a hand that stands alone.
    hands, events, offsets, refused
        Out: the hands, their events and where those begin, and the cards that were refused. A
        damaged hand has no events. `offsets` has one place more than there are lines.
    """
    memory.hand = -1
    memory.filled = 0
    for place in range(len(lines)):
        line = lines[place]
        kind = line.kind
        if kind == said.BLANK:
            continue
        if kind == said.TORN and memory.where != NOWHERE:
            hands[memory.hand].last = place
            continue
        if kind == said.DEAL or kind == said.MENU:
            _leave(memory, hands, events)
        elif memory.where == NOWHERE:
            if kind == said.NOTE:
                continue
            _enter(memory, hands, offsets, place)
            if kind == said.TORN:
                _damage(memory, hands, UNFINISHED_LINE, place)
            else:
                _damage(memory, hands, UNREADABLE if kind == said.BAD else HEADLESS, place)
        if kind == said.MENU:
            memory.new_match = 1
            if line.fields >> said.MY_TABLE & 1 or line.fields >> said.OPTION & 1:
                memory.table = place
            continue
        if kind == said.DEAL:
            _enter(memory, hands, offsets, place)
            _number(memory, hands)
            fault = _deal(memory, hands, events, line, place)
        elif memory.where == IN_HAND:
            hands[memory.hand].last = place
            fault = _follow(memory, hands, events, refused, line, place)
        else:
            fault = FINE
        if fault != FINE:
            _damage(memory, hands, fault, place)
        if memory.where == IN_DAMAGE:
            _swallow(memory, hands, line, place)
    if memory.where != NOWHERE:
        hands[memory.hand].cut = 1
    _leave(memory, hands, events)
    offsets[memory.hand + 1] = memory.filled
    return int(memory.hand + 1)


# ---------------------------------------------------------------- where hands begin and end


@compiled
def _enter(memory: Any, hands: NDArray[Any], offsets: NDArray[np.int64], place: int) -> None:
    """Begin a hand, or lines that may turn out to be none."""
    memory.hand += 1
    memory.where = IN_HAND
    memory.begins = memory.filled
    memory.first_refused = memory.refused
    memory.card = said.NO_CARD
    memory.scores_told = 0
    memory.hands_told = NOT_KNOWN
    offsets[memory.hand] = memory.filled
    hand = hands[memory.hand]
    hand.number = NO_LINE
    hand.match = memory.match
    hand.first = place
    hand.last = place
    hand.fault = FINE
    hand.ended = 0
    hand.cut = 0
    hand.dialect = _JAN_2013
    hand.table = memory.table


@compiled
def _number(memory: Any, hands: NDArray[Any]) -> None:
    """Give the hand its place in the match, which it may begin, and what is known before it."""
    hand = hands[memory.hand]
    if memory.new_match and memory.number > 0:
        memory.match += 1
        memory.number = 0
    if memory.new_match:
        memory.known = 1
        memory.before[0] = 0
        memory.before[1] = 0
        memory.trump_before = NO_SUIT
        memory.hands_played = 0
        memory.next_dealer = 0
    memory.new_match = 0
    hand.match = memory.match
    hand.number = memory.number
    hand.known = memory.known
    hand.before[0] = memory.before[0]
    hand.before[1] = memory.before[1]
    hand.trump_before = memory.trump_before
    hand.hands_played = memory.hands_played
    memory.dealer = memory.next_dealer
    hand.dealer = max(memory.next_dealer, 0)
    memory.number += 1
    if memory.next_dealer != NOT_KNOWN:
        memory.next_dealer = (memory.next_dealer + 1) % SEATS


@compiled
def _damage(memory: Any, hands: NDArray[Any], fault: int, place: int) -> None:
    """The hand can't be read: leave its events out, and take what follows for its rest."""
    hand = hands[memory.hand]
    hand.fault = fault
    hand.fault_line = place
    hand.waited_for = memory.stage
    memory.where = IN_DAMAGE
    memory.filled = memory.begins
    memory.refused = memory.first_refused


@compiled
def _swallow(memory: Any, hands: NDArray[Any], line: Any, place: int) -> None:
    """Take a line for part of a damaged hand; the score is its last one. What it tells of the match
    counts only if it agrees with itself."""
    hand = hands[memory.hand]
    hand.last = place
    belongs = line.kind not in (said.BAD, said.NOTE, said.TORN)
    if belongs and hand.number == NO_LINE:
        _number(memory, hands)
    scores = line.scores
    if line.kind in (said.SCORES_MESSAGE, said.THROW_IN_MESSAGE):
        counted = memory.hands_played + (line.kind == said.SCORES_MESSAGE)
        known = memory.hands_played == NOT_KNOWN or line.number == counted
        memory.hands_told = line.number if known else NOT_KNOWN
        memory.scores[0] = scores[0]
        memory.scores[1] = scores[1]
        memory.scores_told = 1
    elif line.kind == said.SAY_SCORE:
        hand.ended = 1
        if scores[0] != memory.scores[0] or scores[1] != memory.scores[1]:
            memory.scores_told = 0
        memory.new_match = line.over and max(scores[0], scores[1]) >= GAME_POINTS
        _close(memory, NOT_KNOWN)


@compiled
def _leave(memory: Any, hands: NDArray[Any], events: NDArray[Any]) -> None:
    """What comes next is not of the hand any more, whether that is over or not."""
    if memory.where == NOWHERE:
        return
    if memory.where == IN_HAND:
        _complete(memory, hands, events)
        trump = memory.trump if memory.stage > NAME_ANSWER else NOT_KNOWN
        _close(memory, trump)
    elif hands[memory.hand].number != NO_LINE:
        _close(memory, NOT_KNOWN)
    memory.where = NOWHERE


@compiled
def _close(memory: Any, trump: int) -> None:
    """Keep of a hand what matters to the next."""
    memory.where = NOWHERE
    memory.known = memory.scores_told
    memory.before[0] = memory.scores[0]
    memory.before[1] = memory.scores[1]
    memory.hands_played = memory.hands_told
    memory.trump_before = trump


# ---------------------------------------------------------------- one line of a hand


@compiled
def _deal(memory: Any, hands: NDArray[Any], events: NDArray[Any], line: Any, place: int) -> int:
    """The deal: who deals, and what seat 0 holds."""
    hand = hands[memory.hand]
    memory.filled = memory.begins + BEFORE_EVENTS
    memory.dialect = _HEAD_2014 if line.fields >> said.DEALER & 1 else _JAN_2013
    hand.dialect = memory.dialect
    if memory.dialect == _HEAD_2014:
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
    _clear(event, pinochle.DEAL_HAND, 0, place)
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
def _follow(
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
        event = _add(memory, events, pinochle.DECLARE, line.seat, place)
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
        return _scoring(memory, hands, events, line, place)
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
    if memory.bids == 0 and memory.dialect == _JAN_2013:
        _set_dealer(memory, hands, (line.seat + SEATS - 1) % SEATS)
    if kind == said.ASK_BID:
        return FINE
    if kind == said.ANSWER_BID and line.seat != 0:
        return UNEXPECTED
    event = _add(memory, events, pinochle.BID if line.bid else pinochle.BID_PASS, line.seat, place)
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
        event = _add(memory, events, pinochle.NAME_TRUMP, line.seat, place)
        event.suit = line.suit
        memory.trump = line.suit
        memory.stage = MELDS
        return FINE
    if kind == (said.ANSWER_THROW_IN if answered else said.SAY_THROW_IN):
        _add(memory, events, pinochle.THROW_IN, line.seat, place)
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
        return bool(memory.dialect == _JAN_2013)
    firsts, seconds = masks_of(line.cards, line.count)
    return bool(memory.dialect == _HEAD_2014 and firsts == memory.firsts and seconds == memory.seconds)


@compiled
def _lay(memory: Any, events: NDArray[Any], seat: int, card: int, place: int) -> None:
    """Put a card on the table."""
    event = _add(memory, events, pinochle.PLAY_CARD, seat, place)
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
def _scoring(memory: Any, hands: NDArray[Any], events: NDArray[Any], line: Any, place: int) -> int:
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
        return _score(memory, hands, events, line, place)
    return UNEXPECTED


@compiled
def _trick(memory: Any, events: NDArray[Any], line: Any, place: int) -> int:
    """The message that a trick is over: it has its number and worth in the older dialect only."""
    if (line.said == said.NUMBERED_TRICK) != (memory.dialect == _JAN_2013) or line.seat < 0:
        return UNEXPECTED
    event = _add(memory, events, pinochle.SCORE_TRICK, line.seat, place)
    event.count = 1
    event.cards[0] = line.card
    memory.tricks += 1
    memory.taker = line.seat
    if memory.dialect == _HEAD_2014:
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
        event = _add(memory, events, pinochle.SCORE_MATCH, team, place)
        event.amount = line.scores[team]
        memory.scores[team] = line.scores[team]
    memory.scores_told = 1
    memory.hands_told = line.number
    memory.over = match_winner(memory.scores, memory.declarer & 1)
    memory.stage = SCORE
    if memory.dialect == _JAN_2013 and memory.over >= 0:
        memory.stage = WINNER
    if memory.hands_played != NOT_KNOWN and line.number != memory.hands_played + (not ended_early):
        return SAID_HANDS
    return FINE


@compiled
def _score(memory: Any, hands: NDArray[Any], events: NDArray[Any], line: Any, place: int) -> int:
    """The score, the last line of a hand."""
    if line.scores[0] != memory.scores[0] or line.scores[1] != memory.scores[1]:
        return SAID_SCORES
    if line.over != (memory.over >= 0) or line.win != (memory.over == 0):
        return SAID_OVER
    for seat in range(SEATS if memory.over >= 0 else 0):
        event = _add(memory, events, pinochle.SCORE_PLACE, seat, place)
        event.amount = 1 if seat & 1 == memory.over else 2
    hands[memory.hand].ended = 1
    memory.new_match = line.over
    _complete(memory, hands, events)
    _close(memory, memory.trump if memory.tricks == TRICKS else memory.trump_before)
    return FINE


# ---------------------------------------------------------------- events


@compiled
def _add(memory: Any, events: NDArray[Any], action: int, seat: int, place: int) -> Any:
    """A new event of the hand, read from the line at a place."""
    event = events[memory.filled]
    memory.filled += 1
    _clear(event, action, seat, place)
    return event


@compiled
def _clear(event: Any, action: int, seat: int, place: int) -> None:
    event.action = action
    event.seat = seat
    event.suit = NO_SUIT
    event.count = 0
    event.amount = NO_AMOUNT
    event.line = place
    event.detail = NO_DETAIL
    event.at = NO_TIME
    for card in range(len(event.cards)):
        event.cards[card] = 0


@compiled
def _complete(memory: Any, hands: NDArray[Any], events: NDArray[Any]) -> None:
    """Put before a hand's events its opening and what the others were dealt, as far as it is known."""
    hand = hands[memory.hand]
    _clear(events[memory.begins], pinochle.OPEN, NO_SEAT, hand.first)
    held = np.zeros((SEATS, 64), np.int64)
    played = np.zeros(SEATS, np.int64)
    for place in range(memory.begins + BEFORE_EVENTS, memory.filled):
        event = events[place]
        if event.action == pinochle.PLAY_CARD:
            held[event.seat, event.cards[0]] += 1
            played[event.seat] += 1
    for place in range(memory.begins + BEFORE_EVENTS, memory.filled):
        event = events[place]
        if event.action == pinochle.DECLARE and played[event.seat] < HAND_CARDS:
            firsts, seconds = masks_of(event.cards, event.count)
            if firsts < 0:
                continue
            firsts, seconds = held_of_shown(
                firsts, seconds, event.amount, memory.trump, _BOTH_NINES[memory.dialect]
            )
            for number in range(KINDS):
                code = DECK_CODES[number]
                least = (firsts >> code & 1) + (seconds >> code & 1)
                held[event.seat, code] = max(held[event.seat, code], least)
    for seat in range(1, SEATS):
        event = events[memory.begins + 1 + seat]
        _clear(event, pinochle.DEAL_HAND, seat, hand.first)
        _give(event, held[seat])


@compiled
def _give(event: Any, held: Any) -> None:
    """Fill a hand with so many of each card, in the servers' order, and the rest with unknown ones."""
    for number in range(KINDS):
        for _ in range(held[DECK_CODES[number]]):
            if event.count < HAND_CARDS:
                event.cards[event.count] = DECK_CODES[number]
                event.count += 1
    for place in range(event.count, HAND_CARDS):
        event.cards[place] = UNKNOWN
    event.count = HAND_CARDS
