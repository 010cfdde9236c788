"""Turns the lines of a hand in Pinochle's protocol into events.

The parser distinguishes requests, answers, refused answers and acts of others, and checks what is repeated:
lead, trump, winning card and hand in a request, the scores in the message and in the score. Legality is left
to the judge. What the parser knows of the game follows the text, also where that breaks a rule: the judge
will say so, and the lines after it must be parsed nevertheless, for the others' cards and the start of the
next hand.

Numbers in brackets, [R3], are the rules of docs/rules/pinochle.md.
"""

from contextlib import suppress
from typing import Any, Final

import numpy as np

from cardlog.models.pinochle import cards as pack
from cardlog.models.pinochle import dialects
from cardlog.models.pinochle.state import HAND_CARDS, LEAST_BID, MOST_BID, TRICKS
from cardlog.models.trick import SEATS
from cardlog.pipelines.readers.pinochle_protocol.hands import (
    HEAD_2014,
    JAN_2013,
    UNKNOWN,
    Hand,
    Match,
    before_of,
    trump_of,
)
from cardlog.pipelines.readers.pinochle_protocol.lines import NO_CARD, Kind, Line
from cardlog.pipelines.readers.transcript import Event, Fault, require
from cardlog.schemas.cards import NO_SUIT, SUIT_STRIDE
from cardlog.schemas.cards import UNKNOWN as UNKNOWN_CARD
from cardlog.schemas.events import NO_SEAT, Action
from cardlog.schemas.reasons import Reason

_match_winner: Final = getattr(dialects.match_winner, "py_func", dialects.match_winner)
_RULES: Final = dialects.RULES
_HIGHER: Final = pack.HIGHER.tolist()
_ORDER: Final = {card: index for index, card in enumerate(pack.DECK_CODES.tolist())}
"""The index of each card in the servers' order."""


def parse(lines: list[Line], hand: Hand, match: Match) -> None:
    """Parse a hand, or note what is wrong with it; and what it says about the match.

    lines
        All lines of the text.
    """
    match.begin(hand)
    parser = Parser(lines, hand, match)
    try:
        parser.parse()
    except Fault as fault:
        hand.fault = Fault(fault.reason, fault.what, parser.index)
        for line in lines[parser.index : hand.last + 1]:
            match.skim(hand, line)
        if hand.is_hand:
            match.finish(UNKNOWN)
    else:
        _fill_in(hand, parser.trump)
        match.finish(parser.trump)


class _Ended(Exception):
    """There are no more lines."""


