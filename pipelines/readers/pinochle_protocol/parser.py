"""Turns the lines of one hand in Pinochle's protocol into events.

The parser distinguishes requests, answers, refused answers and acts of others, and checks what is repeated:
lead, trump, winning card and hand in a request, the scores in the message and in the score. Legality is left
to the judge; the highest bid, the cards on the table and seat 0's hand are in the game's own state.

Numbers in brackets, [R3], are the rules of docs/rules/pinochle.md.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cardlog.models.compiled import Int, compiled
from cardlog.models.pinochle import rules
from cardlog.models.pinochle.cards import masks_of
from cardlog.models.pinochle.dialects import match_winner
from cardlog.models.pinochle.state import BIDDING, HAND_CARDS, LEAST_BID, MELDING, NAMING, SEATS, TRICKS
from cardlog.models.trick import suit_of
from cardlog.pipelines.readers.pinochle_protocol import match
from cardlog.pipelines.readers.pinochle_protocol.game import advance, begin_game, set_dealer
from cardlog.pipelines.readers.pinochle_protocol.hidden_hands import fill_in
from cardlog.pipelines.readers.pinochle_protocol.lines import (
    NO_CARD,
    NUMBERED_TRICK,
    PLAY_REQUEST,
    Field,
    Kind,
)
from cardlog.pipelines.readers.pinochle_protocol.state import (
    HEAD_2014,
    JAN_2013,
    NO_NUMBER,
    UNKNOWN,
    Fault,
    Parsed,
    Stage,
    add,
    begin_hand,
)
from cardlog.schemas.cards import NO_SUIT
from cardlog.schemas.cards import UNKNOWN as UNKNOWN_CARD
from cardlog.schemas.events import NO_SEAT


@compiled
def parse(lines: NDArray[Any], parser: Any, parsed: Parsed, count: int) -> None:
    """Parse the first `count` hands, found by `hands.find` in a section's lines.

    parser
        `parser_state()`, or what is known before a hand that is read by itself.
    parsed
        Out. A hand that can't be parsed has no events. `parser.refused` cards were refused.
    """
    game = np.zeros(1, rules.STATE)
    for number in range(count):
        hand = parsed.hands[number]
        parsed.offsets[number] = parser.events
        hand.match = parser.match
        parser.new_match |= hand.menu
        begin_hand(parser)
        index, fault = _events(lines, parser, game, parsed, number)
        if fault == Fault.FINE:
            events = parsed.events[parser.first_event : parser.events]
            fill_in(events, game[0].trump, hand.dialect)
            match.finish(parser, _trump(parser, game[0], hand))
            continue
        hand.fault = fault
        hand.fault_line = index
        hand.wanted = parser.stage
        parser.events = parser.first_event
        parser.refused = parser.first_refused
        for rest in range(index, hand.last + 1):
            match.skim(parser, hand, lines[rest])
        if hand.number != NO_NUMBER:
            match.finish(parser, UNKNOWN)
    parsed.offsets[count] = parser.events


@compiled
def _events(lines: NDArray[Any], parser: Any, game: Any, parsed: Parsed, number: int) -> tuple[Int, Fault]:
    """Parse a hand's lines up to the first fault; returns the index of the last line parsed, and the
    fault."""
    hand = parsed.hands[number]
    index: Int = np.int64(hand.first)
    advanced = parser.events
    fault = Fault.FINE
    while fault == Fault.FINE and index <= hand.last:
        line = lines[index]
        kind = line.kind
        if index == hand.first:
            fault = _begin(parser, game, hand, parsed, line, index)
        elif kind == Kind.BAD or kind == Kind.NOTE:
            fault = Fault.UNREADABLE
        elif kind == Kind.BLANK:
            pass
        elif parser.stage == Stage.CONFIRM:
            _confirm(parser, parsed, kind == Kind.ASK_PLAY)
            index -= 1  # parse the line itself next
        else:
            fault = _follow(parser, game[0], hand, parsed, line, index)
        while advanced < parser.events:
            event = parsed.events[advanced]
            advance(game[0], event)
            if event.action != rules.SCORE_MATCH and event.action != rules.SCORE_PLACE:
                parser.stage = _next_stage(game[0], hand, event.action)
            advanced += 1
        index += 1
    return index - 1, fault


@compiled
def _next_stage(game: Any, hand: Any, action: int) -> Stage:
    """What must follow an event."""
    if game.phase <= BIDDING:
        return Stage.BIDS
    if game.phase == NAMING:
        return Stage.STUCK if game.bid_count < SEATS and game.dealer != 0 else Stage.NAME
    if game.phase == MELDING:
        return Stage.MELDS
    if action == rules.PLAY_CARD and game.trick_cards == 0:
        return Stage.TRICK
    if action == rules.SCORE_TRICK and hand.dialect == HEAD_2014:
        return Stage.TRICK_TAKER
    return Stage.SCORES if game.done else Stage.PLAYS


@compiled
def _trump(parser: Any, game: Any, hand: Any) -> int:
    """The trump of a hand, for the one after it."""
    if parser.stage <= Stage.NAME_ANSWER:
        return UNKNOWN
    if game.thrown_in and game.melded == 0:
        return int(hand.trump_before)
    return int(game.trump)


@compiled
def _begin(parser: Any, game: Any, hand: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """[R2] The deal: seat 0's hand, and in one dialect the dealer. Any other line is a fault."""
    if line.kind != Kind.DEAL:
        return Fault.UNREADABLE if line.kind == Kind.BAD else Fault.HEADLESS
    match.number(parser, hand)
    hand.dialect = JAN_2013
    if line.fields >> Field.Dealer & 1:
        hand.dialect = HEAD_2014
        match.note_dealer(parser, hand, line.dealer)
    begin_game(game, hand.dialect, hand.trump_before)
    set_dealer(game[0], hand.dealer)
    if masks_of(line.cards, line.count)[0] < 0:
        return Fault.DEALT_THRICE
    if line.count != HAND_CARDS or line.seat != 0:
        return Fault.DEALT_COUNT
    add(parser, parsed, rules.OPEN, NO_SEAT, index)
    for seat in range(SEATS):
        event = add(parser, parsed, rules.DEAL_HAND, seat, index)
        event.count = HAND_CARDS
        for card in range(HAND_CARDS):
            event.cards[card] = line.cards[card] if seat == 0 else UNKNOWN_CARD
    return Fault.FINE