class Parser:
    """What is known of a hand while it is parsed.

    index, next
        The index of the last line that was looked at; that line, until it is taken.
    cards
        Seat 0's, sorted.
    declarer, high_bid
        As in the game's own state: the dealer at the lowest bid, until somebody bids more.
    trump
        That of the hand before if it was thrown in, `UNKNOWN` before it is named.
    bids, tricks, on_table
        How many there are; `on_table` are the cards of the trick.
    led, best
        The first card of the trick, and the one that takes it so far.
    """

    def __init__(self, lines: list[Line], hand: Hand, match: Match) -> None:
        self.lines, self.hand, self.match = lines, hand, match
        self.index = hand.first - 1
        self.next: Line | None = None
        self.cards = b""
        self.turn = self.declarer = 0
        self.high_bid = LEAST_BID
        self.trump = UNKNOWN
        self.bids = self.tricks = self.on_table = 0
        self.led = self.best = NO_CARD

    def parse(self) -> None:
        """Parse all lines of the hand, which may be cut."""
        with suppress(_Ended):
            self.deal()
            self.auction()
            if not self.thrown_in():
                for _ in range(SEATS):
                    line = self.take(Kind.SAY_MELD)
                    self.add(Action.MELD_DECLARE, line, cards=line.hand, amount=line.amount)
                while self.tricks < TRICKS:
                    self.trick()
            self.scores()

    # ------------------------------------------------------------ lines

    def look(self) -> Line:
        """The next line that means something. Raises _Ended if there is none."""
        while self.next is None:
            self.index += 1
            if self.index > self.hand.last:
                raise _Ended
            line = self.lines[self.index]
            if line.wrong:
                raise Fault(*line.wrong)
            if line.kind == Kind.NOTE:
                raise Fault(Reason.UNPARSABLE, f"{line.kind} is in the middle of a hand")
            self.next = None if line.kind == Kind.BLANK else line
        return self.next

    def take(self, *kinds: str) -> Line:
        """The next line, which must be of one of some kinds."""
        line = self.look()
        if line.kind not in kinds:
            raise Fault(Reason.OUT_OF_ORDER, f"{line.kind}, where {' or '.join(kinds)} was expected")
        self.next = None
        return line

    def expect(self, line: Line, holds: bool) -> None:
        """Raise the fault of a line that is for another seat, unless something holds."""
        if not holds:
            raise Fault(Reason.OUT_OF_ORDER, f"{line.kind}, where another seat's was expected")

    def add(self, action: Action, line: Line, **values: Any) -> None:
        """Add the event of the line that was taken."""
        self.hand.events.append(Event(action, line.seat, self.index, **values))

    # ------------------------------------------------------------ deal, bids and trump

    def deal(self) -> None:
        """[R2] Seat 0's hand, and in one dialect the dealer."""
        hand, line = self.hand, self.look()
        missing = f"{line.kind}, before any deal: the beginning of the hand is missing"
        require(line.kind == Kind.DEAL, Reason.OUT_OF_ORDER, missing)
        self.next = None
        self.match.number(hand)
        if "Dealer" in line.fields:
            hand.dialect = HEAD_2014
            self.match.note_dealer(hand, line.fields["Dealer"])
        self.asks_stuck_dealer = not _RULES[hand.dialect].stuck_dealer_is_not_asked
        self._set_dealer()
        is_double = max(map(line.hand.count, line.hand), default=0) <= 2
        require(is_double, Reason.DUPLICATE_CARD, "a card is dealt three times")
        is_whole = len(line.hand) == HAND_CARDS and line.seat == 0
        require(is_whole, Reason.INCOMPLETE, "the deal must be twelve cards, for seat 0")
        self.cards = bytes(sorted(line.hand))
        hidden = bytes([UNKNOWN_CARD] * HAND_CARDS)
        hand.events.append(Event(Action.DEAL_OPEN, NO_SEAT, self.index))
        for seat in range(SEATS):
            hand.events.append(Event(Action.DEAL_HAND, seat, self.index, hidden if seat else line.hand))

    def _set_dealer(self) -> None:
        """Take up who the dealer is, before anybody has bid."""
        self.declarer, self.turn = self.hand.dealer, (self.hand.dealer + 1) % SEATS

    def auction(self) -> None:
        """[R3] to [R5] Four bids. [R4] Nobody asks a dealer who is left with the lowest one."""
        is_stuck = False
        while self.bids < SEATS and not is_stuck:
            self.bid()
            is_stuck = self.turn == self.declarer == self.hand.dealer and not self.asks_stuck_dealer
        if self.bids < SEATS and self.hand.dealer != 0:
            line = self.take(Kind.SAY_BID)
            self.expect(line, (line.seat, line.bid) == (self.hand.dealer, LEAST_BID))

    def bid(self) -> None:
        """A bid or pass, which counts as one of the four whoever makes it."""
        is_first, bid = self.bids == 0 and self.hand.dialect == JAN_2013, Kind.SAY_BID
        while True:
            line = self.take(bid, Kind.ASK_BID)
            if is_first:
                self.match.note_dealer(self.hand, (line.seat - 1) % SEATS)
                self._set_dealer()
            if line.kind != Kind.ASK_BID:
                break
            bid = Kind.ANSWER_BID
        self.expect(line, bid == Kind.SAY_BID or line.seat == 0)
        if line.bid:
            self.add(Action.BID_BID, line, amount=line.bid)
        else:
            self.add(Action.BID_PASS, line)
        if line.bid > self.high_bid:
            self.high_bid, self.declarer = line.bid, line.seat
            if line.seat != self.turn or line.bid > MOST_BID:
                self.asks_stuck_dealer = True  # the bid is no longer the dealer's at 20
        self.turn = (self.turn + 1) % SEATS
        self.bids += 1

    def thrown_in(self) -> bool:
        """[R6] Trump, or a throw-in; whether the latter ends the hand."""
        kinds, is_mine = (Kind.SAY_TRUMP, Kind.SAY_THROW_IN), False
        line = self.take(Kind.ASK_TRUMP, *kinds)
        while line.kind == Kind.ASK_TRUMP:
            self.expect(line, line.seat == 0)
            kinds, is_mine = (Kind.ANSWER_TRUMP, Kind.ANSWER_THROW_IN), True
            line = self.take(Kind.ASK_TRUMP, *kinds)
        self.expect(line, is_mine == (line.seat == 0))
        if line.kind == kinds[0]:
            self.add(Action.BID_TRUMP, line, suit=line.suit)
            self.trump = line.suit
            return False
        self.add(Action.BID_THROW_IN, line)
        self.trump = trump_of(self.hand.before)
        return bool(_RULES[self.hand.dialect].throw_in_ends_hand)

    # ------------------------------------------------------------ cards

    def trick(self) -> None:
        """[R9] [R10] Four cards, and the message at the end; only in the older dialect that has the trick's
        number and points, only in the other the seat that takes it comes once more."""
        while True:
            self.card()
            if self.on_table == 0:
                break
        is_old = self.hand.dialect == JAN_2013
        line = self.take(Kind.TRICK_MESSAGE)
        self.expect(line, (line.number is not None) == is_old and line.seat >= 0)
        self.add(Action.SCORE_TRICK, line, cards=bytes((line.card,)))
        if is_old:
            self.hand.events[-1].amount = line.amount
            is_right = line.number == self.tricks
            require(is_right, Reason.OUT_OF_ORDER, "the message counts the tricks differently")
            return
        taker = self.take(Kind.SAY_TRICK).seat
        require(taker == line.seat, Reason.SCORE_MISMATCH, "the message names another taker of the trick")

    def card(self) -> None:
        """A card of another seat, or the client's."""
        line = self.take(Kind.ASK_PLAY, Kind.SAY_PLAY)
        if line.kind == Kind.SAY_PLAY:
            self.expect(line, line.seat != 0)
            self._play(line.seat, line.card, self.index)
            return
        while True:
            while line.kind == Kind.ASK_PLAY:
                self._check_request(line)
                line = self.take(Kind.ASK_PLAY, Kind.ANSWER_PLAY)
            self.expect(line, line.seat == 0)
            index = self.index
            if self.look().kind != Kind.ASK_PLAY:
                break
            # The server asks again: it has refused the card.
            self.hand.refused.append((len(self.hand.events), line.card))
            line = self.take(Kind.ASK_PLAY)
        self._play(0, line.card, index)

    def _check_request(self, line: Line) -> None:
        """Whether a request agrees with the state on trump, trick and hand."""
        if self.trump == UNKNOWN:
            self.trump = line.suit
            self.hand.before = self.hand.before | before_of(None, None, line.suit)
        led = self.led // SUIT_STRIDE if self.on_table else NO_SUIT
        best = self.best if self.on_table else NO_CARD
        agrees = (line.seat, line.suit, line.lead, line.winning) == (0, self.trump, led, best)
        if line.fields["Type"] == "PlayRequest":
            agrees &= self.hand.dialect == HEAD_2014 and bytes(sorted(line.hand)) == self.cards
        else:
            agrees &= self.hand.dialect == JAN_2013
        require(agrees, Reason.OUT_OF_ORDER, "the request has a wrong hand, lead, trump or winning card")

    def _play(self, seat: int, card: int, index: int) -> None:
        """A card, whoever plays it."""
        self.hand.events.append(Event(Action.PLAY_CARD, seat, index, bytes((card,))))
        if seat == 0:
            self.cards = self.cards.replace(bytes((card,)), b"", 1)
        if self.on_table == 0:
            self.led = self.best = card
        elif card // SUIT_STRIDE == self.best // SUIT_STRIDE:
            self.best = card if _HIGHER[self.best] >> card & 1 else self.best
        elif card // SUIT_STRIDE == self.trump:
            self.best = card
        self.on_table = (self.on_table + 1) % SEATS
        self.tricks += self.on_table == 0

    # ------------------------------------------------------------ scores

    def scores(self) -> None:
        """[R11] to [R15] The message with both teams' scores and the number of hands that counted, in one
        dialect the winner's, and the score."""
        match, played_out = self.match, self.tricks == TRICKS
        line = self.take(Kind.SCORES_MESSAGE if played_out else Kind.THROW_IN_MESSAGE)
        self.expect(line, played_out or line.seat == self.declarer)
        for team, score in enumerate(line.scores):
            self.hand.events.append(Event(Action.SCORE_MATCH, team, self.index, amount=score))
        match.scores, match.scores_known, match.hands_counted = line.scores, True, line.number
        known = self.hand.before.get("hands_played")
        counts = known is None or line.number == known + played_out
        require(counts, Reason.SCORE_MISMATCH, "the message counts the hands differently")
        winner = int(_match_winner(match.scores, self.declarer & 1))
        other_winner = Reason.SCORE_MISMATCH, "the scores give another winner, or none"
        if winner >= 0 and self.hand.dialect == JAN_2013:
            line = self.take(Kind.WINNER_MESSAGE)
            require((line.seat, line.amount) == (winner, match.scores[winner]), *other_winner)
        line = self.take(Kind.SAY_SCORE)
        require(line.scores == match.scores, Reason.SCORE_MISMATCH, "the score differs from the message")
        over, win = line.fields.get("GameOver", False), line.fields.get("Win", False)
        require((over, win) == (winner >= 0, winner == 0), *other_winner)
        for seat in range(SEATS if winner >= 0 else 0):
            place = 1 if seat & 1 == winner else 2
            self.hand.events.append(Event(Action.SCORE_PLACE, seat, self.index, amount=place))
        match.new = over