@compiled
def _confirm(parser: Any, parsed: Parsed, asked_again: bool) -> None:
    """Whether the client's card was accepted shows in the next line: if not, the server asks again."""
    parser.stage = Stage.PLAYS
    if asked_again:
        parsed.refused[parser.refused].event = parser.events
        parsed.refused[parser.refused].card = parser.card
        parser.refused += 1
    else:
        _play(parser, parsed, 0, parser.card, parser.card_line)


@compiled
def _follow(parser: Any, game: Any, hand: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """Parse the next line of a hand, by the game's state before it; returns the fault."""
    stage = parser.stage
    if stage <= Stage.STUCK:
        return _bidding(parser, game, hand, parsed, line, index)
    if stage <= Stage.NAME_ANSWER:
        return _naming(parser, parsed, line, index)
    if stage == Stage.MELDS and line.kind == Kind.SAY_MELD:
        event = add(parser, parsed, rules.DECLARE, line.seat, index)
        event.amount = line.amount
        event.count = line.count
        for card in range(line.count):
            event.cards[card] = line.cards[card]
        return Fault.FINE
    if stage in (Stage.PLAYS, Stage.PLAY_ANSWER):
        return _playing(parser, game, hand, parsed, line, index)
    if stage >= Stage.TRICK:
        return _scoring(parser, game, hand, parsed, line, index)
    return Fault.UNEXPECTED


# ---------------------------------------------------------------- bids and trump


@compiled
def _bidding(parser: Any, game: Any, hand: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """[R3] to [R5] Bids of others, requests for a bid and answers."""
    kind = line.kind
    if parser.stage == Stage.STUCK:
        if kind != Kind.SAY_BID or line.seat != game.dealer or line.bid != LEAST_BID:
            return Fault.UNEXPECTED
        parser.stage = Stage.NAME
        return Fault.FINE
    if kind == Kind.ASK_BID:
        parser.stage = Stage.BID_ANSWER
    elif kind != (Kind.SAY_BID if parser.stage == Stage.BIDS else Kind.ANSWER_BID):
        return Fault.UNEXPECTED
    if game.bid_count == 0 and hand.dialect == JAN_2013:
        dealer = (line.seat + SEATS - 1) % SEATS
        match.note_dealer(parser, hand, dealer)
        set_dealer(game, dealer)
        game.trump_before = hand.trump_before
    if kind == Kind.ASK_BID:
        return Fault.FINE
    if kind == Kind.ANSWER_BID and line.seat != 0:
        return Fault.UNEXPECTED
    event = add(parser, parsed, rules.BID if line.bid else rules.BID_PASS, line.seat, index)
    if line.bid:
        event.amount = line.bid
    return Fault.FINE


@compiled
def _naming(parser: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """[R6] Trump, or a throw-in."""
    kind = line.kind
    if kind == Kind.ASK_TRUMP and line.seat == 0:
        parser.stage = Stage.NAME_ANSWER
        return Fault.FINE
    answered = parser.stage == Stage.NAME_ANSWER
    if answered != (line.seat == 0):
        return Fault.UNEXPECTED
    if kind == (Kind.ANSWER_TRUMP if answered else Kind.SAY_TRUMP):
        event = add(parser, parsed, rules.NAME_TRUMP, line.seat, index)
        event.suit = line.suit
    elif kind == (Kind.ANSWER_THROW_IN if answered else Kind.SAY_THROW_IN):
        add(parser, parsed, rules.THROW_IN, line.seat, index)
    else:
        return Fault.UNEXPECTED
    return Fault.FINE


# ---------------------------------------------------------------- cards


@compiled
def _playing(parser: Any, game: Any, hand: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """[R9] [R10] Cards of others, requests for a card and answers."""
    kind = line.kind
    if kind == Kind.ASK_PLAY:
        if game.trump == UNKNOWN:
            game.trump = line.suit
            hand.trump_before = line.suit
        parser.stage = Stage.PLAY_ANSWER
        return Fault.FINE if _agrees(game, hand, line) else Fault.REQUEST
    if parser.stage == Stage.PLAYS:
        if kind != Kind.SAY_PLAY or line.seat == 0:
            return Fault.UNEXPECTED
        _play(parser, parsed, line.seat, line.card, index)
        return Fault.FINE
    if kind != Kind.ANSWER_PLAY or line.seat != 0:
        return Fault.UNEXPECTED
    parser.card = line.card
    parser.card_line = index
    parser.stage = Stage.CONFIRM
    return Fault.FINE


@compiled
def _agrees(game: Any, hand: Any, line: Any) -> bool:
    """Whether a request agrees with the state on trump, trick and hand."""
    if line.seat != 0 or line.suit != game.trump:
        return False
    if game.trick_cards == 0:
        if line.lead != NO_SUIT or line.winning != NO_CARD:
            return False
    else:
        led = suit_of(np.int64(game.played[game.plays - game.trick_cards]))
        if line.lead != led or line.winning != game.best:
            return False
    if line.type != PLAY_REQUEST:
        return bool(hand.dialect == JAN_2013)
    firsts, seconds = masks_of(line.cards, line.count)
    return bool(hand.dialect == HEAD_2014 and firsts == game.firsts[0] and seconds == game.seconds[0])


@compiled
def _play(parser: Any, parsed: Parsed, seat: int, card: int, index: Int) -> None:
    """Add a card that was played."""
    event = add(parser, parsed, rules.PLAY_CARD, seat, index)
    event.count = 1
    event.cards[0] = card


# ---------------------------------------------------------------- scores


@compiled
def _scoring(parser: Any, game: Any, hand: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """[R11] to [R15] The lines after a trick, with the scores and with the winner."""
    kind = line.kind
    stage = parser.stage
    if stage == Stage.TRICK and kind == Kind.TRICK_MESSAGE:
        return _trick(parser, game, hand, parsed, line, index)
    if stage == Stage.TRICK_TAKER and kind == Kind.SAY_TRICK:
        parser.stage = Stage.SCORES if game.done else Stage.PLAYS
        return Fault.FINE if line.seat == parsed.events[parser.events - 1].seat else Fault.TAKER
    played_out = game.tricks == TRICKS
    if stage == Stage.SCORES and kind == (Kind.SCORES_MESSAGE if played_out else Kind.THROW_IN_MESSAGE):
        return _scores(parser, game, hand, parsed, line, index)
    if stage == Stage.WINNER and kind == Kind.WINNER_MESSAGE:
        parser.stage = Stage.SCORE
        winner = match_winner(parser.scores, game.declarer & 1)
        return Fault.FINE if line.seat == winner and line.amount == parser.scores[winner] else Fault.WINNER
    if stage == Stage.SCORE and kind == Kind.SAY_SCORE:
        return _score(parser, game, parsed, line, index)
    return Fault.UNEXPECTED


@compiled
def _trick(parser: Any, game: Any, hand: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """The message at the end of a trick; only the older dialect has its number and points."""
    if (line.message == NUMBERED_TRICK) != (hand.dialect == JAN_2013) or line.seat < 0:
        return Fault.UNEXPECTED
    event = add(parser, parsed, rules.SCORE_TRICK, line.seat, index)
    event.count = 1
    event.cards[0] = line.card
    if hand.dialect == JAN_2013:
        event.amount = line.amount
        return Fault.FINE if line.number == game.tricks else Fault.TRICK_NUMBER
    return Fault.FINE


@compiled
def _scores(parser: Any, game: Any, hand: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """The message with both teams' scores, and the number of hands that counted."""
    played_out = game.tricks == TRICKS
    if not played_out and line.seat != game.declarer:
        return Fault.UNEXPECTED
    for team in range(2):
        event = add(parser, parsed, rules.SCORE_MATCH, team, index)
        event.amount = line.scores[team]
        parser.scores[team] = line.scores[team]
    parser.scores_known = 1
    parser.hands_counted = line.number
    parser.stage = Stage.SCORE
    if hand.dialect == JAN_2013 and match_winner(parser.scores, game.declarer & 1) >= 0:
        parser.stage = Stage.WINNER
    if hand.hands_played != UNKNOWN and line.number != hand.hands_played + played_out:
        return Fault.HAND_COUNT
    return Fault.FINE


@compiled
def _score(parser: Any, game: Any, parsed: Parsed, line: Any, index: Int) -> Fault:
    """The score, the last line of a hand."""
    if line.scores[0] != parser.scores[0] or line.scores[1] != parser.scores[1]:
        return Fault.SCORES
    winner = match_winner(parser.scores, game.declarer & 1)
    if line.over != (winner >= 0) or line.win != (winner == 0):
        return Fault.WINNER
    for seat in range(SEATS if winner >= 0 else 0):
        event = add(parser, parsed, rules.SCORE_PLACE, seat, index)
        event.amount = 1 if seat & 1 == winner else 2
    parser.new_match = line.over
    parser.stage = Stage.OVER
    return Fault.FINE