# ---------------------------------------------------------------- hidden cards


def _fill_in(hand: Hand, trump: int) -> None:
    """Fill in the deals of seats 1 to 3, of which the log shows only what they melded and played."""
    for seat in range(1, SEATS):
        own = [event for event in hand.events[1 + SEATS :] if event.seat == seat]
        known = b"".join([event.cards for event in own if event.action == Action.PLAY_CARD])
        if len(known) < HAND_CARDS:
            for event in own:
                declares = event.action == Action.MELD_DECLARE
                shown = _held_of_shown(hand.dialect, event, trump) if declares else b""
                known += b"".join(
                    bytes([card]) * (shown.count(card) - known.count(card)) for card in set(shown)
                )
        known = bytes(sorted(known, key=_ORDER.__getitem__)[:HAND_CARDS])
        hand.events[1 + seat].cards = known.ljust(HAND_CARDS, bytes([UNKNOWN_CARD]))


def _held_of_shown(dialect: str, event: Event, trump: int) -> bytes:
    """The cards that a seat certainly holds if it declares a meld: those it shows, perhaps without the nines
    of trump."""
    cards = event.cards
    if max(map(cards.count, cards), default=0) > 2:
        return b""
    nine = int(pack.NINE).bit_length() - 1 + trump * SUIT_STRIDE
    if trump < 0 or nine not in cards:
        return cards
    firsts = np.int64(sum(1 << card for card in set(cards)))
    seconds = np.int64(sum(1 << card for card in set(cards) if cards.count(card) == 2))
    both = dialects.RULES[dialect].double_run_shows_both_nines
    # With the types of the rules' own records, or the function would be compiled once more.
    amount: Any = np.int32(event.amount)
    suit: Any = np.int8(trump)
    held = pack.held_of_shown(firsts, seconds, amount, suit, both)
    nines = sum(int(mask) >> nine & 1 for mask in held)
    return cards.replace(bytes([nine]), b"") + bytes([nine]) * nines
